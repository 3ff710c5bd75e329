"""Every model of the zoo by plans: beside its graph run op by op, and what a run takes."""

import gc
from pathlib import Path

import numpy as np
import pytest

import core
import zoo
from core.backends.cpu.numpy_state import BUFFERED_VALUES
from core.backends.cpu.threads import thread_count
from core.engine.tensors import Tensor
from core.graph.nodes import Quantization
from core.graph_model.graph_model import GraphModel
from core.plan.plan import Plan
from tests import packages
from tests.golden.comparison import DUST, QUANTA_BOUND
from tests.golden.staged import STAGED, read_golden
from tests.golden.test_models_of_packages import photo_for
from tests.helpers import peak_of
from weights_cache import find_record
from zoo.catalog.entries import default_entries, find_entry
from zoo.pipeline.model import Model

#: Of an output's range, as for any two tiers. Sums come in another order, of which three in four
#: models show less than 1e-6; the farthest are segmentations, with sigmoids of large numbers: 2e-5.
FLOAT_BOUND = 1e-4

#: These are so steep that one unit in the last place of the input moves some pixels by 2e-3 op by
#: op, too: the share of their pixels that the bound is for.
STEEP = {"blazepose.lite": 99.9, "blazepose.lite_tfjs": 99.9}

#: In quanta, 99 of 100 values: as far as LiteRT's reference kernels are from the golden ones.
QUANTA = {"posenet.mobilenet_v1_075_quant": 27.0}

#: What a run may take for itself, in bytes: in each thread of the team the four buffers of one of
#: NumPy's iterators, whose size does not depend on the arrays', and 8 KB for objects of Python.
SMALL = (4 * 4 * BUFFERED_VALUES + 8192) * thread_count()

#: In bytes, where the number of boxes that are suppressed depends on data: that runs op by op, as
#: does the loop that makes the first one's input ready. The attention mesh cuts out features by the
#: op `transform`, whose kernel gathers the four corners of each pixel.
EAGER_PARTS = {
    **{"handtrack.ssd320": 6_000_000, "ssd.mobilenet_v1": 5_000_000},
    "facemesh.attention": 200_000,
}

#: Height or width where an input may have any.
ANY_SIZE = 257


def picture(shared: Path, name: str, model: Model) -> Tensor:
    """The stored input of the model's first golden, a photo, or a seeded one, as real values."""
    (end,) = model.network.graph.inputs.values()
    given = golden_input(shared / "weights", name)
    if given is None and packages.is_of_packages(model.entry.weights):
        given = photo_for(shared, model)
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


def plans_of(network: GraphModel) -> list[Plan]:
    """All that were made so far."""
    assert network._planner is not None
    return network._planner.plans()


def in_float32(network: GraphModel) -> GraphModel:
    """A network whose plans compute as its graph does op by op: in float32 where it is quantised.

    `tests/golden/test_integer_tiers.py` is about plans that compute with integers.
    """
    graph = network.graph
    return GraphModel(graph._replace(integers={})) if graph.integers else network


def near(
    name: str, ours: np.ndarray, theirs: np.ndarray, quantization: Quantization | None
) -> bool:
    """Whether an output is what the graph gives op by op, as its kind allows."""
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    away = np.abs(ours.astype(np.float64) - theirs)
    if quantization is None:
        extent = np.ptp(theirs) or np.abs(theirs).max()
        return bool(np.percentile(away, STEEP.get(name, 100)) <= FLOAT_BOUND * extent)
    # One rounding that falls on the other side moves what comes after by whole quanta.
    bound = QUANTA.get(name, QUANTA_BOUND) + DUST
    return bool(np.percentile(away, 99) <= bound * quantization.scale)


def smallest_of_families() -> set[str]:
    """Of each family the model with the smallest files."""

    def size(name: str) -> int:
        entry = find_entry(name)
        return find_record(entry.weights).limited_to(entry.files).bytes

    by_size = sorted(zoo.models(), key=size, reverse=True)
    return {*{name.partition(".")[0]: name for name in by_size}.values()}


#: The others are long; CI runs all of these.
SHORT = smallest_of_families() | {entry.name for entry in default_entries()}


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long][name in SHORT :]) for name in zoo.models()],
)
def test_plans_of_a_model(shared, monkeypatch, name):
    packages.require_weights(find_entry(name).weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    with zoo.load(name) as model:
        network = in_float32(model.network)
        given, names = picture(shared, name, model), [*network.outputs]
        expected = GraphModel(network.graph, plans=False).execute(given, names)
        network.execute(given, names)
        taken = sum(np.asarray(tensor).nbytes for tensor in expected.values())
        most = taken + EAGER_PARTS.get(name, SMALL)
        gc.collect()
        found, peak = peak_of(lambda: network.execute(given, names), most)
        for key, end in network.graph.outputs.items():
            assert near(name, found[key].numpy(), expected[key].numpy(), end.quantization), key
        assert peak <= most
        assert [plan.workspaces_made for plan in plans_of(network)] == [1]


def test_sizes_and_batches(shared, monkeypatch, rng):
    """A network for pictures of any size: a batch gives what its pictures give."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    with zoo.load("posenet.tiny") as model:
        network = model.network
        by_ops = GraphModel(network.graph, plans=False)
        for size in ((129, 161), (97, 65), (129, 161)):
            pictures = rng.uniform(-1, 1, (4, *size, 3)).astype(np.float32)
            single = [by_ops.predict(one[None]) for one in pictures]
            for count in range(1, 5):
                for key, batch in network.predict(pictures[:count]).items():
                    expected = np.concatenate([one[key].numpy() for one in single[:count]])
                    assert near("posenet.tiny", batch.numpy(), expected, None), (key, count, size)
        assert len(plans_of(network)) == 8
