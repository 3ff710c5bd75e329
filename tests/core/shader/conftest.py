"""Fixtures of the tests that use OpenGL; none may leave an error or an object behind."""

import ctypes
import gc

import pytest

import core
from core.backends.shader import ShaderBackend
from core.backends.shader.context import ContextError, open_context
from core.backends.shader.entries import address
from core.backends.shader.inline import InlineOwner
from core.backends.shader.owner import Owner, live_owners
from core.kernels import _BACKENDS
from tests.helpers import skip_or_fail

KINDS = ("Buffer", "Texture", "Program", "Shader", "Framebuffer", "VertexArray", "Query")
_FARTHEST = 256  # names of objects stand closer together than that


@pytest.fixture(scope="session")
def opengl() -> None:
    """A driver that gives a context."""
    try:
        Owner(open_context).release()
    except ContextError as error:
        skip_or_fail(str(error))


@pytest.fixture
def owner(opengl):
    """A context in a thread of its own, which ends without error or object left."""
    owner = Owner(open_context)
    yield owner
    if owner in live_owners():
        assert count_objects(owner) == dict.fromkeys(KINDS, 0)
    owner.release()


def count_objects(owner: Owner) -> dict[str, int]:
    """How many objects of OpenGL there are, by kind."""
    return owner.call(lambda: {kind: _count(f"glIs{kind}") for kind in KINDS})


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
    for owner in live_owners():
        if not isinstance(owner, InlineOwner):
            owner.call(lambda owner=owner: owner.check_errors(request.node.name))


@pytest.fixture(scope="module")
def fragment(opengl):
    """The shader backend as it is where there are no compute shaders, for a file of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORE_SHADER_PATH", "fragment")
        patch.setenv("CORE_SHADER_FLOAT16", "0")
        backend = ShaderBackend()
        patch.setitem(_BACKENDS, "shader", backend)
        with core.backend("shader"):
            yield backend
    gc.collect()
    backend.stop()
