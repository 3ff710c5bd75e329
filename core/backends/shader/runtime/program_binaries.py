"""Cache of compiled programs on disk: loading takes a fiftieth of the time of compiling.

Only compute shaders are cached: fragment shaders are for old drivers, which mostly lack binaries.
"""

from ctypes import byref, c_int, c_uint, create_string_buffer
from typing import TYPE_CHECKING, Any

from core import code_cache
from core.backends.shader.runtime.async_compile import EMPTY

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: Part of the key, to be changed with the format of the cache.
FORMAT = "shader program 1"

_NUM_PROGRAM_BINARY_FORMATS = 0x87FE
_PROGRAM_BINARY_LENGTH = 0x8741
_LINK_STATUS = 0x8B82
_CODE_BYTES = 4  # the number of the format, in front of a binary


class Binaries:
    """The cache of compute programs, in the GL thread only.

    Args:
        gl_thread: thread of the context.
    """

    def __init__(self, gl_thread: "GLThread"):
        self._gl_thread = gl_thread
        self._is_possible: bool | None = None  # not determined yet

    def _is_used(self) -> bool:
        """Whether the driver has binaries and the cache has a folder."""
        if self._is_possible is None:
            gl = self._gl_thread.gl
            has_calls = None not in (gl.get_program_binary, gl.program_binary)
            self._is_possible = has_calls and gl.integer(_NUM_PROGRAM_BINARY_FORMATS) > 0
        return self._is_possible and code_cache.folder() is not None

    def load(self, text: str) -> Any:
        """Return the program of a source; None if it must be compiled."""
        kept = code_cache.load(self._key(text)) if self._is_used() else None
        if kept is None:
            return None
        program = self._gl_thread.context.compute_shader(EMPTY)
        if self._takes(program.glo, kept):
            return program
        program.release()
        return None

    def keep(self, text: str, program: Any) -> None:
        """Store a compiled program, if the driver has binaries and the cache has a folder."""
        if self._is_used():
            binary = self._binary(program.glo)
            if binary:
                code_cache.keep(self._key(text), binary)

    def _key(self, text: str) -> str:
        return code_cache.key_of(FORMAT, self._gl_thread.device.driver, text)

    def _takes(self, name: int, kept: bytes) -> bool:
        """Load a binary into a program; drivers refuse binaries of other versions and devices."""
        gl, binary = self._gl_thread.gl, kept[_CODE_BYTES:]
        kind = int.from_bytes(kept[:_CODE_BYTES], "little")
        gl.program_binary(name, kind, binary, len(binary))
        # An unknown format is an error that leaves the program unchanged.
        is_refused = bool(gl.get_error())
        return not is_refused and self._fact(name, _LINK_STATUS) == 1

    def _binary(self, name: int) -> bytes:
        """Return format and code of a program; empty if the driver has no binaries."""
        size = self._fact(name, _PROGRAM_BINARY_LENGTH)
        if size <= 0:
            return b""
        buffer, length, kind = create_string_buffer(size), c_int(0), c_uint(0)
        gl = self._gl_thread.gl
        gl.get_program_binary(name, size, byref(length), byref(kind), buffer)
        if gl.get_error() or length.value <= 0:
            return b""
        return kind.value.to_bytes(_CODE_BYTES, "little") + buffer.raw[: length.value]

    def _fact(self, name: int, code: int) -> int:
        number = c_int(0)
        self._gl_thread.gl.get_program(name, code, byref(number))
        return number.value
