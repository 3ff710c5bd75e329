"""Every model of the zoo by plans: beside its graph run op by op, and what a run takes."""

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import core
import zoo
from core.graph.model import GraphModel
from core.graph.nodes import Quantization
from core.plan.plan import Plan
from core.tensors import Tensor
from tests.golden.comparison import DUST, QUANTA_BOUND
from tests.golden.staged import STAGED, read_golden
from zoo.catalog import find_entry

#: Of an output's range. Sums of products come in another order, which is 1e-6 of it or less for
#: most; the pose landmarks' heat maps are logarithms of near-equal numbers, which doubles it often.
FLOAT_BOUND = 1e-4

#: What a run may take for itself, in bytes: the interpreter's frames and NumPy's iterators.
SMALL = 32_768

#: Bytes of models whose ends depend on data, so that the executor runs them op by op.
EAGER_ENDS = {
    "handtrack.ssd320": 0,
    "ssd.mobilenet_v1": 0,
}

#: Height or width where an input may have any.
ANY_SIZE = 257


def picture(weights: Path, name: str, network: GraphModel) -> Tensor:
    """The stored input of the model's first golden, or a seeded one, as real values."""
    (end,) = network.graph.inputs.values()
    given = golden_input(weights, name)
    if given is None:
        shape = [n or (ANY_SIZE if i else 1) for i, n in enumerate(end.spec.shape or ())]
        given = np.random.default_rng(7).uniform(0, 1, shape).astype(np.float32)
    quantization = end.quantization
    if quantization is not None and given.dtype == quantization.dtype:
        shifted = given.astype(np.float32) - quantization.zero_point
        return core.tensor(shifted * np.float32(quantization.scale))
    return core.tensor(given, end.spec.dtype)


def golden_input(weights: Path, name: str) -> np.ndarray | None:
    entry = find_entry(name)
    for staged in STAGED:
        is_it = staged.folder == entry.weights and entry.file in (None, staged.file)
        if is_it and not staged.before:
            return read_golden(weights, staged, staged.goldens[0]).input[:1]
    return None


def plans_of(network: GraphModel) -> Iterator[Plan]:
    """All that were made so far."""
    assert network._planner is not None
    for body in network._planner._bodies.values():
        yield from (stage.plan for stage in body._stages.values() if stage.plan is not None)


def near(ours: np.ndarray, theirs: np.ndarray, quantization: Quantization | None) -> bool:
    """Whether an output is what the graph gives op by op, as its kind allows."""
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    away = np.abs(ours.astype(np.float64) - theirs)
    if quantization is None:
        return bool(away.max() <= FLOAT_BOUND * (np.ptp(theirs) or np.abs(theirs).max()))
    # One rounding that falls on the other side moves what comes after by whole quanta.
    return bool(np.percentile(away, 99) <= (QUANTA_BOUND + DUST) * quantization.scale)


@pytest.mark.parametrize("name", zoo.models())
def test_plans_of_a_model(shared, monkeypatch, name):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    with zoo.load(name) as model:
        network = model.network
        given, names = picture(shared / "weights", name, network), [*network.outputs]
        expected = GraphModel(network.graph, plans=False).execute(given, names)
        network.execute(given, names)
        found, more = second_call(network, given, names)
        for key, end in network.graph.outputs.items():
            assert near(found[key].numpy(), expected[key].numpy(), end.quantization), key
        assert more <= EAGER_ENDS.get(name, SMALL)
        assert [plan.workspaces_made for plan in plans_of(network)] == [1]


def second_call(
    network: GraphModel, given: Tensor, names: list[str]
) -> tuple[dict[str, Tensor], int]:
    """The outputs, and the bytes that were taken beside them at most."""
    gc.collect()
    tracemalloc.start()
    try:
        found = network.execute(given, names)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return found, peak - sum(np.asarray(tensor).nbytes for tensor in found.values())
