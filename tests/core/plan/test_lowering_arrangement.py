"""Ops that move values, in plans beside the kernels."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.lowering_rules import NumpyCall, Views
from core.engine.program import HERE
from core.errors import CoreError
from tests.core.plan.harness import MARGIN, call_of, check, expected, lower, node, run

SHAPE = (2, 6, 5, 8)
MOVES = [
    ("slice", {"begin": (0, 1, 2, 3), "size": (2, -1, 3, 4)}),
    ("slice", {"begin": 1, "size": None}),
    ("strided_slice", {"begin": (0, 5, 0, 7), "end": (2, 0, 5, 0), "strides": (1, -2, 2, -1)}),
    ("strided_slice", {"begin": (0, 1), "end": (1, 3), "shrink_axis_mask": 1}),
    (
        "strided_slice",
        {"begin": (0, 0, 2), "end": (0, 0, 3), "ellipsis_mask": 1, "new_axis_mask": 2},
    ),
    ("transpose", {}),
    ("transpose", {"perm": (0, 3, 1, 2)}),
    ("reverse", {"axis": (1, -1)}),
    ("reverse", {}),
    ("tile", {"reps": (1, 2, 3, 1)}),
    ("tile", {"reps": (2, 1, 1, 2)}),
    ("depth_to_space", {"block_size": 2}),
    ("pad", {"paddings": ((0, 0), (1, 2), (2, 0), (0, 0))}),
    ("pad", {"paddings": ((1, 0), (0, 2), (2, 0), (3, 1)), "constant_value": -1.5}),
    ("mirror_pad", {"paddings": ((0, 1), (5, 2), (2, 4), (7, 1)), "mode": "reflect"}),
    ("mirror_pad", {"paddings": ((2, 1), (6, 2), (0, 5), (8, 1)), "mode": "symmetric"}),
    ("mirror_pad", {"paddings": ((0, 0), (1, 1), (1, 1), (0, 0)), "mode": "reflect"}),
    ("broadcast_to", {"shape": SHAPE}),
]


@pytest.mark.parametrize(("op", "how"), MOVES)
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
@pytest.mark.parametrize("given", [{}, {"x": MARGIN, "y": MARGIN}])
def test_moves(op, how, dtype, given, rng):
    x = (rng.normal(size=SHAPE) * 3).astype(dtype)
    if how.get("constant_value") and dtype != "float32":
        how = {**how, "constant_value": 1}
    step = node(op, "x", **how)
    images = len(call_of(step, {"x": x}).result.shape) == 4
    margins = {r: m for r, m in given.items() if r == "x" or images}
    check(step, {"x": x}, margins=margins, exact=True)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("margins", [{}, {"a": MARGIN, "c": MARGIN, "y": MARGIN}])
def test_parts_are_joined(axis, margins, rng):
    shapes = [list(SHAPE) for _ in "abc"]
    shapes[1][axis] = 1
    shapes[2][axis] += 3
    arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in zip("abc", shapes, strict=True)}
    after = [node("relu", HERE)]
    check(node("concat", *"abc", axis=axis, epilogue=after), arrays, margins=margins, exact=True)


@pytest.mark.parametrize("axis", [0, 1, 3, -1])
def test_a_new_axis_and_back(axis, rng):
    arrays = {n: rng.normal(size=(2, 4, 3)).astype(np.float32) for n in "abc"}
    check(node("stack", *"abc", axis=axis), arrays, exact=True)
    x = rng.normal(size=(2, 6, 4, 8)).astype(np.float32)
    check(node("unstack", "x", axis=axis), {"x": x}, margins={"x": MARGIN}, exact=True)
    check(node("split", "x", num_or_size_splits=2, axis=axis), {"x": x}, exact=True)
    check(node("split", "x", num_or_size_splits=(1, -1), axis=axis), {"x": x}, exact=True)


@pytest.mark.parametrize("constants", [(), ("i",)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(constants, axis, rng):
    x = rng.normal(size=SHAPE).astype(np.float32)
    for shape in ((3,), (2, 2), ()):
        indices = np.array(rng.integers(0, SHAPE[axis], shape), np.int32)
        step = node("gather", "x", "i", axis=axis)
        check(step, {"x": x, "i": indices}, constants, {"x": MARGIN}, exact=True)


def test_gathers_without_a_lowering():
    x, i = np.zeros((4, 2), np.float32), np.int32([3, 4])
    batched = node("gather", "x", "i", axis=1, batch_dims=1)
    assert run(batched, {"x": x[:2], "i": i[:, None] - 3}) is None
    call = call_of(node("gather", "x", "i"), {"x": x, "i": i - 1}, ["i"])
    program = call.program._replace(constants={"i": i})
    assert lower(NumpyCall(call.step, program, {})) is None  # which tells that 4 is outside


@pytest.mark.parametrize("constants", [(), ("i",)])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_gather_nd(constants, depth, rng):
    x = rng.normal(size=SHAPE).astype(np.float32)
    indices = rng.integers(0, SHAPE[:depth], (3, 2, depth)).astype(np.int32)
    arrays = {"x": x, "i": indices}
    check(node("gather_nd", "x", "i"), arrays, constants, {"x": MARGIN}, exact=True)


def test_indices_out_of_range_raise():
    arrays = {"x": np.zeros((4, 2), np.float32), "i": np.zeros((3, 1), np.int32)}
    step = node("gather_nd", "x", "i")
    call = call_of(step, arrays)
    bad = np.int32([[0], [4], [1]])
    scratch = [np.empty(s.shape, s.dtype) for s in lower(call).scratch]
    views = Views({**arrays, "i": bad, "y": np.empty((3, 2), np.float32)}, {}, scratch)
    with pytest.raises(CoreError, match=r"indices from 0 to 4 are not all in \[0, 3\]"):
        [work() for work in lower(call).bind(views)]


@pytest.mark.parametrize("after", ["float32", "int32", "bool"])
@pytest.mark.parametrize("before", ["float32", "int32", "bool"])
def test_casts(before, after, rng):
    x = (rng.normal(size=(1, 5, 6, 3)) * 1e5).astype(np.float32)
    x[0, 0, 0] = np.nan, np.inf, -np.inf
    x[0, 1, 0] = 3e9, -3e9, 1e20
    with np.errstate(invalid="ignore"):
        x = x.astype(before)
    margins = {"x": MARGIN, "y": MARGIN}
    check(node("cast", "x", dtype=after), {"x": x}, margins=margins, exact=True)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_floor_div(dtype, rng):
    a, b = (rng.integers(-9, 9, (4, 40)).astype(dtype) for _ in "ab")
    check(node("floor_div", "a", "b"), {"a": a, "b": b}, exact=True)
    check(node("floor_div", "a", "b"), {"a": a, "b": b[:1]}, ("b",), exact=True)


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
@pytest.mark.parametrize("shape", [(7,), (7, 3), (7, 2, 4)], ids=str)
def test_one_row(shape, dtype, rng):
    """Taken or written by an index that is not known before the run."""
    x = rng.integers(0, 2, shape).astype(dtype)
    row = rng.integers(0, 2, (1, *shape[1:])).astype(dtype)
    write = node("tensor_scatter_update", "x", "i", "row")
    for at in (0, 4, 6):
        check(node("gather", "x", "i"), {"x": x, "i": np.int32(at)}, exact=True)
        written = {"x": x, "i": np.int32([[at]]), "row": row}
        assert check(write, written, exact=True).kernel == "row update"
        there = run(write, written, in_place="x")
        np.testing.assert_array_equal(there.results[0], expected(write, written)[0])
    for step, index in ((node("gather", "x", "i"), np.int32(0)), (write, np.int32([[0]]))):
        call = call_of(step, {"x": x, "i": index, "row": row})
        given = {"x": x, "row": row, "y": np.empty(call.result.shape, dtype)}
        for at in (-1, 7):
            views = Views({**given, "i": np.full_like(index, at)}, {})
            with pytest.raises(CoreError, match=rf"the index {at} is not in \[0, 6\]"):
                [work() for work in lower(call).bind(views)]


COMPARED = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@pytest.mark.parametrize("op", [*COMPARED, "logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("given", [{}, {"x": MARGIN, "y": MARGIN}])
def test_comparison(op, given, rng):
    for dtype in ("bool",) if op.startswith("logical") else ("float32", "int32"):
        x = rng.integers(0, 3, SHAPE).astype(dtype)
        for other in (SHAPE, (8,), ()):
            z = rng.integers(0, 3, other).astype(dtype)
            check(node(op, "x", "z"), {"x": x, "z": z}, margins=given, exact=True)


@pytest.mark.parametrize("condition", [SHAPE, (8,), ()], ids=str)
def test_selection(condition, rng):
    for dtype in ("float32", "int32", "bool"):
        arrays = {
            "c": rng.integers(0, 2, condition).astype(bool),
            "x": rng.integers(0, 9, SHAPE).astype(dtype),
            "z": rng.integers(0, 9, SHAPE[1:]).astype(dtype),
        }
        margins = {"x": MARGIN, "y": MARGIN}
        check(node("select", "c", "x", "z"), arrays, margins=margins, exact=True)
