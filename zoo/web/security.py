"""Checks before every request: its host, its origin, its token.

A page of another site can make the user's browser send requests to 127.0.0.1, and by a name that
it lets point there (DNS rebinding) read the answers: so `Host` must be a name of this server, and
`Origin`, where a browser sends it, the page's own. A request with the token needs neither: browsers
do not add it by themselves, as they do cookies, and such a page does not know it.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from zoo.web.listening import hosts_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
_Refusal = tuple[HTTPStatus, str]

#: Schemes of WebSockets, and of the pages that open them.
_SCHEMES = {"ws": "http", "wss": "https"}

#: An IP address, which no name server can make lead elsewhere, and its port.
_ADDRESS = re.compile(r"(\[[0-9a-f:.]+\]|[0-9]+(?:\.[0-9]+){3})(|:[0-9]+)")

#: A name or address of a host, such as a wildcard may stand for.
_NAME = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]")

#: The port of a host, which may be an address in brackets.
_PORT = re.compile(r":[0-9]+$")

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
        hosts: values of `Host` by which the server may be called, with their ports; None for those
            of the address at which a request arrives.
        token: which the address or the header ``Authorization: Bearer`` must have; "" for none.
        allow_hosts: further names, with any port and scheme, such as a proxy's; ``*.example.com``
            stands for all below it.
        allow_origins: pages of other origins that may use the server.
        any_address: any IP address with the port of one of the hosts is the server's, too. Names
            alone can be made to point elsewhere.
        open_paths: which need no token, such as scripts, which import others by their names alone.
        as_json: refusals are JSON, as all errors of REST are, instead of text.
    """

    def __init__(
        self,
        application: Application,
        hosts: frozenset[str] | None,
        token: str = "",
        *,
        allow_hosts: Sequence[str] = (),
        allow_origins: Sequence[str] = (),
        any_address: bool = False,
        open_paths: tuple[str, ...] = ("/healthz", "/assets/", "/app/"),
        as_json: bool = False,
    ):
        self._application, self._hosts, self._token = application, hosts, token
        self._allow_hosts, self._allow_origins = allow_hosts, allow_origins
        self._any_address, self._open_paths = any_address, open_paths
        self._as_json = as_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        headers = _read(scope["headers"])
        refusal = _TWO_LENGTHS if headers.keys() >= _TWO_FRAMINGS else self._refusal(scope, headers)
        if refusal is None:
            await self._application(scope, receive, with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1][:120]})
        else:
            await refuse(send, *refusal, as_json=self._as_json)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> _Refusal | None:
        if self._token and self._has_token(scope, headers):
            return None
        hosts, path = headers.get("host", []), own_path(scope)
        host = hosts[0].lower() if len(hosts) == 1 else ""
        is_http = scope["type"] == "http"
        # Whoever watches the server asks for its health by any name; there is nothing to steal.
        if not self._is_own(host, scope) and not (is_http and path == "/healthz"):
            return self._wrong_host(hosts, scope)
        if not self._are_own(headers.get("origin", []), host, scope):
            return self._wrong_origin(headers["origin"], host)
        is_open = is_http and path.startswith(self._open_paths)
        return None if is_open or not self._token else _NO_TOKEN

    def _is_own(self, host: str, scope: Scope) -> bool:
        hosts = self._hosts_of(scope)
        if host in hosts or self._is_allowed(host):
            return True
        address = _ADDRESS.fullmatch(host) if self._any_address else None
        return address is not None and f"127.0.0.1{address[2]}" in hosts

    def _hosts_of(self, scope: Scope) -> frozenset[str]:
        if self._hosts is not None:
            return self._hosts
        name, port = scope.get("server") or ("", None)
        return hosts_of(name, port, _scheme(scope)) if name and port else frozenset()

    def _is_allowed(self, host: str) -> bool:
        name = _PORT.sub("", host)
        return any(
            name.endswith(each[1:]) if each.startswith("*.") else name == each
            for each in self._allow_hosts
            if _NAME.fullmatch(name)
        )

    def _are_own(self, origins: list[str], host: str, scope: Scope) -> bool:
        # A proxy that ends TLS need not say so: its name is the user's by either scheme.
        schemes = ("http", "https") if self._is_allowed(host) else (_scheme(scope),)
        own = {f"{scheme}://{host}" for scheme in schemes} | {*self._allow_origins}
        return all(origin.lower() in own for origin in origins)

    def _wrong_host(self, hosts: list[str], scope: Scope) -> _Refusal:
        shown, own = ", ".join(hosts), ", ".join(sorted(self._hosts_of(scope)))
        reason = (
            f"the host {shown!r:.80} is not this server: open one of {own or 'its own names'}; if "
            "it is a name of yours, start the server with --allow-host NAME (in Python "
            "allow_hosts=[NAME])"
        )
        return HTTPStatus.MISDIRECTED_REQUEST, reason + (", or send the token" * bool(self._token))

    def _wrong_origin(self, origins: list[str], host: str) -> _Refusal:
        return HTTPStatus.FORBIDDEN, (
            f"a page of {', '.join(origins)!r:.80} may not use this server: open its own page, at "
            f"{host}; if it is a page of yours, start the server with --allow-origin ORIGIN (in "
            "Python allow_origins=[ORIGIN])"
        )

    def _has_token(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        for authorization in headers.get("authorization", []):
            scheme, _, bearer = authorization.partition(" ")
            if scheme.lower() == "bearer":
                given = bearer.strip()
        return hmac.compare_digest(given.encode(), self._token.encode())


def own_path(scope: Scope) -> str:
    """Return the path of a request below that of the server.

    >>> own_path({"root_path": "/zoo", "path": "/zoo/healthz"})
    '/healthz'
    """
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _scheme(scope: Scope) -> str:
    """Return the scheme of the page that sent a request."""
    scheme: str = scope["scheme"]
    return _SCHEMES.get(scheme, scheme)


def _read(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


#: Headers of which each says where a body ends: a proxy before may believe the other one, and take
#: the rest for a request of somebody else (RFC 9112, 6.1).
_TWO_FRAMINGS = frozenset({"content-length", "transfer-encoding"})

_TWO_LENGTHS = (
    HTTPStatus.BAD_REQUEST,
    "a request with Content-Length and Transfer-Encoding has two lengths: send one of the two",
)

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
    if status == HTTPStatus.BAD_REQUEST:
        headers["connection"] = "close"  # what follows may be no request
    start = {"type": "http.response.start", "status": int(status), "headers": _encoded(headers)}
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
