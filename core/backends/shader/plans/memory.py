"""Where the values of a plan lie while it runs: in one buffer, or in textures that take turns."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.backends.shader.blocks import Block, key_of
from core.backends.shader.compiler.layouts import Layout, stored_bytes
from core.backends.shader.session import Session
from core.backends.shader.textures import from_texture
from core.plan.placement import Placed, Request, place

#: Where parts of buffers may begin, at least.
ALIGNMENT = 256


class Need(NamedTuple):
    """A value that is needed from one step to another, both included."""

    name: str
    layout: Layout
    size: int
    first: int
    last: int

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return stored_bytes(self.size, self.layout)


class Part(NamedTuple):
    """Memory of a value: a texture, or a part of a buffer."""

    thing: Any
    offset: int
    bytes: int


class Memory(ABC):
    """The memory of one plan.

    Attributes:
        placed: where each value lies, from which step to which.
        bytes: of all.
    """

    placed: Sequence[Placed]
    bytes: int

    @abstractmethod
    def __init__(self, needs: Sequence[Need], session: Session):
        """Place values; nothing is made yet."""

    @abstractmethod
    def make(self) -> dict[str, Part]:
        """The memory of each value by name; in the GL thread."""


class Arena(Memory):
    """One buffer; values that are not needed at the same time share parts of it."""

    def __init__(self, needs: Sequence[Need], session: Session):
        self._session = session
        requests = [Request(n.name, n.bytes, n.first, n.last) for n in needs]
        alignment = max(ALIGNMENT, session.device.buffer_alignment)
        self.placed, self.bytes = place(requests, alignment)

    def make(self) -> dict[str, Part]:
        """Parts of a new buffer."""
        words = max(4, -(-self.bytes // 4))
        self._block = Block(Layout("float32"), words)
        thing = self._session.storage.pinned(self._block)
        return {p.name: Part(thing, p.offset, p.bytes) for p in self.placed}


class Textures(Memory):
    """Textures; a later value takes one that is free by then."""

    def __init__(self, needs: Sequence[Need], session: Session):
        self._session = session
        self._blocks: list[Block] = []
        self._of: dict[str, int] = {}
        free: dict[Any, list[int]] = {}
        busy: list[tuple[int, int]] = []  # last step, number
        placed, offsets = [], 0
        starts: list[int] = []
        for need in sorted(needs, key=lambda n: n.first):
            for last, number in [b for b in busy if b[0] < need.first]:
                busy.remove((last, number))
                free.setdefault(key_of(self._blocks[number]), []).append(number)
            block = Block(need.layout, need.size)
            spare = free.get(key_of(block))
            if spare:
                number = spare.pop()
            else:
                number = len(self._blocks)
                self._blocks.append(block)
                starts.append(offsets)
                offsets += block.bytes
            busy.append((need.last, number))
            self._of[need.name] = number
            placed.append(Placed(need.name, starts[number], need.bytes, need.first, need.last))
        self.placed, self.bytes = placed, offsets

    def make(self) -> dict[str, Part]:
        """A texture for each value."""
        things = [self._session.storage.pinned(block) for block in self._blocks]
        return {name: Part(things[i], 0, self._blocks[i].bytes) for name, i in self._of.items()}


def raw_values(part: Part, layout: Layout, count: int, dtype: np.dtype) -> np.ndarray:
    """What is stored in memory, from its beginning; in the GL thread."""
    if layout.kind == "texture":
        return from_texture(part.thing, layout, count, dtype)
    found = np.empty(max(count, 1), dtype)
    part.thing.read_into(found, count * dtype.itemsize, offset=part.offset)
    return found[:count]
