"""A web server on 127.0.0.1 that misbehaves as told, and ends with its ``with`` block.

    with FaultServer({"/toy/weights.bin": data}) as server:
        server.add("cut", 1000, times=1)

Kinds (value): status (code) and with it retry_after (header); redirect (target); html; flip
(position); short (bytes left out); extra (bytes added); extra_after (bytes sent behind the declared
length); cut, reset and stall (after so many body bytes); length (declared); nolength; chunked;
gzip; bomb (size); norange; badrange (other bytes); wrongrange (another start); etag (value);
delay (seconds); raw (the bytes of the answer as they go over the wire: an object of bytes, or a
function of the server that gives them or an iterator of pieces; not for ``/gone``, which is 404).

``sent`` counts the bytes of raw answers that the system took. With ``secure=True`` the server
speaks TLS, with the certificate of ``localhost.pem``.
"""

import gzip
import hashlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).with_name("localhost.pem")

Raw = bytes | Iterable[bytes]

#: Far longer than a test takes: what stalls ends with the server.
_LONGEST_STALL = 120.0
PORTAL = b"<html><body>Please log in to use this network.</body></html>"


@dataclass
class Fault:
    kind: str
    value: Any
    times: int | None
    after: int

    def applies(self) -> bool:
        """Whether the request that has just come is one of those to spoil."""
        if self.after > 0:
            self.after -= 1
            return False
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


class FaultServer:
    def __init__(self, files: dict[str, bytes] | None = None, *, secure: bool = False) -> None:
        self.files = dict(files or {})
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.sent = 0
        self.stalled = threading.Event()
        self.closing = threading.Event()
        self.guard = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        if secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.url = f"http{'s' * secure}://127.0.0.1:{self._server.server_port}"

    def add(self, kind: str, value: Any = None, *, times: int | None = None, after: int = 0):
        self.faults.append(Fault(kind, value, times, after))
        return self

    def heal(self) -> None:
        self.faults.clear()
        self.requests.clear()

    def slowly(self, pieces: Iterable[bytes], seconds: float) -> Iterator[bytes]:
        """One after the other with pauses, for a raw answer; no longer than a test may take."""
        end = time.monotonic() + _LONGEST_STALL
        for piece in pieces:
            yield piece
            if self.closing.wait(seconds) or time.monotonic() > end:
                return

    @property
    def ranges(self) -> list[str | None]:
        """The Range header of each request so far."""
        return [headers.get("Range") for _, headers in self.requests]

    def take_faults(self) -> dict[str, Any]:
        with self.guard:
            return {fault.kind: fault.value for fault in self.faults if fault.applies()}

    def __enter__(self) -> "FaultServer":
        poll = {"poll_interval": 0.02}
        threading.Thread(target=self._server.serve_forever, kwargs=poll, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address) -> None:
        """Clients that hang up are part of the plan."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: FaultServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        faults = self.owner.take_faults()
        with self.owner.guard:
            self.owner.requests.append((self.path, dict(self.headers)))
        self.owner.closing.wait(faults.get("delay", 0))
        if "raw" in faults and self.path != "/gone":
            self._send_raw(faults["raw"])
        elif "status" in faults:
            wait = faults.get("retry_after")
            self._answer(faults["status"], b"no", {"Retry-After": wait} if wait else {}, {})
        elif "redirect" in faults:
            self._answer(302, b"", {"Location": faults["redirect"]}, {})
        elif "html" in faults:
            self._answer(200, PORTAL, {"Content-Type": "text/html"}, faults)
        elif self.path not in self.owner.files:
            self._answer(404, b"not here", {}, {})
        else:
            self._send_file(self.owner.files[self.path], faults)

    def do_CONNECT(self) -> None:
        self.do_GET()

    def _send_raw(self, answer: Raw | Callable[[FaultServer], Raw]) -> None:
        """Send an answer as it is, then hang up; a client may hang up before."""
        self.close_connection = True
        given = answer(self.owner) if callable(answer) else answer
        for piece in [given] if isinstance(given, bytes) else given:
            if self.owner.closing.is_set():
                return
            self.connection.sendall(piece)
            with self.owner.guard:
                self.owner.sent += len(piece)

    def _send_file(self, data: bytes, faults: dict[str, Any]) -> None:
        tag = faults.get("etag", f'"{hashlib.sha256(data).hexdigest()[:16]}"')
        headers = {"ETag": tag, "Content-Type": "application/octet-stream"}
        data = _spoil(data, faults)
        if "gzip" in faults or "bomb" in faults:
            data = gzip.compress(bytes(faults["bomb"]) if "bomb" in faults else data)
            headers["Content-Encoding"] = "gzip"
        start = self._range_start(tag, faults)
        if start is None:
            self._answer(200, data, headers, faults)
        elif start >= len(data):
            self._answer(416, b"", headers, faults)
        else:
            first = start + 7 if "wrongrange" in faults else start
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
            piece = data[: len(data) - start] if "badrange" in faults else data[start:]
            self._answer(206, piece, headers, faults)

    def _range_start(self, tag: str, faults: dict[str, Any]) -> int | None:
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes=") or "norange" in faults:
            return None
        if self.headers.get("If-Range", tag) != tag:
            return None
        return int(asked[6:].rstrip("-"))

    def _answer(self, status: int, body: bytes, headers: dict, faults: dict[str, Any]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "chunked" in faults:
            self.send_header("Transfer-Encoding", "chunked")
        elif "nolength" in faults:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(faults.get("length", len(body))))
        self.end_headers()
        if faults.get("extra_after"):
            body += bytes(faults["extra_after"])
        self._send_body(body, faults)

    def _send_body(self, body: bytes, faults: dict[str, Any]) -> None:
        ends = [faults[kind] for kind in ("cut", "reset", "stall") if kind in faults]
        sent = body[: min(ends)] if ends else body
        if "chunked" in faults:
            pieces = [sent[at : at + 10000] for at in range(0, len(sent), 10000)]
            sent = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
            sent += b"" if ends else b"0\r\n\r\n"
        self.wfile.write(sent)
        self.wfile.flush()
        if "stall" in faults:
            self.owner.stalled.set()
            self.owner.closing.wait(_LONGEST_STALL)
        if "reset" in faults:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if ends:
            self.close_connection = True


def _spoil(data: bytes, faults: dict[str, Any]) -> bytes:
    """The bytes as the server has them."""
    spoilt = bytearray(data)
    if "flip" in faults:
        spoilt[faults["flip"]] ^= 1
    if "short" in faults:
        del spoilt[-faults["short"] :]
    return bytes(spoilt) + bytes(faults.get("extra", 0))
