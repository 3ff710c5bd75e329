"""Targets of requests in the form that proxies are sent: ``GET http://host/path HTTP/1.1``."""

from __future__ import annotations

import re
from urllib.parse import unquote

from zoo.web.security import Application, Receive, Scope, Send

_ABSOLUTE = re.compile(rb"(?i:https?|wss?)://([^/]*)(.*)", re.DOTALL)


class AnyTarget:
    """ASGI middleware for targets that name the host: it counts instead of the header `Host`.

    Source: RFC 9112, 3.2.2, which asks every server to take such targets.

    Args:
        application: what answers; it sees the path alone, and the host as a header.
    """

    def __init__(self, application: Application):
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        found = _ABSOLUTE.match(scope.get("raw_path") or b"")
        if found:
            host, path = found[1], found[2] or b"/"
            headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
            headers.append((b"host", host))
            text = unquote(path.decode("ascii"))
            scope = {**scope, "raw_path": path, "path": text, "headers": headers}
        await self._application(scope, receive, send)
