"""Functions of frozen graphs: calls are inlined, bodies that If and While name stay."""

import numpy as np
import pytest

import core
from core.graph_model.graph_model import GraphModel
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.graph_parts import (
    FLOAT,
    call,
    constant,
    function,
    library,
    node,
    placeholder,
    read,
    tensor_of,
)
from weights_cache.common.errors import WeightsError


def test_calls_are_inlined(tmp_path):
    """Calls in calls, results by name, arguments passed through, and by type alone."""
    two = constant("two", tensor_of(FLOAT, [], field(5, np.array([2], "<f4").tobytes())))
    graph = read(
        tmp_path,
        placeholder(),
        call("c", "both", "x"),
        call("d", "both", "c:1"),
        node("y", "AddV2", "d:0", "d:1"),
        library(
            function("twice", ["a"], {"r": "m:z:0"}, two, node("m", "Mul", "a", "two:output:0")),
            function(
                "both",
                ["a"],
                {"same": "a", "doubled": "t:r:0"},
                node("t", "twice", "a"),
            ),
        ),
    )
    assert not graph.functions and {n.type for n in graph.nodes} == {
        *("Placeholder", "Const", "Mul", "AddV2")
    }
    # c:1 is 2x, and d gives that and its double.
    assert GraphModel(graph).predict({"x": [1.0, 3.0]})["y"].numpy().tolist() == [6, 18]


def batch_norm(name: str, x: str, statistics: list[str], **attributes: bytes) -> bytes:
    return node(name, "FusedBatchNormV3", x, *statistics, **attributes)


STATISTICS = ["scale", "offset", "mean", "variance"]
IMAGE = tensor_of(FLOAT, [1, 1, 1, 2], field(5, np.array([3, 7], "<f4").tobytes()))


def channels(name: str, *values: float) -> bytes:
    return constant(name, tensor_of(FLOAT, [2], field(5, np.array(values, "<f4").tobytes())))


def normalised(folder, result: str, **attributes: bytes):
    """A graph that calls a function which gives one output of a normalisation."""
    body = batch_norm("bn", "x", STATISTICS, **attributes)
    return read(
        folder,
        constant("x", IMAGE),
        *(channels(*c) for c in [("scale", 1, 1), ("offset", 0, 9), ("mean", 1, 3)]),
        channels("variance", 4, 1),
        call("c", "f", "x", *STATISTICS),
        node("y", "Neg", "c"),
        library(function("f", ["x", *STATISTICS], {"r": result}, body)),
    )


@pytest.mark.parametrize(
    "result, expected",
    [
        ("bn:y:0", [1 / np.sqrt(1 + 1e-4 / 4), 9 + 4 / np.sqrt(1 + 1e-4)]),
        ("bn:batch_mean:0", [1, 3]),
        ("bn:batch_variance:0", [4, 1]),
        ("bn:reserve_space_1:0", [1, 3]),
        ("bn:reserve_space_2:0", [4, 1]),
    ],
)
def test_outputs_of_a_normalisation_in_functions(result, expected, tmp_path):
    """As in TensorFlow the statistics are those that it got; epsilon is 1e-4 by default."""
    model = GraphModel(normalised(tmp_path, result, is_training=field(5, 0)))
    found = -model.predict({})["y"].numpy().reshape(-1)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_other_outputs_of_a_normalisation(tmp_path):
    with pytest.raises(WeightsError, match="no output 'variance:0', only .*'batch_variance'"):
        normalised(tmp_path, "bn:variance:0", is_training=field(5, 0))
    model = GraphModel(normalised(tmp_path, "bn:reserve_space_3:0", is_training=field(5, 0)))
    with pytest.raises(core.CoreError, match="'c/bn' has no output 5"):
        model.predict({})


@pytest.mark.parametrize("attributes", [{"is_training": field(5, 1)}, {}], ids=["told", "default"])
@pytest.mark.parametrize("result", ["bn:y:0", "bn:batch_mean:0"])
def test_nodes_for_training_are_refused_when_the_model_is_made(result, attributes, tmp_path):
    graph = normalised(tmp_path, result, **attributes)
    with pytest.raises(core.CoreError, match=r"'c/bn' \(FusedBatchNormV3\).*for training"):
        GraphModel(graph)


def test_functions_have_names_of_their_own(tmp_path):
    """A body's constant is no other body's, and its calls are inlined."""

    def scaled(name: str, by: float) -> bytes:
        proto = tensor_of(FLOAT, [], field(5, np.array([by], "<f4").tobytes()))
        body = constant("x", proto), node("m", "Mul", "a", "x:output:0"), call("o", "same", "m:z:0")
        return function(name, ["a"], {"r": "o:output:0"}, *body)

    branches = {
        key: field(10, field(1, key.split("_")[0])) for key in ("then_branch", "else_branch")
    }
    one = tensor_of(10, [], field(11, b"\1"))
    graph = read(
        tmp_path,
        placeholder(),
        constant("m", one),
        node("y", "StatelessIf", "m", "x", **branches),
        library(scaled("then", 3.0), scaled("else", 5.0), function("same", ["b"], {"r": "b"})),
    )
    assert sorted(graph.functions) == ["else", "then"]
    assert {k: float(v) for k, v in graph.weights.items()} == {"m": 1, "then/x": 3, "else/x": 5}
    assert GraphModel(graph).predict({"x": [1.0, 3.0]})["y"].numpy().tolist() == [3, 9]


