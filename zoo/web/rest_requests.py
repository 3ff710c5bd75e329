"""Limits of requests of REST: of bytes, of time, and how many wait at one time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from zoo.web.quotas import Limits

Found = TypeVar("Found")

#: Types of bodies beside those of images: defaults of HTTP clients.
_UNNAMED = ("", "application/octet-stream", "application/x-www-form-urlencoded")

#: Status of requests whose client disconnected before the answer; only the figures show it.
GONE = 499

_FIRST = asyncio.FIRST_COMPLETED

#: Seconds after which a rejected client may retry.
_RETRY = 2


@dataclass(frozen=True)
class RestLimits(Limits):
    """Limits of a server of REST; images are files, which are larger than frames.

    Attributes:
        image_seconds: how long a request may take to send its image.
        arriving_bytes: of all images that are being sent; the one that began first gives way.
        requests: answered or waiting at one time, each with its whole image; more are sent away.
    """

    image_bytes: int = 20_000_000
    image_pixels: int = 50_000_000
    image_seconds: float = 30.0
    arriving_bytes: int = 160_000_000
    requests: int = 16


class Row:
    """Requests that are answered or wait, which are not more than a number."""

    def __init__(self, most: int):
        self._most, self.length = most, 0

    def check(self) -> None:
        """Do nothing if a slot is free.

        Raises:
            HTTPException: no slot is free.
        """
        if self.length >= self._most:
            raise _busy(f"{self._most} requests are waiting, which is the limit")

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot.

        Raises:
            HTTPException: no slot is free.
        """
        self.check()
        self.length += 1
        try:
            yield
        finally:
            self.length -= 1


class Arriving:
    """Images that are being sent, whose bytes are not more than a number.

    They have no slot in the row: whoever sends half an image keeps nobody out. Beyond the number
    the one that began first gives way, which had the most time.
    """

    def __init__(self, most: int):
        self._most = most
        self._sizes: dict[asyncio.Future[None], int] = {}  # the first one first

    @property
    def length(self) -> int:
        """Number of images that are being sent."""
        return len(self._sizes)

    @contextmanager
    def image(self) -> Iterator[asyncio.Future[None]]:
        """Take an image in the block: the future is done if it has to give way."""
        image: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sizes[image] = 0
        try:
            yield image
        finally:
            self._sizes.pop(image, None)

    def add(self, image: asyncio.Future[None], size: int) -> None:
        """Count bytes of an image that have arrived."""
        if image in self._sizes:  # else it has given way
            self._sizes[image] += size
        while sum(self._sizes.values()) > self._most:
            first = next(iter(self._sizes))
            del self._sizes[first]
            first.set_result(None)


def _busy(reason: str) -> HTTPException:
    message = f"{reason}: try again in {_RETRY} seconds"
    return HTTPException(503, message, {"retry-after": str(_RETRY)})


def curl(request: Request) -> str:
    """Return the command that sends an image to the address of a request."""
    return f"curl --data-binary @image.jpg {request.url.replace(query='')}"


async def body_of(request: Request, limits: RestLimits, arriving: Arriving) -> bytes:
    """Return the image that a request sends.

    Raises:
        HTTPException: the body is not an image, too large, too slow, or had to give way.
        ClientDisconnect: the client is gone.
    """
    _check_headers(request, limits)
    with arriving.image() as image:
        body = await _whole(_received(request, limits, arriving, image), image, limits)
    if not body:
        raise HTTPException(422, f"the body is empty: send an image, {curl(request)}")
    return body


async def _whole(
    work: Coroutine[Any, Any, bytes], image: asyncio.Future[None], limits: RestLimits
) -> bytes:
    receiving = asyncio.ensure_future(work)
    try:
        both: set[asyncio.Future[Any]] = {receiving, image}
        await asyncio.wait(both, timeout=limits.image_seconds, return_when=_FIRST)
        if receiving.done():
            return receiving.result()
    finally:
        receiving.cancel()
    if image.done():
        raise _busy(f"images of more than {limits.arriving_bytes:,} bytes are being sent")
    raise HTTPException(
        408, f"the image was not sent within {limits.image_seconds:g} seconds: send it again"
    )


def _check_headers(request: Request, limits: RestLimits) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _UNNAMED and not kind.startswith("image/"):
        raise HTTPException(415, f"the body must be an image, not {kind:.80}: {curl(request)}")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.image_bytes:
        raise _too_large(limits)


async def _received(
    request: Request, limits: RestLimits, arriving: Arriving, image: asyncio.Future[None]
) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limits.image_bytes:
            raise _too_large(limits)  # what is still on its way, uvicorn forgets
        parts.append(part)
        arriving.add(image, len(part))
    return b"".join(parts)


def _too_large(limits: RestLimits) -> HTTPException:
    return HTTPException(
        413,
        f"the image has more than {limits.image_bytes:,} bytes, which is the limit: make it "
        "smaller, or save it as JPEG",
    )


async def unless_gone(request: Request, work: Coroutine[Any, Any, Found]) -> Found:
    """Return the result of some work, which is cancelled when the client disconnects.

    Raises:
        ClientDisconnect: the client is gone.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=_FIRST)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
