"""Clients that send requests of all kinds, in an order that a seed decides."""

from __future__ import annotations

import io
import json
import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from time import perf_counter, sleep
from typing import NamedTuple

import numpy as np
from PIL import Image

import zoo
from tests.helpers import ROOT
from tests.zoo.web.load.kinds import FRAMES, REQUESTS, UPGRADES, VERB, Requests
from tests.zoo.web.load.wire import Answer, Wire, frame_of, request, upgrade
from tests.zoo.web.servers import jpeg
from zoo.export.json_text import to_json
from zoo.web.messages import message_of
from zoo.web.sent_pixels import read_sent_image

#: Shares of what a client does next.
SHARES = {"requests": 60, "images": 8, "slow image": 1, "frames": 24, "bad frames": 5, "upgrade": 2}

#: Requests of one connection that are sent before the first answer is read, at most.
PIPELINED = 6

#: Frames of one connection, of which a server takes 60 a second.
FRAMES_SENT = 30

#: Connections that a client leaves open behind it, silent or with half a request.
LEFT_OPEN = 15

_STAYING = [name for name, kind in REQUESTS.items() if kind.stays]
_ENDING = [name for name, kind in REQUESTS.items() if not kind.stays]


class Picture(NamedTuple):
    """An image that is sent, and the only right answer."""

    data: bytes
    answer: str


