"""Servers of apps in a thread, and pages without a browser."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import numpy as np
import uvicorn
from PIL import Image
from websockets.sync.client import ClientConnection, connect

from zoo.web.app import App
from zoo.web.guards import Guard
from zoo.web.limits import Limits
from zoo.web.listening import listening_socket
from zoo.web.messages import message_of
from zoo.web.serving import AppServer, server_config


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
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read().decode()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body
        finally:
            connection.close()

    def connect(self, path: str = "/connection", **options: Any) -> ClientConnection:
        """A connection as of a page; closed by ``with``."""
        options = {"origin": f"http://{self.host}", "proxy": None, "max_size": None, **options}
        return connect(f"ws://{self.host}{path}", **options)


@contextmanager
def running(
    app: App, *, token: str = "", limits: Limits | None = None, clip: Any = None, port: int = 0
) -> Iterator[Running]:
    """A server of an app, which ends with the block."""
    server = AppServer(app, clip=clip, limits=limits)
    listener = listening_socket("127.0.0.1", port, server.limits.connections)
    port = listener.getsockname()[1]
    guard = Guard(server.application(), frozenset({f"127.0.0.1:{port}"}), token)
    serving = uvicorn.Server(server_config(guard, listener, server.limits))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
    thread.start()

    def stop() -> None:
        serving.should_exit = True
        thread.join(20)
        assert not thread.is_alive()

    try:
        yield Running(port, server, stop)
    finally:
        stop()


def jpeg(width: int = 64, height: int = 48, value: int = 128) -> bytes:
    """An encoded frame."""
    file = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), value, np.uint8)).save(file, "JPEG")
    return file.getvalue()


def frame(number: int, image: bytes | None = None, **content: Any) -> bytes:
    """A frame as pages send it."""
    return message_of({"number": number, "type": "frame", **content}, image or jpeg())


def hear(page: ClientConnection, *types: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(page.recv(20))
        if not types or message["type"] in types:
            return message
