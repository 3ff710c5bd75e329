"""Answers that no web server gives, byte by byte, and what is to come of each.

A row has the bytes, or a function of the server and the body that gives them, and a pattern of the
error (None: the right bytes come) for weights, and for images where that differs.
"""

import gzip
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.weights_cache.fault_server import FaultServer

OK = b"HTTP/1.1 200 OK\r\n"
#: More than any answer may have, so that a client without limits ends as well.
ENDLESS = 96 * 2**20
_BLOCK = bytes(2**16)

Answer = Callable[[FaultServer, bytes], bytes | Iterable[bytes]]
SAME = "as for weights"


class Row(NamedTuple):
    answer: Answer
    weights: str | None
    image: str | None


def row(answer: bytes | Answer, weights: str | None, image: str | None = SAME) -> Row:
    give = (lambda server, body: answer) if isinstance(answer, bytes) else answer
    return Row(give, weights, weights if image == SAME else image)


def sized(body: bytes, *headers: bytes) -> bytes:
    lines = (*headers, b"Content-Length: %d" % len(body))
    return OK + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


def chunked(body: bytes, *, size: bytes = b"%x\r\n", end: bytes = b"0\r\n\r\n", n: int = 9000):
    """The body in chunks of ``n`` bytes; ``size`` is the line before each."""
    pieces = [body[at : at + n] for at in range(0, len(body), n)]
    chunks = b"".join(size % len(piece) + piece + b"\r\n" for piece in pieces)
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + end


