"""Memory mapped to the host, from OpenGL 4.5 on: for readback, and to stage inputs of plans."""

import ctypes
from collections import deque
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from core.backends.shader.runtime.gl_functions import BARRIER_TO_ALL
from core.backends.shader.runtime.gl_thread import GLThread

#: Access of the host.
READ, WRITE = 0x1, 0x2

#: Inputs of plans with fewer bytes are uploaded directly. Measured for 602 KB on an H100:
#: `Buffer.write` keeps the GL thread for 58 to 72 microseconds; a copy into mapped memory takes the
#: calling thread 17 to 50, and the device copies while Python goes on.
LEAST_BYTES = 4096

#: Slots of an input: as many runs may wait for the device, each with inputs of its own.
SLOTS = 2

_PERSISTENT, _COHERENT, _CLIENT_STORAGE = 0x40, 0x80, 0x200


class MappedMemory:
    """A buffer that is mapped to the host, freed with its last reference.

    It is made in the GL thread. Memory for writing is slow to read.

    Attributes:
        array: bytes of the buffer.
        glo: OpenGL's name of the buffer.

    Args:
        gl_thread: thread of the context.
        size: number of bytes.
        access: ``READ`` or ``WRITE``.
    """

    __slots__ = ("_gl_thread", "array", "glo")

    def __init__(self, gl_thread: GLThread, size: int, access: int):
        name = (ctypes.c_uint * 1)()
        gl_thread.gl.create_buffers(1, name)
        flags = access | _PERSISTENT | _COHERENT
        # What the host reads is best in its memory, what shaders read in the device's.
        where = _CLIENT_STORAGE if access == READ else 0
        gl_thread.gl.named_buffer_storage(name[0], size, None, flags | where)
        address = gl_thread.gl.map_named_buffer_range(name[0], 0, size, flags)
        self.array = np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(address))
        self.glo, self._gl_thread = name[0], gl_thread

    def __del__(self) -> None:
        self._gl_thread.put_quietly(partial(_delete, self._gl_thread, self.glo))


def _delete(gl_thread: GLThread, glo: int) -> None:
    gl_thread.gl.delete_buffers(1, (ctypes.c_uint * 1)(glo))


def has_mapped(gl_thread: GLThread) -> bool:
    """Whether this OpenGL supports mapped memory."""
    return None not in (gl_thread.gl.named_buffer_storage, gl_thread.gl.copy_named_buffer)


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
        free: unused slots.

    Args:
        gl_thread: thread of the context, of OpenGL 4.5.
        in_use: list to which slots are added that the device may still copy from.
        size: bytes of the input.
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
        self.use(slot)

    def use(self, slot: StagingSlot) -> None:
        """Keep a slot until the device has finished the commands that follow."""
        self._in_use.append(slot)
