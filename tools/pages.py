"""Fetching the text of a web page. Addresses may come from a model or another page, so they are not trusted."""

import asyncio
import hashlib
import json
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

import httpx
from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ..state import Evidence
from ..state.errors import ToolError
from ..state.runs.cache import remembered
from ..state.runs.connections import KEPT_BRIEFLY
from ..state.runs.loops import shared
from ..state.runs.meter import spend
from ..state.runs.traces import traced
from .addresses import public_addresses
from .http import PoliteClient, user_agent
from .reading.documents import DOCUMENT_FORMAT, PAGES, Document, Unreadable, read_page
from .reading.workers import acall
from .search import MAX_TEXT, MAX_TITLE, cut, describe, one_line, run

if TYPE_CHECKING:
    from ..state import Context

MAX_BYTES = 2 * 2**20
"""The most bytes of a page, decompressed."""
MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Page(TypedDict):
    """The text of a web page."""

    url: str
    """Its address, after redirects."""
    title: str
    text: str


class Address(BaseModel):
    """The input of a page fetch when an agent calls it."""

    url: str = Field(description="Address of the page, with http:// or https://.")


class WebPage(BaseTool):
    """Fetches the text of a web page: HTML, plain text or PDF, at any port of a public address.

    Unless private addresses are allowed, the page is fetched from the exact address that was checked, so that a name
    cannot turn private in between, and without the environment's proxy, which could reach more than we do.
    """

    name: str = "web_page"
    description: str = "Fetch the text of a web page."
    args_schema: ArgsSchema | None = Address
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    allow_private_addresses: bool = False
    timeout: float = 60.0
    """Seconds until a page is abandoned, from the first redirect to the last byte."""
    retries: int = 3
    keep: bool = False
    """Whether pages are cached on disk for a day."""

    @classmethod
    def of(cls, context: "Context") -> "WebPage":
        """Make the page fetch that a Context describes."""
        return cls(
            allow_private_addresses=context.allow_private_addresses,
            timeout=context.timeout,
            retries=context.retries,
            keep=context.cache,
        )

    async def fetch(self, url: str) -> Page:
        """Fetch a page. Raises ToolError with the reason if it is refused, unreachable or without text."""
        key = hashlib.sha256(json.dumps([self.name, self.allow_private_addresses, url]).encode()).hexdigest()
        page = await remembered(key, lambda: self._carry_out(url), on_disk=self.keep)
        return {**page}

    async def _carry_out(self, url: str) -> Page:
        short_url = one_line(url, 200)
        try:
            async with asyncio.timeout(self.timeout):
                final_url, kind, charset, data = await self._download(_checked(url))
                document = await self._read(data, kind, charset)
        except TimeoutError as error:
            raise ToolError(f"{short_url} gave no page within {self.timeout:g} s") from error
        except httpx.HTTPError as error:
            raise ToolError(f"{short_url} cannot be reached ({describe(error)})") from error
        except Unreadable as error:
            raise ToolError(f"{short_url} cannot be read: {error}") from error
        except ToolError:
            raise
        except (
            Exception
        ) as error:  # above all the target of a redirect, which httpx itself reads: it must not end a run
            raise ToolError(f"{short_url} cannot be fetched ({describe(error)})") from error
        spend(tool_runs=1)
        text = cut(document.text, MAX_TEXT)
        return {"url": str(final_url), "title": one_line(document.title, MAX_TITLE), "text": text}

    async def _read(self, data: bytes, kind: str, charset: str) -> Document:
        """The text of a page, parsed once for all addresses that give the same bytes."""
        key = hashlib.sha256(json.dumps([DOCUMENT_FORMAT, kind, charset]).encode() + data).hexdigest()
        return Document(*await remembered(key, lambda: acall(read_page, data, kind, charset), on_disk=self.keep))

    async def _download(self, url: httpx.URL) -> tuple[httpx.URL, str, str, bytes]:
        """Follow redirects, checking each address; returns the last address, content type, charset and body."""
        for _ in range(MAX_REDIRECTS + 1):
            async with self._response(url) as response:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    url = _checked(str(url.join(response.headers["location"])))
                    continue
                if response.status_code >= 300:
                    raise ToolError(f"{one_line(str(url), 200)} answered {response.status_code}")
                return url, _kind(response), response.charset_encoding or "", await _body(response)
        raise ToolError(f"more than {MAX_REDIRECTS} redirects, the last to {one_line(str(url), 200)}")

    @asynccontextmanager
    async def _response(self, url: httpx.URL) -> AsyncIterator[httpx.Response]:
        guarded = not self.allow_private_addresses
        async with shared(("pages", guarded, self.retries, self.timeout), self._client) as client:
            targets = await _pinned(url) if guarded else [(url, {}, {})]
            # If a host cannot be reached at one address, its next one is tried.
            for number, (target, host, tls) in enumerate(targets, start=1):
                request = client.build_request("GET", target, headers=host, extensions=tls)
                try:
                    response = await client.send(request, stream=True)
                except (httpx.ConnectError, httpx.ConnectTimeout):
                    if number == len(targets):
                        raise
                    continue
                try:
                    yield response
                finally:
                    await response.aclose()
                return

    async def _client(self, stack: AsyncExitStack) -> PoliteClient:
        """A client for all pages of an event loop: a connection is used again only for the same address and name."""
        client = PoliteClient(
            retries=self.retries,
            timeout=self.timeout,
            final=(httpx.ConnectError, httpx.ConnectTimeout),
            kept=KEPT_BRIEFLY,
            headers={"User-Agent": user_agent(), "Accept-Encoding": "gzip", "Accept": ", ".join(PAGES)},
            trust_env=self.allow_private_addresses,
        )
        return await stack.enter_async_context(client)

    async def _arun(self, url: str) -> tuple[str, Page]:
        page = await self.fetch(url)
        return f"{page['title']}\n\n{page['text']}".strip(), page

    def _run(self, url: str) -> tuple[str, Page]:
        return run(self._arun(url))


