"""The memory of a plan's values during a run: one buffer, or reused textures."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.size_arithmetic import ceil_div
from core.backends.shader.runtime.memory_blocks import Block, Key, key_of
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.textures import from_texture
from core.engine.executable import Placed
from core.plan.arena import Request, place

#: Least alignment of parts of buffers, in bytes.
ALIGNMENT = 256


class Need(NamedTuple):
    """The lifetime of a value, from one step to another, both included.

    Attributes:
        name: of the value.
        block: how it is stored; it gets memory by `make` only.
        first: number of the step that makes it.
        last: number of the last step that reads it.
    """

    name: str
    block: Block
    first: int
    last: int


def most_bytes(needs: Sequence[Need]) -> int:
    """Return the bytes of the values that live at one time, at most."""
    changes: dict[int, int] = {}
    for need in needs:
        for step, change in ((need.first, need.block.bytes), (need.last + 1, -need.block.bytes)):
            changes[step] = changes.get(step, 0) + change
    return max(accumulate(changes[step] for step in sorted(changes)), default=0)


class Part(NamedTuple):
    """The memory of a value: a texture, or a part of a buffer."""

    resource: Any
    offset: int
    bytes: int


class Arena:
    """One buffer; values that are not needed at one time share parts of it.

    Attributes:
        placed: offset and lifetime of each value.
        bytes: bytes of all values together.
    """

    def __init__(self, needs: Sequence[Need], session: Session):
        self._session = session
        requests = [Request(n.name, n.block.bytes, n.first, n.last) for n in needs]
        alignment = max(ALIGNMENT, session.device.buffer_alignment)
        self.placed, self.bytes = place(requests, alignment)

    def make(self) -> dict[str, Part]:
        """Return parts of a new buffer."""
        words = max(4, ceil_div(self.bytes, 4))
        self._block = Block(MemoryLayout("float32"), words)
        resource = self._session.memory.pinned(self._block)
        return {p.name: Part(resource, p.offset, p.bytes) for p in self.placed}


class Textures:
    """Textures, shared by values with disjoint lifetimes; attributes as of `Arena`."""

    def __init__(self, needs: Sequence[Need], session: Session):
        self._session = session
        self._of = shared_blocks(needs)
        self._blocks = [*dict.fromkeys(self._of.values())]
        *starts, self.bytes = accumulate((b.bytes for b in self._blocks), initial=0)
        start_of = dict(zip(self._blocks, starts, strict=True))
        self.placed = [
            Placed(n.name, start_of[self._of[n.name]], n.block.bytes, n.first, n.last)
            for n in sorted(needs, key=lambda n: n.first)
        ]

    def make(self) -> dict[str, Part]:
        """Return a texture for each value."""
        resources = {block: self._session.memory.pinned(block) for block in self._blocks}
        return {name: Part(resources[b], 0, b.bytes) for name, b in self._of.items()}


def shared_blocks(needs: Sequence[Need]) -> dict[str, Block]:
    """Return the block of each value: that of an earlier value with an equal layout, if free.

    >>> small, large = MemoryLayout("float32"), MemoryLayout("complex64")
    >>> first, second, third = (Need(n, Block(small, 9), i, i + 1) for i, n in enumerate("abc"))
    >>> found = shared_blocks([first, second, third, Need("d", Block(large, 900), 3, 3)])
    >>> [found[name] is found["a"] for name in "abcd"]
    [True, False, True, False]
    """
    found: dict[str, Block] = {}
    free: dict[Key, list[Block]] = {}
    busy: list[Need] = []
    for need in sorted(needs, key=lambda n: n.first):
        for past in [n for n in busy if n.last < need.first]:
            busy.remove(past)
            free.setdefault(key_of(past.block), []).append(found[past.name])
        spare = free.get(key_of(need.block))
        found[need.name] = spare.pop() if spare else need.block
        busy.append(need)
    return found


def raw_values(part: Part, layout: MemoryLayout, count: int, dtype: np.dtype) -> np.ndarray:
    """Return the stored content of memory from its beginning, in the GL thread.

    Args:
        part: memory of the values.
        layout: layout of the values.
        count: number of values, with two for each complex value.
        dtype: dtype of a value.
    """
    if layout.kind == "texture":
        return from_texture(part.resource, layout, count, dtype)
    found = np.empty(max(count, 1), dtype)
    part.resource.read_into(found, count * dtype.itemsize, offset=part.offset)
    return found[:count]
