"""Fixtures of the tests that use OpenGL; none may leave an error or an object behind."""

import ctypes
import gc
from contextlib import contextmanager

import numpy as np
import pytest

import core
from core.backends.shader import ShaderBackend
from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.gl_functions import address
from core.backends.shader.runtime.gl_thread import GLThread, live_threads
from core.engine import registry
from core.engine.backends import BACKENDS
from core.engine.registry import FUNCTIONS, KERNEL_NAMES, KERNELS, OPS, READY, load_kernels
from tests.helpers import skip_or_fail

KINDS = ("Buffer", "Texture", "Program", "Shader", "Framebuffer", "VertexArray", "Query")
PATHS = ("compute", "fragment")
_FARTHEST = 256  # names of objects stand closer together than that


@pytest.fixture(scope="session")
def opengl() -> None:
    """A driver that gives a context."""
    try:
        GLThread(open_context).release()
    except ContextError as error:
        skip_or_fail(str(error))


@pytest.fixture
def gl_thread(opengl):
    """A context in a thread of its own, which ends without error or object left."""
    gl_thread = GLThread(open_context)
    yield gl_thread
    if gl_thread in live_threads():
        assert count_objects(gl_thread) == dict.fromkeys(KINDS, 0)
    gl_thread.release()


def count_objects(gl_thread: GLThread) -> dict[str, int]:
    """How many objects of OpenGL there are, by kind."""
    return gl_thread.call(lambda: {kind: _count(f"glIs{kind}") for kind in KINDS})


def _count(question: str) -> int:
    exists = ctypes.PYFUNCTYPE(ctypes.c_ubyte, ctypes.c_uint)(address(question))
    count, name, last = 0, 1, 0
    while name - last <= _FARTHEST:
        if exists(name):
            count, last = count + 1, name
        name += 1
    return count


@pytest.fixture(autouse=True)
def _no_errors(request):
    """No test leaves a refused command behind, in whichever context lives."""
    yield
    for gl_thread in live_threads():
        if not isinstance(gl_thread, CallerThread):
            gl_thread.call(lambda gl_thread=gl_thread: gl_thread.check_errors(request.node.name))


@pytest.fixture(scope="module")
def fragment(opengl):
    """The shader backend as it is where there are no compute shaders, for a file of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORE_SHADER_PATH", "fragment")
        patch.setenv("CORE_SHADER_FLOAT16", "0")
        backend = ShaderBackend()
        patch.setitem(BACKENDS, "shader", backend)
        with core.backend("shader"):
            yield backend
    gc.collect()
    backend.stop()


@pytest.fixture(scope="module", params=PATHS)
def path(request, opengl):
    """Either way of computing, for a file of tests; ops run on the shader backend."""
    with started(request.param):
        yield request.param


@pytest.fixture(params=PATHS)
def new_path(request, opengl):
    """Likewise, started for each test, which may start it anew with other settings."""
    with started(request.param):
        yield request.param


@contextmanager
def started(path):
    """The shader backend runs, for all ops."""
    core.start_shader(path=path)
    with core.backend("shader"):
        yield
    core.stop_shader()


@pytest.fixture
def scratch_ops():
    """Forget the ops and kernels that a test adds."""
    load_kernels("cpu")
    load_kernels("shader")  # ours are not among those
    tables: list[dict] = [OPS, KERNELS, READY, registry._HOMES, KERNEL_NAMES, FUNCTIONS]
    tables += [registry.METHODS, registry.NODE_OPS]
    before = [dict(table) for table in tables]
    yield
    for table, known in zip(tables, before, strict=True):
        for key in set(table) - set(known):
            del table[key]


def normal(rng, *shape):
    """Normally distributed float32."""
    return rng.standard_normal(shape).astype(np.float32)
