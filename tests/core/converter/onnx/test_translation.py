"""Graphs of ONNX files as nodes: names, absent values, functions, branches and loops."""

import numpy as np
import pytest

import core
from core.errors import KernelNotFound
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.protos import Body, OfCall, graph, node, value
from weights_cache.common.errors import WeightsError

X = np.float32([1.0, -2.0])


@pytest.fixture
def load(tmp_path):
    """Loads a ModelProto."""
    return lambda data, **options: core.load_model(protos.write(tmp_path, data), **options)


@pytest.fixture
def run(load):
    """The output y of a ModelProto for an input x, as a list."""
    return lambda data, x=X: load(data).predict({"x": x})["y"].numpy().tolist()


def constant(name, array):
    return node("Constant", [], [name], value=np.asarray(array))


# Names


def test_values_keep_their_names(load):
    nodes = [node("Neg", ["x"], ["^a:b"]), node("Split", ["^a:b"], ["y", "z"], axis=0)]
    model = load(protos.simple(nodes))
    found = model.execute({"x": X}, ["^a:b", "y", "z", "y:1"])
    assert [v.numpy().tolist() for v in found.values()] == [[-1, 2], [-1], [2], [2]]


def test_names_that_differ_in_what_references_cannot_hold(run):
    nodes = [node("Neg", ["x"], ["a:b"]), node("Abs", ["a:b"], ["a_b"])]
    nodes.append(node("Sub", ["a:b", "a_b"], ["y"]))
    assert run(protos.simple(nodes)) == [-2, 0]


def test_absent_inputs(run, load):
    nodes = [constant("most", np.float32(0.5)), node("Clip", ["x", "", "most"], ["y"])]
    assert run(protos.simple(nodes)) == [0.5, -2]
    assert run(protos.simple([node("Clip", ["x", "", ""], ["y"])])) == [1, -2]
    own = protos.simple([node("Own", ["x", "", "x"], ["y"], "mine")], opsets={"": 17, "mine": 1})
    kernel = lambda *values, **attributes: values[0] * float(len(values))  # noqa: E731
    assert load(own, kernels={"mine:Own": kernel}).predict(X)["y"].numpy().tolist() == [2, -4]


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([node("Neg", ["z"], ["y"])], "Neg of 'y': nothing gives the value 'z' before it is read"),
        ([node("Neg", ["y"], ["y"])], "Neg of 'y': nothing gives the value 'y' before"),
        (
            [node("Neg", ["b"], ["a"]), node("Neg", ["a"], ["b"]), node("Neg", ["a"], ["y"])],
            "nothing gives the value 'b' .* without a circle",
        ),
        ([node("Neg", ["x"], ["y"]), node("Abs", ["x"], ["y"])], "'y' is given twice"),
        ([node("Neg", ["x"], ["x"])], "'x' is given twice"),
        ([node("Split", ["x"], ["y", "y"])], "'y' is given twice"),
        ([constant("x", X)], "Constant of 'x': the value 'x' is given twice"),
        ([node("Neg", ["x"], ["a"])], "nothing gives the value 'y'"),
        ([node("Constant", [], ["y"])], "Constant of 'y': it does not have one value"),
        ([node("Constant", [], ["y"], value_bool=1)], "'value_bool', which ONNX does not define"),
        ([node("Constant", [], ["y"], value_int=2**40)], "1099511627776 does not fit into int32"),
        ([constant("y", np.int64(2**40))], "Constant of 'y': the tensor '': 1099511627776 does"),
        ([node("Neg", ["x"], ["y"], "other")], "does not say the version of the domain 'other'"),
        ([node("If", ["x"], ["y"])], "If of 'y': it has no graph 'then_branch'"),
        ([node("Loop", ["", "", "x"], ["y"])], "Loop of 'y': it has no graph 'body'"),
        ([node("If", [], ["y"])], "If of 'y': it has 0 inputs, not one condition"),
    ],
)
def test_damaged_graphs(nodes, text, load):
    with pytest.raises(WeightsError, match=text):
        load(protos.simple(nodes))


# Ops that nothing runs


