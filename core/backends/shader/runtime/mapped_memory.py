"""Memory that the host and the device both reach, by OpenGL 4.5."""

import ctypes
from functools import partial

import numpy as np

from core.backends.shader.runtime.gl_thread import Owner

#: What the host does with it.
READ, WRITE = 0x1, 0x2

_PERSISTENT, _COHERENT, _CLIENT_STORAGE = 0x40, 0x80, 0x200


class Mapped:
    """A buffer whose bytes the host sees; it goes with the last reference.

    Made in the GL thread. Memory to be written is slow to read.

    Attributes:
        array: its bytes.
        glo: OpenGL's name of the buffer.

    Args:
        owner: of the context.
        size: bytes.
        access: ``READ`` or ``WRITE``.
    """

    __slots__ = ("_owner", "array", "glo")

    def __init__(self, owner: Owner, size: int, access: int):
        name = (ctypes.c_uint * 1)()
        owner.gl.create_buffers(1, name)
        flags = access | _PERSISTENT | _COHERENT
        owner.gl.named_buffer_storage(name[0], size, None, flags | _CLIENT_STORAGE)
        address = owner.gl.map_named_buffer_range(name[0], 0, size, flags)
        self.array = np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(address))
        self.glo, self._owner = name[0], owner

    def __del__(self) -> None:
        self._owner.put_quietly(partial(_delete, self._owner, self.glo))


def _delete(owner: Owner, glo: int) -> None:
    owner.gl.delete_buffers(1, (ctypes.c_uint * 1)(glo))


def has_mapped(owner: Owner) -> bool:
    """Whether this OpenGL has such memory."""
    return None not in (owner.gl.named_buffer_storage, owner.gl.copy_named_buffer)