def pictures(count: int) -> list[Picture]:
    """Images of a person at other places, each with another answer."""
    source = Image.open(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg").convert("RGB")
    found = {}
    for left in range(count):
        file = io.BytesIO()
        side = source.width - 2 * left
        source.crop((left, left, left + side, left + side)).resize((96, 96)).save(file, "JPEG")
        image = read_sent_image(file.getvalue(), 10_000)
        answer = to_json(zoo.estimate_single_pose(image))
        found[answer] = Picture(file.getvalue(), answer)
    assert len(found) == count, "the answers are not distinguishable"
    return list(found.values())


def shades() -> list[tuple[bytes, float]]:
    """Frames, and their brightness."""
    frames = [jpeg(32, 32, value) for value in range(0, 256, 5)]
    return [(data, float(np.mean(read_sent_image(data, 10_000)))) for data in frames]


class Faults(list[str]):
    """What was wrong, of which the first ones are kept; `count` has all."""

    count = 0

    def add(self, kind: str, found: object, expected: object) -> None:
        """Note an answer that is not the expected one."""
        self.count += 1
        if len(self) < 50:
            self.append(f"{kind}: {str(found)[:200]} instead of {str(expected)[:200]}")


class Client:
    """Sends requests to a server of REST and one of pages until it is told to end."""

    def __init__(
        self,
        rest: int,
        pages: int,
        seed: int,
        pictures: Sequence[Picture],
        shades: Sequence[tuple[bytes, float]],
    ):
        self._rest, self._pages, self._random = rest, pages, random.Random(seed)
        self._pictures, self._shades = pictures, shades
        self._left: deque[Wire] = deque()
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.mixed, self.faults = Faults(), Faults()

    def work(self, is_over: Callable[[], bool]) -> None:
        """Send until it is over."""
        acts = {
            "requests": self._requests,
            "images": self._images,
            "slow image": self._slow_image,
            "frames": self._frames,
            "bad frames": self._bad_frames,
            "upgrade": self._upgrade,
        }
        while not is_over():
            [name] = self._random.choices(list(SHARES), list(SHARES.values()))
            try:
                acts[name]()
            except Exception as error:  # of a client that the server treated otherwise
                if not is_over():
                    self.faults.add(name, repr(error), "an answer")

    def end(self) -> None:
        """Hang up."""
        while self._left:
            self._left.popleft().close()

    # --- REST ------------------------------------------------------------------------------------

    def _requests(self) -> None:
        names = self._random.choices(_STAYING, k=self._random.randint(1, PIPELINED))
        if self._random.random() < 0.3:
            names.append(self._random.choice(_ENDING))
        kinds, host = [REQUESTS[name] for name in names], f"127.0.0.1:{self._rest}"
        wire = Wire(self._rest)
        wire.send(b"".join(kind.make(host) for kind in kinds))
        for name, kind in zip(names, kinds, strict=True):
            self._check(name, kind, wire)
        self._leave(wire, kinds[-1])

    def _check(self, name: str, kind: Requests, wire: Wire) -> None:
        found = [wire.answer(has_body=name != "head").status for _ in kind.statuses]
        self.counts[name] += 1
        if found != list(kind.statuses):
            self.faults.add(name, found, kind.statuses)

    def _leave(self, wire: Wire, last: Requests) -> None:
        if last.statuses or last is REQUESTS["half a body"]:  # which holds a place in the row
            wire.close()
            return
        self._left.append(wire)
        if len(self._left) > LEFT_OPEN:
            self._left.popleft().close()

    def _images(self) -> None:
        host = f"127.0.0.1:{self._rest}"
        chosen = self._random.choices(self._pictures, k=self._random.randint(1, PIPELINED))
        with Wire(self._rest) as wire:
            begun = perf_counter()
            for picture in chosen:
                wire.send(request(host, "POST", VERB, body=picture.data))
            for picture in chosen:
                self._check_picture(picture, wire.answer(), begun)

    def _slow_image(self) -> None:
        picture, begun = self._random.choice(self._pictures), perf_counter()
        sent = request(f"127.0.0.1:{self._rest}", "POST", VERB, body=picture.data)
        with Wire(self._rest) as wire:
            for at in range(0, len(sent), 500):
                wire.send(sent[at : at + 500])
                sleep(0.005)
            self._check_picture(picture, wire.answer(), begun)

    def _check_picture(self, picture: Picture, answer: Answer, begun: float) -> None:
        self.counts["image"] += 1
        self.seconds.append(perf_counter() - begun)
        if answer.status == 503:
            self.counts["image that was sent away"] += 1
        elif answer.status != 200:
            self.faults.add("image", answer, 200)
        elif answer.body.decode() != picture.answer:
            self.mixed.add("image", answer.body, picture.answer)

    # --- pages -----------------------------------------------------------------------------------

    def _opened(self) -> Wire:
        wire = Wire(self._pages)
        wire.send(upgrade(f"127.0.0.1:{self._pages}"))
        if (status := wire.answer().status) != 101:
            self.faults.add("page", status, 101)
        return wire

    def _frames(self) -> None:
        with self._opened() as wire:
            for number in range(self._random.randint(1, FRAMES_SENT)):
                data, expected = self._random.choice(self._shades)
                self._send_frame(wire, message_of({"number": number, "type": "frame"}, data))
                answer = _heard(wire)
                self.counts["frame"] += 1
                if answer["type"] == "dropped":
                    self.counts[f"frame that was dropped: {answer['reason']}"] += 1
                elif (answer["number"], answer.get("result")) != (number, expected):
                    self.mixed.add("frame", answer, (number, expected))

    def _send_frame(self, wire: Wire, message: bytes) -> None:
        if self._random.random() < 0.8:
            wire.send(frame_of(2, message))
            return
        at = self._random.randrange(len(message))
        first, rest = frame_of(2, message[:at], last=False), frame_of(0, message[at:])
        wire.send(first + frame_of(9, b"in between") + rest)

    def _bad_frames(self) -> None:
        name = self._random.choice(list(FRAMES))
        kind = FRAMES[name]
        with self._opened() as wire:
            wire.send(kind.data)
            self.counts[f"frames: {name}"] += 1
            if kind.code is not None and (code := wire.close_code()) != kind.code:
                self.faults.add(f"frames: {name}", code, kind.code)

    def _upgrade(self) -> None:
        name = self._random.choice(list(UPGRADES))
        with Wire(self._pages) as wire:
            wire.send(UPGRADES[name].make(f"127.0.0.1:{self._pages}"))
            self._check(f"upgrade: {name}", UPGRADES[name], wire)


def _heard(wire: Wire) -> dict[str, object]:
    while True:
        opcode, data = wire.frame()
        if opcode in (-1, 8):
            raise EOFError(f"the server closed the page: {data!r}")
        if opcode == 1:
            message: dict[str, object] = json.loads(data)
            if message["type"] in ("result", "dropped", "error"):
                return message
