"""Where values lie: blocks, and what they have on the device."""

from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from weakref import ref

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout, stored_bytes
from core.backends.shader.codegen.size_arithmetic import whole
from core.backends.shader.runtime.textures import texture_bytes, texture_key

#: What memory is alike by: the bytes of a buffer, or what a texture is like.
Key = tuple[Any, ...]


class Held:
    """What a block has: a thing on the device, or values on the host after they were moved there.

    Attributes:
        key: what things are alike by.
        layout: how values are stored.
        size: how many values.
        thing: the buffer or texture, or None.
        host: the values as a flat array, where they are not on the device.
        stamp: the command that used it last.
        is_pinned: whether it is never moved to the host.
        returned: where it goes when its block goes.
    """

    __slots__ = ("host", "is_pinned", "key", "layout", "returned", "size", "stamp", "thing")

    def __init__(self, block: "Block", returned: "deque[Held]"):
        self.key = memory_key(block.layout, block.size)
        self.layout, self.size = block.layout, block.size
        self.thing: Any = None
        self.host: np.ndarray | None = None
        self.stamp = 0
        self.is_pinned = False
        self.returned = returned


class Block:
    """Where values lie: on the device, or on the host while they wait or were moved there.

    Attributes:
        layout: how they are stored.
        size: how many values.
        error: why there are none: what was to make them failed.
        held: its memory, once a command needed it; for the GL thread only.
        copy: the values, if they came to the host together with others and nobody read them yet.
        together: what came of the same run, if anything else did.
    """

    __slots__ = ("__weakref__", "_given", "copy", "error", "held", "layout", "size", "together")

    def __init__(self, layout: MemoryLayout, size: int, host: np.ndarray | None = None):
        self.layout, self.size, self._given = layout, size, host
        self.error: Exception | None = None
        self.held: Held | None = None
        self.copy: np.ndarray | None = None
        self.together: Together | None = None

    @property
    def thing(self) -> Any:
        """The buffer or texture, or None."""
        return None if self.held is None else self.held.thing

    @property
    def host(self) -> np.ndarray | None:
        """The values as a flat array, where they are not on the device; else None."""
        return self._given if self.held is None else self.held.host

    @property
    def bytes(self) -> int:
        """How much memory it takes on the device."""
        return stored_bytes(self.size, self.layout)

    def hold(self, returned: "deque[Held]") -> Held:
        """Begin to hold memory, and leave the values that were given to that."""
        held = Held(self, returned)
        held.host = self._given
        self.held = held  # who asks in another thread finds the values before and after
        self._given = None
        return held

    def __del__(self) -> None:
        if self.held is not None:
            self.held.returned.append(self.held)  # atomic: no lock, no call to GL


class Together:
    """The blocks of one run, for whoever reads one of them.

    Args:
        blocks: in the same order for each run of a program.
        habit: the numbers of those that were read after any run of the program; added to here.
    """

    __slots__ = ("_blocks", "_habit")

    def __init__(self, blocks: Sequence[Block], habit: set[int]):
        self._blocks, self._habit = [ref(block) for block in blocks], habit

    def note(self, block: Block) -> None:
        """Somebody reads this one."""
        self._habit.update(i for i, known in enumerate(self._blocks) if known() is block)

    @property
    def expected(self) -> list[Block]:
        """Those that are likely to be read as well."""
        found = [self._blocks[i]() for i in tuple(self._habit)]  # others may add to it
        return [block for block in found if block is not None]


def key_of(block: Block) -> Key:
    """What a block's memory is alike by."""
    return memory_key(block.layout, block.size)


@lru_cache(maxsize=4096)
def memory_key(layout: MemoryLayout, size: int) -> Key:
    """What the memory of so many values is alike by."""
    if layout.kind == "texture":
        return texture_key(layout)
    return (rounded(stored_bytes(size, layout)),)


def rounded(size: int) -> int:
    """A size of which buffers are made: at most a quarter more than is needed.

    >>> rounded(16), rounded(1000), rounded(5000)
    (256, 1024, 5120)
    """
    step = max(256, 1 << max(0, size.bit_length() - 3))
    return whole(size, step)


def bytes_of(key: Key) -> int:
    """How much memory a thing takes."""
    return key[0] if len(key) == 1 else texture_bytes(key)