def endless(head: bytes, block: bytes = _BLOCK) -> Answer:
    """``head``, and then ``block`` again and again."""
    block *= max(1, len(_BLOCK) // len(block))
    blocks = itertools.repeat(block, ENDLESS // len(block))
    return lambda server, body: itertools.chain([head], blocks)


def slow(answer: Callable[[bytes], bytes], step: int, seconds: float, fast: bytes = b"") -> Answer:
    """``fast`` at once, then ``step`` bytes, a pause, and so on."""

    def pieces(server: FaultServer, body: bytes) -> Iterator[bytes]:
        rest = answer(body)
        steps = (rest[at : at + step] for at in range(0, len(rest), step))
        return itertools.chain([fast], server.slowly(steps, seconds))

    return pieces


def redirect(place: bytes | None, *headers: bytes, body: bytes = b"") -> bytes:
    given = () if place is None else (b"Location: " + place,)
    lines = (*given, *headers, b"Content-Length: %d" % len(body))
    return b"HTTP/1.1 302 Found\r\n" + b"".join(n + b"\r\n" for n in lines) + b"\r\n" + body


def gzipped(body: bytes) -> bytes:
    return gzip.compress(body, 1)


_REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /gone\r\n"
_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
_ENCODED = b"Content-Encoding: gzip"
_BOMB = gzipped(bytes(80 * 2**20))
_SLOW = "ZOO_LEAST_RATE"
_BROKEN = "connection broke|no valid HTTP|ended after"

ROWS: dict[str, Row] = {
    # No HTTP
    "nothing": row(b"", _BROKEN),
    "garbage": row(b"\0\xff" * 500, _BROKEN),
    "text": row(b"220 mail.example.org ready\r\n", _BROKEN),
    "http-0.9": row(lambda s, body: body, _BROKEN),
    "half-a-status-line": row(b"HTTP/1.1 20", _BROKEN),
    "status-of-letters": row(b"HTTP/1.1 abc OK\r\n\r\n", _BROKEN),
    "status-too-small": row(b"HTTP/1.1 12 OK\r\n\r\n", _BROKEN),
    "status-too-large": row(b"HTTP/1.1 1000 OK\r\n\r\n", _BROKEN),
    "another-protocol": row(b"ICY 200 OK\r\n\r\n", _BROKEN),
    "http-2": row(lambda s, body: sized(body).replace(b"1.1", b"2.0"), _BROKEN),
    "no-reason": row(lambda s, body: sized(body).replace(b" OK\r\n", b"\r\n", 1), None),
    "lines-end-with-lf": row(
        lambda s, body: b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(body) + body, None
    ),
    # Headers
    "headers-cut": row(OK + b"Content-Le", _BROKEN + "|announced|neither", "cannot|0 bytes"),
    "header-line-of-100-kB": row(OK + b"A: " + b"b" * 100_000 + b"\r\n\r\n", _BROKEN),
    "headers-by-the-thousand": row(OK + b"A: b\r\n" * 3000 + b"\r\n", _BROKEN),
    "header-without-end": row(endless(OK + b"A: ", b"b"), _BROKEN),
    "headers-without-end": row(endless(OK, b"A: b\r\n"), _BROKEN),
    "reason-with-escapes": row(
        b"HTTP/1.1 404 \x1b[2Jgone\r\n\r\n", r"status 404 \\x1b\[2Jgone", "404"
    ),
    "type-with-escapes": row(
        lambda s, body: sized(b"<html>", b"Content-Type: \x1b]0;title\x07" + b"x" * 9000),
        "announced",
        "not an image",
    ),
    "folded-header": row(lambda s, body: sized(body, b"A: b\r\n c"), None),
    "two-lengths": row(lambda s, body: sized(body, b"Content-Length: 7"), "unmatching|announced"),
    "length-of-letters": row(
        lambda s, body: OK + b"Content-Length: many\r\n\r\n" + body, "announced", None
    ),
    "length-below-zero": row(
        lambda s, body: OK + b"Content-Length: -1\r\n\r\n" + body, "announced", None
    ),
    "length-of-5000-digits": row(
        lambda s, body: OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + body,
        "announced",
        "larger than",
    ),
    "length-and-chunks": row(
        lambda s, body: chunked(body).replace(b"\r\n", b"\r\nContent-Length: 7\r\n", 1),
        "announced",
        None,
    ),
    # Interim answers
    "continue-once": row(lambda s, body: b"HTTP/1.1 100 Continue\r\n\r\n" + sized(body), None),
    "continue-for-ever": row(
        endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "bytes of headers, chunk sizes"
    ),
    "continue-slowly": row(
        slow(lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" * 9999, 25, 0.05), "timed out|no answer"
    ),
    "early-hints": row(b"HTTP/1.1 103 Early Hints\r\n\r\n", "status 103"),
    "switching-protocols": row(b"HTTP/1.1 101 Switching\r\n\r\n", "status 101"),
    # Statuses
    "no-content": row(b"HTTP/1.1 204 No Content\r\n\r\n", "status 204"),
    "not-modified": row(b"HTTP/1.1 304 Not Modified\r\n\r\n", "status 304"),
    "range-not-asked-for": row(
        lambda s, body: sized(body, b"Content-Range: bytes 0-9/10").replace(b"200", b"206", 1),
        "when asked for bytes 0-",
        "status 206",
    ),
    "retry-after-for-ever": row(
        b"HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n", "status 503"
    ),
    "retry-after-of-5000-digits": row(
        b"HTTP/1.1 503 Busy\r\nRetry-After: " + b"9" * 5000 + b"\r\n\r\n", "status 503"
    ),
    "retry-after-in-the-year-99999": row(
        b"HTTP/1.1 503 Busy\r\nRetry-After: Fri, 01 Jan 99999 00:00:00 GMT\r\n\r\n", "status 503"
    ),
    # Bodies
    "chunks": row(lambda s, body: chunked(body), None),
    "chunks-of-one-byte": row(lambda s, body: chunked(body, n=1), None),
    "chunks-with-extensions": row(lambda s, body: chunked(body, size=b'%x;a="b"\r\n'), None),
    "chunks-with-trailers": row(lambda s, body: chunked(body, end=b"0\r\nA: b\r\n\r\n"), None),
    "chunk-size-below-zero": row(
        _CHUNKED + b"-5\r\nhello\r\n", "no valid HTTP.*non-negative|broke"
    ),
    "chunk-size-of-letters": row(_CHUNKED + b"zz\r\nhello\r\n", _BROKEN),
    "chunk-size-too-large": row(_CHUNKED + b"f" * 40 + b"\r\nhello", _BROKEN),
    "chunk-size-without-end": row(endless(_CHUNKED, b"0"), _BROKEN),
    "chunk-extension-without-end": row(endless(_CHUNKED + b"5;", b"a"), _BROKEN),
    "chunks-without-last": row(lambda s, body: chunked(body[:-9000], end=b""), _BROKEN),
    "trailers-without-end": row(
        lambda s, body: endless(chunked(body, end=b"0\r\n"), b"A: b\r\n")(s, body),
        "bytes of headers, chunk sizes",
    ),
    "trailer-without-line-end": row(
        lambda s, body: endless(chunked(body, end=b"0\r\n"), b"A")(s, body), None, _BROKEN
    ),
    "trailers-slowly": row(
        lambda s, body: slow(lambda b: b"A: b\r\n" * 9999, 6, 0.05, chunked(body, end=b"0\r\n"))(
            s, body
        ),
        _SLOW,
    ),
    "body-without-end": row(endless(OK + b"\r\n"), "more than the", "larger than"),
    "chunks-without-end": row(
        endless(_CHUNKED, b"10000\r\n" + _BLOCK + b"\r\n"), "more than the", "larger than"
    ),
    "header-slowly": row(slow(lambda body: sized(body), 1, 0.2), "timed out|no answer"),
    "body-byte-by-byte": row(
        lambda s, body: slow(lambda b: b, 1, 0.02, sized(body)[: -len(body)])(s, body), _SLOW
    ),
    "body-slowly": row(
        lambda s, body: slow(lambda b: b, 100, 0.02, sized(body)[: -len(body)])(s, body), _SLOW
    ),
    "chunks-slowly": row(
        lambda s, body: slow(lambda b: b"1\r\nx\r\n" * len(b), 60, 0.02, _CHUNKED)(s, body), _SLOW
    ),
    # Encodings
    "gzip": row(lambda s, body: sized(gzipped(body), _ENCODED), "encoding 'gzip'", None),
    "gzip-twice": row(
        lambda s, body: sized(gzipped(gzipped(body)), _ENCODED + b", gzip"), "encoding", None
    ),
    "deflate": row(
        lambda s, body: sized(zlib.compress(body), b"Content-Encoding: deflate"), "encoding", None
    ),
    "200-encodings": row(
        lambda s, body: sized(body, _ENCODED + b", gzip" * 199), "encoding", "cannot be fetched"
    ),
    "encoding-unknown": row(
        lambda s, body: sized(body, b"Content-Encoding: \x1b[2Jmine"), "encoding", None
    ),
    "gzip-damaged": row(
        lambda s, body: sized(b"?" * 500, _ENCODED), "encoding", "cannot be fetched"
    ),
    "gzip-bomb": row(sized(_BOMB, _ENCODED), "encoding 'gzip'", "larger than"),
    "gzip-without-content": row(
        endless(OK + _ENCODED + b"\r\n\r\n" + gzipped(b"")[:10], b"\0\0\0\xff\xff"),
        "encoding",
        "bytes of headers|cannot be fetched",
    ),
    # Redirects
    "redirect-with-endless-body": row(
        endless(_REDIRECT + b"Content-Length: 99999999999\r\n\r\n"), "status 404"
    ),
    "redirect-with-body-without-length": row(endless(_REDIRECT + b"\r\n"), "status 404"),
    "redirect-with-endless-chunks": row(
        endless(_REDIRECT + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + _BLOCK + b"\r\n"),
        "status 404",
    ),
    "redirect-with-gzip-bomb": row(redirect(b"/gone", _ENCODED, body=_BOMB), "status 404"),
    "redirect-with-slow-body": row(
        slow(lambda body: bytes(9999), 1, 0.05, _REDIRECT + b"Content-Length: 9999\r\n\r\n"),
        "status 404",
    ),
    "redirect-to-nothing": row(redirect(None), "status 302"),
    "redirect-to-an-empty-place": row(redirect(b""), "more than 10 redirects"),
    "redirect-to-itself": row(redirect(b"?"), "more than 10 redirects"),
    "redirect-to-bytes": row(redirect(b"/\xff\xfe"), "invalid URL"),
    "redirect-to-half-an-address": row(redirect(b"http://[::1"), "invalid URL"),
    "redirect-to-no-server": row(redirect(b"http://"), "more than 10 redirects|only URLs of http"),
    "redirect-to-no-port": row(redirect(b"http://127.0.0.1:99999/"), "invalid URL"),
    "redirect-to-a-file": row(redirect(b"file:///etc/passwd"), "only URLs of http and https"),
    "redirect-to-ftp": row(redirect(b"ftp://127.0.0.1/x"), "only URLs of http and https"),
    "redirect-to-data": row(redirect(b"data:,hello"), "only URLs of http and https"),
    "redirect-to-a-script": row(redirect(b"javascript:alert(1)"), "only URLs of http and https"),
    "redirect-to-60-kB": row(
        redirect(b"/" + b"a" * 60_000), "more than 10 redirects|bytes of headers"
    ),
    "redirect-with-escapes": row(redirect(b"ftp://a/\x1b[2J"), "only URLs of http and https"),
}
