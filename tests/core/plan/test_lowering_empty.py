"""Values without numbers: plans give what the kernels do, of every kind of node."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.engine.program import HERE
from tests.core.plan.harness import Arrays, expected, node
from tests.core.plan.programs import program_of
from tests.core.plan.test_lowering_elementwise import ATTRIBUTES, BINARY, ELEMENTWISE

SHAPES = [(0,), (1, 0), (0, 1), (2, 0, 3), (0, 4, 5, 3), (1, 0, 5, 3), (1, 4, 0, 3), (1, 4, 5, 0)]
AFTER = [node("add", HERE, "b"), node("sigmoid", HERE), node("elu", HERE)]


def same_as_eager(step, arrays: Arrays, constants=()):
    given = {r: a for r, a in arrays.items() if r not in constants}
    known = {r: a for r, a in arrays.items() if r in constants}
    theirs = expected(step, arrays)
    names = [f"y:{i}" if i else "y" for i in range(len(theirs))]
    program = program_of(step, inputs=given, outputs=names, **known)
    found = CpuExecutable(program).run([*given.values()])
    for ours, other in zip(found, theirs, strict=True):
        assert ours.dtype == other.dtype
        np.testing.assert_array_equal(ours, other)


def empty(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("op", ELEMENTWISE)
def test_elementwise(op, shape):
    arrays = {name: empty(*shape) for name in "xz"}
    inputs = ("x", "z") if op in BINARY else ("x",)
    step = node(op, *inputs, **ATTRIBUTES.get(op, {}))
    same_as_eager(step, {r: arrays[r] for r in inputs})
    if len(inputs) > 1:
        same_as_eager(step, {**arrays, "z": np.ones(1, np.float32)}, ("z",))
    after = [node("relu", HERE), node("sigmoid", HERE)]
    same_as_eager(step._replace(epilogue=(*after,)), arrays)


MOVES = [
    ("slice", {"begin": 0, "size": None}),
    ("strided_slice", {"begin": (0,), "end": (1,)}),
    ("transpose", {}),
    ("reverse", {}),
    ("unstack", {"axis": -1}),
    ("split", {"num_or_size_splits": 1}),
    ("cast", {"dtype": "int32"}),
    ("argmax", {"axis": -1}),
    ("softmax", {}),
    ("log_softmax", {}),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("op", "how"), MOVES)
def test_moves_and_rows(op, how, shape):
    if shape[-1] or op not in ("unstack", "argmax"):  # of which there must be some
        same_as_eager(node(op, "x", **how), {"x": empty(*shape)})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("op", ["sum", "mean"])
def test_sums(op, shape):
    for axis in (None, 0, -1):
        with np.errstate(all="ignore"):
            same_as_eager(node(op, "x", axis=axis), {"x": empty(*shape)})


def test_steps_after_an_empty_sum():
    step = node("sum", "x", axis=1, epilogue=AFTER)
    same_as_eager(step, {"x": empty(3, 0, 2), "b": np.ones(2, np.float32)})


@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) == 4])
@pytest.mark.parametrize("op", ["max_pool", "avg_pool"])
def test_pooling(op, shape):
    for pad in (2, "same" if all(shape[1:3]) else 3):
        step = node(op, "x", filter_size=2, strides=2, pad=pad)
        with np.errstate(all="ignore"):
            same_as_eager(step, {"x": empty(*shape)})


@pytest.mark.parametrize("op", ["resize_bilinear", "resize_nearest_neighbor"])
def test_resizing(op):
    for shape in ((0, 4, 5, 3), (1, 4, 5, 0)):
        for size in ((8, 5), (4, 5)):
            same_as_eager(node(op, "x", size=size), {"x": empty(*shape)})


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d"])
def test_convolutions(op):
    arrays = {"x": empty(0, 4, 5, 3), "f": np.ones((3, 3, 3, 1), np.float32)}
    arrays["b"] = np.ones(1, np.float32)
    for strides in (1, 2):
        step = node(op, "x", "f", strides=strides, pad="same", epilogue=AFTER)
        same_as_eager(step, arrays, ("f", "b"))


def test_products():
    bias = np.ones(1, np.float32)
    for a, b in (((0, 3), (3, 4)), ((2, 0), (0, 4)), ((2, 3), (3, 0))):
        arrays = {"a": empty(*a), "f": empty(*b), "b": bias}
        same_as_eager(node("matmul", "a", "f", epilogue=AFTER), arrays)


def test_joined_repeated_and_chosen():
    none, some = empty(2, 0), np.ones((2, 3), np.float32)
    same_as_eager(node("concat", "a", "c", axis=1), {"a": none, "c": some})
    same_as_eager(node("concat", "a", "c", axis=1), {"a": none, "c": none})
    same_as_eager(node("stack", "a", "c"), {"a": none, "c": none})
    same_as_eager(node("tile", "a", reps=(2, 0)), {"a": some})
    same_as_eager(node("pad", "a", paddings=((1, 1), (2, 0))), {"a": none})
    same_as_eager(node("broadcast_to", "a", shape=(4, 2, 0)), {"a": none})
    for constants in ((), ("i",)):
        step, indices = node("gather", "a", "i"), np.zeros(0, np.int32)
        same_as_eager(step, {"a": some, "i": indices}, constants)
    same_as_eager(node("split", "a", num_or_size_splits=(0, 3), axis=1), {"a": some})
    same_as_eager(node("floor_div", "a", "a"), {"a": none})
