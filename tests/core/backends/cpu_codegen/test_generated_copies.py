"""Generated copies beside the NumPy tier: every bit must agree."""

import numpy as np
import pytest

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from tests.core.backends.cpu_codegen.one_step import (
    HERE,
    all_by_kernels,
    by_kernels,
    by_numpy,
    generated_of,
    infer_step,
    make_step,
    usable_sets,
)

_SETS = pytest.mark.parametrize("isa", usable_sets(), ids=lambda isa: isa.name)

_SLICE = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0,
          "shrink_axis_mask": 0}  # fmt: skip

#: Op, shapes of inputs, attributes.
_CASES = {
    "pad": ("pad", [(2, 5, 7, 19)], {"paddings": ((0, 0), (1, 2), (3, 0), (0, 5)),
                                     "constant_value": 3}),
    "pad channels": ("pad", [(1, 32, 32, 48)], {"paddings": ((0, 0),) * 3 + ((0, 16),),
                                                "constant_value": 0}),
    "reflect": ("mirror_pad", [(5, 7, 19)], {"paddings": ((1, 2), (3, 0), (4, 4)),
                                             "mode": "reflect"}),
    "symmetric": ("mirror_pad", [(4, 33, 3)], {"paddings": ((4, 0), (2, 2), (0, 0)),
                                               "mode": "symmetric"}),
    "reflected images": ("mirror_pad", [(2, 9, 11, 3)],
                         {"paddings": ((0, 0), (2, 1), (3, 3), (0, 0)), "mode": "reflect"}),
    "slice": ("slice", [(7, 9, 21)], {"begin": (1, 2, 3), "size": (4, -1, 17)}),
    "strided": ("strided_slice", [(9, 40, 6)], {"begin": (1, 38, 0), "end": (8, 0, 6),
                                                "strides": (2, -3, 1), **_SLICE}),
    "strided last": ("strided_slice", [(5, 77)], {"begin": (0, 76), "end": (5, 0),
                                                  "strides": (1, -2), **_SLICE}),
    "shrunk": ("strided_slice", [(5, 6, 7)], {"begin": (0, 2, 0), "end": (5, 3, 7), "strides":
               None, **_SLICE, "shrink_axis_mask": 2}),
    "concat": ("concat", [(2, 5, 6, 19), (2, 5, 6, 1), (2, 5, 6, 64)], {"axis": 3}),
    "concat rows": ("concat", [(2, 9, 700), (2, 4, 700)], {"axis": 1}),
    "stack": ("stack", [(5, 37)] * 3, {"axis": 1}),
    "stack last": ("stack", [(5, 37)] * 2, {"axis": -1}),
    "split": ("split", [(3, 7, 20)], {"num_or_size_splits": (3, -1, 9), "axis": 2}),
    "unstack": ("unstack", [(6, 3, 20)], {"axis": 1}),
    "unstack last": ("unstack", [(6, 20, 3)], {"axis": 2}),
    "tile": ("tile", [(3, 5, 7)], {"reps": (2, 1, 3)}),
    "tile single": ("tile", [(9, 1)], {"reps": (2, 45)}),
    "transpose": ("transpose", [(67, 45)], {"perm": (1, 0), "conjugate": False}),
    "all axes": ("transpose", [(3, 4, 5, 9)], {"perm": None, "conjugate": False}),
    "channels first": ("transpose", [(2, 11, 13, 3)], {"perm": (0, 3, 1, 2), "conjugate": False}),
    "channels last": ("transpose", [(2, 40, 17, 19)], {"perm": (0, 2, 3, 1), "conjugate": False}),
    "swapped rows": ("transpose", [(6, 7, 33)], {"perm": (1, 0, 2), "conjugate": False}),
    "reverse": ("reverse", [(4, 5, 37)], {"axis": (0, 2)}),
    "broadcast": ("broadcast_to", [(5, 1, 7)], {"shape": (3, 5, 40, 7), "input_shape": None}),
    "depth": ("depth_to_space", [(2, 5, 7, 12)], {"block_size": 2, "data_format": "NHWC"}),
    "long": ("slice", [(70000,)], {"begin": (5,), "size": (69991,)}),
}  # fmt: skip


@_SETS
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("case", _CASES)
def test_values_are_moved_bit_for_bit(isa, dtype, case):
    op, shapes, how = _CASES[case]
    rng = np.random.default_rng(len(case))
    values = {}
    for i, shape in enumerate(shapes):
        bits = rng.integers(-(2**31), 2**31, shape, np.int32)
        bits.ravel()[0] = 0x7F800123 if i else 0x7FA00001  # signalling NaN, with a payload
        values[f"x{i}"] = bits.view(dtype)
    program = infer_step(op, values, tuple(values), how)
    found = all_by_kernels(program, values, isa)
    expected = CpuExecutable(program).run([*values.values()])
    for y, right in zip(found, expected, strict=True):
        assert np.array_equal(y.view(np.int32), right.view(np.int32))


@_SETS
@pytest.mark.parametrize("case", [c for c in _CASES if "split" not in c and "unst" not in c])
def test_an_epilogue_follows_copies(isa, case):
    op, shapes, how = _CASES[case]
    rng = np.random.default_rng(2)
    values = {f"x{i}": rng.standard_normal(s).astype(np.float32) for i, s in enumerate(shapes)}
    result = infer_step(op, values, tuple(values), how).specs["y"].shape
    more = {"b": rng.standard_normal(result[-1]).astype(np.float32),
            "z": rng.standard_normal(result).astype(np.float32)}  # fmt: skip
    steps = [("mul", (HERE, "b"), {}), ("add", ("z", HERE), {}), ("relu", (HERE,), {})]
    program = make_step(op, {**values, **more}, {}, tuple(values), result, how, steps)
    given = {**values, **more}
    assert np.array_equal(by_kernels(program, given, isa), by_numpy(program, given))


def test_large_copies_are_cut_into_tasks():
    values = {name: np.ones((1, 300, 300, 8), np.float32) for name in "ab"}
    program = infer_step("concat", values, ("a", "b"), {"axis": 1})
    ((kernel, _),) = generated_of(program, usable_sets()[0]).kernels
    assert kernel.tasks > 1


def test_values_of_other_sizes_are_declined():
    values = {"a": np.zeros((4, 5), bool)}
    program = infer_step("transpose", values, ("a",), {"perm": None, "conjugate": False})
    assert generated_of(program, usable_sets()[0]) is None
