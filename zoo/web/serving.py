"""The server of an app: its page and files, the connections of pages, health and figures."""

from __future__ import annotations

import asyncio
import secrets
import socket
import webbrowser
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from weights_cache.errors import ZooError
from weights_cache.messages import say
from zoo.web.clip_source import ClipSource
from zoo.web.figures import Figures
from zoo.web.guards import LOCAL, Guard
from zoo.web.limits import Limits
from zoo.web.messages import LONGEST_HEADER
from zoo.web.page import ASSETS, TYPES, own_file, page_of, settings_of
from zoo.web.page_connection import TRY_LATER, PageConnection
from zoo.web.turns import Turns

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import (
        FileResponse,
        HTMLResponse,
        JSONResponse,
        PlainTextResponse,
        Response,
    )
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect
except ImportError as error:
    raise ZooError(
        f"pages need the packages fastapi, uvicorn and websockets ({error}): "
        "pip install 'friendly-zoo[web]'"
    ) from error

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator
    from pathlib import Path

    from zoo.web.app import App


class AppServer:
    """The routes of one app, and what its pages share."""

    def __init__(self, app: App, *, clip: ClipSource | None = None, limits: Limits | None = None):
        self.app, self.clip, self.limits = app, clip, limits or Limits()
        self.figures, self.turns = Figures(), Turns()
        self.pages: dict[int, PageConnection] = {}
        self._numbers = count(1)
        self._page = page_of(app)

    def application(self) -> Starlette:
        """Return the ASGI application, without the checks of `Guard`."""
        routes = [
            Route("/", self._show_page),
            Route("/settings", self._tell_settings),
            Route("/assets/{name}", self._send_asset),
            Route("/app/{name}", self._send_own_file),
            Route("/download/{name}", self._send_download),
            Route("/healthz", self._tell_health),
            Route("/metrics", self._tell_figures),
            WebSocketRoute("/connection", self._connect),
            WebSocketRoute("/source", self._show_clip),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        working = asyncio.create_task(self.turns.run())
        yield
        working.cancel()
        self.turns.close()
        if self.clip is not None:
            self.clip.close()

    async def _show_page(self, _: Request) -> Response:
        return HTMLResponse(self._page)

    async def _tell_settings(self, _: Request) -> Response:
        return JSONResponse(settings_of(self.app, self.clip is not None))

    async def _send_asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        return _file(ASSETS / name if name in ("zoo.js", "zoo.css") else None)

    async def _send_own_file(self, request: Request) -> Response:
        return _file(own_file(self.app, request.path_params["name"]))

    async def _send_download(self, request: Request) -> Response:
        function = self.app.download_functions.get(request.path_params["name"])
        page = self.pages.get(_number(request.query_params.get("page", "")))
        if (
            function is None
            or page is None
            or not page.has_key(request.query_params.get("key", ""))
        ):
            return PlainTextResponse("there is no such download for this page", 404)
        try:
            found = await self.turns.call(lambda: self.app.call(function, page.client))
        except ZooError as error:
            return PlainTextResponse(str(error), 409)
        headers = {"content-disposition": f'attachment; filename="{found.name}"'}
        return Response(found.data, media_type=found.type, headers=headers)

    async def _tell_health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "pages": len(self.pages)})

    async def _tell_figures(self, _: Request) -> Response:
        return PlainTextResponse(self.figures.text(), media_type="text/plain; version=0.0.4")

    async def _connect(self, socket: WebSocket) -> None:
        if len(self.pages) >= self.limits.pages:
            self.figures.count("zoo_refused_total", reason="pages")
            await socket.accept()
            await socket.close(TRY_LATER, f"{self.limits.pages} pages are open: close one")
            return
        number = next(self._numbers)
        page = PageConnection(self.app, socket, number, self.turns, self.limits, self.figures)
        self.pages[number] = page
        self.figures.count("zoo_pages")
        try:
            await page.serve()
        finally:
            del self.pages[number]
            self.figures.count("zoo_pages", -1)

    async def _show_clip(self, socket: WebSocket) -> None:
        await socket.accept()
        if self.clip is None or len(self.pages) > self.limits.pages:
            await socket.close(TRY_LATER, "there is no clip to show")
            return
        with suppress(WebSocketDisconnect, TimeoutError, RuntimeError):
            while True:
                frame = await self.clip.watch()
                await asyncio.wait_for(socket.send_bytes(frame), self.limits.send_seconds)


def _file(path: Path | None) -> Response:
    if path is None:
        return PlainTextResponse("there is no such file", 404)
    return FileResponse(path, media_type=TYPES[path.suffix])


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 16 else 0


def serve_app(
    app: App,
    *,
    host: str,
    port: int,
    source: str | os.PathLike[str] | None,
    token: str | None,
    certificate: tuple[str, str] | None,
    open_browser: bool,
) -> None:
    """Serve a page until interrupted; see `App.run`."""
    clip = None if source is None else ClipSource(source)
    limits = Limits()
    application = AppServer(app, clip=clip, limits=limits).application()
    run_server(application, app.title, host, port, token, certificate, limits, open_browser)


def run_server(
    application: Any,
    title: str,
    host: str,
    port: int,
    token: str | None,
    certificate: tuple[str, str] | None,
    limits: Limits,
    open_browser: bool = False,
) -> None:
    """Listen, print the address, and answer until interrupted."""
    listener = listening_socket(host, port)
    port = listener.getsockname()[1]
    is_local = host in ("127.0.0.1", "localhost", "::1")
    token = secrets.token_urlsafe(16) if token is None and not is_local else token or ""
    names = frozenset(f"{name}:{port}" for name in ((*LOCAL, host) if is_local else _names(host)))
    scheme = "https" if certificate else "http"
    address = f"{scheme}://{_shown_host(host)}:{port}/" + (f"?token={token}" if token else "")
    config = server_config(Guard(application, names, token), limits, certificate)
    say(f"{title}: {address} (Ctrl+C ends it)")
    if not is_local and not certificate:
        say(
            "Warning: frames travel unencrypted, and browsers give no camera to pages of other "
            "computers without https: give --certificate CERT.pem KEY.pem"
        )
    if open_browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listener])


def server_config(
    application: Any, limits: Limits, certificate: tuple[str, str] | None = None
) -> uvicorn.Config:
    """Return the settings of uvicorn."""
    certificate_file, key_file = certificate or (None, None)
    return uvicorn.Config(
        application,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=limits.image_bytes + LONGEST_HEADER + 4,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        server_header=False,
        ssl_certfile=certificate_file,
        ssl_keyfile=key_file,
    )


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        ZooError: the port is none, or the address cannot be used.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ZooError(f"port={port!r} must be an integer between 0 and 65535; 0 for any free one")
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(128)
    except OSError as error:
        raise ZooError(
            f"cannot listen at {host}:{port}: {error.strerror or error}; choose another port "
            "(--port), or 0 for any that is free"
        ) from None
    return listener


def _names(host: str) -> tuple[str, ...]:
    """Return the names by which other computers reach this one."""
    own = socket.gethostname()
    found = {*LOCAL, host.lower(), own.lower(), f"{own.lower()}.local"}
    with suppress(OSError):
        found |= {str(place[4][0]) for place in socket.getaddrinfo(own, None)}
    return tuple(found)


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - it is what the user gave
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
