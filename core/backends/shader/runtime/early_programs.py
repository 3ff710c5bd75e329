"""Programs ready without a wait: cached on disk, or compiled in the background.

Loading a cached program takes a fiftieth of the time of compiling. Only compute shaders are cached:
fragment shaders are for old drivers, which mostly lack binaries.

NVIDIA's driver compiles a program in 30 to 180 ms. Started together, the 11 programs of a PoseNet
took 0.41 s instead of 0.6 to 0.7 s on an H100, and Python is not blocked.
"""

from ctypes import byref, c_char_p, c_int, c_uint, create_string_buffer, pointer
from typing import TYPE_CHECKING, Any

from core.process import code_cache

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: Part of the key, to be changed with the format of the cache.
FORMAT = "shader program 1"

#: Empty program of moderngl, whose number a loaded one replaces.
_EMPTY = "#version 430\nlayout(local_size_x = 1) in;\nvoid main() {}\n"

_MOST_THREADS = 16
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
        program = self._gl_thread.context.compute_shader(_EMPTY)
        if self._load_binary(program.glo, kept):
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

    def _load_binary(self, name: int, cached: bytes) -> bool:
        """Load a binary into a program; drivers refuse binaries of other versions and devices."""
        gl, binary = self._gl_thread.gl, cached[_CODE_BYTES:]
        kind = int.from_bytes(cached[:_CODE_BYTES], "little")
        gl.program_binary(name, kind, binary, len(binary))
        # An unknown format is an error that leaves the program unchanged.
        is_refused = bool(gl.get_error())
        return not is_refused and _query(self._gl_thread, name, _LINK_STATUS) == 1

    def _binary(self, name: int) -> bytes:
        """Return format and code of a program; empty if the driver has no binaries."""
        size = _query(self._gl_thread, name, _PROGRAM_BINARY_LENGTH)
        if size <= 0:
            return b""
        buffer, length, kind = create_string_buffer(size), c_int(0), c_uint(0)
        gl = self._gl_thread.gl
        gl.get_program_binary(name, size, byref(length), byref(kind), buffer)
        if gl.get_error() or length.value <= 0:
            return b""
        return kind.value.to_bytes(_CODE_BYTES, "little") + buffer.raw[: length.value]


class AsyncCompiler:
    """Compiler of compute programs in the background, used in the GL thread.

    Args:
        gl_thread: thread of the context.
    """

    def __init__(self, gl_thread: "GLThread"):
        self._gl_thread = gl_thread
        self._started: dict[str, Any] = {}
        #: Whether the driver has threads for compilation.
        self.is_possible = gl_thread.gl.max_compiler_threads is not None
        if self.is_possible:
            gl_thread.call(lambda: gl_thread.gl.max_compiler_threads(_MOST_THREADS))

    def __contains__(self, text: str) -> bool:
        return text in self._started

    def start(self, text: str) -> None:
        """Start compiling a source; any query of the program would wait for the result."""
        gl, program = self._gl_thread.gl, self._gl_thread.context.compute_shader(_EMPTY)
        count, shader, source = c_int(0), c_uint(0), c_char_p(text.encode())
        gl.get_attached_shaders(program.glo, 1, byref(count), byref(shader))
        gl.shader_source(shader, 1, pointer(source), None)
        gl.compile_shader(shader)
        gl.link_program(program.glo)
        self._started[text] = program

    def take(self, text: str) -> Any:
        """Return the program of a source when compiled; None if it was not started or failed."""
        program = self._started.pop(text, None)
        if program is None:
            return None
        if _query(self._gl_thread, program.glo, _LINK_STATUS):
            return program
        program.release()
        return None

    def release(self) -> None:
        """Release all programs that were not taken."""
        for program in self._started.values():
            program.release()
        self._started.clear()


def _query(gl_thread: "GLThread", name: int, code: int) -> int:
    """Return a property of a program, given by OpenGL's code."""
    number = c_int(0)
    gl_thread.gl.get_program(name, code, byref(number))
    return number.value
