"""The guard of every route of a server: a key, and no request that a proxy or the file system could misread."""

import asyncio
import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

KEY_HEADER = "X-API-Key"
"""Where a program sends the key."""
COOKIE = "errata_key"
"""Where a browser keeps the proof that it was given the key."""
HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MOST_FORM_BYTES = 4_000
FORM_SECONDS = 10.0


class Guard:
    """Answers 401 to requests without the key, for documentation and health checks too. Plain ASGI, so streams pass.

    A program sends the key in a header. A browser that opens a page is asked for it in a form, and then gets the page;
    from then on it sends a cookie that no script can read and no other site can make it send. The cookie holds no key:
    it proves that its bearer knew this one, and becomes worthless when the key changes.
    """

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app = app
        self.key = key.encode()
        self.proof = hmac.new(self.key, COOKIE.encode(), hashlib.sha256).hexdigest().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that is well formed and carries the key, if one is set."""
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        app: ASGIApp = self.app
        if {b"content-length", b"transfer-encoding"} <= headers.keys():
            # A proxy that reads the other length would take the rest of the body for the next request.
            app = _refusal(400, "send Content-Length or Transfer-Encoding, not both", Connection="close")
        elif "\0" in scope.get("path", ""):  # which no file and no route has, and the file system raises at
            app = _refusal(404, "Not Found")
        elif scope.get("method", "GET") not in HTTP_METHODS:  # which the metrics would repeat
            app = _refusal(405, "Method Not Allowed")
        elif self.key and scope["type"] != "lifespan" and not self._is_carried_by(headers):
            app = await self._answer(Request(scope, receive)) if scope["type"] == "http" else _NO_KEY
        await app(scope, receive, send)

    def _is_carried_by(self, headers: dict[bytes, bytes]) -> bool:
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        key = token.strip() if scheme.lower() == b"bearer" else headers.get(KEY_HEADER.lower().encode(), b"")
        return hmac.compare_digest(key, self.key) or hmac.compare_digest(_cookie(headers), self.proof)

    async def _answer(self, request: Request) -> Response:
        """The answer to a request without the key: for a person the form, and the cookie once it is filled in."""
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            return _form()
        if request.method != "POST" or request.headers.get("content-type") != "application/x-www-form-urlencoded":
            return _NO_KEY
        if not hmac.compare_digest(await _typed(request), self.key):
            return _form("That key is wrong.")
        # Only a path of this server: with two slashes it would be the name of another.
        page = RedirectResponse(quote("/" + str(request.scope["path"]).lstrip("/\\")), status_code=303)
        is_https = request.url.scheme == "https"
        page.set_cookie(COOKIE, self.proof.decode(), httponly=True, samesite="strict", secure=is_https)
        return page


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


def _refusal(status: int, detail: str, **headers: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=status, headers=headers)


_WANTED = {"WWW-Authenticate": "Bearer"}
_NO_KEY = _refusal(
    401, "send the key of this server in the header X-API-Key, or as Authorization: Bearer KEY", **_WANTED
)


def _form(problem: str = "") -> Response:
    policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
    headers = {**_WANTED, "Content-Security-Policy": policy}
    return HTMLResponse(_FORM.format(problem=problem), status_code=401, headers=headers)


_FORM = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>errata</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 20vh auto; padding: 0 1rem }}
input, button {{ font: inherit; padding: .3rem .6rem }} p {{ color: #b00 }}</style>
</head><body><h1>errata</h1><p role="alert">{problem}</p>
<form method="post"><label>Key of this server<br><input name="key" type="password" autocomplete="current-password"
autofocus required></label> <button>Open</button></form>
</body></html>
"""
