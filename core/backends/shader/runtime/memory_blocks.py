"""Blocks of values, and their memory on the device."""

from collections import deque
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary, ref

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import (
    MemoryLayout,
    layout_of,
    stored_bytes,
)
from core.backends.shader.codegen.size_arithmetic import whole
from core.backends.shader.runtime.textures import texture_bytes, texture_key
from core.engine.dtypes import dtype_of
from core.engine.specs import Spec
from core.errors import CoreError

#: Error of a block until the command that computes its values has begun.
UNFINISHED = CoreError(
    "the values were not computed, as Ctrl-C or a signal came: compute them again"
)

#: Key of exchangeable memory: the bytes of a buffer, or the key of a texture.
Key = tuple[Any, ...]


class BlockMemory:
    """The memory of a block: a GPU resource, or values on the host after moving them there.

    Attributes:
        key: key of exchangeable memory.
        layout: layout of the values.
        size: number of values.
        resource: the buffer or texture, or None.
        host: the values as a flat array, if they are on the host.
        stamp: the command that used the memory last.
        is_pinned: whether the memory is never moved to the host.
        returned: queue to which the memory is returned when its block is freed.
    """

    __slots__ = ("host", "is_pinned", "key", "layout", "returned", "size", "stamp", "resource")

    def __init__(self, block: "Block", returned: "deque[BlockMemory]"):
        self.key = memory_key(block.layout, block.size)
        self.layout, self.size = block.layout, block.size
        self.resource: Any = None
        self.host: np.ndarray | None = None
        self.stamp = 0
        self.is_pinned = False
        self.returned = returned


class Block:
    """A block of values, on the device, or on the host before upload or after moving out.

    Attributes:
        layout: layout of the values.
        size: number of values.
        error: error of the command that should have computed the values.
        memory: memory of the block after its first use; for the GL thread only.
        copy: the values, if they were copied to the host with others and not read yet.
        run_outputs: outputs of the run that computed the values, if they are read together.
        source: where the values are before the block has memory, if a plan computed them.
        was_fed: whether a plan took the values from the host.
    """

    __slots__ = (
        *("__weakref__", "_given", "copy", "error", "was_fed"),
        *("layout", "memory", "run_outputs", "size", "source"),
    )

    def __init__(self, layout: MemoryLayout, size: int, host: np.ndarray | None = None):
        self.layout, self.size, self._given = layout, size, host
        self.error: Exception | None = None
        self.memory: BlockMemory | None = None
        self.copy: np.ndarray | None = None
        self.run_outputs: RunOutputs | None = None
        self.source: Source | None = None
        self.was_fed = False

    @property
    def resource(self) -> Any:
        """Return the buffer or texture, or None."""
        return None if self.memory is None else self.memory.resource

    @property
    def host(self) -> np.ndarray | None:
        """Return the values as a flat array if they are on the host, else None."""
        return self._given if self.memory is None else self.memory.host

    @property
    def bytes(self) -> int:
        """Return the bytes of the memory on the device."""
        return stored_bytes(self.size, self.layout)

    def attach(self, returned: "deque[BlockMemory]") -> BlockMemory:
        """Attach memory to the block, and move its values to the memory."""
        memory = BlockMemory(self, returned)
        memory.host = self._given
        self.memory = memory  # other threads find the values before and after this
        self._given = None
        return memory

    def __del__(self) -> None:
        if self.memory is not None:
            self.memory.returned.append(self.memory)  # atomic: no lock, no call to GL


