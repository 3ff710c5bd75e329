"""Checks before every request: its host, its origin, its token.

A page of another site can make the user's browser send requests to 127.0.0.1, and by a name that
it lets point there (DNS rebinding) read the answers: so `Host` must be a name of this server, and
`Origin`, where a browser sends it, the page's own.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
_Refusal = tuple[HTTPStatus, str]

#: Schemes of WebSockets, and of the pages that open them.
_SCHEMES = {"ws": "http", "wss": "https"}

#: An IP address, which no name server can make lead elsewhere, and its port.
_ADDRESS = re.compile(r"(\[[0-9a-f:.]+\]|[0-9]+(?:\.[0-9]+){3})(|:[0-9]+)")

#: Content security policy: no loads from other origins, and none sent there. Frames are blobs.
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
    """ASGI middleware that rejects requests with a wrong host, origin or token.

    Args:
        application: what answers the other requests.
        hosts: values of `Host` by which the server may be called, with their ports.
        token: which the address or the header ``Authorization: Bearer`` must have; "" for none.
        any_address: any IP address with the port of one of the hosts is the server's, too. Names
            alone can be made to point elsewhere.
        open_paths: which need no token, such as scripts, which import others by their names alone.
        as_json: refusals are JSON, as all errors of REST are, instead of text.
    """

    def __init__(
        self,
        application: Application,
        hosts: frozenset[str],
        token: str = "",
        *,
        any_address: bool = False,
        open_paths: tuple[str, ...] = ("/healthz", "/assets/", "/app/"),
        as_json: bool = False,
    ):
        self._application, self._hosts, self._token = application, hosts, token
        self._any_address, self._open_paths = any_address, open_paths
        self._as_json = as_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        refusal = self._refusal(scope, _read(scope["headers"]))
        if refusal is None:
            await self._application(scope, receive, with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            await refuse(send, *refusal, as_json=self._as_json)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> _Refusal | None:
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if not self._is_own(host):
            shown, own = ", ".join(hosts), ", ".join(sorted(self._hosts))
            reason = f"the host {shown!r:.80} is not this server: open one of {own}"
            return HTTPStatus.MISDIRECTED_REQUEST, reason
        own_origin = f"{_SCHEMES.get(scope['scheme'], scope['scheme'])}://{host}"
        if any(origin.lower() != own_origin for origin in origins):
            shown = ", ".join(origins)
            return HTTPStatus.FORBIDDEN, (
                f"a page of {shown!r:.80} may not use this server: open its own page, at {host}"
            )
        is_open = scope["type"] == "http" and scope["path"].startswith(self._open_paths)
        return None if is_open or self._has_token(scope, headers) else _NO_TOKEN

    def _is_own(self, host: str) -> bool:
        if host in self._hosts:
            return True
        address = _ADDRESS.fullmatch(host) if self._any_address else None
        return address is not None and f"127.0.0.1{address[2]}" in self._hosts

    def _has_token(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        if not self._token:
            return True
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        for authorization in headers.get("authorization", []):
            scheme, _, bearer = authorization.partition(" ")
            if scheme.lower() == "bearer":
                given = bearer.strip()
        return hmac.compare_digest(given.encode(), self._token.encode())


def _read(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


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


async def refuse(send: Send, status: HTTPStatus, reason: str, *, as_json: bool = False) -> None:
    """Answer with an error as text, or as REST does."""
    body = (json.dumps({"error": reason}) if as_json else reason + "\n").encode()
    headers = {
        **HEADERS,
        "content-type": "application/json" if as_json else "text/plain; charset=utf-8",
        "content-length": str(len(body)),
    }
    start = {"type": "http.response.start", "status": int(status), "headers": _encoded(headers)}
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