async def fetch_page(context: "Context", url: str) -> Page:
    """Fetch the text of a web page under the settings of a run.

    Args:
        context: The settings of the run.
        url: The address of the page.

    Returns:
        The page.

    Raises:
        ToolError: With the reason, if the page cannot be fetched.
    """
    return await traced("page", url, lambda: WebPage.of(context).fetch(url))


async def whole_pages(snippets: Sequence[Evidence], context: "Context") -> list[Evidence]:
    """What a search found, with the text of the page instead of a snippet of it where the page can be fetched.

    Of several results from one address the last is read: a search engine's own answer stands before it.

    Raises:
        ToolError: If none has any text, because pages could not be fetched.
    """
    failed: list[ToolError] = []
    last = {snippet["source"]: place for place, snippet in enumerate(snippets)}

    async def whole(place: int, snippet: Evidence) -> Evidence:
        if last[snippet["source"]] != place:
            return snippet
        try:
            page = await fetch_page(context, snippet["source"])
        except ToolError as error:
            failed.append(error)
            return snippet
        return {**snippet, "title": page["title"] or snippet["title"], "text": page["text"]}

    pages = list(await asyncio.gather(*(whole(place, snippet) for place, snippet in enumerate(snippets))))
    if failed and not any(page["text"].strip() for page in pages):
        raise ToolError(f"none of the pages that the search found could be read: {failed[0]}")
    return pages


def _checked(address: str) -> httpx.URL:
    try:
        url = httpx.URL(address.strip())
        host, port = url.host, url.port  # the host is decoded here
    except (httpx.InvalidURL, ValueError) as error:
        raise ToolError(f"not a web address: {one_line(address, 200)!r}") from error
    if url.scheme not in ("http", "https") or not host or (port is not None and not 0 < port < 65_536):
        raise ToolError(f"only http and https addresses are fetched, not {one_line(address, 200)!r}")
    if url.userinfo:
        raise ToolError("addresses with a user name or password in them are not fetched")
    return url.copy_with(fragment=None) if url.fragment else url


async def _pinned(url: httpx.URL) -> list[tuple[httpx.URL, dict[str, str], dict[str, Any]]]:
    """Addresses with the host's IP addresses, which still name the host to the server and to TLS."""
    port = url.port or (443 if url.scheme == "https" else 80)
    name = url.raw_host.decode("ascii")
    addresses = await public_addresses(name, port)
    host, tls = {"Host": url.netloc.decode("ascii")}, {"sni_hostname": name}
    return [(url.copy_with(host=address), host, tls) for address in addresses[:3]]


def _kind(response: httpx.Response) -> str:
    kind: str = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in PAGES:
        raise ToolError(f"pages of type {one_line(kind, 100) or 'unknown'} are not read")
    return kind


async def _body(response: httpx.Response) -> bytes:
    """The body, decompressed step by step: a few kilobytes can expand to gigabytes."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip"):
        raise ToolError(f"pages compressed with {one_line(packing, 100)} are not read")
    unpack = None if packing == "identity" else zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    body = bytearray()
    async for raw in response.aiter_raw():
        try:
            body += unpack.decompress(raw, MAX_BYTES + 1 - len(body)) if unpack else raw
        except zlib.error as error:
            raise ToolError("the page is compressed and damaged") from error
        if len(body) > MAX_BYTES:
            raise ToolError(f"the page is larger than {MAX_BYTES // 2**20} MB")
        if unpack and unpack.eof:  # what comes after it would be kept, and there may be no end of it
            break
    if unpack and not unpack.eof:
        raise ToolError("the page is compressed and damaged")
    return bytes(body)
