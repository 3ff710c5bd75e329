"""The OpenGL context, made without a window or given by a user, and limits of its device."""

import os
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from core.backends.shader.codegen.tiles.held import EXTENSION
from core.backends.shader.runtime import context_failures
from core.backends.shader.runtime.context_failures import dotted
from core.backends.shader.runtime.gl_functions import GLFunctions
from core.errors import CoreError, SettingError

if TYPE_CHECKING:
    import moderngl

#: Versions in the order of requests: some drivers return exactly the requested version.
VERSIONS = (460, 450, 430, 330)
LOWEST_VERSION = VERSIONS[-1]
#: The version with compute shaders and storage buffers.
COMPUTE_VERSION = 430
_DEVICE = "CORE_SHADER_DEVICE"
# Variables of the package below moderngl, which override moderngl's requests.
_DEVICE_OF_GLCONTEXT, _VERSION_OF_GLCONTEXT = "GLCONTEXT_DEVICE_INDEX", "GLCONTEXT_GLVERSION"
_SOFTWARE = re.compile(
    r"llvmpipe|softpipe|swrast|\bSWR\b|software|Microsoft Basic Render|GDI Generic|SwiftShader",
    re.IGNORECASE,
)

#: Limits of every device, and of devices with compute shaders, by OpenGL's codes.
_LIMITS = {
    "max_texture": 0x0D33,  # MAX_TEXTURE_SIZE
    "max_targets": 0x8824,  # MAX_DRAW_BUFFERS
    "max_units": 0x8872,  # MAX_TEXTURE_IMAGE_UNITS
}
_COMPUTE_LIMITS = {
    "max_buffer_bytes": 0x90DE,  # MAX_SHADER_STORAGE_BLOCK_SIZE
    "max_buffers": 0x90DB,  # MAX_COMPUTE_SHADER_STORAGE_BLOCKS
    "buffer_alignment": 0x90DF,  # SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT
    "shared_bytes": 0x8262,  # MAX_COMPUTE_SHARED_MEMORY_SIZE
    "max_threads": 0x90EB,  # MAX_COMPUTE_WORK_GROUP_INVOCATIONS
}
_GPU_MEMORY_DEDICATED_NVX = 0x9047
_TEXTURE_FREE_MEMORY_ATI = 0x87FC
_SM_COUNT_NV = 0x933B


class ContextError(CoreError):
    """No OpenGL context is available, or it may not be used here."""


@dataclass(frozen=True)
class Device:
    """The device of an OpenGL context, and its limits; limits of compute are 0 without it."""

    name: str
    vendor: str
    version: int  # 460 is OpenGL 4.6
    driver: str  # changes with the device, the driver and the version: for keys of caches
    is_software: bool
    has_compute: bool  # and storage buffers
    max_buffer_bytes: int  # of a storage buffer that a shader sees
    max_buffers: int  # storage buffers of one compute shader
    buffer_alignment: int  # bytes: alignment of parts of a storage buffer
    shared_bytes: int  # of a workgroup
    max_threads: int  # of a workgroup
    max_texture: int  # pixels of a side
    max_targets: int  # of a fragment shader
    max_units: int  # textures of a fragment shader
    memory_bytes: int | None  # None if the driver does not report it
    multiprocessors: int  # 0 if the driver does not report it
    multiplies_halves: bool  # whether shaders compute in 16 bits

    @staticmethod
    def of(context: "moderngl.Context", gl: GLFunctions) -> "Device":
        """Query a context, in the thread in which it is current."""
        info, extensions = context.info, context.extensions
        name, vendor = info["GL_RENDERER"], info["GL_VENDOR"]
        has_compute = context.version_code >= COMPUTE_VERSION
        return Device(
            name=name,
            vendor=vendor,
            version=context.version_code,
            driver=" | ".join((vendor, name, info["GL_VERSION"], dotted(context.version_code))),
            is_software=is_software(name),
            has_compute=has_compute,
            memory_bytes=_memory(gl, extensions),
            multiprocessors=(
                gl.integer(_SM_COUNT_NV) if "GL_NV_shader_thread_group" in extensions else 0
            ),
            multiplies_halves=EXTENSION in extensions,
            **{name: gl.integer(code) for name, code in _LIMITS.items()},
            **{n: gl.integer(code) if has_compute else 0 for n, code in _COMPUTE_LIMITS.items()},
        )

    @property
    def reads_mapped(self) -> bool:
        """Return whether shaders read memory that the host writes as fast as any other.

        Measured with NVIDIA's driver on an H200: 602 KB in 2 us, which the host writes in 19.
        """
        return self.is_software or self.multiprocessors > 0

    def __str__(self) -> str:
        compute = (
            f"compute shaders, buffers up to {self.max_buffer_bytes / 1e6:.0f} MB"
            if self.has_compute
            else "no compute shaders (they need 4.3): slower fragment shaders are used"
        )
        memory = f", memory {self.memory_bytes / 1e9:.1f} GB" if self.memory_bytes else ""
        advice = (
            "; software rendering: works, but slow; install the GPU's driver"
            if self.is_software
            else ""
        )
        found = f"{self.name} ({self.vendor}), OpenGL {dotted(self.version)}, {compute}"
        return found + memory + advice


def is_software(name: str) -> bool:
    """Whether the processor draws, by the name that OpenGL gives the device.

    >>> is_software("llvmpipe (LLVM 15.0.6, 256 bits)")
    True
    """
    return bool(_SOFTWARE.search(name))


