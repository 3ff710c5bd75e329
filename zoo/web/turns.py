"""One thread for the models of all pages, which take turns.

Each page has at most one frame that waits: a newer one replaces it. A frame that waits for too long
is given back, and the page sends a newer one: so what is shown is recent, however many pages there
are. Messages wait in their order, before the page's frame.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

#: Seconds that a frame may wait before the page is asked for a newer one.
LONGEST_WAIT = 0.15

#: Messages of a page that may wait; a page that sends more is closed.
MOST_MESSAGES = 256


class MessageOverflowError(Exception):
    """A page sends faster than the app works."""


@dataclass(eq=False)
class Job:
    """Something to do for a page in the models' thread."""

    run: Callable[[], Any]
    done: Callable[[Any], None]  # with the value, in the event loop
    failed: Callable[[Exception], None]
    dropped: Callable[[str], None]  # with the reason
    since: float = field(default_factory=monotonic)


class Place:
    """The place of one page in the row."""

    def __init__(self, turns: Turns):
        self._turns = turns
        self._frame: Job | None = None
        self._messages: deque[Job] = deque()
        self._expiry: asyncio.TimerHandle | None = None

    def put_frame(self, job: Job) -> None:
        """Let a frame wait, in the place of the one that waited."""
        self._drop("newer")
        self._frame = job
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_later(LONGEST_WAIT, self._drop, "waited")
        self._turns.wake(self)

    def put_message(self, job: Job) -> None:
        """Let a message wait for those before it.

        Raises:
            MessageOverflowError: too many wait.
        """
        if len(self._messages) >= MOST_MESSAGES:
            raise MessageOverflowError
        self._messages.append(job)
        self._turns.wake(self)

    def take(self) -> Job | None:
        """Return the next thing to do, if there is one."""
        if self._messages:
            return self._messages.popleft()
        job, self._frame = self._frame, None
        self._cancel_expiry()
        return job

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to do."""
        return bool(self._messages or self._frame)

    def leave(self) -> None:
        """Forget what waits: the page is gone."""
        self._cancel_expiry()
        self._frame = None
        self._messages.clear()

    def _drop(self, reason: str) -> None:
        self._cancel_expiry()
        job, self._frame = self._frame, None
        if job is not None:
            job.dropped(reason)

    def _cancel_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None


class Turns:
    """Runs the jobs of pages, one page after the other."""

    def __init__(self) -> None:
        self._row: deque[Place] = deque()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="zoo-web")
        self._task: asyncio.Task[None] | None = None
        self._awake = asyncio.Event()

    def wake(self, place: Place) -> None:
        """A page has something to do: it comes last in the row, if it does not stand there."""
        if place not in self._row:
            self._row.append(place)
        self._awake.set()

    async def run(self) -> None:
        """Work until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._row:
                self._awake.clear()
                await self._awake.wait()
            place = self._row.popleft()
            job = place.take()
            if job is None:
                continue
            try:
                value = await loop.run_in_executor(self._worker, job.run)
            except Exception as error:
                job.failed(error)
            else:
                job.done(value)
            if place.is_waiting and place not in self._row:
                self._row.append(place)

    async def call(self, function: Callable[[], Any]) -> Any:
        """Run a function in the models' thread, such as for a request of REST."""
        place, loop = Place(self), asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def fail(error: Exception) -> None:
            if not future.cancelled():
                future.set_exception(error)

        def finish(value: Any) -> None:
            if not future.cancelled():
                future.set_result(value)

        place.put_message(Job(function, finish, fail, dropped=lambda reason: None))
        try:
            return await future
        finally:
            place.leave()

    def close(self) -> None:
        """End the thread after what it is busy with."""
        self._worker.shutdown(wait=False, cancel_futures=True)
