"""Functions of OpenGL that moderngl lacks: fences, flushes, program binaries, maps."""

import ctypes
import os
import sys
from collections.abc import Callable, Collection
from ctypes import (
    POINTER,
    c_char_p,
    c_int,
    c_int64,
    c_ssize_t,
    c_uint,
    c_uint64,
    c_void_p,
)
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

#: Buffers that shaders read and write, as a target of bindings.
STORAGE_BUFFER = 0x90D2

#: A memory barrier for shader storage.
BARRIER = 0x2000

#: A barrier for copies and the host, too: else writes of shaders may arrive after a later upload.
BARRIER_TO_ALL = BARRIER | 0x200


class _Row(NamedTuple):
    """A function, and the version or extension that has it."""

    name: str
    result: Any
    arguments: tuple[Any, ...]
    since: int = 330  # the version of OpenGL that has it
    extension: str = ""  # needed in older versions
    is_quick: bool = False  # too short to release the GIL


_Ints, _Uints, _Integer64 = POINTER(c_int), POINTER(c_uint), POINTER(c_int64)
_WAIT = (c_void_p, c_uint, c_uint64)
_COPY = (c_uint, c_uint, c_ssize_t, c_ssize_t, c_ssize_t)
_NEVER = 1000  # available by an extension only
_DIRECT, _BINARY = "GL_ARB_direct_state_access", "GL_ARB_get_program_binary"
_COMPILING = "GL_ARB_parallel_shader_compile"
_IMAGES, _ROBUST = "GL_ARB_shader_image_load_store", "GL_KHR_robustness"

_TABLE = {
    "fence_sync": _Row("glFenceSync", c_void_p, (c_uint, c_uint), is_quick=True),
    "delete_sync": _Row("glDeleteSync", None, (c_void_p,), is_quick=True),
    "client_wait_sync": _Row("glClientWaitSync", c_uint, _WAIT),
    "poll_sync": _Row("glClientWaitSync", c_uint, _WAIT, is_quick=True),  # polls without waiting
    "flush": _Row("glFlush", None, (), is_quick=True),
    "finish": _Row("glFinish", None, ()),
    "get_error": _Row("glGetError", c_uint, (), is_quick=True),
    "get_integer64": _Row("glGetInteger64v", None, (c_uint, _Integer64)),
    "get_program": _Row("glGetProgramiv", None, (c_uint, c_uint, _Ints)),
    "get_program_binary": _Row(
        "glGetProgramBinary", None, (c_uint, c_int, _Ints, _Uints, c_void_p), 410, _BINARY
    ),
    "program_binary": _Row(
        "glProgramBinary", None, (c_uint, c_uint, c_void_p, c_int), 410, _BINARY
    ),
    "max_compiler_threads": _Row(
        "glMaxShaderCompilerThreadsARB", None, (c_uint,), _NEVER, _COMPILING
    ),
    "get_attached_shaders": _Row("glGetAttachedShaders", None, (c_uint, c_int, _Ints, _Uints)),
    "shader_source": _Row("glShaderSource", None, (c_uint, c_int, POINTER(c_char_p), _Ints)),
    "compile_shader": _Row("glCompileShader", None, (c_uint,)),
    "link_program": _Row("glLinkProgram", None, (c_uint,)),
    "create_buffers": _Row("glCreateBuffers", None, (c_int, _Uints), 450, _DIRECT),
    "delete_buffers": _Row("glDeleteBuffers", None, (c_int, _Uints)),
    "named_buffer_storage": _Row(
        "glNamedBufferStorage", None, (c_uint, c_ssize_t, c_void_p, c_uint), 450, _DIRECT
    ),
    "map_named_buffer_range": _Row(
        "glMapNamedBufferRange", c_void_p, (c_uint, c_ssize_t, c_ssize_t, c_uint), 450, _DIRECT
    ),
    "copy_named_buffer": _Row("glCopyNamedBufferSubData", None, _COPY, 450, _DIRECT, is_quick=True),
    "memory_barrier": _Row("glMemoryBarrier", None, (c_uint,), 420, _IMAGES, is_quick=True),
    "get_reset_status": _Row("glGetGraphicsResetStatus", c_uint, (), 450, _ROBUST, True),
    "framebuffer_layer": _Row(
        "glFramebufferTextureLayer", None, (c_uint, c_uint, c_uint, c_int, c_int)
    ),
    "bind_buffer": _Row("glBindBuffer", None, (c_uint, c_uint), is_quick=True),
    "bind_buffer_range": _Row(
        "glBindBufferRange", None, (c_uint, c_uint, c_uint, c_ssize_t, c_ssize_t), is_quick=True
    ),
    "pixel_store": _Row("glPixelStorei", None, (c_uint, c_int), is_quick=True),
    "use_program": _Row("glUseProgram", None, (c_uint,), is_quick=True),
    "uniform_location": _Row("glGetUniformLocation", c_int, (c_uint, c_char_p)),
    "uniform_ints": _Row("glUniform1iv", None, (c_int, c_int, c_void_p), is_quick=True),
    "uniform_floats": _Row("glUniform1fv", None, (c_int, c_int, c_void_p), is_quick=True),
}


class GLFunctions:
    """The functions of the table by name; None if this OpenGL lacks one.

    The object is made and used only in the thread in which the context is current.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, version: int, extensions: Collection[str]):
        for name, row in _TABLE.items():
            # An address proves nothing: some loaders return one for any name.
            has = version >= row.since or row.extension in extensions
            setattr(self, name, _function(row) if has else None)

    def integer(self, code: int) -> int:
        """Return an integer state of OpenGL, the first if there are several."""
        numbers = (c_int64 * 4)()  # some codes have as many
        self.get_integer64(code, numbers)
        return numbers[0]


def _function(row: _Row) -> Callable[..., Any] | None:
    found = address(row.name)
    make = ctypes.PYFUNCTYPE if row.is_quick else ctypes.CFUNCTYPE
    return make(row.result, *row.arguments)(found) if found else None


def address(name: str) -> int | None:
    """Return the address of a function for the current context, or None."""
    return _finder()(name)


@cache
def _finder() -> Callable[[str], int | None]:
    """Return the platform's function to find addresses."""
    if sys.platform == "win32":
        library = ctypes.WinDLL("opengl32")
        return _by_call(library.wglGetProcAddress, _by_symbol(library))
    if sys.platform == "darwin":
        return _by_symbol(ctypes.CDLL("/System/Library/Frameworks/OpenGL.framework/OpenGL"))
    try:
        egl = ctypes.CDLL(os.environ.get("GLCONTEXT_LINUX_LIBEGL") or "libEGL.so.1")
        return _by_call(egl.eglGetProcAddress)
    except OSError:
        glx = ctypes.CDLL(os.environ.get("GLCONTEXT_LINUX_LIBGL") or "libGL.so.1")
        return _by_call(glx.glXGetProcAddressARB)


def _by_call(
    get: Any, otherwise: Callable[[str], int | None] = lambda name: None
) -> Callable[[str], int | None]:
    get.restype, get.argtypes = c_void_p, [c_char_p]

    def find(name: str) -> int | None:
        found = get(name.encode())
        # Windows returns small numbers and -1 for functions of its own library.
        return otherwise(name) if found in (None, 1, 2, 3, c_void_p(-1).value) else found

    return find


def _by_symbol(library: ctypes.CDLL) -> Callable[[str], int | None]:
    def find(name: str) -> int | None:
        symbol = getattr(library, name, None)
        return None if symbol is None else ctypes.cast(symbol, c_void_p).value

    return find
