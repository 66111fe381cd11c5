"""Polite HTTP: a user agent, retries where they help, and errors that say what to do."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import version
from typing import Any

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_any, retry_if_exception, retry_if_result

from ..state.errors import ConfigurationError, ToolError
from ..state.runs.addresses import login
from ..state.runs.connections import KEPT, connections, ready
from .search import SearchError, describe

LONGEST_WAIT = 30.0
"""In seconds. If a server asks for a longer pause, there is no retry."""
CONNECT_TIMEOUT = 10.0
MOST_BYTES = 16 * 2**20
"""The most bytes of a response that is read as a whole, decompressed: a few kilobytes can expand to gigabytes."""
# On import: both read files, which must not block an event loop.
_VERSION = version("errata")
ready(httpx)
BUSY = frozenset({429, 500, 502, 503, 504})
"""Statuses after which a retry may help."""


class PoliteClient(httpx.AsyncClient):
    """An HTTP client that retries at growing random intervals, or when the server says.

    It retries after 429, after 5xx, after a broken connection and when a MediaWiki lags. After the last try, the last
    response or error counts. Errors of a `final` kind are not retried.
    """

    def __init__(
        self,
        *,
        retries: int,
        timeout: float,
        final: tuple[type[Exception], ...] = (),
        kept: float = KEPT,
        **settings: Any,
    ) -> None:
        patience = httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT))
        transport = connections(httpx, trust_env=settings.get("trust_env", True), kept=kept)
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        super().__init__(timeout=patience, transport=transport, verify=ready(httpx), cookies=no_cookies, **settings)
        self._retries = retries
        self._final = final

    async def send(self, request: httpx.Request, **settings: Any) -> httpx.Response:
        """Send a request, with retries; a login in its address is sent as a header."""
        if request.url.userinfo:  # which would appear in logs and errors
            settings["auth"] = login(str(request.url))
            request.url = request.url.copy_with(userinfo=b"")
        tries = AsyncRetrying(
            retry=retry_any(retry_if_exception(self._is_bad_luck), retry_if_result(_is_busy)),
            stop=self._is_enough,
            wait=pause,
            before_sleep=_close,
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        return await tries(self._send, request, **settings)

    async def _send(self, request: httpx.Request, *, stream: bool = False, **settings: Any) -> httpx.Response:
        response = await super().send(request, stream=True, **settings)
        return response if stream else await _read(response)

    def _is_bad_luck(self, error: BaseException) -> bool:
        return isinstance(error, httpx.TransportError) and not isinstance(error, self._final)

    def _is_enough(self, state: RetryCallState) -> bool:
        return state.attempt_number > self._retries or (_asked_to_wait(state) or 0) > LONGEST_WAIT


async def _read(response: httpx.Response) -> httpx.Response:
    """The response with its body. Raises DecodingError if that is too large."""
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MOST_BYTES:
                raise httpx.DecodingError(f"the answer is larger than {MOST_BYTES // 2**20} MB")
    finally:
        await response.aclose()
    headers = [each for each in response.headers.multi_items() if each[0] not in ("content-encoding", "content-length")]
    return httpx.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


def user_agent(contact: str | None = None) -> str:
    """Our user agent: `errata/0.1.0 (contact)`."""
    return f"errata/{_VERSION}" + (f" ({contact})" if contact else "")


def contact_of(value: str | None) -> str | None:
    """A contact that fits a header, or None.

    Raises:
        ConfigurationError: If the contact does not fit.
    """
    contact = (value or "").strip()
    if contact and not (contact.isascii() and contact.isprintable()):
        raise ConfigurationError("the contact is sent in a header: it must be one line of ASCII characters")
    return contact or None


async def get_json(
    client: httpx.AsyncClient,
    url: str,
    params: dict[str, Any],
    service: str,
    refusal: str = "try again later",
    method: str = "GET",
) -> dict[str, Any]:
    """The JSON object that an API responds with.

    Args:
        client: The client to ask with.
        url: The address.
        params: The query, or the body of a POST request.
        service: The name of the service, for messages.
        refusal: What to do about status 401 or 403.
        method: The HTTP method.

    Raises:
        SearchError: If the API responds with anything else.
    """
    try:
        response = await client.request(method, url, params=params)
    except httpx.HTTPError as error:
        raise SearchError(
            f"{service} cannot be reached ({describe(error)}): check the network and its address"
        ) from error
    if response.status_code >= 400:
        raise refused(service, response.status_code, refusal)
    return json_object(response, service, SearchError)


def results_in(answer: dict[str, Any], name: str, service: str) -> list[dict[str, Any]]:
    """The results in the answer of a search.

    Raises:
        SearchError: If there is no such list: an error that an API reports as a success is not an empty answer.
    """
    results = answer.get(name)
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        raise SearchError(f"{service} answered with JSON of an unknown shape: check its address")
    return results


def json_object(response: httpx.Response, service: str, kind: type[ToolError] = ToolError) -> dict[str, Any]:
    """The JSON object in a response. Raises an error of that kind if it holds anything else."""
    try:
        answer = response.json()
    except ValueError as error:
        raise kind(f"{service} answered with something other than JSON: check its address") from error
    if not isinstance(answer, dict):
        raise kind(f"{service} answered with JSON of an unknown shape: check its address")
    return answer


def refused(service: str, status: int, refusal: str = "try again later") -> SearchError:
    """The error for an HTTP status of 400 or more; `refusal` is what to do about 401 and 403."""
    if status == 429:
        return SearchError(f"{service} asks for fewer requests (429): wait a while, or lower `max_concurrency`")
    if status in (401, 403):
        return SearchError(f"{service} refuses ({status}): {refusal}")
    return SearchError(f"{service} answered {status} {responses.get(status, '')}".rstrip() + ": try again later")


def _is_busy(response: httpx.Response) -> bool:
    return response.status_code in BUSY or response.headers.get("mediawiki-api-error") in ("maxlag", "ratelimited")


def pause(state: RetryCallState) -> float:
    """Seconds until the next try: random and growing, or what the server asks for."""
    requested = _asked_to_wait(state)
    spread = random.uniform(0.5, 1.0) * min(0.5 * 2.0**state.attempt_number, 8.0)
    return spread if requested is None else requested + random.uniform(0, 0.25)


def _asked_to_wait(state: RetryCallState) -> float | None:
    """The seconds that the server asks us to wait (Retry-After), if it does."""
    if state.outcome is None or state.outcome.failed:
        return None
    value = state.outcome.result().headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


async def _close(state: RetryCallState) -> None:
    if state.outcome is not None and not state.outcome.failed:
        await state.outcome.result().aclose()
