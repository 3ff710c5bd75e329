"""Start and stop of the shader backend."""

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from core.backends.opengl_clash import why_no_opengl
from core.backends.renderer_probe import Renderer
from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.context import (
    ContextError,
    adopt_context,
    is_software,
    open_context,
)
from core.backends.shader.runtime.gl_thread import (
    GLThread,
    do_nothing,
    live_threads,
    refuse_in_child,
)
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.visited_thread import new_gl_thread
from core.engine.backends import BACKENDS, load_backend
from core.errors import SettingError
from core.process.locks import new_lock

if TYPE_CHECKING:
    import moderngl

_PATHS = ("compute", "fragment")
_PRECISIONS = ("float32", "half")
_changing = new_lock()


class _Settings(NamedTuple):
    """Settings from arguments or the environment; None means the default of the backend."""

    context: Any = None
    device: int | None = None
    path: str | None = None
    float16: bool | None = None
    limit: int | None = None  # bytes
    in_this_thread: bool = False
    multiplies_halves: bool = False


_chosen: _Settings | None = None  # by `start_shader`; until `stop_shader`
_running: _Settings | None = None  # of the last session


def start_shader(
    *,
    device: int | None = None,
    path: str | None = None,
    float16: bool | None = None,
    memory_mb: float | None = None,
    context: "moderngl.Context | None" = None,
    in_this_thread: bool = False,
    precision: str | None = None,
) -> None:
    """Start the shader backend with settings; otherwise its first use starts it.

    If it runs with other settings, it is stopped first, as by `core.stop_shader`. The active
    backend is not changed: see `core.set_backend` and `core.backend`.

    Args:
        device: index of the driver's GPU (on Linux); by default the environment variable
            ``CORE_SHADER_DEVICE``, else the first.
        path: ``"compute"`` (OpenGL 4.3) or ``"fragment"`` (OpenGL 3.3, slower); by default
            ``CORE_SHADER_PATH``, else compute if the device has it.
        float16: whether floats are stored in 16 bits: half the memory, three digits, and numbers
            up to 65504; by default ``CORE_SHADER_FLOAT16=1`` or ``0``, else not.
        memory_mb: megabytes on the device above which the least recently used tensors move to the
            host; by default ``CORE_SHADER_MEMORY_MB``, else four fifths of the device's memory.
        context: context of moderngl, current in this thread: the backend then works in this
            thread only, beside the caller's drawing. By default a new context, for all threads.
        in_this_thread: whether a new context is for this thread only. Ops then do not switch
            threads, which is fastest in a program of one thread. A program that draws with OpenGL
            in this thread gives its ``context`` instead.
        precision: ``"half"``: as ``float16=True``, and convolutions and products of matrices
            multiply numbers of 16 bits where the device has these, and add up at most 32 of them
            before a sum in 32 bits: the fastest, with two to three digits; by default
            ``CORE_SHADER_PRECISION``, else ``"float32"``.

    Raises:
        SettingError: a setting is invalid.
        CoreError: OpenGL, the device, or a requested feature is missing; the message has the next
            step.

    >>> import core
    >>> core.start_shader(path="vertex")
    Traceback (most recent call last):
    core.errors.SettingError: path='vertex' must be 'compute' or 'fragment'
    """
    global _chosen
    settings = _resolved(context, device, path, float16, memory_mb, in_this_thread, precision)
    with _changing:
        _chosen = settings
        try:
            backend: Any = load_backend("shader")
            if settings != _running or _is_over(backend):
                _stop(backend)
            backend.start().gl_thread.put(do_nothing)  # raises if the context is of another thread
        except BaseException:
            _chosen = None
            raise


def stop_shader() -> None:
    """Release the shader backend's context and all its objects. A second call has no effect.

    Tensors on the backend are lost: copy them with ``numpy()`` before, and load models again. The
    next use of the backend starts it again, with the settings of the environment.

    Raises:
        CoreError: the backend works in another thread only, which still runs.

    >>> import core
    >>> core.stop_shader()
    """
    global _chosen
    with _changing:
        backend = BACKENDS.get("shader")
        if backend is not None:
            _stop(backend)
        _chosen = None


def _is_over(backend: Any) -> bool:
    """Whether the context is unusable: lost, of a parent process, or of a thread that ended."""
    return backend._session is not None and backend._session.gl_thread not in live_threads()