class RunOutputs:
    """The blocks of one run, which are often read together.

    Attributes:
        usually_read: indices of the blocks that were read after any run.

    Args:
        blocks: blocks in a constant order for all runs of a program.
        usually_read: see above; extended here.
    """

    __slots__ = ("_blocks", "usually_read")

    def __init__(self, blocks: Sequence[Block], usually_read: set[int]):
        self._blocks, self.usually_read = [ref(block) for block in blocks], usually_read

    def record_read(self, block: Block) -> None:
        """Note that a block is read."""
        if len(self.usually_read) < len(self._blocks):
            self.usually_read.update(i for i, known in enumerate(self._blocks) if known() is block)

    def alive(self) -> list[tuple[int, Block]]:
        """Return the blocks that still exist, with their indices."""
        found = [(i, known()) for i, known in enumerate(self._blocks)]
        return [(i, block) for i, block in found if block is not None]

    @property
    def expected(self) -> list[Block]:
        """Return the blocks that are likely to be read as well."""
        found = [self._blocks[i]() for i in tuple(self.usually_read)]  # other threads may add
        return [block for block in found if block is not None]


class _Buffers(Protocol):
    """The memory of the outputs of a run: `core.backends.shader.plans.result_buffers`."""

    session: Any

    @property
    def parts(self) -> Sequence[Any]: ...

    def copy_to(self, resource: Any, index: int) -> None: ...

    def send(self, index: int) -> None: ...

    def arrived(self, index: int) -> np.ndarray: ...


class Source(NamedTuple):
    """The location of an output in the memory of its run.

    Attributes:
        buffers: memory of the run.
        number: position among the outputs.
    """

    buffers: _Buffers
    number: int


def fail(blocks: Sequence[Block], error: BaseException) -> None:
    """Let blocks raise an error when they are read; an interruption is also raised at once."""
    reason = error if isinstance(error, Exception) else UNFINISHED
    for block in blocks:
        block.error = reason
    if reason is UNFINISHED:
        raise error


def key_of(block: Block) -> Key:
    """Return the key of a block's memory."""
    return memory_key(block.layout, block.size)


@lru_cache(maxsize=4096)
def memory_key(layout: MemoryLayout, size: int) -> Key:
    """Return the key of memory for some values."""
    if layout.kind == "texture":
        return texture_key(layout)
    return (rounded(stored_bytes(size, layout)),)


def rounded(size: int) -> int:
    """Return the size of the buffer for some bytes: at most a quarter more.

    >>> rounded(16), rounded(1000), rounded(5000)
    (256, 1024, 5120)
    """
    step = max(256, 1 << max(0, size.bit_length() - 3))
    return whole(size, step)


def bytes_of(key: Key) -> int:
    """Return the bytes of memory with some key."""
    return key[0] if len(key) == 1 else texture_bytes(key)


class Storing(NamedTuple):
    """Storage of a session's values: the last arguments of `layout_of`."""

    in_textures: bool
    half: bool

    @property
    def of_inputs(self) -> "Storing":
        """Return the storage of a plan's inputs: 32 bits in buffers.

        NumPy takes 26 ms to round 32 images of 224 pixels to 16 bits, and a first convolution of
        few channels reads numbers of 32 bits faster.
        """
        return self if self.in_textures else self._replace(half=False)

    def layout(self, spec: Spec, layers: int = 1, chunk: int = 0) -> MemoryLayout:
        """Return the layout of a value of a shape and dtype."""
        return layout_of(spec, self.in_textures, self.half, layers, chunk)


class ConstantBlock(Block):
    """A block that keeps its array alive, so that no other array gets its address."""

    __slots__ = ("array",)

    def __init__(self, layout: MemoryLayout, array: np.ndarray):
        super().__init__(layout, array.size, array.reshape(-1))
        self.array = array


class PlanConstants:
    """The blocks of constants of all plans of a session; equal arrays share a block."""

    def __init__(self, storing: Storing):
        self._storing = storing
        self._known: WeakValueDictionary[Hashable, Block] = WeakValueDictionary()

    def block(self, array: np.ndarray) -> Block:
        """Return the block of an array that is never written to."""
        address = array.__array_interface__["data"][0]
        order = None if array.flags.c_contiguous else (array.shape, array.strides)
        key = address, array.nbytes, dtype_of(array), order
        found = self._known.get(key)
        if found is None:
            spec = Spec(array.shape, dtype_of(array))
            found = ConstantBlock(self._storing.layout(spec), array)
            self._known[key] = found
        return found
