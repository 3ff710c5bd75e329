"""Requests and frames of right and wrong kinds, and what the server has to say to each."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import NamedTuple

from PIL import Image

from tests.zoo.web.load.wire import frame_of, request, upgrade
from tests.zoo.web.servers import jpeg, jpeg_bomb, png_bomb
from zoo.web.messages import message_of

#: Bytes of a head that is not at its end; see h11.
_MOST_OF_A_HEAD = 65_536

VERB = "/v1/estimate_single_pose"


class Requests(NamedTuple):
    """Bytes for a host, and the answers."""

    make: Callable[[str], bytes]
    statuses: tuple[int, ...]  # in order; 0 where the connection is closed; none: we hang up
    stays: bool = True  # the connection can be used for more


class Frames(NamedTuple):
    """Bytes after the upgrade, and the code with which the server closes; None: we hang up."""

    data: bytes
    code: int | None


def _post(*lines: str, body: bytes = b"x", path: str = VERB) -> Callable[[str], bytes]:
    return lambda host: request(host, "POST", path, *lines, body=body)


def _get(path: str, *lines: str, method: str = "GET") -> Callable[[str], bytes]:
    return lambda host: request(host, method, path, *lines)


def _raw(text: str, body: bytes = b"") -> Callable[[str], bytes]:
    return lambda host: text.format(host=host).replace("\n", "\r\n").encode("latin-1") + body


def _endless(beginning: bytes) -> bytes:
    """One byte more than the server takes; if it left one unread, TCP could drop its answer."""
    return beginning.ljust(_MOST_OF_A_HEAD + 1, b"a")


def _half(kind: str) -> bytes:
    file = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(file, kind)
    return file.getvalue()[: len(file.getvalue()) // 2]


def _form(body: str, kind: str = "multipart/form-data; boundary=b") -> Requests:
    sent = body.replace("\n", "\r\n").encode("latin-1")
    return Requests(_post(f"Content-Type: {kind}", body=sent), (415,))


_PART = '--b\nContent-Disposition: form-data; name="image"; filename="{}"\n\n'

#: Forms, of which REST takes none.
FORMS = {
    "whole": _form(_PART.format("a.jpg") + "data\n--b--\n"),
    "no boundary": _form("--b\n\ndata\n--b--\n", "multipart/form-data"),
    "empty boundary": _form("--\n\ndata\n----\n", 'multipart/form-data; boundary=""'),
    "long boundary": _form("data", "multipart/form-data; boundary=" + "b" * 10_000),
    "another boundary": _form("--c\n\ndata\n--c--\n"),
    "boundary in the content": _form(_PART.format("a") + "a --b b\n--b--c\n--b--\n"),
    "no end": _form(_PART.format("a") + "data"),
    "no body": _form(""),
    "nested": _form("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nd\n--c--\n--b--\n"),
    "many parts": _form("--b\n\n\n" * 5_000 + "--b--\n"),
    "long headers of a part": _form("--b\nA: " + "a" * 50_000 + "\n\ndata\n--b--\n"),
    "path as name": _form(_PART.format("../../etc/passwd\\x00.jpg") + "data\n--b--\n"),
    "fields alone": _form("a=b", "multipart/form-data; boundary=b; charset=utf-7"),
    "mixed": _form("--b\n\ndata\n--b--\n", "multipart/mixed; boundary=b"),
}

#: JSON, which REST takes no more.
DOCUMENTS = {
    name: Requests(_post("Content-Type: application/json", body=body), (415,))
    for name, body in {
        "object": b'{"image": "a"}',
        "deep": b"[" * 50_000,
        "large": b'"' + b"a" * 100_000 + b'"',
        "no JSON": b"\xff\x00",
    }.items()
}

_CHUNKED = f"POST {VERB} HTTP/1.1\nHost: {{host}}\nTransfer-Encoding: chunked\n"

#: Requests that need no model.
OTHERS = {
    "health": Requests(_get("/healthz"), (200,)),
    "page": Requests(_get("/"), (200,)),
    "figures": Requests(_get("/metrics"), (200,)),
    "settings": Requests(_get("/settings"), (200,)),
    "head": Requests(_get("/healthz", method="HEAD"), (200,)),
    "many headers": Requests(_get("/healthz", *[f"A{i}: b" for i in range(500)]), (200,)),
    "another protocol": Requests(_get("/healthz", "Connection: Upgrade", "Upgrade: h2c"), (200,)),
    "unknown path": Requests(_get("/v1/nothing"), (404,)),
    "path upwards": Requests(_get("/assets/..%2f..%2frest.py"), (404,)),
    "absolute form": Requests(_get("http://elsewhere.example/v1/nothing"), (404,)),
    "another method": Requests(_get(VERB, method="DELETE"), (405,)),
    "unknown method": Requests(_get(VERB, method="BREW"), (405,)),
    "unknown option": Requests(_post(path=f"{VERB}?speed=1"), (422,)),
    "path of a model": Requests(_post(path=f"{VERB}?model=/etc/passwd"), (422,)),
    "empty body": Requests(_post(body=b""), (422,)),
    "no image": Requests(_post(body=b"no image"), (422,)),
    "half a PNG": Requests(_post(body=_half("PNG")), (422,)),
    "half a JPEG": Requests(_post(body=_half("JPEG")), (422,)),
    "PNG of many pixels": Requests(_post(body=png_bomb(30_000, 30_000)), (422,)),
    "JPEG of many pixels": Requests(_post(body=jpeg_bomb(30_000, 30_000)), (422,)),
    "another host": Requests(_raw("GET / HTTP/1.1\nHost: rebound.example\n\n"), (421,)),
    "another origin": Requests(_get("/", "Origin: http://evil.example"), (403,)),
    "no host": Requests(_raw("GET / HTTP/1.1\n\n"), (400,), stays=False),
    "two hosts": Requests(_get("/", "Host: rebound.example"), (400,), stays=False),
    "HTTP/1.0": Requests(_raw("GET /healthz HTTP/1.0\nHost: {host}\n\n"), (200,), stays=False),
    "HTTP/2": Requests(_raw("PRI * HTTP/2.0\n\nSM\n\n"), (421, 400), stays=False),
    "no HTTP": Requests(_raw("\x16\x03\x01\x02\n\n"), (400,), stays=False),
    "long head": Requests(lambda host: _endless(b"GET /"), (400,), stays=False),
    "long headers": Requests(
        lambda host: _endless(request(host, "GET", "/")[:-2] + b"A: "), (400,), stays=False
    ),
    "bad header": Requests(_get("/", "A B: c"), (400,), stays=False),
    "negative length": Requests(_get("/", "Content-Length: -1"), (400,), stays=False),
    "two lengths": Requests(_post("Content-Length: 5"), (400,), stays=False),
    "length and chunks": Requests(
        _post("Transfer-Encoding: chunked", body=b"0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"),
        (400, 0),
        stays=False,
    ),
    "another coding": Requests(_get("/", "Transfer-Encoding: gzip"), (400,), stays=False),
    "bad chunk": Requests(_raw(_CHUNKED + "\nxyz\n"), (400,), stays=False),
    "negative chunk": Requests(_raw(_CHUNKED + "\n-5\nabcde\n"), (400,), stays=False),
    "length of a chunk is wrong": Requests(_raw(_CHUNKED + "\n2\nabcde\n"), (400,), stays=False),
    "chunks": Requests(_raw(_CHUNKED + "\n2\nab\n3;c=d\ncde\n0\nA: b\n\n"), (422,)),
    "expected": Requests(_post("Expect: 100-continue", body=b"no image"), (422,)),
    "declared too long": Requests(
        _raw(f"POST {VERB} HTTP/1.1\nHost: {{host}}\nContent-Length: 99999999\n\n"),
        (413,),
        stays=False,
    ),
    "declared too short": Requests(
        _raw(f"POST {VERB} HTTP/1.1\nHost: {{host}}\nContent-Length: 3\n\nabc\x01rest\n\n"),
        (422, 400),
        stays=False,
    ),
    "half a body": Requests(
        _raw(f"POST {VERB} HTTP/1.1\nHost: {{host}}\nContent-Length: 5000\n\nhalf"),
        (),
        stays=False,
    ),
    "half a head": Requests(_raw("GET / HTTP/1.1\nHo"), (), stays=False),
    "silence": Requests(lambda host: b"", (), stays=False),
}

REQUESTS = {
    **OTHERS,
    **{f"form: {name}": each for name, each in FORMS.items()},
    **{f"JSON: {name}": each for name, each in DOCUMENTS.items()},
}

#: Requests for a WebSocket that a server of pages refuses.
UPGRADES = {
    "no key": Requests(lambda host: upgrade(host, key=""), (400,), stays=False),
    "short key": Requests(lambda host: upgrade(host, key="AAAA"), (400,), stays=False),
    "another version": Requests(lambda host: upgrade(host, version="8"), (400,), stays=False),
    "another path": Requests(lambda host: upgrade(host, "/nothing"), (403,), stays=False),
    "another host": Requests(lambda host: upgrade("rebound.example"), (403,), stays=False),
}


_IMAGE = message_of({"number": 1, "type": "frame"}, jpeg())
_PACKED = zlib.compressobj(wbits=-15).compress(bytes(1_000_000))

#: Frames that end a connection.
FRAMES = {
    "unmasked": Frames(frame_of(1, b"{}", masked=False), 1002),
    "opcode 3": Frames(frame_of(3), 1002),
    "opcode 11": Frames(frame_of(11), 1002),
    "reserved bit": Frames(frame_of(1, b"{}", flags=16), 1002),
    "compressed, which was not agreed on": Frames(frame_of(2, _PACKED, flags=64), 1002),
    "continues nothing": Frames(frame_of(0, b"a"), 1002),
    "begins within a message": Frames(frame_of(1, b"a", last=False) + frame_of(1, b"b"), 1002),
    "ping in parts": Frames(frame_of(9, b"a", last=False), 1002),
    "long ping": Frames(frame_of(9, b"a" * 126), 1002),
    "close of one byte": Frames(frame_of(8, b"a"), 1002),
    "close with a reserved code": Frames(frame_of(8, (1005).to_bytes(2, "big")), 1002),
    "close with odd text": Frames(frame_of(8, b"\x03\xe8\xff"), 1007),
    "close": Frames(frame_of(8, b"\x03\xe8"), 1000),
    "odd text": Frames(frame_of(1, b"\xff\xfe"), 1007),
    "no JSON": Frames(frame_of(1, b"no JSON"), 1007),
    "deep JSON": Frames(frame_of(1, b"[" * 50_000), 1007),
    "long text": Frames(frame_of(1, b"a" * 70_000), 1007),
    "unknown type": Frames(frame_of(1, b'{"type": "nothing"}'), 1007),
    "no header": Frames(frame_of(2, b""), 1007),
    "header of a false length": Frames(frame_of(2, b"\xff\xff\xff\xff1234"), 1007),
    "header that is longer than the message": Frames(frame_of(2, _IMAGE[:20]), 1007),
    "header that is no JSON": Frames(frame_of(2, b"\x02\x00\x00\x00{]"), 1007),
    "longer than the limit": Frames(b"\x82\xff" + (2**40).to_bytes(8, "big") + bytes(4), 1009),
    "negative length": Frames(b"\x82\xff" + b"\xff" * 8 + bytes(4), 1009),
    "parts beyond the limit": Frames(
        frame_of(2, bytes(9_000), last=False) + b"\x80\xff" + (8_000_000).to_bytes(8, "big"), 1009
    ),
    "empty parts": Frames(
        frame_of(1, last=False) + frame_of(0, last=False) * 5_000 + frame_of(0), 1007
    ),
    "pings": Frames(frame_of(9, b"a" * 125) * 500 + frame_of(8, b"\x03\xe8"), 1000),
    "half a frame": Frames(frame_of(2, _IMAGE)[:50], None),
    "gone after a frame": Frames(frame_of(2, _IMAGE), None),
    "gone within a message": Frames(frame_of(2, _IMAGE, last=False), None),
}