def test_unknown_ops_are_listed_when_a_file_is_loaded(load):
    contrib = {"": 17, "com.microsoft": 1, "mine": 1}
    nodes = [
        node("FusedMatMul", ["x", "x"], ["a"], "com.microsoft"),
        node("NoSuchOp", ["a"], ["b"]),
        node("Own", ["b"], ["y"], "mine"),
    ]
    with pytest.raises(KernelNotFound) as caught:
        load(protos.simple(nodes, opsets=contrib))
    for text in (
        "com.microsoft:FusedMatMul (a); ONNX:NoSuchOp (b); mine:Own (y)",
        "give functions that do as kernels=",
        "ONNX Runtime's optimizer makes those of com.microsoft: export the model again without",
    ):
        assert text in str(caught.value)
    with pytest.raises(KernelNotFound) as caught:
        load(protos.simple([node("NoSuchOp", ["x"], ["y"])]))
    assert "optimizer" not in str(caught.value)


def test_unknown_ops_that_no_output_needs(run):
    nodes = [node("NoSuchOp", ["x"], ["a"]), node("Neg", ["x"], ["y"])]
    assert run(protos.simple(nodes)) == [-1, 2]


def test_a_kernel_for_an_unknown_op(load):
    nodes = [node("Gelu", ["x"], ["y"], "com.microsoft", scale=3.0)]
    data = protos.simple(nodes, opsets={"": 17, "com.microsoft": 1})
    model = load(data, kernels={"com.microsoft:Gelu": lambda x, scale: x * scale})
    assert model.predict(X)["y"].numpy().tolist() == [3, -6]


def test_an_op_that_is_younger_than_the_opset(load):
    data = protos.simple([node("Resize", ["x", "", "x"], ["y"])], opsets={"": 9})
    with pytest.raises(KernelNotFound, match=r"ONNX:Resize:9 \(y\)"):
        load(data)


# Functions of the file


def test_functions_with_attributes(run):
    nodes = [
        node("Constant", [], ["times"], value_float=OfCall("factor")),
        node("Mul", ["input", "times"], ["output"]),
    ]
    own = protos.function("Times", ["input"], ["output"], nodes, defaults={"factor": 3.0})
    opsets = {"": 17, "own": 1}
    calls = [
        node("Times", ["x"], ["a"], "own"),
        node("Times", ["a"], ["y"], "own", factor=2.0),
    ]
    assert run(protos.simple(calls, functions=[own], opsets=opsets)) == [6, -12]


def test_functions_call_functions_and_leave_inputs_out(run):
    inner = protos.function("Cut", ["v", "most"], ["w"], [node("Clip", ["v", "", "most"], ["w"])])
    calls = [node("Cut", ["v", "most"], ["w"], "own"), node("Neg", ["w"], ["z"])]
    outer = protos.function("Both", ["v", "most"], ["z"], calls)
    opsets = {"": 17, "own": 1}
    for inputs, expected in ((["x"], [-1, 2]), (["x", "half"], [-0.5, 2])):
        nodes = [constant("half", np.float32(0.5)), node("Both", inputs, ["y"], "own")]
        data = protos.simple(nodes, functions=[inner, outer], opsets=opsets)
        assert run(data) == expected


def test_functions_with_bodies(run):
    """In which an attribute of the call and an absent input of it are read."""
    nodes = [node("Constant", [], ["by"], value_float=OfCall("factor"))]
    nodes += [node("Clip", ["v", "", "most"], ["cut"]), node("Mul", ["cut", "by"], ["r"])]
    either = Body(graph(nodes, [], [value("r")]))
    whole = [constant("c", True), node("If", ["c"], ["w"], then_branch=either, else_branch=either)]
    own = protos.function("F", ["v", "most"], ["w"], whole, attributes=["factor"])
    call = node("F", ["x"], ["y"], "own", factor=3.0)
    assert run(protos.simple([call], functions=[own], opsets={"": 17, "own": 1})) == [3, -6]


def test_functions_that_call_themselves(load):
    own = protos.function("F", ["v"], ["w"], [node("F", ["v"], ["w"], "own")])
    data = protos.simple([node("F", ["x"], ["y"], "own")], functions=[own], opsets={"own": 1})
    with pytest.raises(WeightsError, match="nested more than 64 deep"):
        load(data)


def test_functions_that_double_their_nodes_are_stopped(load):
    calls = [
        [node(f"F{i + 1}", ["v"], ["a"], "own"), node(f"F{i + 1}", ["a"], ["w"], "own")]
        for i in range(40)
    ]
    own = [protos.function(f"F{i}", ["v"], ["w"], nodes) for i, nodes in enumerate(calls)]
    own.append(protos.function("F40", ["v"], ["w"], [node("Neg", ["v"], ["w"])]))
    data = protos.simple([node("F0", ["x"], ["y"], "own")], functions=own, opsets={"own": 1})
    with pytest.raises(core.LimitError, match="its nodes would take"):
        load(data, limits=core.Limits(file_bytes=2**22))


