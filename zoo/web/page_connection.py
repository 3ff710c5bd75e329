"""The connection of one page: its frames and messages in, answers out."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from weights_cache.common.errors import ZooError
from zoo.live.frame import Frame
from zoo.web.app import App
from zoo.web.client import Client, json_of
from zoo.web.figures import Figures
from zoo.web.functions import AnyFunction, name_of
from zoo.web.messages import SentImage, image_of, text_of
from zoo.web.quotas import Limits, Rate
from zoo.web.sent_pixels import read_sent_image
from zoo.web.turns import Job, MessageOverflowError, PageQueue, Turns, error_text

#: Codes with which connections are closed, see RFC 6455, 7.4.1.
INVALID, TOO_MUCH, TRY_LATER = 1007, 1008, 1013

#: Characters of messages that may wait until a page reads them; a slower page is closed.
MOST_UNSENT = 64_000_000

#: Texts of a page in a second, which controls and scripts send; a page that sends more is closed.
MOST_TEXTS = 250.0

#: Bytes of memory that a character of JSON may need, at most: `{},` is a dict in a list.
_BYTES_OF_JSON = 24

#: Errors of an app that are printed for one page.
MOST_LOGGED = 20

LOGGER = logging.getLogger("zoo.web")


class PageConnection:
    """Serves one page until its connection ends."""

    def __init__(
        self,
        app: App,
        socket: WebSocket,
        number: int,
        turns: Turns,
        limits: Limits,
        figures: Figures,
    ):
        self._app, self._socket, self._limits, self._figures = app, socket, limits, figures
        self._loop = asyncio.get_running_loop()
        self._queue, self._rate = PageQueue(turns), Rate(limits.frames_per_second)
        self._text_rate = Rate(MOST_TEXTS)
        self._unsent: asyncio.Queue[str] = asyncio.Queue()
        self._unsent_size = 0
        self._is_slow, self._is_over = asyncio.Event(), False
        self._began, self._last_time = monotonic(), -1.0
        self._logged: set[str] = set()
        self._key = secrets.token_urlsafe(16)
        self.client = Client(number, app.controls, self._send_from_thread)

    def has_key(self, key: str) -> bool:
        """Whether a request comes from this page."""
        return secrets.compare_digest(key.encode(), self._key.encode())

    async def serve(self) -> None:
        """Receive and send until the page, the server or a limit ends it."""
        await self._socket.accept()
        hello = {"type": "hello", "page": self.client.number, "key": self._key}
        self._answer(json_of(hello))
        for function in self._app.begin_functions:
            self._put(partial(self._app.call, function, self.client))
        works = (self._receive(), self._send_all(), self._end_if_slow())
        tasks: list[asyncio.Task[Any]] = [asyncio.ensure_future(work) for work in works]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_over = True
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                self._log_unexpected(ended)
            self._queue.leave()
            self._queue.put_message(Job(self.client.close, _ignore, _ignore, _ignore))

    # --- what comes ------------------------------------------------------------------------------

    async def _receive(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            data, text = message.get("bytes"), message.get("text")
            try:
                if data is not None:
                    self._take_image(image_of(data))
                else:
                    self._take_text(text or "")
            except MessageOverflowError:
                await self._close(TOO_MUCH, "more messages than the app can answer")
                return
            except ZooError as error:
                # The page sends nothing of the kind: whoever does hears why, and is let go.
                await self._close(INVALID, str(error))
                return

    def _check_size(self, image: SentImage) -> None:
        # The server of somebody else, into which an app is mounted, has limits of its own.
        size, most = len(image.data), self._limits.image_bytes
        if size > most:
            raise ZooError(f"an image has {size:,} bytes, and may have at most {most:,}: shrink it")

    def _take_image(self, image: SentImage) -> None:
        self._check_size(image)
        arrived, time = perf_counter(), self._time_of(image)
        if image.type != "frame":
            function = self._app.image_functions.get(image.type)
            if function is None:
                raise ZooError(f"the app takes no images of type {image.type!r:.80}")
            work = partial(self._answer_image, function, image, time)
            self._put(work, image.number, len(image.data))
        elif not self._rate.takes(arrived):
            self._drop(image.number, "rate")
        elif time <= self._last_time:
            self._drop(image.number, "time")
        else:
            self._last_time = time
            job = Job(
                partial(self._run_frame, image, time),
                partial(self._done, arrived),
                partial(self._fail_frame, image.number),
                partial(self._drop, image.number),
            )
            self._queue.put_frame(job)

    def _time_of(self, image: SentImage) -> float:
        """Return when a frame was taken, by the page's clock; events need no other one."""
        time = image.content.get("time")
        if time is None:
            return monotonic() - self._began
        if not isinstance(time, (int, float)) or isinstance(time, bool) or not 0 <= time < 1e9:
            raise ZooError(f"time={time!r:.80} of an image must be seconds, 0 or more")
        return float(time)

    def _take_text(self, text: str) -> None:
        if not self._text_rate.takes(perf_counter()):
            raise MessageOverflowError
        content = text_of(text)
        if content["type"] == "set":
            self.client.set(content.get("name"), content.get("value"))
            return
        function = self._app.message_functions.get(content["type"])
        if function is None:
            raise ZooError(f"the app takes no messages of type {content['type']!r:.80}")
        work = partial(self._answer_message, function, content)
        self._put(work, size=_BYTES_OF_JSON * len(text))

    def _put(self, run: Callable[[], object], number: int | None = None, size: int = 0) -> None:
        self._queue.put_message(Job(run, _ignore, partial(self._fail, number), _ignore, size))

    # --- in the models' thread -------------------------------------------------------------------

    def _run_frame(self, image: SentImage, time: float) -> str:
        """Return the answer as text: masks take a while to compress."""
        begun = perf_counter()
        frame = self._frame(image, time)
        function = self._app.frame_function
        found = None if function is None else self._app.call(function, self.client, frame)
        answer = {"type": "result", "number": image.number, "size": [frame.width, frame.height]}
        answer["milliseconds"] = 1000 * (perf_counter() - begun)
        return _json_from(function, {**message_for(found), **answer})

    def _frame(self, image: SentImage, time: float) -> Frame:
        pixels = read_sent_image(image.data, self._limits.image_pixels)
        return Frame(pixels, image.number, time, bool(image.content.get("mirrored", False)))

    def _answer_image(self, function: AnyFunction, image: SentImage, time: float) -> None:
        frame = self._frame(image, time)
        found = self._app.call(function, self.client, frame, image.content)
        answer = {"type": image.type, "number": image.number, "value": found}
        self._send_text(_json_from(function, answer))

    def _answer_message(self, function: AnyFunction, content: dict[str, Any]) -> None:
        found = self._app.call(function, self.client, message=content)
        if found is not None:
            self._send_text(_json_from(function, {"type": content["type"], "value": found}))

    def _send_from_thread(self, content: dict[str, Any]) -> None:
        self._send_text(json_of(content))

    def _send_text(self, text: str) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._answer, text)

    # --- what goes -------------------------------------------------------------------------------

    def _done(self, arrived: float, answer: str) -> None:
        self._figures.count("zoo_frames_total", outcome="answered")
        self._figures.take("zoo_frame_seconds", perf_counter() - arrived)
        self._answer(answer)

    def _drop(self, number: int, reason: str) -> None:
        self._figures.count("zoo_frames_total", outcome=reason)
        self._answer(json_of({"type": "dropped", "number": number, "reason": reason}))

    def _fail_frame(self, number: int, error: Exception) -> None:
        self._figures.count("zoo_frames_total", outcome="failed")
        self._fail(number, error)

    def _fail(self, number: int | None, error: Exception) -> None:
        self._log(error)
        self._answer(json_of({"type": "error", "number": number, "message": words_of(error)}))

    def _log(self, error: Exception) -> None:
        """Print where an app failed, once for each error: frames come many times a second."""
        words = error_text(error)
        if isinstance(error, ZooError) or words in self._logged or len(self._logged) >= MOST_LOGGED:
            return
        self._logged.add(words)
        LOGGER.error("%s failed for page %d", self._app.title, self.client.number, exc_info=error)

    def _log_unexpected(self, ended: object) -> None:
        """Print an error of the server itself; others are of connections that end."""
        gone = (WebSocketDisconnect, RuntimeError)
        if isinstance(ended, Exception) and not isinstance(ended, gone):
            LOGGER.error("page %d is closed by an error", self.client.number, exc_info=ended)

    def _answer(self, text: str) -> None:
        self._unsent_size += len(text)
        if self._unsent_size > MOST_UNSENT:
            self._is_slow.set()
        else:
            self._unsent.put_nowait(text)

    async def _end_if_slow(self) -> None:
        await self._is_slow.wait()
        await self._close(TOO_MUCH, "the page reads too slowly")

    async def _send_all(self) -> None:
        while not self._is_over:  # below Python 3.12, wait_for may swallow that it is cancelled
            text = await self._unsent.get()
            self._unsent_size -= len(text)
            try:
                await asyncio.wait_for(self._socket.send_text(text), self._limits.send_seconds)
            except asyncio.TimeoutError:
                return

    async def _close(self, code: int, reason: str) -> None:
        await self._socket.close(code, reason.encode()[:120].decode(errors="ignore"))


def message_for(result: object) -> dict[str, Any]:
    """Return the message that shows a function's return value: a result, a moment, or a message."""
    if isinstance(result, dict) and "result" in result:
        return {key: value for key, value in result.items() if key != "frame"}
    return {"result": result}


def _json_from(function: AnyFunction | None, content: dict[str, Any]) -> str:
    try:
        return json_of(content)
    except ZooError as error:
        raise ZooError(f"what {name_of(function)} returned: {error}") from None


def words_of(error: Exception) -> str:
    """Return the text of an error for a page."""
    if isinstance(error, ZooError):
        return str(error)
    return f"the app failed: {error_text(error)}"[:500]


def _ignore(*_: Any) -> None:
    pass
