"""TensorFlow and OpenGL that the processor draws: one process can hold one of them.

Mesa's drivers call LLVM, whose library they make visible to the whole process; TensorFlow has a
copy of LLVM, and does so, too. Whoever is loaded second calls functions of the other's version, and
the process dies with SIGSEGV: TensorFlow as it is imported, Mesa as it compiles a shader. No such
crash is known of Windows and macOS, where libraries do not replace each other's functions, nor of
NVIDIA's driver, which has no LLVM that others could call.
"""

import ctypes
import re
import sys

from core.backends.renderer_probe import Renderer, probe_renderer

#: A function that every library of LLVM has.
_OF_LLVM = "LLVMContextCreate"

#: Files that a process maps with a driver of Mesa, and with TensorFlow.
_MESA = re.compile(r"_dri\.so|libgallium|libOSMesa|libvulkan_lvp")
_TENSORFLOW = re.compile(r"libtensorflow_(framework|cc)\b|_pywrap_tensorflow_internal")

_INSTEAD = (
    "use backend 'cpu' in this process, or one process for each backend: "
    "multiprocessing.get_context('spawn') starts them, and 'zoo verify' does so"
)


def why_no_tensorflow() -> str:
    """Return why TensorFlow would crash if this process imported it; empty if it would not."""
    if not _is_linux() or is_tensorflow_loaded():
        return ""
    if not _is_llvm_visible() and not (_is_mapped(_MESA) and _is_drawn_by_llvm(probe_renderer())):
        return ""
    return (
        "TensorFlow would crash this process, which OpenGL by software was started in (both bring "
        f"LLVM, and one would call the other's): {_INSTEAD}"
    )


def why_no_opengl(renderer: Renderer | None = None) -> str:
    """Return why OpenGL would crash this process; empty if it would not.

    Args:
        renderer: of a context that is there already; by default the one that a child process gets,
            which is asked only if TensorFlow is loaded.
    """
    if not _is_linux() or not is_tensorflow_loaded():
        return ""
    renderer = renderer or probe_renderer()
    if not _is_drawn_by_llvm(renderer):
        return ""
    return (
        f"OpenGL by {renderer.name} would crash this process, which TensorFlow was imported in "
        f"(both bring LLVM, and one would call the other's): {_INSTEAD}; a driver of a GPU that "
        "does not use LLVM, such as NVIDIA's, works beside TensorFlow"
    )


def is_tensorflow_loaded() -> bool:
    """Whether this process has TensorFlow's libraries, by the tf backend or by other code."""
    return "tensorflow" in sys.modules and (not _is_linux() or _is_mapped(_TENSORFLOW))


def _is_drawn_by_llvm(renderer: Renderer) -> bool:
    """Whether LLVM compiles the shaders; drivers of Mesa for GPUs that it does it for say so."""
    return renderer.is_software or "LLVM" in renderer.name


def _is_llvm_visible() -> bool:
    """Whether a library that is loaded now would call the LLVM of one that is loaded already."""
    return hasattr(ctypes.CDLL(None), _OF_LLVM)


def _is_mapped(files: re.Pattern[str]) -> bool:
    try:
        with open("/proc/self/maps", errors="replace") as lines:
            return any(files.search(line.rpartition("/")[2]) for line in lines)
    except OSError:  # without /proc
        return False


def _is_linux() -> bool:
    return sys.platform == "linux"