def _memory(gl: GLFunctions, extensions: set[str]) -> int | None:
    """Return the bytes of the device; with AMD's driver only the bytes that are free now."""
    if "GL_NVX_gpu_memory_info" in extensions:
        return gl.integer(_GPU_MEMORY_DEDICATED_NVX) * 1024 or None
    if "GL_ATI_meminfo" in extensions:
        return gl.integer(_TEXTURE_FREE_MEMORY_ATI) * 1024 or None
    return None


def open_context(version: int | None = None, device: int | None = None) -> "moderngl.Context":
    """Make a context without a window, which is current in the calling thread only.

    On Linux EGL makes the context, which needs no display; if EGL fails, X11 if there is a display.

    Args:
        version: version of OpenGL, such as 430, at least 330; by default the highest of the
            driver.
        device: index of the driver's device (Linux only); by default the environment variable
            ``CORE_SHADER_DEVICE``, else the first.

    Returns:
        A context of at least OpenGL 3.3.

    Raises:
        ContextError: the driver has no such context; the message has the reason and a next step.
        SettingError: the device is not an integer, or two settings contradict each other.
    """
    index = _device_index(device)
    if version is not None and version < LOWEST_VERSION:
        raise ContextError(
            f"OpenGL {dotted(version)} is too old: ask for {dotted(LOWEST_VERSION)} or more"
        )
    versions = VERSIONS if version is None else (version,)
    try:
        return _first_that_opens(versions, _ways(index))
    except ContextError as error:
        if index or sys.platform != "linux" or not os.environ.get("DISPLAY"):
            raise
        try:
            return _first_that_opens(versions, {})
        except ContextError as other:
            raise ContextError(f"{error}; nor by the X display: {other.__cause__}") from error


def _ways(index: int) -> dict[str, Any]:
    """Return the arguments of moderngl besides the version, for each window system."""
    if sys.platform != "linux":
        if index:
            raise ContextError(f"device {index} cannot be chosen: that works on Linux only")
        return {}
    # The loader finds libraries by these names; otherwise a process searches for each.
    libraries = {"libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
    return {"backend": "egl", "device_index": index, **libraries}


def _first_that_opens(versions: tuple[int, ...], settings: dict[str, Any]) -> "moderngl.Context":
    moderngl = _moderngl()
    if os.environ.get(_VERSION_OF_GLCONTEXT):
        versions = (_integer(os.environ[_VERSION_OF_GLCONTEXT], _VERSION_OF_GLCONTEXT),)
    *others, last = versions
    for version in others:
        try:
            return _made(moderngl, version, settings)
        except Exception as error:  # glcontext has no class of its own
            if context_failures.is_final(error):
                raise ContextError(context_failures.explanation(error, version)) from error
    try:
        return _made(moderngl, last, settings)
    except Exception as error:
        raise ContextError(context_failures.explanation(error, last)) from error


def _made(moderngl: ModuleType, version: int, settings: dict[str, Any]) -> "moderngl.Context":
    # moderngl uses the newest context as the default, which may be the user's.
    store = getattr(moderngl, "_store", None)
    default = getattr(store, "default_context", None)
    context = moderngl.create_context(require=version, standalone=True, **settings)
    if store is not None:
        store.default_context = default
    return context


def adopt_context(context: "moderngl.Context") -> "moderngl.Context":
    """Check a user's context, which is current in the calling thread.

    Args:
        context: context of ``moderngl.create_context`` or of a window.

    Raises:
        ContextError: the context is not of moderngl, released, or older than OpenGL 3.3.
    """
    moderngl = _moderngl()
    if not isinstance(context, moderngl.Context):
        raise ContextError(
            f"the shader backend takes a context of moderngl, not {type(context).__name__}: "
            "make one with moderngl.create_context()"
        )
    if isinstance(context.mglo, moderngl.InvalidObject):
        raise ContextError("the context that was given is released: give one that is in use")
    lowest = LOWEST_VERSION
    if context.version_code < lowest:
        raise ContextError(
            f"the context that was given is of OpenGL {dotted(context.version_code)}: "
            f"{dotted(lowest)} is needed; ask for it with moderngl.create_context(require={lowest})"
        )
    return context


def _moderngl() -> ModuleType:
    try:
        moderngl = import_module("moderngl")
        for part in ("glcontext", "moderngl.mgl"):  # moderngl itself would fail later, or hide it
            import_module(part)
    except ImportError as error:
        raise ContextError(context_failures.missing_moderngl(error)) from error
    return moderngl


def _device_index(device: int | None) -> int:
    """Return the index of the device: the argument, else the environment, else 0."""
    found = {
        name: os.environ[name] for name in (_DEVICE, _DEVICE_OF_GLCONTEXT) if name in os.environ
    }
    numbers = {name: _integer(text, name) for name, text in found.items()}
    if device is not None:
        numbers = {"the argument": _integer(device, "the device"), **numbers}
        numbers.pop(_DEVICE, None)
    if len(set(numbers.values())) > 1:
        sources = " and ".join(f"{name}={number}" for name, number in numbers.items())
        raise SettingError(f"{sources} name two devices: unset {_DEVICE_OF_GLCONTEXT}")
    return next(iter(numbers.values()), 0)


def _integer(value: object, source: str) -> int:
    text = str(value).strip()
    if not (text.isascii() and text.isdecimal()):
        raise SettingError(f"{source}={value!r:.80} must be an integer, at least 0")
    return int(text)
