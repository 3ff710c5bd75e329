"""Changes that proxies make to a request: its client, scheme and host, and its path."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from typing import Any, cast

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from zoo.web.security import Application, Receive, Scope, Send


class Forwarded:
    """ASGI middleware that believes what stated proxies say of a request, and nobody else.

    They say it in X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.

    Args:
        application: what answers.
        proxies: addresses and networks.
    """

    def __init__(self, application: Application, proxies: Sequence[str]):
        self._networks = [ip_network(each) for each in proxies]
        forwarded: Any = ProxyHeadersMiddleware(cast(Any, application), list(proxies))
        self._application: Application = forwarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket") and scope.get("client"):
            host, port = scope["client"]
            scope = {**scope, "client": (_plain(host), port)}
            if self._is_proxy(_plain(host)):
                scope["headers"] = _with_forwarded_host(scope["headers"])
        await self._application(scope, receive, send)

    def _is_proxy(self, host: str) -> bool:
        try:
            address = ip_address(host)
        except ValueError:  # of a socket without addresses
            return False
        return any(address in network for network in self._networks)


def _plain(host: str) -> str:
    """Return an address without the form that IPv4 has where a server listens at "::"."""
    return host.removeprefix("::ffff:") if "." in host else host


def _with_forwarded_host(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return headers whose `Host` is the one that the proxy was asked for.

    >>> _with_forwarded_host([(b"host", b"zoo:8000"), (b"x-forwarded-host", b"a.example")])
    [(b'x-forwarded-host', b'a.example'), (b'host', b'a.example')]
    """
    said = b",".join(value for name, value in headers if name == b"x-forwarded-host")
    # Some proxies add what they saw to what they were told: the last one is the proxy's own.
    host = said.rpartition(b",")[2].strip()
    if not host:
        return headers
    return [pair for pair in headers if pair[0] != b"host"] + [(b"host", host)]


class Rooted:
    """ASGI middleware for a path before all others, which a proxy passes or strips.

    Args:
        application: what answers; its paths begin with the root path, as ASGI has it.
        root_path: such as ``/zoo``.
    """

    def __init__(self, application: Application, root_path: str):
        self._application, self._root_path = application, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            root, path = self._root_path, scope["path"]
            is_passed = path == root or path.startswith(f"{root}/")
            scope = {**scope, "root_path": root, "path": path if is_passed else root + path}
        await self._application(scope, receive, send)