# Branches and loops


def branch(nodes, output, tensors=()):
    return Body(graph(nodes, [], [value(output)], tensors))


@pytest.mark.parametrize(("x", "expected"), [([3, 1], [4, 2]), ([-3, 1], [33, 11])])
def test_branches_read_what_is_around_them(x, expected, run):
    """A value of the graph, a weight, weights of their own, and a branch within a branch."""
    inner = [node("Add", ["x", "one"], ["a"])]
    other = [
        constant("eleven", np.float32(11)),
        node("Mul", ["magnitude", "eleven"], ["b"]),
        node(
            "If",
            ["is_large"],
            ["c"],
            then_branch=branch([node("Identity", ["b"], ["d"])], "d"),
            else_branch=branch([node("Neg", ["b"], ["e"])], "e"),
        ),
    ]
    nodes = [
        node("ReduceSum", ["x"], ["sum"], keepdims=0),
        constant("zero", np.float32(0)),
        node("Greater", ["sum", "zero"], ["is_large_sum"]),
        node("Abs", ["x"], ["magnitude"]),
        node("Not", ["is_large_sum"], ["is_large"]),
        node(
            "If",
            ["is_large_sum"],
            ["y"],
            then_branch=branch(inner, "a"),
            else_branch=branch(other, "c"),
        ),
    ]
    one = protos.tensor(np.float32(1), "one")
    assert run(protos.simple(nodes, [one]), np.float32(x)) == expected


def test_branches_that_give_values_around_them(run):
    nodes = [
        constant("c", True),
        node("Neg", ["x"], ["a"]),
        node("If", ["c"], ["y"], then_branch=branch([], "a"), else_branch=branch([], "x")),
    ]
    assert run(protos.simple(nodes)) == [-1, 2]


def test_branches_that_give_too_few_results(load):
    only = branch([node("Neg", ["x"], ["a"])], "a")
    nodes = [constant("c", True), node("If", ["c"], ["y", "z"], then_branch=only, else_branch=only)]
    with pytest.raises(WeightsError, match="its graph 'then_branch' gives 1 results, but it has 2"):
        load(protos.simple(nodes))


def loop_body(goes_on):
    """Doubles its state while a condition holds, and adds the weight w to what it gives."""
    nodes = [
        node("Add", ["state", "state"], ["doubled"]),
        node("Add", ["doubled", "w"], ["each"]),
        node("ReduceMax", ["doubled"], ["top"], keepdims=0),
        constant("limit", np.float32(5)),
        node("Less", ["top", "limit"], ["goes_on"]),
        constant("always", True),
    ]
    ins = [value("i", (), "int64"), value("go", (), "bool"), value("state")]
    outs = [value(goes_on, (), "bool"), value("doubled"), value("each")]
    return Body(graph(nodes, ins, outs))


def loop(goes_on, most):
    first = [node("Loop", [most, "", "x"], ["last", "y"], body=loop_body(goes_on))]
    weights = [protos.tensor(np.float32(10), "w"), protos.tensor(np.int64(2), "two")]
    return protos.simple(first, weights)


def test_loops(run):
    assert run(loop("goes_on", "")) == [[12, 6], [14, 2], [18, -6]]
    assert run(loop("always", "two")) == [[12, 6], [14, 2]]


def test_loops_without_an_end_are_stopped(load):
    model = load(loop("always", ""), limits=core.Limits(seconds=60, loop_steps=100))
    with pytest.raises(core.LimitError, match="100"):
        model.predict(X)


def test_scans(run):
    nodes = [node("Add", ["state", "row"], ["next"]), node("Mul", ["next", "w"], ["each"])]
    ends = [[value("state"), value("row")], [value("next"), value("each")]]
    scan = node(
        "Scan", ["start", "x"], ["last", "y"], body=Body(graph(nodes, *ends)), num_scan_inputs=1
    )
    weights = [protos.tensor(np.float32(10), "w"), protos.tensor(np.float32(1), "start")]
    assert run(protos.simple([scan], weights)) == [20, 0]


def test_bodies_nested_too_deep(load):
    inner = branch([node("Neg", ["x"], ["a0"])], "a0")
    for i in range(1, 16):
        nodes = [node("If", ["c"], [f"a{i}"], then_branch=inner, else_branch=inner)]
        inner = branch(nodes, f"a{i}") if i < 15 else inner
    nodes = [constant("c", True), node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    with pytest.raises((WeightsError, core.LimitError)):
        load(protos.simple(nodes), limits=core.Limits(file_bytes=2**20))
