"""Servers of apps in a thread, and pages without a browser."""

from __future__ import annotations

import io
import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, TypeVar, cast

import numpy as np
import pytest
from PIL import Image
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from tests.helpers import PATIENCE as PATIENCE  # where the tests of pages take it from
from tests.helpers import eventually as eventually
from zoo.live.frame import Frame
from zoo.web import button, slider
from zoo.web.app import App
from zoo.web.app_server import AppServer
from zoo.web.client import Client
from zoo.web.listening import listening_socket
from zoo.web.messages import message_of
from zoo.web.protocols import Server, server_config
from zoo.web.quotas import Limits
from zoo.web.security import Application, Guard

Made = TypeVar("Made")


def connected(make: Callable[[], Made]) -> Made:
    """A connection that the server took, where it closes those that are silent for a moment.

    On a busy machine the client may be: then it tries again.
    """

    def try_it() -> Made | None:
        with suppress(OSError, EOFError, WebSocketException):
            return make()
        return None

    return cast(Made, eventually(try_it, "a connection"))


@dataclass
class Running:
    """A server that listens."""

    port: int
    server: AppServer
    stop: Callable[[], None]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and body of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read().decode()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body
        finally:
            connection.close()

    def connect(self, path: str = "/connection", **options: Any) -> ClientConnection:
        """A connection as of a page; closed by ``with``."""
        own = {"origin": f"http://{self.host}", "proxy": None, "max_size": None}
        options = {**own, "open_timeout": PATIENCE, **options}
        return connect(f"ws://{self.host}{path}", **options)


@contextmanager
def running(
    app: App, *, token: str = "", limits: Limits | None = None, clip: Any = None, port: int = 0
) -> Iterator[Running]:
    """A server of an app, which ends with the block."""
    server = AppServer(app, clip=clip, limits=limits)
    with listening(server.application(), server.limits, token, port) as (port, stop):
        yield Running(port, server, stop)


@contextmanager
def listening(
    application: Application,
    limits: Limits,
    token: str = "",
    port: int = 0,
    as_json: bool = False,
) -> Iterator[tuple[int, Callable[[], None]]]:
    """Serve an application in a thread until the block ends: its port, and what ends it before."""
    listener = listening_socket("127.0.0.1", port, limits.connections)
    port = listener.getsockname()[1]
    guard = Guard(application, frozenset({f"127.0.0.1:{port}"}), token, as_json=as_json)
    serving = Server(server_config(guard, listener, limits))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
    thread.start()

    def stop() -> None:
        serving.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()

    try:
        yield port, stop
    finally:
        stop()


def brightness_app() -> App:
    """An app without a model, with a control and a button."""
    app = App("Brightness", slider("factor", 0, 10, 1), button("again"))

    @app.on_frame
    def brightness(frame: Frame, factor: float) -> dict[str, object]:
        return {"result": float(frame.image.mean()) * factor}

    @app.on("again")
    def again(client: Client, factor: float) -> dict[str, object]:
        return {"page": client.number, "factor": factor}

    return app


def jpeg(width: int = 64, height: int = 48, value: int = 128) -> bytes:
    """An encoded frame."""
    file = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), value, np.uint8)).save(file, "JPEG")
    return file.getvalue()


def png_bomb(width: int, height: int) -> bytes:
    """A PNG file of 200 bytes whose header declares many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", data), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def jpeg_bomb(width: int, height: int) -> bytes:
    """A JPEG file whose header declares many pixels."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def frame(number: int, image: bytes | None = None, **content: Any) -> bytes:
    """A frame as pages send it."""
    return message_of({"number": number, "type": "frame", **content}, image or jpeg())


def hear(page: ClientConnection, *types: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(page.recv(PATIENCE))
        if not types or message["type"] in types:
            return message


def closed(page: ClientConnection) -> tuple[int | None, str | None]:
    """The code and reason of a connection that the server closes."""
    with pytest.raises(ConnectionClosed):
        while True:
            page.recv(PATIENCE)
    return page.close_code, page.close_reason
