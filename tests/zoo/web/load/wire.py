"""Connections of bytes: HTTP and WebSockets as no library would write them."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import NamedTuple

from tests.helpers import PATIENCE

#: A key of WebSockets, of which the server's answer is not checked here.
_KEY = "AAAAAAAAAAAAAAAAAAAAAA=="


class Answer(NamedTuple):
    """What a server answered; status 0 where it closed the connection instead."""

    status: int
    body: bytes = b""


class Wire:
    """A connection to a port of 127.0.0.1."""

    def __init__(self, port: int):
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._read = b""

    def __enter__(self) -> Wire:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes; a server that has hung up is seen where its answer is read."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)

    def answer(self, *, has_body: bool = True) -> Answer:
        """The next answer, after those that only ask for more."""
        head = self._until(b"\r\n\r\n")
        if not head:
            return Answer(0)
        status = int(head[9:12])
        if status == 100:
            return self.answer(has_body=has_body)
        lines = head.lower().split(b"\r\n")
        if not has_body or status == 101:
            return Answer(status)
        if b"transfer-encoding: chunked" in lines:
            return Answer(status, self._chunks())
        lengths = [line[15:] for line in lines if line.startswith(b"content-length:")]
        return Answer(status, self._exactly(int(lengths[0])) if lengths else self._rest())

    def frame(self) -> tuple[int, bytes]:
        """The opcode and the payload of the next frame; opcode -1 at the end of the connection."""
        head = self._exactly(2)
        if not head:
            return -1, b""
        length = head[1] & 127
        if length >= 126:
            size = 2 if length == 126 else 8
            length = int.from_bytes(self._exactly(size), "big")
        return head[0] & 15, self._exactly(length)

    def close_code(self) -> int:
        """The code with which the server closes; 0 where it says none."""
        while True:
            opcode, data = self.frame()
            if opcode == -1:
                return 0
            if opcode == 8:
                return int.from_bytes(data[:2], "big")

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._read:
            if not self._more():
                return b""
        found, _, self._read = self._read.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._read) < size:
            if not self._more():
                return b""
        found, self._read = self._read[:size], self._read[size:]
        return found

    def _chunks(self) -> bytes:
        parts = []
        while size := int(self._until(b"\r\n") or b"0", 16):
            parts.append(self._exactly(size + 2)[:-2])
        self._until(b"\r\n")
        return b"".join(parts)

    def _rest(self) -> bytes:
        while self._more():
            pass
        found, self._read = self._read, b""
        return found

    def _more(self) -> bool:
        try:
            data = self._socket.recv(65_536)
        except ConnectionResetError:
            return False
        self._read += data
        return bool(data)


def request(host: str, method: str, path: str, *lines: str, body: bytes | None = None) -> bytes:
    """The bytes of a request; a body has its length."""
    own = () if body is None else (f"Content-Length: {len(body)}",)
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}", *lines, *own, "", ""]
    return "\r\n".join(head).encode("latin-1") + (body or b"")


def upgrade(host: str, path: str = "/connection", key: str = _KEY, version: str = "13") -> bytes:
    """The bytes of a request for a WebSocket."""
    lines = ("Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Version: {version}")
    return request(host, "GET", path, *lines, f"Sec-WebSocket-Key: {key}")


def frame_of(
    opcode: int, data: bytes = b"", *, last: bool = True, masked: bool = True, flags: int = 0
) -> bytes:
    """The bytes of a frame (RFC 6455, 5.2), whose mask changes nothing."""
    size, mask = len(data), 128 if masked else 0
    if size < 126:
        length = bytes([mask | size])
    elif size < 65_536:
        length = bytes([mask | 126]) + struct.pack(">H", size)
    else:
        length = bytes([mask | 127]) + struct.pack(">Q", size)
    return bytes([(128 if last else 0) | flags | opcode]) + length + bytes(4 * masked) + data
