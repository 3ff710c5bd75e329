"""What a run may cost: hostile graphs end with an error of ours, and limits can be raised."""

import pickle

import numpy as np
import pytest

import core
import zoo
from core.graph.nodes import Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.converter.teachable_bundles import write_bundle, zip_of
from tests.reliability.hostile_graphs import endless_graphs, graph_of, large_graphs
from tests.reliability.run_hostile import run
from tests.weights_cache.fault_server import FaultServer
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from weights_cache import write_weights

pytestmark = pytest.mark.whole

#: Small enough for a test to end at once.
TIGHT = core.Limits(
    value_bytes=2**20,
    run_bytes=2**22,
    loop_steps=200,
    calls=50,
    nodes=1000,
    multiply_adds=10**9,
    seconds=5,
)

#: The limit that ends each graph; where there are several, one of them comes first.
ENDS = {
    "While": "loop_steps",
    "While in While": "loop_steps",
    "While that doubles": "value_bytes",
    "While that fills a list": "value_bytes run_bytes",
    "Enter": "loop_steps",
    "Enter that doubles": "value_bytes",
    "If": "calls",
    "StatelessIf": "calls",
    "StatelessIf that doubles": "calls",
    "regex, rewrite grows": "value_bytes",
    "StringNGrams, wide": "value_bytes",
    "StringNGrams, many": "value_bytes",
    "StringSplit": "value_bytes",
    "StringSplit at each letter": "value_bytes",
    "60,000 nodes": "nodes",
    "9,000 nodes": "nodes",
    "2,000 constants that are computed": "nodes value_bytes",
    "many values at once": "value_bytes",
    "Conv2D of large windows": "multiply_adds",
    "DepthwiseConv2dNative": "multiply_adds",
    "Conv2DBackpropInput of large windows": "multiply_adds",
    "MaxPool of large windows": "multiply_adds",
    "Dilation2D": "multiply_adds",
    "MatMul again and again": "multiply_adds",
}

#: Results that are small whatever the constants say.
SMALL = {"TensorListReserve", "TensorListStack"}

#: Those that an int32 counts, which fit into the memory of a large machine.
COUNTED = {
    *("LinSpace", "Bincount", "Tile of x", "Pack of x", "MirrorPad", "Multinomial"),
    *("SparseFillEmptyRows", "SparseSegmentSum"),
}

OF_RUNS = ["plan", "eager"]


@pytest.mark.parametrize("way", OF_RUNS)
@pytest.mark.parametrize("name", ENDS)
def test_what_grows_without_end_meets_a_limit(name, way):
    with pytest.raises(core.LimitError, match="if you trust the model, raise") as caught:
        run(endless_graphs()[name], way, TIGHT)
    assert caught.value.name in ENDS[name].split()
    assert caught.value.name == "nodes" or str(caught.value).startswith("node '")


@pytest.mark.parametrize("way", OF_RUNS)
@pytest.mark.parametrize("name", large_graphs(1e12))
def test_results_of_1e12_values_are_refused_by_default(name, way):
    if name in SMALL:
        run(large_graphs(1e12)[name], way, None)
        return
    limits = core.Limits.strict() if name in COUNTED else None
    with pytest.raises(core.CoreError, match=r"^node '"):
        run(large_graphs(1e12)[name], way, limits)


def sum_of(count):
    """Many values of 4 kB at the same time, added up."""
    names = [f"t{i}" for i in range(count)]
    tiles = [Node(name, "Tile", ("x", "s")) for name in names]
    return graph_of([*tiles, Node("y", "AddN", tuple(names))], {"s": [1000]}).graph


@pytest.mark.parametrize("plans", [True, False])
def test_values_at_the_same_time_count_together(plans):
    model = GraphModel(sum_of(50), plans=plans, limits=core.Limits(run_bytes=100_000))
    with pytest.raises(core.LimitError, match="at the same time, the limit run_bytes is 100,000"):
        model.predict([1.0])
    chain = [Node(f"c{i}", "Neg", (f"c{i - 1}" if i else "t",)) for i in range(50)]
    graph = graph_of([Node("t", "Tile", ("x", "s")), *chain], {"s": [1000]}, "c49").graph
    model = GraphModel(graph, plans=plans, limits=core.Limits(run_bytes=100_000))
    assert model.predict([1.0])["c49"].numpy()[0] == 1  # one after the other they do not


