"""Layers call ops: tensors reach them without a node, and only graphs turn an op into one."""

import re
from functools import cache
from pathlib import Path

import pytest

import core
from core.engine.observers import Observer, observing
from core.engine.registry import OPS
from core.graph.node_types import find_node_type
from core.graph.nodes import Node
from core.layers import built_in, common_ops, functions, graph_calls
from core.layers.inference import layers_graph
from core.layers.layer_call import Value
from core.layers.op_nodes import node_type_of, op_node
from core.layers.op_shapes import results_of_op
from core.layers.shape_calls import ShapeCall
from core.layers.variable_store import VariableStore
from tests.core.layers.recorded import names, recorded
from tests.core.models.layer_cases import CASES, models_of, values_of

#: Ops that nodes run by a function of their own, which calls the op or takes its inputs apart.
BY_FUNCTION = {"contract", "gather", "stack"}

#: Attributes on which the type of a node depends, for ops without a spelling.
SAMPLES = {
    "matmul": [{"a": core.ones((2, 2)), "b": core.ones((2, 2))}],
    "pad": [{}, {"constant_value": 1.0}],
    "split": [{"num_or_size_splits": 2}, {"num_or_size_splits": (1, 1)}],
}


class Calls(Observer):
    """The ops that run, with inputs, attributes and results."""

    def __init__(self):
        self.seen = []

    def record(self, op, inputs, attributes, outputs, seconds):
        self.seen.append((op, inputs, attributes, outputs))


@cache
def used_by_layers():
    """The names of all ops that layers call."""
    folders = [Path(package.__file__).parent for package in (built_in, functions)]
    common = [Path(common_ops.__file__)]
    paths = [*common, *(path for folder in folders for path in folder.glob("*.py"))]
    text = "".join(path.read_text() for path in paths)
    found = set(re.findall(r"\bcall\.ops\.([a-z]\w*)", text))
    tabled = {name for name in re.findall(r"\"([a-z]\w*)\"", text) if name in OPS}
    return sorted(found | tabled - {"step", "identity"})  # an argument of slices, and a function


def test_a_dense_layer_is_one_op():
    layer = core.layers.Dense(2, activation="relu")
    layer(core.ones((1, 3)))
    calls = Calls()
    with observing(calls):
        y = layer(core.ones((1, 3)))
    (op, inputs, attributes, outputs) = calls.seen[-1]
    assert [each[0].name for each in calls.seen if each[0].name != "fill"] == ["fused_matmul"]
    assert op is OPS["fused_matmul"]
    assert attributes["activation"] == "relu"
    assert outputs is y


@pytest.mark.parametrize("name", CASES)
def test_calls_on_tensors_make_no_nodes(name, monkeypatch):
    case = CASES[name]
    model, _ = models_of(core, case)
    inputs = [core.tensor(values_of(data, i)) for i, data in enumerate(case.inputs)]

    def refuse(*_, **__):
        raise AssertionError("a call on tensors makes a node")

    monkeypatch.setattr(Node, "__new__", refuse)
    monkeypatch.setattr(graph_calls, "op_node", refuse)
    model(inputs[0] if len(inputs) == 1 else inputs)


@pytest.mark.parametrize("name", CASES)
def test_shapes_without_data_are_those_of_ops(name):
    case = CASES[name]
    model, _ = models_of(core, case)
    inputs = [core.tensor(values_of(data, i)) for i, data in enumerate(case.inputs)]
    calls = Calls()
    with observing(calls):
        model(inputs[0] if len(inputs) == 1 else inputs)
    spec = core.layers.Dense(1).layer_spec()
    call = ShapeCall(spec, (), VariableStore("layer"))
    for op, given, attributes, outputs in calls.seen:
        if op.name == "identity":
            continue
        found = results_of_op(call, op.name, [_as_values(x) for x in given], attributes)
        expected = outputs if isinstance(outputs, list) else [outputs]
        results = found if isinstance(found, list) else [found]
        assert [value.dtype for value in results] == [y.dtype for y in expected], op
        for value, y in zip(results, expected, strict=True):
            assert len(value.shape) == len(y.shape), op
            assert all(n in (None, m) for n, m in zip(value.shape, y.shape, strict=True)), op


def _as_values(x):
    if isinstance(x, list):
        return [_as_values(part) for part in x]
    return None if x is None else Value(None, x.shape, x.dtype)


def test_layers_use_many_ops():
    assert {"fused_matmul", "conv2d", "batch_norm", "squeeze", "is_nan"} <= set(used_by_layers())


@pytest.mark.parametrize("op", used_by_layers())
def test_an_op_is_a_node_by_its_spelling(op):
    spelled = OPS[op].spellings.tensorflow if op in OPS else ()
    for given in SAMPLES.get(op, [{}]):
        kind = find_node_type(spelled[0] if spelled else node_type_of(op, given))
        assert callable(kind.run) if op in BY_FUNCTION else kind.run == op


def test_nodes_have_the_attributes_of_ops_that_spell_them():
    x = core.ones((2, 2))
    assert op_node("leaky_relu", [x], {"alpha": 0.1}) == ("LeakyRelu", [x], {"alpha": 0.1})
    with pytest.raises(core.CoreError, match="no node of a graph is known for the op 'qr'"):
        op_node("qr", [], {})


def test_graphs_have_the_nodes_of_the_ops_that_layers_call(monkeypatch):
    pairs = set()

    def noted(op, inputs, attributes):
        node = op_node(op, inputs, attributes)
        pairs.add((op, node.type))
        return node

    monkeypatch.setattr(graph_calls, "op_node", noted)
    for file, name in names():
        model = recorded(file, name)
        layers_graph(model.topology, model.weights)
    for op, type in pairs:
        kind = find_node_type(type)
        assert kind.run == op or op in BY_FUNCTION
    assert len({op for op, _ in pairs}) > 80
