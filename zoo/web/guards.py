"""What stands before every request: its host, its origin, its token, and how many there are.

A page of another site can make the user's browser send requests to 127.0.0.1, and by a name that
it lets point there (DNS rebinding) read the answers: so `Host` must be one of ours, and `Origin`,
where a browser sends it, the page's own.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Of this computer alone.
LOCAL = ("127.0.0.1", "localhost", "[::1]")

#: Nothing is loaded from elsewhere, and nothing sent there. Frames are blobs.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the token stands in the address
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Guard:
    """An application before another one, which refuses what does not belong to this server.

    Args:
        application: what answers the other requests.
        hosts: values of `Host` that are ours, with their ports.
        token: which the address or the header ``Authorization: Bearer`` must have; "" for none.
        open_paths: which need no token.
    """

    def __init__(
        self,
        application: Application,
        hosts: frozenset[str],
        token: str = "",
        open_paths: tuple[str, ...] = ("/healthz", "/assets/"),
    ):
        self._application, self._hosts, self._token = application, hosts, token
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
        refusal = self._refusal(scope, {k: v.decode("latin-1") for k, v in headers.items()})
        if refusal is None:
            await self._application(scope, receive, with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            await refuse(send, *refusal)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[HTTPStatus, str] | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            own = ", ".join(sorted(self._hosts))
            reason = f"the host {host!r:.80} is not this server: open one of {own}"
            return HTTPStatus.MISDIRECTED_REQUEST, reason
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host:
            return HTTPStatus.FORBIDDEN, (
                f"a page of {origin!r:.80} may not use this server: open its own page, at {host}"
            )
        if origin is None and scope["type"] == "websocket":
            return None if self._has_token(scope, headers) else _NO_TOKEN
        if not self._has_token(scope, headers) and not scope["path"].startswith(self._open_paths):
            return _NO_TOKEN
        return None

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        if not self._token:
            return True
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given = bearer.strip()
        return hmac.compare_digest(given.encode(), self._token.encode())


_NO_TOKEN = (
    HTTPStatus.UNAUTHORIZED,
    "the token is missing or wrong: open the address that the server printed when it started",
)


def with_headers(send: Send) -> Send:
    """Return a function that sends, and adds the headers of every answer."""

    async def send_all(message: MutableMapping[str, Any]) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message["headers"] = [*message.get("headers", []), *_encoded(HEADERS)]
        await send(message)

    return send_all


async def refuse(send: Send, status: HTTPStatus, reason: str) -> None:
    """Answer with an error, in words."""
    body = (reason + "\n").encode()
    headers = {
        **HEADERS,
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(body)),
    }
    start = {"type": "http.response.start", "status": int(status), "headers": _encoded(headers)}
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
