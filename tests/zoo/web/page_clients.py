"""Pages without a browser that send frames as pages do."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from tests.zoo.web.servers import PATIENCE, frame

#: As in ``zoo/web/assets/zoo.js``: frames on their way, and seconds for which an answer is drawn.
IN_FLIGHT, OLDEST_SHOWN = 2, 0.5

#: Frames per second of a camera.
CAMERA = 30


@dataclass(eq=False)
class PageClient:
    """A page without a browser: a camera, two frames on their way, answers with their age.

    Attributes:
        outcomes: of the frames: result, dropped or error.
        ages: seconds from a frame to its result, when it could be drawn.
        last: the last answer of each type.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    ages: list[float] = field(default_factory=list)
    last: dict[str, dict[str, object]] = field(default_factory=dict)
    _flying: dict[int, float] = field(default_factory=dict)

    async def run(self, host: str, images: Sequence[bytes]) -> None:
        """Send frames of a camera until cancelled."""
        async with self._connected(host) as socket:
            hearing = asyncio.create_task(self._hear(socket))
            try:
                await self._send(socket, images)
            finally:
                hearing.cancel()
                await asyncio.gather(hearing, return_exceptions=True)

    async def visit(self, host: str, images: Sequence[bytes], leaves_suddenly: bool) -> None:
        """Open, send frames until one has its result, and leave with another one on its way."""
        async with self._connected(host) as socket:
            number = 0
            while not self.ages:
                while len(self._flying) < IN_FLIGHT:
                    await self._send_frame(socket, images, number)
                    number += 1
                self._note(await socket.recv())
            if leaves_suddenly:
                socket.transport.abort()

    @property
    def late(self) -> int:
        """Answers that came too late to be drawn."""
        return sum(age > OLDEST_SHOWN for age in self.ages)

    @staticmethod
    def _connected(host: str) -> connect:
        return connect(
            f"ws://{host}/connection",
            origin=Origin(f"http://{host}"),
            proxy=None,
            max_size=None,
            open_timeout=PATIENCE,
        )

    async def _send(self, socket: ClientConnection, images: Sequence[bytes]) -> None:
        loop, number = asyncio.get_running_loop(), 0
        begun = loop.time()
        while True:
            if len(self._flying) < IN_FLIGHT:
                await self._send_frame(socket, images, number)
                number += 1
            ticks = int((loop.time() - begun) * CAMERA) + 1
            await asyncio.sleep(begun + ticks / CAMERA - loop.time())

    async def _send_frame(
        self, socket: ClientConnection, images: Sequence[bytes], number: int
    ) -> None:
        taken = self._flying[number] = perf_counter()
        image = images[number % len(images)]
        await socket.send(frame(number, image, mirrored=True, time=taken))

    async def _hear(self, socket: ClientConnection) -> None:
        async for text in socket:
            self._note(text)

    def _note(self, text: str | bytes) -> None:
        answer = json.loads(text)
        self.last[answer["type"]] = answer
        taken = self._flying.pop(answer.get("number"), None)
        if taken is not None:
            self.outcomes[answer["type"]] += 1
        if taken is not None and answer["type"] == "result":
            self.ages.append(perf_counter() - taken)


@contextmanager
def sending(host: str, count: int, images: Sequence[bytes]) -> Iterator[list[PageClient]]:
    """So many pages that send frames in another thread until the block ends."""
    clients = [PageClient() for _ in range(count)]

    async def run_all(ended: asyncio.Event) -> None:
        tasks = [asyncio.create_task(client.run(host, images)) for client in clients]
        ending = asyncio.create_task(ended.wait())
        await asyncio.wait([*tasks, ending], return_when=asyncio.FIRST_COMPLETED)
        closed = [task for task in tasks if task.done()]
        for task in (*tasks, ending):
            task.cancel()
        await asyncio.gather(*tasks, ending, return_exceptions=True)
        for task in closed:
            await task  # raises what ended it

    with _in_thread(run_all):
        yield clients


@contextmanager
def _in_thread(run: Callable[[asyncio.Event], Coroutine[object, object, None]]) -> Iterator[None]:
    loop, ended = asyncio.new_event_loop(), asyncio.Event()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            loop.run_until_complete(run(ended))
        except BaseException as error:
            failed.append(error)
        finally:
            loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        with suppress(RuntimeError):  # it has ended already
            loop.call_soon_threadsafe(ended.set)
        thread.join()
    if failed:
        raise failed[0]


def visits(host: str, count: int, images: Sequence[bytes], at_once: int = 8) -> list[PageClient]:
    """So many pages that come and go, each third one without a goodbye."""
    clients = [PageClient() for _ in range(count)]

    async def visit_all() -> None:
        places = asyncio.Semaphore(at_once)

        async def visit(number: int, client: PageClient) -> None:
            async with places:
                with suppress(ConnectionClosed):  # of an abort
                    await client.visit(host, images, leaves_suddenly=number % 3 == 0)

        await asyncio.gather(*(visit(*pair) for pair in enumerate(clients)))

    with ThreadPoolExecutor(1) as thread:  # the loop of a browser may run in this one
        thread.submit(asyncio.run, visit_all()).result()
    return clients
