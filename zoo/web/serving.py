"""The server of an app: its page and files, the connections of pages, health and figures."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import webbrowser
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say
from zoo.web.app import Download
from zoo.web.clip_source import ClipSource
from zoo.web.figures import Figures
from zoo.web.functions import name_of
from zoo.web.listening import (
    Listener,
    address_of,
    check_certificate,
    hosts_of,
    is_any,
    is_local,
    listening_socket,
)
from zoo.web.messages import LONGEST_HEADER
from zoo.web.packages import not_installed
from zoo.web.page import own_file, page_of, settings_of
from zoo.web.quotas import Limits
from zoo.web.security import Application, Guard
from zoo.web.turns import Turns

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

    from zoo.web.page_connection import LOGGER, TRY_LATER, PageConnection, words_of
    from zoo.web.shared_routes import file_answer, shared_routes, working
except ImportError as error:
    raise not_installed("pages need", error) from error

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator

    from zoo.web.app import App


#: Types of files, as headers name them.
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)

#: Texts that may be tokens: those that addresses hold as they are.
_TOKEN = re.compile(r"[A-Za-z0-9_.~-]{8,200}")


class RequestProtocol(H11Protocol):
    """HTTP whose requests must arrive, and whose answers must be read, in time."""

    listener: Listener
    limits: Limits

    _state = ""  # of the peer, as h11 names it
    _timer: asyncio.TimerHandle | None = None  # of what the peer owes
    _reading: asyncio.TimerHandle | None = None  # of what it has not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._descriptor: int = transport.get_extra_info("socket").fileno()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()
        self._expect_reading()

    def pause_writing(self) -> None:
        """Wait until the peer has read most of an answer."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Go on, since the peer has read it."""
        super().resume_writing()
        self._expect_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._watch()

    def _watch(self) -> None:
        is_http = self in self.connections  # neither lost nor a WebSocket
        state = self.conn.their_state.__name__ if is_http else ""
        if state == self._state:
            return
        self._state = state
        if self._timer is not None:
            self._timer.cancel()
        seconds = {"IDLE": self.limits.start_seconds, "SEND_BODY": self.limits.request_seconds}
        late = seconds.get(state)
        self._timer = None if late is None else self.loop.call_later(late, self._end_late, late)
        self.listener.mark(self._descriptor, served=late is None)

    def _end_late(self, seconds: float) -> None:
        """End a connection that owes a request, unless it still reads the answer before."""
        if self.transport.get_write_buffer_size():
            self._timer = self.loop.call_later(seconds, self._end_late, seconds)
        else:
            self.transport.abort()

    def _expect_reading(self, before: float = math.inf) -> None:
        """End a connection that reads nothing more of an answer for a while."""
        if self._reading is not None:
            self._reading.cancel()
        left = self.transport.get_write_buffer_size() if self in self.connections else 0
        if left >= before:
            self.transport.abort()
        elif left:
            seconds = self.limits.send_seconds
            self._reading = self.loop.call_later(seconds, self._expect_reading, left)


class PageProtocol(WebSocketsSansIOProtocol):
    """WebSockets that end soon after the application is done with them."""

    limits: Limits

    async def run_asgi(self) -> None:
        """Run the application, then give the peer a while to read what is left."""
        await super().run_asgi()
        if self in self.connections:  # else it is lost
            self.loop.call_later(self.limits.send_seconds, self.transport.abort)


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
            found = await self.turns.call(lambda: self.app.call(function, page.client))
            if not isinstance(found, Download):
                raise ZooError(f"{name_of(function)} returned {found!r:.80}, not a Download")
            return Response(found.data, headers=download_headers(found))
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
    """Serve a page until KeyboardInterrupt; see `App.run`.

    Raises:
        ZooError: the app has no function, or as `run_server` raises.
    """
    if not (app.frame_function or app.image_functions or app.message_functions):
        raise ZooError("the app has no function: write @app.on_frame above 'def f(frame):'")
    clip = None if source is None else ClipSource(source)
    limits = Limits()
    application = AppServer(app, clip=clip, limits=limits).application()
    run_server(application, app.title, host, port, token, certificate, limits, open_browser)


def run_server(
    application: Application,
    title: str,
    host: str,
    port: int,
    token: str | None,
    certificate: tuple[str, str] | None,
    limits: Limits,
    open_browser: bool = False,
    as_json: bool = False,
) -> None:
    """Listen, print the address, and answer until interrupted.

    Raises:
        ZooError: the address, the certificate or the token cannot be used.
    """
    token = _token(token, host)
    if certificate is not None:
        check_certificate(certificate)
    listener = listening_socket(host, port, limits.connections)
    port = listener.getsockname()[1]
    scheme = "https" if certificate else "http"
    hosts = hosts_of(host, port, scheme)
    guard = Guard(application, hosts, token, any_address=is_any(host), as_json=as_json)
    config = server_config(guard, listener, limits, certificate)
    address = address_of(host, port, scheme, token)
    say(f"{title}: {address} (Ctrl+C ends it)")
    if not is_local(host) and not certificate:
        say(
            "Warning: images travel unencrypted, and browsers give no camera to pages of other "
            "computers without https: give --certificate CERT.pem KEY.pem"
        )
    if open_browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listener])


def _token(token: str | None, host: str) -> str:
    if token is None:
        return "" if is_local(host) else secrets.token_urlsafe(16)
    if not _TOKEN.fullmatch(token) and not (token == "" and is_local(host)):
        raise ZooError(
            "the token must be 8 to 200 of the characters A-Z, a-z, 0-9, '-', '_', '.' and '~', "
            "which addresses may have; leave it out for a random one"
        )
    return token


def server_config(
    application: Application,
    listener: Listener,
    limits: Limits,
    certificate: tuple[str, str] | None = None,
) -> uvicorn.Config:
    """Return the settings of uvicorn."""
    certificate_file, key_file = certificate or (None, None)
    parts = {"listener": listener, "limits": limits}
    return uvicorn.Config(
        application,
        loop="asyncio:SelectorEventLoop",  # which calls Listener.accept; others do not
        http=type("RequestProtocol", (RequestProtocol,), parts),
        log_level="warning",
        access_log=False,  # its lines would have tokens
        ws=type("PageProtocol", (PageProtocol,), parts),
        ws_max_size=limits.image_bytes + LONGEST_HEADER + 4,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        proxy_headers=False,  # whoever sends them is no proxy
        timeout_graceful_shutdown=1,
        backlog=64,  # as many are accepted at once, before requests are read
        server_header=False,
        ssl_certfile=certificate_file,
        ssl_keyfile=key_file,
    )