@pytest.mark.parametrize("plans", [True, False])
def test_limits_of_the_context_hold_for_each_call(plans):
    model = GraphModel(sum_of(3), plans=plans)
    expected = model.predict(np.float32([1]))["y"].numpy()
    model.predict(np.float32([1]))
    for limits in ({"value_bytes": 1000}, {"run_bytes": 1000}, {"seconds": 1e-9}):
        with core.limits(**limits), pytest.raises(core.LimitError, match=f"limit {[*limits][0]}"):
            model.predict(np.float32([1]))
        np.testing.assert_array_equal(model.predict(np.float32([1]))["y"], expected)
    with core.limits(seconds=100, value_bytes=10_000):
        np.testing.assert_array_equal(model.predict(np.float32([1]))["y"], expected)


def test_a_kernel_in_a_plan_that_needs_more_names_its_node():
    crop = Node("y", "CropAndResize", ("x", "b", "i", "s"), {"method": "bilinear"})
    weights = {"b": [[0.0, 0.0, 1.0, 1.0]], "i": [0], "s": [1000, 1000]}
    graph = graph_of([crop], weights).graph
    graph = graph._replace(inputs={"x": graph.inputs["x"]._replace(spec=PartialSpec(None))})
    model = GraphModel(graph, limits=core.Limits(value_bytes=5_000_000))
    with pytest.raises(core.LimitError, match=r"^node 'y' \(crop_and_resize\): the positions"):
        model.predict([[[[1.0]]]])


def test_a_limit_that_is_raised_lets_the_graph_run():
    loop = endless_graphs()["While that doubles"].graph
    model = GraphModel(loop, limits=core.Limits(value_bytes=2**12))
    with pytest.raises(core.LimitError, match=r"node 'a' \(ConcatV2\).*\(2048,\) has 8,192 bytes"):
        model.predict([1.0])
    tiled = GraphModel(large_graphs(1e6)["Tile"].graph, limits=core.Limits(value_bytes=10**6))
    with pytest.raises(core.LimitError, match="value_bytes is 1,000,000"):
        tiled.predict([1.0])
    raised = GraphModel(tiled.graph, limits=core.Limits(value_bytes=10**7))
    assert raised.predict([1.0])["y"].shape == (1000, 1000)


def test_eager_ops_obey_the_limits_of_their_context():
    with core.limits(value_bytes=1000):
        with pytest.raises(core.LimitError, match="fill: its result float32"):
            core.zeros((1000,))
        with pytest.raises(core.LimitError, match="static_regex_replace|rewritten"):
            core.static_regex_replace(["a" * 100], "a", "a" * 100)
        assert core.zeros((100,)).shape == (100,)
    assert core.zeros((1000,)).shape == (1000,)


def test_an_executed_node_and_a_plan_obey_them_too():
    model = GraphModel(sum_of(3), limits=core.Limits(value_bytes=1000))
    for call in (lambda: model.execute([1.0], ["t1"]), lambda: model.plan([1.0])):
        with pytest.raises(core.LimitError, match=r"node 't\d' \(Tile\)"):
            call()


def test_results_that_are_gone_are_not_counted():
    graph = endless_graphs()["While"].graph
    model = GraphModel(graph, limits=core.Limits(run_bytes=20_000, loop_steps=500))
    with pytest.raises(core.LimitError, match="loop_steps"):
        model.predict(np.ones(1000, np.float32))


# --- models from files and URLs ---------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return str(write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology()))


def test_a_model_from_a_file_has_the_limits_that_are_given(folder):
    model = zoo.load(folder, limits=core.Limits(value_bytes=4))
    for again in (model, pickle.loads(pickle.dumps(model))):
        with pytest.raises(core.LimitError, match="value_bytes is 4"):
            again.predict(ROWS)
    assert zoo.load(folder).predict(ROWS)["z"].shape == (2, 2)
    with pytest.raises(core.CoreError, match=r"takes a core\.Limits.*got 3"):
        zoo.load(folder, limits=3)


def test_limits_are_for_models_from_files():
    with pytest.raises(zoo.ZooError, match=r"'posenet.tiny' is a pretrained.*core\.limits"):
        zoo.load("posenet.tiny", limits=core.Limits.strict())


def test_models_from_urls_have_strict_limits_unless_others_are_given(folder, tmp_path, monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    bundle = zip_of(write_bundle(tmp_path / "bundle")).read_bytes()
    files = {f"/graph/{f.name}": f.read_bytes() for f in (tmp_path / "graph").iterdir()}
    with FaultServer({**files, "/bundle.zip": bundle}) as server:
        for url in (f"{server.url}/graph/model.json", f"{server.url}/bundle.zip"):
            assert zoo.load(url).network.limits == core.Limits.strict()
            given = core.Limits(seconds=100)
            assert zoo.load(url, limits=given).network.limits == given
    assert zoo.load(folder).network.limits is None