def _stop(backend: Any) -> None:
    session = backend._session
    try:
        backend.stop()
    except ContextError:  # an unusable context has no objects to release
        if session.gl_thread in live_threads():
            backend._session = session  # this is not the thread to stop it in
            raise


def new_session(**given: Any) -> Session:
    """Return a session with the settings of `start_shader`, else of the environment."""
    global _running
    settings = _resolved(**given) if given else _chosen or _resolved()
    _refuse_beside_tensorflow(settings.context)
    gl_thread: GLThread
    if settings.context is not None:
        gl_thread = CallerThread(settings.context)
    elif settings.in_this_thread:
        refuse_in_child()
        gl_thread = CallerThread(open_context(device=settings.device), owns_context=True)
    else:
        gl_thread = new_gl_thread(lambda: open_context(device=settings.device))
    try:
        half = bool(settings.float16)
        session = Session(
            gl_thread, settings.path, half, settings.limit, settings.multiplies_halves
        )
    except BaseException:
        gl_thread.release()
        raise
    _running = settings
    return session


def _refuse_beside_tensorflow(context: Any) -> None:
    renderer = None
    if context is not None:
        name = adopt_context(context).info["GL_RENDERER"]
        renderer = Renderer(name, "", is_software(name))
    problem = why_no_opengl(renderer)
    if problem:
        raise ContextError(problem)


def describe(session: Session) -> str:
    """Return a short description of a session."""
    stored = "float16 storage" if session.storing.half else "float32"
    if session.limits.held.is_multiplied:
        stored = "float16 storage and products"
    return ", ".join(
        (
            f"{session.path} shaders",
            stored,
            f"up to {session.memory.limit / 1e6:,.0f} MB before tensors move to the host",
        )
    )


def settings_text() -> str:
    """Return the settings that decide results and times of a session, running or not.

    Raises:
        SettingError: one of the environment is invalid.
    """
    chosen = _chosen or _resolved()
    return repr(chosen._replace(context=chosen.context is not None))


# --- settings -----------------------------------------------------------------------------------


def _resolved(
    context: Any = None,
    device: int | None = None,
    path: str | None = None,
    float16: bool | None = None,
    memory_mb: float | None = None,
    in_this_thread: bool = False,
    precision: str | None = None,
) -> _Settings:
    if context is not None and device is not None:
        raise SettingError(f"device={device} has no meaning beside a context, which has its own")
    limit = _bytes(memory_mb)
    if precision == "half" and float16 is False:
        raise SettingError("precision='half' stores floats in 16 bits: leave out float16=False")
    if precision is None and float16 is False:
        precision = "float32"  # the argument counts more than the environment
    elif precision == "float32" and float16 is None:
        float16 = False
    is_half = _is_half(precision)
    stored = is_half or _switch(float16)
    return _Settings(context, device, _path(path), stored, limit, bool(in_this_thread), is_half)


def _path(argument: str | None) -> str | None:
    source, value = _setting("path", argument, "CORE_SHADER_PATH")
    if value is not None and value not in _PATHS:
        raise SettingError(f"{source}={value!r:.80} must be 'compute' or 'fragment'")
    return value


def _is_half(argument: str | None) -> bool:
    source, value = _setting("precision", argument, "CORE_SHADER_PRECISION")
    if value is not None and value not in _PRECISIONS:
        raise SettingError(f"{source}={value!r:.80} must be 'float32' or 'half'")
    return bool(value == "half")


def _switch(argument: bool | None) -> bool:
    source, value = _setting("float16", argument, "CORE_SHADER_FLOAT16")
    known = {None: False, "0": False, "false": False, "1": True, "true": True}
    if isinstance(value, int) and value in (0, 1):  # True and False are integers
        return bool(value)
    if value is not None and (not isinstance(value, str) or value.lower() not in known):
        raise SettingError(f"{source}={value!r:.80} must be True or False (1 or 0)")
    return known[value and value.lower()]


def _bytes(argument: float | None) -> int | None:
    source, value = _setting("memory_mb", argument, "CORE_SHADER_MEMORY_MB")
    if value is None:
        return None
    try:
        number = 0.0 if isinstance(argument, str) else float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < 1e9:
        raise SettingError(f"{source}={value!r:.80} must be a number of megabytes above 0")
    return max(1, int(number * 1e6))


def _setting(name: str, value: Any, variable: str) -> tuple[str, Any]:
    """Return the source and value of a setting: the argument, else the environment, or None."""
    if value is not None:
        return name, value
    return variable, os.environ.get(variable, "").strip() or None
