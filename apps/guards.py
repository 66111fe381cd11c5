"""What stands before every route of the server: a key, and a bound on what is sent. Plain ASGI, so streams pass."""

import hmac

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RequireKey:
    """Answers 401 to requests, for documentation and health too, that don't carry the key."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app = app
        self.key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._carried_by(scope):
            await self.app(scope, receive, send)
            return
        refusal = JSONResponse(
            {"detail": "send the key of this server in the header X-API-Key, or as Authorization: Bearer KEY"},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal(scope, receive, send)

    def _carried_by(self, scope: Scope) -> bool:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        given = token.strip() if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
        return hmac.compare_digest(given, self.key)


class BoundBody:
    """Answers 413 to a request whose body is larger than `most` bytes, however it is sent."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        seen = 0

        async def receive_within_bound() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.most:
                raise HTTPException(413, f"a request may have {self.most:,} bytes at most")
            return message

        await self.app(scope, receive_within_bound if scope["type"] == "http" else receive, send)
