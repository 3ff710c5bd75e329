"""Generated kernels of integers beside NumPy's, to the bit, over random shapes."""

import numpy as np
import pytest

from core.backends.cpu.codegen.ir.instruction_set import AVX2_VNNI, host_instruction_set
from core.backends.cpu.codegen.kernels.integer_depthwise import IntegerTaps
from core.backends.cpu.codegen.machine_code.cpu_features import host_cpu
from core.engine.program import Program, Step
from core.engine.specs import Spec
from core.engine.windows import window
from core.plan.integer_ops import (
    FROM_BYTES,
    INTEGER_BINARY,
    INTEGER_CONV2D,
    INTEGER_DEPTHWISE,
    INTEGER_RESIZE,
    TO_BYTES,
)
from core.plan.passes.integer_numbers import BINARY, Quanta, fixed_points, positions
from tests.core.backends.cpu_codegen.one_step import by_kernels, by_numpy, usable_sets

#: Where the CPU has sums of products of bytes both are tried: these, and those of int16.
SETS = list(dict.fromkeys((host_instruction_set(), *usable_sets())))
if "avx_vnni" in host_cpu().features:
    SETS.append(AVX2_VNNI)
on_all = pytest.mark.parametrize("isa", SETS, ids=lambda isa: isa.name + "_bytes" * isa.sums_bytes)


def program_of(op, values, constants, how, result):
    """A program of one step, whose result is ``"y"``."""
    specs = {name: Spec(a.shape, str(a.dtype)) for name, a in {**values, **constants}.items()}
    step = Step(op, (*values, *constants), how, (), ("y",))
    return Program((step,), constants, {**specs, "y": result}, tuple(values), ("y",))


def check(program, values, isa):
    np.testing.assert_array_equal(by_kernels(program, values, isa), by_numpy(program, values))


def drawn_bytes(rng, *shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def convolution(rng, kind):
    """A convolution, or depthwise one, of random shape, and its input."""
    size, stride = rng.integers(1, 5, 2), int(rng.integers(1, 4))
    dilation = int(rng.integers(1, 3)) if stride == 1 else 1
    how = {"strides": stride, "pad": ("same", "valid")[rng.integers(2)], "data_format": "NHWC"}
    how |= {"dilations": dilation, "dim_rounding_mode": None}
    height, width = size * dilation + rng.integers(0, 12, 2)
    n, depth, channels = (int(i) for i in (rng.integers(1, 3), *rng.integers(1, 150, 2)))
    x = drawn_bytes(rng, n, int(height), int(width), depth)
    last = (depth, channels) if kind is INTEGER_CONV2D else (depth, 1)
    limits = np.iinfo((np.int8, np.uint8)[rng.integers(2)])
    filter = rng.integers(limits.min, limits.max + 1, (*size, *last)).astype(limits.dtype)
    channels = last[0] * last[1] if kind is INTEGER_DEPTHWISE else channels
    products = filter.size // channels
    ratios = rng.uniform(0.1, 1, channels) * 2 / (products**0.5 * 70)
    multiplier, shift = fixed_points(ratios if rng.integers(2) else ratios[:1], channels)
    bias = rng.integers(-(2**14), 2**14, channels).astype(np.int32)
    zero = int(rng.integers(256))
    low = zero if rng.integers(2) else int(rng.integers(zero + 1))
    how |= {"x_zero": int(rng.integers(256)), "zero_point": zero, "low": low}
    how |= {"filter_zero": int(rng.integers(limits.min, limits.max + 1)) if rng.integers(3) else 0}
    how["high"] = 255 if rng.integers(2) else int(rng.integers(low, 256))
    w = window(x.shape, filter.shape[:2], **{k: how[k] for k in list(how)[:5]})
    constants = {"f": filter, "b": bias, "m": multiplier, "s": shift}
    result = Spec((n, *w.out_size, channels), "uint8")
    return program_of(kind, {"x": x}, constants, how, result), {"x": x}


@on_all
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sweep("whole")
def test_convolutions_are_numpys_to_the_bit(isa, seed):
    rng = np.random.default_rng(seed)
    check(*convolution(rng, (INTEGER_CONV2D, INTEGER_DEPTHWISE)[seed % 2]), isa)


@on_all
def test_rows_of_a_matrix_are_pixels(isa, rng):
    x, filter = drawn_bytes(rng, 3, 70), rng.integers(-127, 128, (1, 1, 70, 90)).astype(np.int8)
    multiplier, shift = fixed_points(np.array([0.9, 1.7, 0.02] * 30), 90)  # also above 1
    how = {"strides": 1, "pad": "valid", "data_format": "NHWC", "dilations": 1}
    how |= {"dim_rounding_mode": None, "x_zero": 7, "filter_zero": 0}
    how |= {"zero_point": 12, "low": 3, "high": 250}
    constants = {"f": filter, "b": np.arange(90, dtype=np.int32), "m": multiplier, "s": shift}
    program = program_of(INTEGER_CONV2D, {"x": x}, constants, how, Spec((3, 90), "uint8"))
    check(program, {"x": x}, isa)


@on_all
@pytest.mark.parametrize("kind", BINARY)
def test_all_pairs_of_bytes(isa, kind):
    a, b = (np.ascontiguousarray(x) for x in np.indices((256, 256)).astype(np.uint8))
    given = Quanta(0.02, 131, 0, 255, 128), Quanta(0.031, 5, 0, 255, 128)
    how = {"kind": kind, "zero_point": 120, "low": 4, "high": 251}
    for scale in (0.047, 0.0001) if kind == "mul" else (0.047,):  # above 1: moved to the left
        numbers = BINARY[kind](*given, Quanta(scale, 120, 4, 251, 0))
        values = {"a": a, "b": b}
        program = program_of(INTEGER_BINARY, values, {"n": numbers}, how, Spec(a.shape, "uint8"))
        check(program, values, isa)


@on_all
@pytest.mark.parametrize("base", [0, 128])
def test_resizing(isa, base, rng):
    x = drawn_bytes(rng, 2, 7, 5, 21)
    tables = {"r": positions(7, 16, False, True), "c": positions(5, 9, True, False)}
    program = program_of(
        INTEGER_RESIZE, {"x": x}, tables, {"base": base}, Spec((2, 16, 9, 21), "uint8")
    )
    check(program, {"x": x}, isa)


@on_all
def test_to_bytes_and_back(isa, rng):
    x = np.concatenate([rng.normal(0, 3, 300), np.arange(-40, 40) / 8]).astype(np.float32)
    how = {"scale": 0.25, "zero_point": 9, "low": 2, "high": 30, "nudge": True}
    check(program_of(TO_BYTES, {"x": x}, {}, how, Spec(x.shape, "uint8")), {"x": x}, isa)
    quanta = drawn_bytes(rng, 301)
    how = {"scale": 0.3, "zero_point": 200}
    check(program_of(FROM_BYTES, {"x": quanta}, {}, how, Spec((301,))), {"x": quanta}, isa)


def test_taps_that_one_byte_does_not_hold_are_two(rng):
    taps = IntegerTaps(5, 4, 1, 2, rows=2, columns=3, stride=1, together=2)
    real = rng.integers(-255, 256, (2, 3, 5)).astype(np.int16)
    packed = taps.packed(real).astype(np.int64)
    assert abs(packed).max() <= 128 and packed.sum() == taps.together * real.sum()