SAME = function("f", ["a"], {"r": "a"})
AGAIN = function("f", ["a"], {"r": "n:o:0"}, call("n", "f", "a"))
LOST = function("f", ["a"], {"r": "n:o:0"})


@pytest.mark.parametrize(
    "nodes, body, message",
    [
        (call("y", "f", "x"), AGAIN, "'f' calls itself"),
        (call("y", "f"), SAME, "'y' has 0 arguments, not 1 as 'f'"),
        (call("y", "f", "x"), LOST, "has no 'n:o:0'"),
        (call("y", "f", "x") + node("z", "Relu", "y:4"), SAME, "no result 4"),
        (call("y", "f", "y") + node("z", "Relu", "y"), SAME, "depends on itself"),
        (node("y", "If", "x", then_branch=field(10, field(1, "g"))), SAME, "no function 'g'"),
        (call("y", "f", "x"), field(1, field(1, field(1, "f") + field(3, field(1, "r")))), "for r"),
        (call("y", "f", "x"), field(1, b""), "calls 'f'"),
    ],
)
def test_damaged_functions(nodes, body, message, tmp_path):
    with pytest.raises(WeightsError, match=message):
        read(tmp_path, placeholder(), nodes, library(body))


def test_calls_do_not_multiply_without_end(tmp_path):
    """Each function calls the next one twice."""
    functions = [
        function(
            f"f{i}",
            ["a"],
            {"r": "q:o:0"},
            call("p", f"f{i + 1}", "a"),
            call("q", f"f{i + 1}", "p:o:0"),
        )
        for i in range(40)
    ]
    last = function("f40", ["a"], {"r": "n:y:0"}, node("n", "Relu", "a"))
    several = r"with called functions inlined the graph has 5,\d+ nodes, the limit nodes is 5,000"
    with core.limits(nodes=5000), pytest.raises((core.LimitError, WeightsError), match=several):
        read(tmp_path, placeholder(), call("y", "f0", "x"), library(*functions, last))


def nested(depth: int, length: int, *last: bytes) -> list[bytes]:
    """Functions that call each other by nodes of long names, and one with the last's nodes."""
    names = [chr(97 + i) * length for i in range(depth)]
    functions = [
        function(f"f{i}", ["a"], {"r": f"{name}:o:0"}, call(name, f"f{i + 1}", "a"))
        for i, name in enumerate(names)
    ]
    return [*functions, function(f"f{depth}", ["a"], {"r": "n:y:0"}, *last)]


def test_names_of_nested_calls_do_not_multiply_without_end(tmp_path, monkeypatch):
    """Each node of the last function gets the names of all calls around it."""
    others = (node(name, "NoOp") for name in "wxyz")
    bodies = nested(20, 500, node("n", "Relu", "a"), *others)
    parts = placeholder(), call("y", "f0", "x"), library(*bodies)
    assert len(read(tmp_path, *parts).nodes) == 2
    monkeypatch.setattr("core.converter.inlining.MOST_NAME_BYTES", 50_000)
    with pytest.raises(WeightsError, match="names exceed 50000 bytes"):
        read(tmp_path, *parts)


def test_functions_share_what_names_may_take(tmp_path, monkeypatch):
    """Two of them fit, and eight do not."""
    monkeypatch.setattr("core.converter.inlining.MOST_NAME_BYTES", 50_000)
    long = "long" * 250
    inner = function("in", ["a"], {"r": "n:y:0"}, *(node(n, "Relu", "a") for n in "nopq"))
    bodies = [
        function(f"b{i}", ["a"], {"r": f"{long}:o:0"}, call(long, "in", "a")) for i in range(8)
    ]

    def functions(count: int):
        branches = {f"branch_{i}": field(10, field(1, f"b{i}")) for i in range(count)}
        parts = placeholder(), node("y", "If", "x", "x", **branches), library(inner, *bodies)
        return read(tmp_path, *parts).functions

    assert len(functions(2)) == 2
    with pytest.raises(WeightsError, match="names exceed 50000 bytes"):
        functions(8)


def test_names_that_are_taken_are_not_tried_without_end(tmp_path, monkeypatch):
    """Every name of a prefix that might do is there."""
    monkeypatch.setattr("core.converter.inlining.MOST_NAME_BYTES", 5000)
    taken = [node(f"y{'_' * i}/n", "NoOp") for i in range(200)]
    body = function("f", ["a"], {"r": "n:y:0"}, node("n", "Relu", "a"))
    with pytest.raises(WeightsError, match="names exceed 5000 bytes"):
        read(tmp_path, placeholder(), call("y", "f", "x"), *taken, library(body))
