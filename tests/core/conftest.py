"""Fixtures of the engine's tests."""

import gc

import pytest

import core
from core.engine.backends import BACKENDS
from core.engine.tensors import DataContainer
from tests.helpers import check_opengl, require_llvmlite, start_or_skip, tested_backends


@pytest.fixture(params=tested_backends())
def backend(request):
    name = request.param
    if name == "shader":
        start_or_skip()
    with core.backend(name):
        before = things_on_device()
        yield name
        if name == "shader":
            check_device(before)


@pytest.fixture(params=[1, 2], ids=["numpy", "generated"])
def tier(request):
    """The tier that plans are made for: NumPy's kernels, then generated ones."""
    if request.param == 2:
        require_llvmlite()
    core.set_tier(request.param)
    yield request.param
    core.set_tier(None)


def check_device(before: int) -> None:
    """OpenGL refused nothing, and new memory of the device belongs to tensors that are alive."""
    check_opengl()
    if things_on_device() > before:
        gc.collect()  # what a failed test or a cycle held
        kept = things_on_device() - before
        assert kept <= _containers(), f"{kept} buffers or textures that no tensor owns"


def things_on_device() -> int:
    """How many buffers or textures blocks have, but for the tables of compiled kernels."""
    session = getattr(BACKENDS.get("shader"), "_session", None)
    if session is None:
        return 0
    tables = sum(t.resource is not None for r in [*session.kernels.values()] for t in r.tables)
    return session.gl_thread.call(lambda: session.memory.resources) - tables


def _containers() -> int:
    """How many there may be for tensors that outlive the test."""
    shader = BACKENDS["shader"]
    return sum(type(o) is DataContainer and o.backend is shader for o in gc.get_objects())
