"""Memory that machine code runs in: written first, executable then, never both."""

import mmap
from ctypes import CDLL, c_int, c_int64, c_size_t, c_void_p, get_errno, memmove, string_at
from functools import cache
from typing import Any
from weakref import finalize

from core.errors import CoreError

_ANYWHERE = mmap.MAP_PRIVATE | getattr(mmap, "MAP_ANONYMOUS", 0)
_FAILED = c_void_p(-1).value


@cache
def _library() -> Any:
    library = CDLL(None, use_errno=True)
    library.mmap.argtypes = (c_void_p, c_size_t, c_int, c_int, c_int, c_int64)
    library.mmap.restype = c_void_p
    library.mprotect.argtypes, library.mprotect.restype = (c_void_p, c_size_t, c_int), c_int
    library.munmap.argtypes, library.munmap.restype = (c_void_p, c_size_t), c_int
    return library


class CodeMemory:
    """Executable memory with a copy of some code, as long as the object lives.

    At the end of the process it stays: threads may still run in it.

    Args:
        code: the instructions.

    Attributes:
        address: where the code begins.
        size: bytes of the code.

    Raises:
        CoreError: the system does not let programs make memory executable.
    """

    address: int
    size: int

    def __init__(self, code: bytes | memoryview):
        library, size = _library(), max(len(code), 1)
        address = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, _ANYWHERE, -1, 0)
        if address == _FAILED:
            raise CoreError(f"the system has no {size} bytes for code (error {get_errno()})")
        finalize(self, library.munmap, address, size).atexit = False
        memmove(address, bytes(code), len(code))
        if library.mprotect(address, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise CoreError(
                f"the system refuses to run generated code (error {get_errno()}): choose tier 1"
            )
        self.address, self.size = address, len(code)

    def read(self) -> bytes:
        """Return the code."""
        return string_at(self.address, self.size)
