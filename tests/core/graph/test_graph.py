"""The graph executor: order, freeing, names, shapes."""

import asyncio
import threading

import numpy as np
import pytest

import core
from core.engine.registry import find_kernel
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph.subgraph import last_uses, running_order
from core.graph_model.graph_model import GraphModel
from tests.helpers import garbage_stays

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "fused_ops": ["BiasAdd", "Relu6"]}
ANY_IMAGE = PartialSpec((None, None, None, 1))


def chain(length: int) -> Graph:
    """x → conv 0 → conv 1 → ..., each multiplies by 2 and adds 1."""
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("b", "Const")]
    for i in range(length):
        source = f"conv{i - 1}" if i else "x"
        nodes.append(Node(f"conv{i}", "_FusedConv2D", (source, "w", "b"), CONV))
    return Graph(
        nodes=nodes,
        weights={"w": np.full((1, 1, 1, 1), 2.0), "b": np.ones(1)},
        inputs={"image": Endpoint("x", ANY_IMAGE)},
        outputs={"end": Endpoint(f"conv{length - 1}", ANY_IMAGE)},
    )


def test_predict_and_intermediate_nodes():
    model = GraphModel(chain(2))
    image = np.full((1, 2, 2, 1), 0.25, np.float32)
    assert model.predict(image)["end"].numpy().tolist() == np.full((1, 2, 2, 1), 4.0).tolist()
    assert model.predict({"image": image})["end"].shape == (1, 2, 2, 1)
    between = model.execute(image, ["conv0", "end"])
    assert [t.numpy().max() for t in between.values()] == [1.5, 4]
    assert (model.inputs["image"], model.outputs["end"]) == (ANY_IMAGE, ANY_IMAGE)


@pytest.mark.parametrize(
    "feed, message",
    [
        ({"picture": np.zeros((1, 2, 2, 1))}, r"no input or node 'picture'.*\['image'\]"),
        (np.zeros((2, 2, 1)), r"must have shape \(None, None, None, 1\).*got \(2, 2, 1\)"),
        (np.zeros((1, 2, 2, 3)), r"got \(1, 2, 2, 3\)"),
        (np.zeros((1, 2, 2, 1), np.int64), "and int64, which becomes int32: convert it"),
    ],
)
def test_wrong_inputs(feed, message):
    with pytest.raises(core.CoreError, match=message):
        GraphModel(chain(1)).predict(feed)


def test_unknown_names():
    with pytest.raises(core.CoreError, match="no node 'middle'"):
        GraphModel(chain(1)).execute(np.zeros((1, 1, 1, 1)), ["middle"])


def test_all_unknown_node_types_are_listed():
    nodes = [Node("x", "Placeholder"), Node("a", "Magic", ("x",)), Node("b", "Wand", ("a",))]
    with pytest.raises(core.CoreError, match=r"Magic \(a\); Wand \(b\)"):
        GraphModel(Graph(nodes, {}, {}, {}))


def changed(graph: Graph, **changes) -> Graph:
    return graph._replace(**changes)


@pytest.mark.parametrize(
    "graph, message",
    [
        (changed(chain(1), weights={"w": np.ones((1, 1, 1, 1))}), "nothing is given for .*: b"),
        (changed(chain(1), inputs={}), "nothing is given for these nodes: x"),
        (changed(chain(1), nodes=[*chain(1).nodes, Node("w", "Const")]), "used twice .*: w"),
        (
            changed(
                chain(1), inputs={"a": Endpoint("x", ANY_IMAGE), "b": Endpoint("x", ANY_IMAGE)}
            ),
            "used twice .*: x",
        ),
        *[
            (Graph([Node("n", "_FusedConv2D", (), attributes)], {}, {}, {}), message)
            for attributes, message in [
                ({**CONV, "fused_ops": ["BiasAdd", "Tanh"]}, "fused_ops .*Tanh"),
                ({**CONV, "fused_ops": ["Relu"]}, "fused_ops"),
                ({"strides": [1, 1, 1, 1], "fused_ops": ["BiasAdd"]}, "'n' .* lacks .*'padding'"),
                ({**CONV, "data_format": "NCDHW"}, "only NHWC or NCHW"),
            ]
        ],
    ],
)
def test_damaged_graphs_are_refused_at_once(graph, message):
    with pytest.raises(core.CoreError, match=message):
        GraphModel(graph)


