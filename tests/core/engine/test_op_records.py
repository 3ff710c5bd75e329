"""What is computed from the records of ops: methods, node types, names in formats, folding."""

import inspect

import pytest

import core
from core.converter.tflite.families import elementwise
from core.engine.argument_types import TensorLike
from core.engine.operation import Op, spec_of
from core.engine.registry import KERNEL_NAMES, METHODS, NODE_OPS, OPS
from core.graph.node_types import find_node_type, rows
from core.layers.built_in import activation
from core.layers.functions.elementwise import FUNCTIONS
from core.plan.passes.folding import _folds


def test_methods_of_tensors():
    assert {"relu", "pad", "slice", "batch_norm", "squeeze"} <= set(METHODS)
    assert not {"bitwise_and", "fill", "moments", "where"} & set(METHODS)


@pytest.mark.parametrize(
    ("spelling", "op", "tensors"),
    [
        ("AddV2", "add", (0, 1)),
        ("Add", "add", (0, 1)),
        ("AddN", "add_n", (slice(None),)),
        ("Rint", "round", (0,)),
        ("SelectV2", "select", (0, 1, 2)),
    ],
)
def test_node_types_that_ops_declare(spelling, op, tensors):
    assert find_node_type(spelling)[:2] == (op, tensors)


def test_attributes_of_such_a_node_are_those_of_the_op():
    translate = find_node_type("LeakyRelu").attributes
    assert translate({"alpha": 0.5, "T": "DT_FLOAT"}) == {"alpha": 0.5}
    assert translate({}) == {}
    with pytest.raises(KeyError, match="scale"):
        find_node_type("QuantiseRound").attributes({"zero_point": 1})


def test_no_table_has_a_type_that_an_op_declares():
    for category in rows._categories():
        assert not set(rows._rows(category)) & set(NODE_OPS), category


def test_a_node_type_is_of_one_op():
    record = core.engine.operation.Op(lambda x: x, name="my_abs", spellings=OPS["abs"].spellings)
    with pytest.raises(core.CoreError, match="'Abs' is that of 'abs' already"):
        core.engine.registry.register(record)
    assert "my_abs" not in OPS


def test_every_spelling_is_in_the_table_of_its_format():
    for op in OPS.values():
        _, tflite, keras, activations = op.spellings
        assert not tflite or tflite in elementwise.RULES
        assert {*keras} <= FUNCTIONS.keys()
        assert set(activations) <= set(activation.ACTIVATIONS)


def test_what_folds():
    folded = "Erf AddN Prelu ConcatV2 Pack Shape Identity FusedBatchNorm Range Fill OneHot"
    assert all(map(_folds, folded.split()))
    kept = "Placeholder Conv2D MatMul Multinomial RandomUniform Unique Print HashTableV2 If Wand"
    assert not any(map(_folds, kept.split()))


def test_gradients_have_names():
    names = {g.function.__name__ for op in OPS.values() for g in op.gradients.values()}
    assert {"exp_grad_x", "select_grad_t"} <= names and not {"_", "<lambda>"} & names
    assert OPS["select"].gradients["t"].function.__code__.co_name == "select_grad_t"


def test_a_rule_without_annotations():
    @core.op()
    def unannotated(x, *, how=2):
        return x

    try:
        assert str(inspect.signature(unannotated)) == "(x: TensorLike, *, how=2) -> Tensor"
        assert "unannotated" in repr(unannotated)
        with pytest.raises(core.KernelNotFound, match="no kernel 'unannotated'"):
            unannotated([1.0], how="so")
    finally:
        del OPS["unannotated"], KERNEL_NAMES["Unannotated"]
    with pytest.raises(core.CoreError, match=r"core.op\(\) decorates the function .* got 3"):
        core.op()(3)


def test_a_rule_with_the_signature_of_users():
    def rows(x: TensorLike, y: TensorLike | None = None, count: int = 1, *, how: str) -> core.Spec:
        return core.Spec((count, *spec_of(x).shape))

    op = Op(rows)
    assert (op.inputs, op.attributes, op.least) == (("x", "y"), ("count", "how"), 1)
    assert op.defaults == {"count": 1} and op.required_attributes == {"how"}
    assert op.optional_inputs == {"y"} and op.simple_attributes == {"how": str}
    shown = "(x: TensorLike, y: TensorLike | None = None, count: int = 1, *, how: str) -> Tensor"
    assert str(inspect.signature(op)) == shown


@pytest.mark.parametrize(
    "rule",
    [
        lambda count=1, *, x: x,
        lambda count, x: x,
    ],
)
def test_tensors_come_first(rule):
    rule.__annotations__ = {"x": TensorLike, "count": int}
    with pytest.raises(core.CoreError, match=r"'my_op': its tensors \['x'\] must be the first"):
        Op(rule, name="my_op")


def test_an_op_of_a_class_is_a_method_of_tensors_only():
    class Net:
        activation = core.relu

    assert Net().activation is core.relu is core.Tensor.relu
    method = core.tensor([-1.0, 2.0]).relu
    assert method.__name__ == "relu" and method().tolist() == [0, 2]
