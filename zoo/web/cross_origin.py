"""Pages of other origins that may use a server, and read its answers (CORS)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware

from zoo.web.security import Application, Receive, Scope, Send


class CrossOrigin:
    """ASGI middleware that lets pages of stated origins read answers, refusals included.

    Requests of others go to the application, which refuses them in its own words.

    Args:
        application: what answers.
        origins: such as ``http://localhost:3000``.
    """

    def __init__(self, application: Application, origins: Sequence[str]):
        self._application = application
        self._origins = {origin.encode() for origin in origins}
        self._shared: Application = CORSMiddleware(
            application,
            allow_origins=origins,
            allow_methods=("GET", "POST"),
            allow_headers=("authorization", "content-type"),
            expose_headers=("retry-after",),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_shared = scope["type"] == "http" and any(
            name == b"origin" and value in self._origins for name, value in scope["headers"]
        )
        await (self._shared if is_shared else self._application)(scope, receive, send)
