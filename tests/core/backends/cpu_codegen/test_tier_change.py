"""A model's results do not change between two calls, whichever kernels are ready."""

import warnings

import numpy as np
import pytest

from core.backends.cpu import tiers
from core.backends.cpu.codegen import background, tiered_executable
from core.backends.cpu.codegen.tier_change import TierChange, TierWarning, is_comparable
from core.engine.program import Program, Step
from core.engine.registry import OPS
from core.engine.specs import Spec
from core.process import code_cache
from tests.core.graph.control_graphs import model
from tests.helpers import eventually


@pytest.fixture
def _compiles_later(tmp_path, monkeypatch):
    """Kernels are compiled after the second call, with a cache of their own."""
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    monkeypatch.delenv(tiers.VARIABLE, raising=False)
    monkeypatch.setattr(tiers, "_is_chosen", False)
    monkeypatch.setattr(background, "_is_allowed", True)


@pytest.fixture
def _rounding_otherwise(_compiles_later, monkeypatch):
    """Generated kernels whose results are off by 0.01, as of a network that amplifies rounding."""
    made = tiered_executable._with

    def with_noise(*parts):
        executable = made(*parts)
        run = executable.run
        executable.run = lambda feeds: [result + np.float32(0.01) for result in run(feeds)]
        return executable

    monkeypatch.setattr(tiered_executable, "_with", with_noise)


def product(rng):
    """A network with a generated kernel, and its input."""
    weights = rng.standard_normal((64, 64)).astype(np.float32)
    shape = {"x": {"dtype": "float32", "shape": (8, 64)}}
    network = model("x = Placeholder\n y = MatMul x w", "y", {"w": weights}, shape)
    return network, rng.standard_normal((8, 64)).astype(np.float32)


@pytest.mark.usefixtures("_rounding_otherwise")
def test_a_network_that_amplifies_rounding_keeps_its_kernels_and_says_so(rng):
    network, x = product(rng)
    first = network.predict(x)["y"].numpy()
    again = []

    def is_said():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TierWarning)
            again.append(network.predict(x)["y"].numpy())
        return caught

    said = eventually(is_said, "the warning")
    assert [each.category for each in said] == [TierWarning]
    assert "core.set_tier(2) before it is loaded" in str(said[0].message)
    again += [network.predict(x)["y"].numpy() for _ in range(3)]
    assert all(np.array_equal(first, each) for each in again)
    assert network.plan(x).tier == "numpy"


@pytest.mark.usefixtures("_rounding_otherwise")
def test_warmup_changes_over_without_a_comparison(rng):
    network, x = product(rng)
    first = network.predict(x)["y"].numpy()
    network.plan(x).warmup()
    assert network.plan(x).tier == "generated"
    np.testing.assert_allclose(network.predict(x)["y"].numpy() - first, 0.01, atol=1e-4)


class _Kernels:
    """Gives results in turn."""

    def __init__(self, *results):
        self._results = iter(results)

    def run(self, feeds):
        return [np.float32(next(self._results))]


def program(op="sin", *, updates=(), repeats=None):
    """A program of one op."""
    spec = Spec((2,), "float32")
    step = Step(OPS[op], ("x",), {}, (), ("y",))
    return Program((step,), {}, {"x": spec, "y": spec}, ("x",), ("y",), updates, repeats)


def test_one_differing_run_of_three_may_be_chance():
    same, other = [0, 1], [0, 1.01]
    change = TierChange(program(), _Kernels(other, other, same))
    assert [change.decided([], [np.float32(same)]) for _ in range(3)] == [None, None, True]
    change = TierChange(program(), _Kernels(other, other, other))
    assert [change.decided([], [np.float32(same)]) for _ in range(2)] == [None, None]
    with pytest.warns(TierWarning, match=r"output '0 \(y\)' differs by 0.01 of its range"):
        assert change.decided([], [np.float32(same)]) is False


def test_runs_that_differ_anyway_are_not_compared():
    assert is_comparable(program())
    assert is_comparable(program(updates=((0, 0),), repeats=0))  # a loop has its own inputs
    assert not is_comparable(program(updates=((0, 0),)))
    assert not is_comparable(program("quantise_round"))
    assert not is_comparable(program("multinomial"))
