"""uvicorn with connections whose peers must keep time: its settings, and running it."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType

from zoo.web.closing import closed_in_stages
from zoo.web.listening import Listener
from zoo.web.messages import LONGEST_HEADER
from zoo.web.packages import not_installed
from zoo.web.quotas import Limits
from zoo.web.security import Application
from zoo.web.targets import AnyTarget

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
    from websockets.frames import Frame, Opcode
    from websockets.protocol import State
except ImportError as error:
    raise not_installed("servers need", error) from error

#: Seconds that requests have to end in when the server does; it ends within a second.
_ENDING = 0.3


class RequestProtocol(H11Protocol):
    """HTTP whose requests must arrive, and whose answers must be read, in time."""

    listener: Listener
    limits: Limits

    _state = ""  # of the peer, as h11 names it
    _timer: asyncio.TimerHandle | None = None  # of what the peer owes
    _reading: asyncio.TimerHandle | None = None  # of what it has not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(closed_in_stages(transport, self.limits.send_seconds))
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

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; if it was to be the rest of one, that has no answer more."""
        super().send_400_response(msg)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def pause_writing(self) -> None:
        """Wait until the peer has read most of an answer."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Go on, since the peer has read it."""
        super().resume_writing()
        self._expect_reading()

    def shutdown(self) -> None:
        """Take no more requests; older versions of uvicorn would give up the last one, too."""
        super().shutdown()
        if self.cycle is not None:
            vars(self.cycle)["shutting_down"] = False

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
    """WebSockets that end soon after the application is done with them.

    What a peer sends holds no more memory than the longest message, whatever its frames are.
    """

    limits: Limits

    _opcode = Opcode.BINARY  # of the message that arrives
    _parts = bytearray()  # of it, joined
    _is_read = True  # by the peer, what it is sent
    _pongs = b""  # which wait until the peer reads

    async def run_asgi(self) -> None:
        """Run the application, then give the peer a while to read what is left."""
        await super().run_asgi()
        if self in self.connections:  # else it is lost
            self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def shutdown(self) -> None:
        """End; one that is closing has sent its code, and waits for its peer."""
        if self.conn.state in (State.CONNECTING, State.OPEN):
            super().shutdown()
        else:
            self.transport.close()

    def handle_text(self, event: Frame) -> None:
        """Take a text, or its beginning."""
        self._take(event)

    def handle_bytes(self, event: Frame) -> None:
        """Take an image, or its beginning."""
        self._take(event)

    def handle_cont(self, event: Frame) -> None:
        """Take the next part of a message."""
        self._take(event)

    def _take(self, event: Frame) -> None:
        """Join parts as they come, since any number may be empty; pass the whole on."""
        if event.opcode is not Opcode.CONT:
            self._opcode, self._parts = event.opcode, bytearray()
        self._parts += event.data
        if event.fin:
            whole = Frame(self._opcode, bytes(self._parts))
            self._parts = bytearray()
            self._pass_on(whole)

    def _pass_on(self, message: Frame) -> None:
        if message.opcode is Opcode.BINARY:
            super().handle_bytes(message)
        elif self.close_sent or _is_text(message.data):
            super().handle_text(message)
        else:  # for which uvicorn would print a traceback
            self.conn.send_close(1007, "a text message is not UTF-8")
            self.handle_parser_exception()

    def handle_ping(self) -> None:
        """Answer, or the newest alone while the peer reads nothing (RFC 6455, 5.5.3)."""
        if self._is_read:
            super().handle_ping()
        else:
            self._pongs = b"".join(self.conn.data_to_send()) or self._pongs

    def pause_writing(self) -> None:
        """Wait until the peer has read most of what it was sent."""
        super().pause_writing()
        self._is_read = False

    def resume_writing(self) -> None:
        """Go on, since the peer has read, with the answer to its newest ping."""
        super().resume_writing()
        self._is_read = True
        pongs, self._pongs = self._pongs, b""
        self.transport.write(pongs)


def _is_text(data: bytes | bytearray | memoryview) -> bool:
    try:
        bytes(data).decode()
    except UnicodeDecodeError:
        return False
    return True


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
        AnyTarget(application),
        loop="asyncio:SelectorEventLoop",  # which calls Listener.accept; others do not
        http=type("RequestProtocol", (RequestProtocol,), parts),
        log_level="warning",
        access_log=False,  # its lines would have tokens
        ws=type("PageProtocol", (PageProtocol,), parts),
        ws_max_size=limits.image_bytes + LONGEST_HEADER + 4,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        proxy_headers=False,  # see zoo.web.proxies
        timeout_graceful_shutdown=math.ceil(_ENDING),
        backlog=64,  # as many are accepted at once, before requests are read
        server_header=False,
        ssl_certfile=certificate_file,
        ssl_keyfile=key_file,
    )


class Server(uvicorn.Server):
    """uvicorn's, which can also run in an event loop that belongs to somebody else."""

    _owns_signals = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests end that can end soon, then hang up on the others."""
        late = asyncio.get_running_loop().call_later(_ENDING, self._hang_up)
        try:
            await super().shutdown(sockets)
        finally:
            late.cancel()

    def _hang_up(self) -> None:
        # Their applications hear that the client is gone, and leave without a traceback.
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End soon, however many signals come: uvicorn drops its tasks at a second Ctrl+C."""
        super().handle_exit(sig, frame)
        self.force_exit = False

    async def serve_until_cancelled(self, listener: Listener) -> None:
        """Serve in the running event loop; a cancelled call first closes its connections."""
        self._owns_signals = False
        serving = asyncio.ensure_future(self.serve(sockets=[listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.should_exit = True
            await serving
            raise

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take Ctrl+C, unless the owner of the event loop has it."""
        with super().capture_signals() if self._owns_signals else nullcontext():
            yield
