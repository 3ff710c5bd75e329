"""Readback of values to the host through mapped memory.

Reading a buffer costs a round trip to the device after the wait for its values; copies into mapped
memory are included in that wait, which saves 15 us on an H100. Outputs that were read after the
last run are copied with the first one read, so that a network needs one wait.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from core.backends.shader.runtime.device_memory import UPDATE_BARRIER, DeviceMemory
from core.backends.shader.runtime.gl_thread import GLThread
from core.backends.shader.runtime.mapped_memory import READ, MappedMemory
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.stored_forms import loaded_values, stored_dtype

#: Size above which values are read directly.
MOST_BYTES = 1 << 20

#: The most bytes of copies with one wait.
ROOM = 1 << 21


class Readback:
    """The reader of values, in the GL thread only; made at the first readback.

    Args:
        gl_thread: thread of the context.
        memory: device memory of the session.
    """

    def __init__(self, gl_thread: GLThread, memory: DeviceMemory):
        self._gl_thread, self._device_memory = gl_thread, memory
        self._memory = MappedMemory(gl_thread, ROOM, READ)

    def begin(self, block: Block) -> Callable[[], np.ndarray] | None:
        """Start copying the values of a block and of blocks that were computed with it.

        Returns:
            A function that returns the values after a wait; None if they are too large.
        """
        if not _is_small(block):
            return None
        gl, offset = self._gl_thread.gl, 0
        others = () if block.run_outputs is None else block.run_outputs.expected
        coming: list[tuple[Block, int]] = []
        gl.memory_barrier(UPDATE_BARRIER)
        for other in dict.fromkeys((block, *others)):
            size = other.bytes
            if _is_small(other) and offset + size <= ROOM:
                resource = self._device_memory.of(other)
                gl.copy_named_buffer(resource.glo, self._memory.glo, 0, offset, size)
                coming.append((other, offset))
                offset += size
        return partial(self._end, coming)

    def _end(self, coming: Sequence[tuple[Block, int]]) -> np.ndarray:
        """Return the values of the first block; the other blocks keep theirs for later reads."""
        (block, offset), *others = coming
        for other, start in others:
            other.copy = self._values(other, start)
        return self._values(block, offset)

    def _values(self, block: Block, offset: int) -> np.ndarray:
        layout = block.layout
        kind = stored_dtype(layout)
        size = block.size * layout.words * kind.itemsize
        return loaded_values(self._memory.array[offset : offset + size].view(kind).copy(), layout)


def _is_small(block: Block) -> bool:
    """Whether a block is on the device, not known to the host, and small."""
    return (
        block.error is None
        and block.copy is None
        and block.resource is not None
        and 0 < block.bytes <= MOST_BYTES
    )
