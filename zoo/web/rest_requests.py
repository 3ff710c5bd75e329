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

#: Seconds after which a rejected client may retry.
_RETRY = 2


@dataclass(frozen=True)
class RestLimits(Limits):
    """Limits of a server of REST; images are files, which are larger than frames.

    Attributes:
        image_seconds: how long a request may take to send its image.
        requests: answered or waiting at one time; more are sent away.
    """

    image_bytes: int = 20_000_000
    image_pixels: int = 50_000_000
    image_seconds: float = 30.0
    requests: int = 16


class Row:
    """Requests that are answered or wait, which are not more than a number."""

    def __init__(self, most: int):
        self._most, self.length = most, 0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot.

        Raises:
            HTTPException: no slot is free.
        """
        if self.length >= self._most:
            raise HTTPException(
                503,
                f"{self._most} requests are waiting, which is the limit: try again in "
                f"{_RETRY} seconds",
                {"retry-after": str(_RETRY)},
            )
        self.length += 1
        try:
            yield
        finally:
            self.length -= 1


def curl(request: Request) -> str:
    """Return the command that sends an image to the address of a request."""
    return f"curl --data-binary @image.jpg {request.url.replace(query='')}"


async def body_of(request: Request, limits: RestLimits) -> bytes:
    """Return the image that a request sends.

    Raises:
        HTTPException: the body is not an image, too large, or too slow.
        ClientDisconnect: the client is gone.
    """
    _check_headers(request, limits)
    try:
        body = await asyncio.wait_for(_received(request, limits), limits.image_seconds)
    except (TimeoutError, asyncio.TimeoutError):
        raise HTTPException(
            408, f"the image was not sent within {limits.image_seconds:g} seconds: send it again"
        ) from None
    if not body:
        raise HTTPException(422, f"the body is empty: send an image, {curl(request)}")
    return body


def _check_headers(request: Request, limits: RestLimits) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _UNNAMED and not kind.startswith("image/"):
        raise HTTPException(415, f"the body must be an image, not {kind:.80}: {curl(request)}")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.image_bytes:
        raise _too_large(limits)


async def _received(request: Request, limits: RestLimits) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limits.image_bytes:
            raise _too_large(limits)  # what is still on its way, uvicorn forgets
        parts.append(part)
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
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
