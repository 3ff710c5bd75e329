"""The context of OpenGL that is current in a thread, and changes of that, by EGL."""

import ctypes
import os
import sys
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_uint, c_void_p
from functools import cache
from typing import Any, NamedTuple


class EglContext(NamedTuple):
    """A context of EGL, which at most one thread has as its current one.

    Attributes:
        display: EGL's display.
        context: EGL's context.
    """

    display: int
    context: int

    def is_current(self) -> bool:
        """Whether the context is current in this thread."""
        return bool(_egl().current() == self.context)

    def enter(self, is_first: bool) -> bool:
        """Make the context current in this thread; return False if another one is current here.

        Args:
            is_first: whether it may be the first time in this thread, which takes drivers long:
                then other threads of Python run meanwhile.
        """
        egl = _egl()
        if egl.current():
            return False
        change = egl.make_current_slowly if is_first else egl.make_current
        # It fails without a change if a context of GLX is current.
        return bool(change(self.display, None, None, self.context))

    def leave(self) -> None:
        """Make no context current in this thread, after sending all commands to the device."""
        _egl().make_current(self.display, None, None, None)


def current_context() -> EglContext | None:
    """Return EGL's context of this thread, if there is one."""
    egl = _egl()
    context = None if egl is None else egl.current()
    return EglContext(egl.display(), context) if context else None


def is_thread_free() -> bool:
    """Whether this thread has no context of OpenGL, and EGL can make one."""
    egl = _egl()
    return egl is not None and not egl.current() and not any(get() for get in egl.other_contexts)


class _Egl(NamedTuple):
    """Functions of EGL and GLX."""

    current: Any
    display: Any
    make_current: Any
    make_current_slowly: Any
    other_contexts: tuple[Any, ...]


@cache
def _egl() -> Any:
    """Return the functions, or None on systems without EGL."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        egl = ctypes.CDLL(os.environ.get("GLCONTEXT_LINUX_LIBEGL") or "libEGL.so.1")
    except OSError:
        return None
    get, change = (c_void_p,), (c_uint, c_void_p, c_void_p, c_void_p, c_void_p)
    return _Egl(
        PYFUNCTYPE(*get)(("eglGetCurrentContext", egl)),
        PYFUNCTYPE(*get)(("eglGetCurrentDisplay", egl)),
        PYFUNCTYPE(*change)(("eglMakeCurrent", egl)),
        CFUNCTYPE(*change)(("eglMakeCurrent", egl)),
        _glx(),
    )


def _glx() -> tuple[Any, ...]:
    """Return the question for GLX's context, if the process uses GLX."""
    try:
        library = ctypes.CDLL("libGLX.so.0", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        return (PYFUNCTYPE(c_void_p)(("glXGetCurrentContext", library)),)
    except (OSError, AttributeError):
        return ()
