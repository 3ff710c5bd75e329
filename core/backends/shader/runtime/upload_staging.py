"""Memory that the host writes to and the device copies from, for the inputs of plans.

Measured for 602 KB on an H100: `Buffer.write` keeps the GL thread for 58 to 72 microseconds; a copy
into mapped memory takes the calling thread 17 to 50, and the device copies while Python goes on.
"""

from collections import deque
from typing import Any
from weakref import ref

from core.backends.shader.runtime.gl_functions import BARRIER_TO_ALL
from core.backends.shader.runtime.gl_thread import GLThread
from core.backends.shader.runtime.mapped_memory import WRITE, MappedMemory

#: Inputs with fewer bytes are not worth it.
LEAST_BYTES = 4096

#: How many runs may wait for the device, each with inputs of its own.
SLOTS = 2


class StagingSlot(MappedMemory):
    """Memory for one value of one run."""

    __slots__ = ("_home",)

    def __init__(self, gl_thread: GLThread, size: int, home: "Staging"):
        super().__init__(gl_thread, size, WRITE)
        self._home = ref(home)

    def give_back(self) -> None:
        """Make the slot free for other runs."""
        home = self._home()
        if home is not None:
            home.free.append(self)


class Staging:
    """Slots of one input. They are made in the GL thread; `take` works in any thread.

    Attributes:
        free: those that nobody uses.

    Args:
        gl_thread: of the context, of OpenGL 4.5.
        in_use: gets the slots that the device may still copy from.
        size: bytes of the value.
    """

    def __init__(self, gl_thread: GLThread, in_use: list[StagingSlot], size: int):
        self._gl_thread, self._in_use, self._size = gl_thread, in_use, size
        self.free = deque(StagingSlot(gl_thread, size, self) for _ in range(SLOTS))

    def take(self) -> StagingSlot | None:
        """Return a free slot, or None."""
        try:
            return self.free.pop()
        except IndexError:
            return None

    def copy(self, slot: StagingSlot, target: Any) -> None:
        """Queue the copy of an input to a buffer, in the GL thread."""
        gl = self._gl_thread.gl
        gl.copy_named_buffer(slot.glo, target.glo, 0, 0, self._size)
        gl.memory_barrier(BARRIER_TO_ALL)
        self._in_use.append(slot)
