"""The server of an app: its page and files, the connections of pages, health and figures."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from weights_cache.common.errors import ZooError
from zoo.web.app import Download
from zoo.web.clip_source import ClipSource
from zoo.web.figures import Figures
from zoo.web.functions import name_of
from zoo.web.packages import not_installed
from zoo.web.page import own_file, page_of, settings_of
from zoo.web.quotas import Limits
from zoo.web.security import Application
from zoo.web.server_options import AccessOptions, ServerOptions, checked
from zoo.web.turns import Turns

try:
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

    from zoo.web.page_connection import LOGGER, TRY_LATER, PageConnection, words_of
    from zoo.web.rest_requests import GONE, unless_gone
    from zoo.web.serving import Serving, protected
    from zoo.web.shared_routes import file_answer, shared_routes, working
except ImportError as error:
    raise not_installed("pages need", error) from error

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator

    from zoo.web.app import App


#: Types of files, as headers name them.
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


class AppServer:
    """The routes of one app, and what its pages share."""

    def __init__(self, app: App, *, clip: ClipSource | None = None, limits: Limits | None = None):
        self.app, self.clip, self.limits = app, clip, limits or Limits()
        self.figures, self.turns = Figures(), Turns()
        self.pages: dict[int, PageConnection] = {}
        self._watching = 0  # pages that are shown the clip
        self._numbers = count(1)
        self._page = page_of(app)

    def application(self) -> Starlette:
        """Return the ASGI application, without the checks of `Guard`."""
        routes = [
            *shared_routes(self._page, self._settings, self._health, self.figures),
            Route("/app/{name}", self._send_own_file),
            Route("/download/{name}", self._send_download),
            WebSocketRoute("/connection", self._connect),
            WebSocketRoute("/source", self._show_clip),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with working(self.turns):
            yield
        if self.clip is not None:
            self.clip.close()

    def _settings(self) -> dict[str, Any]:
        return settings_of(self.app, self.clip is not None)

    def _health(self) -> dict[str, Any]:
        return {"pages": len(self.pages)}

    async def _send_own_file(self, request: Request) -> Response:
        return file_answer(own_file(self.app, request.path_params["name"]))

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
            work = self.turns.call(lambda: self.app.call(function, page.client))
            found = await unless_gone(request, work)
            if not isinstance(found, Download):
                raise ZooError(f"{name_of(function)} returned {found!r:.80}, not a Download")
            return Response(found.data, headers=download_headers(found))
        except ClientDisconnect:
            return Response(status_code=GONE)
        except ZooError as error:
            return PlainTextResponse(str(error), 409)
        except Exception as error:
            LOGGER.error("%s failed", self.app.title, exc_info=error)
            return PlainTextResponse(words_of(error), 500)

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
        if self.clip is None or self._watching >= self.limits.pages:
            await socket.close(TRY_LATER, "there is no clip to show")
            return
        self._watching += 1
        try:
            with suppress(WebSocketDisconnect, asyncio.TimeoutError, RuntimeError):
                while True:
                    frame = await self.clip.watch()
                    await asyncio.wait_for(socket.send_bytes(frame), self.limits.send_seconds)
        finally:
            self._watching -= 1


def download_headers(file: Download) -> dict[str, str]:
    """Return the headers of a file for saving, which no name or type can add others to.

    >>> download_headers(Download(b"", 'a"b.zip', "application/zip"))["content-disposition"]
    "attachment; filename*=UTF-8''a%22b.zip"
    """
    name = file.name.replace("/", "_").replace("\\", "_")
    kind = file.type if _TYPE.fullmatch(file.type) else "application/octet-stream"
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return {"content-disposition": disposition, "content-type": kind}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 16 else 0


def serving_of(
    app: App,
    source: str | os.PathLike[str] | None,
    options: ServerOptions,
    *,
    open_browser: bool = False,
) -> Serving:
    """Return an app that listens; see `App.run`.

    Raises:
        ZooError: the app has no function, or as `Serving` raises.
    """
    server = _server_of(app, source)
    application = server.application()
    return Serving(application, app.title, server.limits, options, open_browser=open_browser)


def asgi_of(app: App, source: str | os.PathLike[str] | None, options: AccessOptions) -> Application:
    """Return an app as an ASGI application; see `App.asgi`.

    Raises:
        ZooError: the app has no function, or an option is unknown or invalid.
    """
    options = checked("asgi", options, AccessOptions)
    return protected(_server_of(app, source).application(), None, options)


def _server_of(app: App, source: str | os.PathLike[str] | None) -> AppServer:
    if not (app.frame_function or app.image_functions or app.message_functions):
        raise ZooError("the app has no function: write @app.on_frame above 'def f(frame):'")
    return AppServer(app, clip=None if source is None else ClipSource(source))
