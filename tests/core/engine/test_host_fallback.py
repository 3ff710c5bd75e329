"""Ops that a backend leaves to the host: decided and run by the engine, for any backend."""

import numpy as np
import pytest

import core
from core.engine.backend import Backend
from core.engine.dtypes import dtype_of
from core.engine.host_fallback import host_reason
from core.engine.registry import _HOMES, KERNELS, OPS
from core.engine.settings import running_on
from core.engine.specs import Spec


class Boxed(Backend):
    """Holds arrays in lists, so that it shows where one is taken for the other."""

    name = "boxed"
    epsilon = 1e-7
    host_ops = {"sum": "for this test"}  # noqa: RUF012
    host_dtypes = ("string",)

    def __init__(self):
        self.ran = []

    def upload(self, array):
        return [array]

    def download(self, handle, spec):
        return handle[0]

    def view(self, handle, spec):
        return [handle[0].reshape(spec.shape)]

    def spec_of(self, handle):
        return Spec(handle[0].shape, dtype_of(handle[0]))

    def run(self, op, kernel, handles, attributes, result, clock=None):
        self.ran.append(op.name)
        return [kernel(*(handle[0] for handle in handles), **attributes)]


@pytest.fixture
def boxed(monkeypatch):
    monkeypatch.setitem(KERNELS, ("add", "boxed"), np.add)
    monkeypatch.setitem(KERNELS, ("concat", "boxed"), lambda *_, **__: 1 / 0)
    monkeypatch.setitem(_HOMES, ("add", "boxed"), "core.backends.boxed")
    backend = Boxed()
    with running_on(backend):
        yield backend


def test_an_op_without_a_kernel_runs_on_the_host(boxed):
    x = core.tensor([1.0, 2.0])
    assert core.sum(core.add(x, x)).item() == 6
    assert boxed.ran == ["add"]
    assert host_reason(boxed, OPS["sum"]) == "for this test"
    assert host_reason(boxed, OPS["add"]) is None


def test_a_kernel_of_the_backend_comes_first(boxed, monkeypatch):
    monkeypatch.setattr(Boxed, "host_ops", {"add": "there was none", "sum": "for this test"})
    core.add(1.0, 2.0)
    assert boxed.ran == ["add"] and host_reason(boxed, OPS["add"]) is None


def test_values_that_stay_on_the_host_are_computed_there(boxed):
    assert core.concat([["a"], ["b"]]).tolist() == [b"a", b"b"]
    assert not boxed.ran


def test_results_whose_shape_depends_on_values_come_from_the_host(boxed):
    values, indices = core.unique(core.tensor([3.0, 3.0, 1.0]))
    assert (values.tolist(), indices.tolist()) == ([3, 1], [0, 0, 1])


def test_ops_that_are_nowhere_are_missing(boxed):
    with pytest.raises(core.KernelNotFound, match="'exp' on backend 'boxed'"):
        core.exp(1.0)


def test_times_of_the_host_are_measured(boxed):
    found = core.profile(lambda: core.sum(core.tensor(np.ones(100_000, np.float32))))
    assert [row["ms"] > 0 for row in found.kernels] == [True]
