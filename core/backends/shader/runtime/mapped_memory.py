"""Memory that is mapped to the host and used by the device, from OpenGL 4.5 on."""

import ctypes
from functools import partial

import numpy as np

from core.backends.shader.runtime.gl_thread import GLThread

#: Access of the host.
READ, WRITE = 0x1, 0x2

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
        gl_thread.gl.named_buffer_storage(name[0], size, None, flags | _CLIENT_STORAGE)
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
