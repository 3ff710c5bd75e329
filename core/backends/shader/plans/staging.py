"""Memory that the host writes to and the device copies from: inputs of plans go by way of it.

Measured for 602 KB on an H100: `Buffer.write` keeps the GL thread for 58 to 72 microseconds; a copy
into mapped memory takes the calling thread 17, and the device copies while Python goes on.
"""

import ctypes
from collections import deque
from typing import Any

import numpy as np

from core.backends.shader.session import Session

#: Inputs with fewer bytes are not worth it.
LEAST_BYTES = 4096

#: How many runs may wait for the device, each with inputs of its own.
SLOTS = 2

_WRITE, _PERSISTENT, _COHERENT, _CLIENT_STORAGE = 0x2, 0x40, 0x80, 0x200


class Slot:
    """Mapped memory for one input of one run.

    Attributes:
        array: bytes that the device will see.
    """

    __slots__ = ("_free", "array", "glo")

    def __init__(self, array: np.ndarray, glo: int, free: "deque[Slot]"):
        self.array, self.glo, self._free = array, glo, free

    def give_back(self) -> None:
        """The device has copied it."""
        self._free.append(self)


class Staging:
    """The slots of one input. Made in the GL thread; `take` works in any.

    Args:
        session: of the context, of OpenGL 4.5.
        size: bytes of the input.
    """

    def __init__(self, session: Session, size: int):
        self._session, self._size = session, size
        self._free: deque[Slot] = deque()
        self._names: list[int] = []
        for _ in range(SLOTS):
            self._free.append(self._slot())

    def take(self) -> Slot | None:
        """A slot that nobody uses, or None."""
        try:
            return self._free.pop()
        except IndexError:
            return None

    def copy(self, slot: Slot, target: Any) -> None:
        """Have the device copy it to a buffer; in the GL thread."""
        self._session.owner.gl.copy_named_buffer(slot.glo, target.glo, 0, 0, self._size)
        self._session.in_use.append(slot)

    def release(self) -> None:
        """Let go of the memory; in the GL thread."""
        self._free.clear()
        names = (ctypes.c_uint * len(self._names))(*self._names)
        self._session.owner.gl.delete_buffers(len(self._names), names)

    def _slot(self) -> Slot:
        gl = self._session.owner.gl
        name = (ctypes.c_uint * 1)()
        gl.create_buffers(1, name)
        self._names.append(name[0])
        flags = _WRITE | _PERSISTENT | _COHERENT
        gl.named_buffer_storage(name[0], self._size, None, flags | _CLIENT_STORAGE)
        address = gl.map_named_buffer_range(name[0], 0, self._size, flags)
        memory = (ctypes.c_ubyte * self._size).from_address(address)
        return Slot(np.frombuffer(memory, np.uint8), name[0], self._free)
