"""Calls that one process stores and later ones run: their results, and when they are not used."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.backends.cpu.codegen.team.thread_team import ThreadTeam
from core.backends.cpu.stored_program import ProgramParts, packed, unpacked
from core.engine.run_guard import Guard, guarded
from core.graph.feeds import QuantizedArray
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, Quantization
from core.graph_model import stored_calls
from core.graph_model.deferred_model import DeferredModel, deferred_model, network_fact
from core.graph_model.graph_model import GraphModel
from core.graph_model.stored_calls import MOST_CALLS, StoredCalls
from core.process import code_cache
from tests.helpers import require_llvmlite


@pytest.fixture(autouse=True)
def _generated_kernels(tmp_path, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    monkeypatch.setattr(stored_calls, "REPLACED", [])  # other tests of this process do
    core.set_tier(2)
    yield
    core.set_tier(None)


def two_outputs(rng) -> Graph:
    """A network of images, with two outputs and a constant that is no packed weight."""
    weights = {
        "filter": rng.standard_normal((3, 3, 5, 7), np.float32),
        "bias": rng.standard_normal(7, np.float32),
        "slope": rng.standard_normal(7, np.float32),
    }
    nodes = [
        Node("x", "Placeholder"),
        *(Node(name, "Const") for name in weights),
        Node("conv", "Conv2D", ("x", "filter"), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
        Node("a", "BiasAdd", ("conv", "bias")),
        Node("b", "Mul", ("a", "slope")),
        Node("c", "Sigmoid", ("b",)),
    ]
    ends = {name: Endpoint(name, PartialSpec(None)) for name in ("c", "a")}
    return Graph(nodes, weights, {"x": Endpoint("x", PartialSpec((None, None, None, 5)))}, ends)


@pytest.fixture
def image(rng):
    return rng.standard_normal((1, 9, 11, 5), np.float32)


@pytest.fixture
def model(rng):
    return GraphModel(two_outputs(rng), stored=StoredCalls("a network"))


def arrays(tensors):
    return {name: np.asarray(value) for name, value in tensors.items()}


def test_a_later_process_gets_the_numbers_of_the_network(model, image, rng):
    expected = arrays(model.predict(image))
    later = StoredCalls("a network")
    assert len(later) == 1 and later.output_names == ["c", "a"]
    found = later.run(image, None, as_arrays=False)
    assert [*found] == ["c", "a"]
    for name, value in expected.items():
        assert isinstance(found[name], core.Tensor)
        np.testing.assert_array_equal(found[name].numpy(), value)
    other = rng.standard_normal(image.shape, np.float32)  # no value of the first run is left
    expected, found = arrays(model.predict(other)), later.run({"x": other}, None, as_arrays=True)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)
        assert not found[name].flags.writeable


def test_integers_that_stand_for_real_values(rng):
    graph = two_outputs(rng)
    quantization = Quantization(0.017, 121, "uint8")
    x = graph.inputs["x"]._replace(quantization=quantization)
    model = GraphModel(graph._replace(inputs={"x": x}), stored=StoredCalls("integers"))
    image = rng.integers(0, 256, (1, 9, 11, 5), np.uint8)
    expected, later = arrays(model.predict(image)), StoredCalls("integers")
    np.testing.assert_array_equal(later.run(image, None, as_arrays=True)["c"], expected["c"])
    real = QuantizedArray(image, quantization).values()
    assert later.run(real, None, as_arrays=True) is None  # which is another call
    np.testing.assert_array_equal(arrays(model.predict(real))["c"], expected["c"])
    found = StoredCalls("integers").run(real, None, as_arrays=True)
    np.testing.assert_array_equal(found["c"], expected["c"])


def test_a_part_of_the_outputs_is_another_call(model, image):
    expected = arrays(model.execute(image, ["a"]))
    later = StoredCalls("a network")
    assert later.run(image, None, as_arrays=True) is None and later.output_names is None
    np.testing.assert_array_equal(later.run(image, ["a"], as_arrays=True)["a"], expected["a"])
    assert later.run(image, ["b"], as_arrays=True) is None
    names = iter(["a"])
    assert later.run(image, names, as_arrays=True) is None and [*names] == ["a"]


def test_calls_of_other_inputs_are_not_stored(model, image):
    model.predict(image)
    later = StoredCalls("a network")
    taken = (
        image[:, 1:],
        image.astype(np.float64),
        image.tolist(),
        core.tensor(image),
        {"y": image},
        {"x": image, "y": image},
        {},
    )
    for given in taken:
        assert later.run(given, None, as_arrays=True) is None
    assert later.run(image[:, ::-1], None, as_arrays=True) is not None


def test_other_networks_and_other_sources_have_other_calls(model, image, monkeypatch):
    model.predict(image)
    assert len(StoredCalls("a network")) == 1
    assert len(StoredCalls("another network")) == 0
    assert len(StoredCalls("a network", "with an option")) == 0
    assert len(StoredCalls("a network", packages=["zoo.catalog.networks"])) == 0
    monkeypatch.setattr(stored_calls, "source_stamp", lambda *packages: "changed")
    assert len(StoredCalls("a network")) == 0


def test_numpys_kernels_are_not_stored(rng, image):
    core.set_tier(1)
    GraphModel(two_outputs(rng), stored=StoredCalls("a network")).predict(image)
    core.set_tier(2)
    assert len(StoredCalls("a network")) == 0


def test_who_watches_or_limits_a_run_gets_the_network(model, image, monkeypatch):
    model.predict(image)
    later = StoredCalls("a network")

    def is_run() -> bool:
        return later.run(image, None, as_arrays=True) is not None

    assert is_run()
    with core.limits(seconds=60):
        assert not is_run()
    with core.flags(debug=True):
        assert not is_run()
    with guarded(Guard(core.engine.limits.effective_limits(), None)):
        assert not is_run()
    assert not core.profile(is_run).result
    core.set_tier(1)
    assert not is_run()
    core.set_tier(2)
    monkeypatch.setattr(stored_calls, "REPLACED", [("conv2d", "cpu")])
    assert not is_run()


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_file_is_not_run(model, image, tmp_path, keep):
    model.predict(image)
    largest = max((tmp_path / "code").iterdir(), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:keep])
    later = StoredCalls("a network")
    assert len(later) == 1 and later.run(image, None, as_arrays=True) is None


def test_nothing_is_prepared_where_nothing_can_be_kept(model, image, monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    monkeypatch.setattr("core.plan.plan.Plan.stored", None)
    model.predict(image)
    assert len(StoredCalls("a network")) == 0


def test_threads_share_a_program(model, rng):
    images = [rng.standard_normal((1, 9, 11, 5), np.float32) for _ in range(8)]
    expected = [np.asarray(model.predict(image)["c"]) for image in images]
    later = StoredCalls("a network")
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda i: later.run(i, None, as_arrays=True)["c"], images * 20)
        for value, wanted in zip(found, expected * 20, strict=True):
            np.testing.assert_array_equal(value, wanted)


@pytest.mark.parametrize("pixels, is_small", [((9, 11), True), ((500, 900), False)])
def test_runs_of_little_work_are_known(model, rng, pixels, is_small, monkeypatch):
    """Sessions run these in one thread, also from what is stored."""
    image, runs = rng.standard_normal((1, *pixels, 5), np.float32), []
    for name in ("run", "run_small"):
        run = getattr(ThreadTeam, name)
        monkeypatch.setattr(ThreadTeam, name, lambda *a, n=name, f=run: runs.append(n) or f(*a))
    model.predict(image)
    StoredCalls("a network").run(image, None, as_arrays=True)
    expected = ["run_small", "run"] if is_small else ["run"]  # the first one calls the other
    assert runs == 2 * expected


def test_the_oldest_call_goes(model, rng):
    images = [np.ones((1, 8 + i, 8, 5), np.float32) for i in range(MOST_CALLS + 1)]
    for image in images:
        model.predict(image)
    later = StoredCalls("a network")
    assert len(later) == MOST_CALLS
    assert later.run(images[0], None, as_arrays=True) is None
    assert later.run(images[-1], None, as_arrays=True) is not None


def test_a_program_keeps_its_parts(rng):
    numbers = rng.integers(-(2**62), 2**62, (5, 3))
    odd = rng.integers(0, 256, 77, np.uint8)
    works = [(0, 5), {"call": "a call"}]
    arrays = numbers, numbers[:, :2], odd, odd[::-1]
    parts = ProgramParts([], [], 640, (64, 128), works, *arrays, is_small=True)
    found = unpacked(memoryview(packed(parts)))
    assert found[:5] == parts[:5] and found.is_small
    for name in ("calls", "arguments", "code", "constants"):
        np.testing.assert_array_equal(getattr(found, name), getattr(parts, name))


def test_a_model_is_deferred_if_calls_of_it_are_stored(rng, image):
    def made(stored):
        return GraphModel(two_outputs(rng), stored=stored)

    marks = []
    for backend, tier in (("cpu", 1), ("shader", 2)):  # which store nothing
        core.set_tier(tier)
        deferred_model(marks.append, backend, ["a network"], [])
    assert marks == [None, None]
    first = deferred_model(made, "cpu", ["a network"], [])
    assert isinstance(first, GraphModel)
    first.predict(image)
    later = deferred_model(made, "cpu", ["a network"], [])
    assert isinstance(later, DeferredModel) and later.backend == "cpu"
    assert isinstance(deferred_model(made, "cpu", ["another"], []), GraphModel)


def test_a_network_is_read_when_a_call_needs_it(model, image):
    expected = arrays(model.predict(image))
    made = []
    stored = StoredCalls("a network")
    deferred = DeferredModel("cpu", lambda: made.append(1) or model, stored)
    assert deferred.output_names == ["c", "a"] and not made
    found = deferred.run(image, None, as_arrays=True)
    np.testing.assert_array_equal(found["c"], expected["c"])
    assert not made and deferred.run(image[:, 1:], None, as_arrays=True) is None and not made
    assert stored._programs
    assert deferred.model is model and deferred.model is model and made == [1]
    assert not stored._programs  # whose weights would be there twice
    assert deferred.run(image, None, as_arrays=True) is None  # whose plans serve all calls now


def count_nodes(graph):
    """A fact about a network."""
    return {"nodes": len(graph.nodes)}


def test_facts_about_a_network_are_known_without_it(model, rng, image):
    assert network_fact(GraphModel(two_outputs(rng)), count_nodes) == {"nodes": 8}
    assert network_fact(model, count_nodes) == {"nodes": 8}
    made = []
    later = DeferredModel("cpu", lambda: made.append(1) or model, StoredCalls("a network"))
    assert network_fact(later, count_nodes) == {"nodes": 8} and not made
    other = DeferredModel("cpu", lambda: made.append(1) or model, StoredCalls("another network"))
    assert network_fact(other, count_nodes) == {"nodes": 8} and made == [1]


def test_names_of_outputs_are_known_where_only_some_are_computed(model, image):
    def later(made):
        return DeferredModel("cpu", lambda: made.append(1) or model, StoredCalls("a network"))

    model.execute(image, ["a"])
    made = []
    assert later(made).output_names == ["c", "a"] and made == [1]
    assert later(made).output_names == ["c", "a"] and made == [1]
