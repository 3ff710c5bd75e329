"""Values on their way to the host: the device puts them where the host reads.

To read a buffer costs a way to the device and back after the wait for what is computed; copies into
mapped memory are waited for together with that: 15 us less on an H100. The outputs of a run that
were read last time come along with the first of them, so that a network is waited for once.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from core.backends.shader.runtime.device_memory import (
    UPDATE_BARRIER,
    Storage,
    loaded_values,
    stored_dtype,
)
from core.backends.shader.runtime.gl_thread import GLThread
from core.backends.shader.runtime.mapped_memory import READ, MappedMemory
from core.backends.shader.runtime.memory_blocks import Block

#: Larger values are read as they are.
MOST_BYTES = 1 << 20

#: All that comes at once.
_ROOM = 1 << 21


class Readback:
    """Fetches values. For the GL thread only; made when the first is asked for.

    Args:
        gl_thread: of the context.
        storage: of the session.
    """

    def __init__(self, gl_thread: GLThread, storage: Storage):
        self._gl_thread, self._storage = gl_thread, storage
        self._memory = MappedMemory(gl_thread, _ROOM, READ)

    def begin(self, block: Block) -> Callable[[], np.ndarray] | None:
        """Have the device copy a block's values, and those that were made together with it.

        Returns:
            What takes the values once the device was waited for; None if they are too many.
        """
        if not _is_small(block):
            return None
        gl, offset = self._gl_thread.gl, 0
        others = () if block.together is None else block.together.expected
        coming: list[tuple[Block, int]] = []
        gl.memory_barrier(UPDATE_BARRIER)
        for other in dict.fromkeys((block, *others)):
            size = other.bytes
            if _is_small(other) and offset + size <= _ROOM:
                thing = self._storage.of(other)
                gl.copy_named_buffer(thing.glo, self._memory.glo, 0, offset, size)
                coming.append((other, offset))
                offset += size
        return partial(self._end, coming)

    def _end(self, coming: Sequence[tuple[Block, int]]) -> np.ndarray:
        """The values of the first block; the others keep theirs for whoever reads them."""
        (block, offset), *others = coming
        for other, place in others:
            other.copy = self._values(other, place)
        return self._values(block, offset)

    def _values(self, block: Block, offset: int) -> np.ndarray:
        layout = block.layout
        kind = stored_dtype(layout)
        size = block.size * layout.words * kind.itemsize
        return loaded_values(self._memory.array[offset : offset + size].view(kind).copy(), layout)


def _is_small(block: Block) -> bool:
    """Whether a block is worth it: on the device, not known to the host, and small."""
    return (
        block.error is None
        and block.copy is None
        and block.thing is not None
        and 0 < block.bytes <= MOST_BYTES
    )
