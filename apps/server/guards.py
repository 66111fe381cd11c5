"""The guards of every route of the server: a key, and a limit on request sizes. Plain ASGI, so streams pass."""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from types import MappingProxyType
from urllib.parse import parse_qs, quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .accounts import Account
from .traffic import run_of

KEY_HEADER = "X-API-Key"
"""Where a program sends the key."""
COOKIE = "errata_key"
"""Where a browser keeps the proof that it was given the key."""
MOST_FORM_BYTES = 4_000
FORM_SECONDS = 10.0


class RequireKey:
    """Answers 401 to requests without the key of one of the accounts, for documentation and health checks too.

    A program sends the key in a header. A browser that opens a page is asked for it in a form, and then gets the page;
    from then on it sends a cookie that no script can read and no other site can make it send. The cookie holds no key:
    it proves that its bearer knew this one, and becomes worthless when the key changes.
    """

    def __init__(self, app: ASGIApp, accounts: Sequence[Account]) -> None:
        self.app = app
        self.accounts = accounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that carries a key, with its account as `errata.account` in the scope."""
        account = None if scope["type"] == "lifespan" else self._carried_by(scope)
        if account or scope["type"] == "lifespan":
            scope["errata.account"] = account
            await self.app(scope, receive, send)
            return
        answer = await self._answer(Request(scope, receive)) if scope["type"] == "http" else _refusal()
        await answer(scope, receive, send)

    def _carried_by(self, scope: Scope) -> Account | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        key = token.strip() if scheme.lower() == b"bearer" else headers.get(KEY_HEADER.lower().encode(), b"")
        cookie = _cookie(headers)
        proven = (account for account in self.accounts if hmac.compare_digest(cookie, _proof(account).encode()))
        return self._of_key(key) or next(proven, None)

    def _of_key(self, key: bytes) -> Account | None:
        digest = hashlib.sha256(key).digest()
        return next((account for account in self.accounts if hmac.compare_digest(digest, account.digest)), None)

    async def _answer(self, request: Request) -> Response:
        """The answer to a request without the key: for a person the form, and the cookie once it is filled in."""
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return _form()
        if request.method == "POST" and request.headers.get("content-type") == "application/x-www-form-urlencoded":
            account = self._of_key(await _typed(request))
            return self._let_in(request, account) if account else _form("That key is wrong.")
        return _refusal()

    def _let_in(self, request: Request, account: Account) -> Response:
        # Only a path of this server: with two slashes it would be the name of another.
        path = "/" + str(request.scope["path"]).lstrip("/\\")
        page = RedirectResponse(quote(path), status_code=303)
        page.set_cookie(COOKIE, _proof(account), httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return page


def _proof(account: Account) -> str:
    """The proof that a browser was given the key of an account."""
    return hmac.new(account.secret, COOKIE.encode(), hashlib.sha256).hexdigest()


def _cookie(headers: dict[bytes, bytes]) -> bytes:
    try:
        cookie = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
    except CookieError:
        return b""
    return cookie.value.encode() if cookie else b""


async def _typed(request: Request) -> bytes:
    """The key from the form."""
    body = b""
    try:
        async with asyncio.timeout(FORM_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MOST_FORM_BYTES:
                    return b""
    except TimeoutError:
        return b""
    return parse_qs(body.decode("latin-1")).get("key", [""])[0].strip().encode()


def _refusal() -> Response:
    return JSONResponse(
        {"detail": "send the key of this server in the header X-API-Key, or as Authorization: Bearer KEY"},
        status_code=401,
        headers={"WWW-Authenticate": "Bearer"},
    )


def _form(problem: str = "") -> Response:
    page = _FORM.format(problem=problem)
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"}
    return HTMLResponse(page, status_code=401, headers={**headers, "WWW-Authenticate": "Bearer"})


_FORM = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>errata</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 20vh auto; padding: 0 1rem }}
input, button {{ font: inherit; padding: .3rem .6rem }} p {{ color: #b00 }}</style>
</head><body><h1>errata</h1><p role="alert">{problem}</p>
<form method="post"><label>Key of this server<br><input name="key" type="password" autocomplete="current-password"
autofocus required></label> <button>Open</button></form>
</body></html>
"""


class BoundBody:
    """Answers 413 to a request whose body is larger than `most` bytes, however it is sent.

    Some calls have another limit.
    """

    def __init__(self, app: ASGIApp, most: int, calls: Mapping[str, int] = MappingProxyType({})) -> None:
        self.app = app
        self.most = most
        self.calls = calls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request; reading more of its body than is allowed raises HTTPException 413."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        received, most = 0, self.calls.get(run_of(scope)[1], self.most)

        async def receive_within_bound() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, f"a request may have at most {most:,} bytes")
            return message

        await self.app(scope, receive_within_bound, send)