@pytest.mark.parametrize("outputs", ["end", [None]])
def test_outputs_are_a_list_of_names(outputs):
    with pytest.raises(core.CoreError, match="must be a list of names"):
        GraphModel(chain(1)).execute(np.zeros((1, 1, 1, 1)), outputs)


def test_a_circle_is_refused():
    nodes = [Node("a", "Relu", ("b",)), Node("b", "Relu", ("a",))]
    with pytest.raises(core.CoreError, match="circle"):
        GraphModel(Graph(nodes, {}, {}, {"a": Endpoint("a", PartialSpec(None))}))


def test_order_of_a_diamond_and_last_uses():
    needs = {"d": ("b", "c"), "c": ("a",), "b": ("a", "c")}
    order = running_order(lambda n: [i for i in needs[n] if i != "a"], {"a"}, ["d"])
    assert order == ["c", "b", "d"]
    needed = [needs[name] for name in order]
    assert last_uses(needed, ["d"]) == [[], ["a"], ["b", "c"]]
    assert last_uses(needed, ["d", "c"]) == [[], ["a"], ["b"]]


def test_a_long_chain_does_not_recurse():
    def before(name):
        return [str(int(name) - 1)] if name != "0" else []

    assert len(running_order(before, (), ["4999"])) == 5000


def test_values_are_freed_after_their_last_use():
    """Op by op, the most data alive at once does not grow with the length of the graph.

    Counted beside what was alive before the run, and while nothing else is freed.
    """
    peaks = []
    for length in (3, 12):
        model, seen = GraphModel(chain(length), plans=False), []
        kernel = find_kernel("fused_conv2d", "cpu")

        def watched(*args, kernel=kernel, seen=seen, **kwargs):
            seen.append(core.memory()["num_bytes"])
            return kernel(*args, **kwargs)

        core.engine.registry.READY["fused_conv2d", "cpu"] = watched
        try:
            with garbage_stays():
                before = core.memory()["num_bytes"]
                model.predict(np.zeros((1, 64, 64, 1), np.float32))
        finally:
            core.engine.registry.READY["fused_conv2d", "cpu"] = kernel
        peaks.append(max(seen) - before)
        del model
    assert peaks[0] == peaks[1]


def test_a_model_outlives_the_scope_that_it_was_loaded_in():
    image = np.zeros((1, 1, 1, 1))
    with core.tidy():
        model = GraphModel(chain(1))
        gone = model.predict(image)["end"]
    assert gone.is_disposed
    assert core.tidy(lambda: GraphModel(chain(1))).predict(image)["end"].item() == 1
    with core.tidy(), core.tidy():
        model.predict(image)
    assert model.predict(image)["end"].item() == 1


def test_runs_to_await(monkeypatch):
    """They give what predict and execute give, computed in another thread."""
    threads = []
    kernel = find_kernel("fused_conv2d", "cpu")

    def noted(*inputs, **attributes):
        threads.append(threading.get_ident())
        return kernel(*inputs, **attributes)

    monkeypatch.setitem(core.engine.registry.READY, ("fused_conv2d", "cpu"), noted)
    model, image = GraphModel(chain(2), plans=False), np.full((1, 2, 2, 1), 0.25, np.float32)

    async def main():
        runs = (model.predict_async(image), model.execute_async({"image": image}, ["conv0"]))
        return await asyncio.gather(*runs)

    whole, part = asyncio.run(main())
    assert threads and threading.get_ident() not in threads
    assert list(whole) == ["end"] and list(part) == ["conv0"]
    np.testing.assert_array_equal(whole["end"], np.full((1, 2, 2, 1), 4.0))
    np.testing.assert_array_equal(part["conv0"], np.full((1, 2, 2, 1), 1.5))
    with pytest.raises(core.CoreError, match="no input or node"):
        asyncio.run(model.predict_async({"picture": image}))


def test_awaited_results_belong_to_the_scope_around():
    model, image = GraphModel(chain(1)), np.zeros((1, 1, 1, 1))

    async def main():
        with core.tidy():
            one, other = [await model.predict_async(image) for _ in range(2)]
            return core.keep(one["end"]), other["end"]

    kept, gone = asyncio.run(main())
    assert kept.item() == 1 and gone.is_disposed


def test_a_gradient_through_a_graph():
    model = GraphModel(chain(2))
    slope = core.grad(lambda x: core.tidy(lambda: core.sum(model.predict(x)["end"])))
    np.testing.assert_array_equal(slope(np.full((1, 1, 2, 1), 0.25)), np.full((1, 1, 2, 1), 4.0))
