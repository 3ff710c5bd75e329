"""Generated element-wise steps, reductions and softmax beside the NumPy tier."""

import math

import numpy as np
import pytest

from core.backends.cpu.codegen.ir.formulas import FORMULAS
from core.engine.registry import OPS
from core.engine.specs import Spec
from tests.core.backends.cpu_codegen.one_step import (
    HERE,
    by_kernels,
    by_numpy,
    generated_of,
    make_step,
    usable_sets,
)

on_all = pytest.mark.parametrize("isa", usable_sets(), ids=lambda isa: isa.name)

#: Attributes of ops that have some.
HOW = {
    "clip_by_value": {"clip_value_min": -0.5, "clip_value_max": 1.5},
    "leaky_relu": {"alpha": 0.2},
    "step": {"alpha": 0.25},
    "quantise_round": {"scale": 0.1, "zero_point": 3, "low": -128, "high": 127, "nudge": True},
}


def random_shape(rng, least=1):
    return tuple(int(n) for n in rng.integers(1, 30, int(rng.integers(least, 5))))


def check(program, values, isa, bound=1e-5):
    expected, found = by_numpy(program, values), by_kernels(program, values, isa)
    assert np.abs(found - expected).max() <= bound * max(np.abs(expected).max(), 1e-30)


@on_all
@pytest.mark.parametrize("seed", range(10))
def test_a_chain_with_operands_of_all_kinds(isa, seed):
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name in ("x", "y0", "z")}
    number = np.float32(rng.standard_normal(()))
    channels = rng.standard_normal(shape[-1]).astype(np.float32)
    steps = [
        ("mul", (HERE, "c"), {}),
        ("sub", ("z", HERE), {}),
        ("prelu", (HERE, "c"), {}),
        ("maximum", (HERE, "n"), {}),
        ("sigmoid", (HERE,), {}),
    ]
    constants = {"c": channels, "n": np.array(number)}
    program = make_step("add", arrays, constants, ("x", "y0"), shape, {}, steps)
    check(program, arrays, isa)


@on_all
@pytest.mark.parametrize("shape", [(5, 37), (2, 3, 16), (1, 40, 1, 120), (300, 7)], ids=str)
def test_a_chain_with_operands_for_each_row(isa, shape, rng):
    """As a normalization over the last axis has them."""
    rows = (*shape[:-1], 1)
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name in ("x", "z")}
    arrays["m"] = rng.standard_normal(rows).astype(np.float32)
    arrays["d"] = rng.uniform(0.5, 2, rows).astype(np.float32)
    constants = {"c": rng.standard_normal(shape[-1]).astype(np.float32)}
    steps = [("div", (HERE, "d"), {}), ("mul", (HERE, "c"), {}), ("add", ("z", HERE), {})]
    program = make_step("sub", arrays, constants, ("x", "m"), shape, {}, steps)
    assert generated_of(program, isa).title == "generated element-wise group"
    check(program, arrays, isa)


@on_all
@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_equals_numpys_also_for_special_values(isa, name, rng):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-38, 6.0, 0.5, -0.5, 88.0, -88.0, 1e-6]
    inputs = tuple("xw"[: max(1, len(OPS[name].inputs))])
    if name == "add_n":
        inputs = ("x", "w")
    x = np.concatenate([special, rng.uniform(-8, 8, 500)]).astype(np.float32)
    values = {"x": x}
    if len(inputs) == 2:
        values["w"] = np.concatenate([special[::-1], rng.uniform(-8, 8, 500)]).astype(np.float32)
    program = make_step(name, values, {}, inputs, x.shape, HOW.get(name, {}))
    expected, found = by_numpy(program, values), by_kernels(program, values, isa)
    np.testing.assert_allclose(found, expected, rtol=3e-6, atol=2e-38)


@on_all
def test_exp_and_log_are_precise_over_all_their_range(isa, rng):
    x = np.concatenate([rng.uniform(-86.9, 88.7, 4000), rng.uniform(-1, 1, 4000)])
    values = {"x": x.astype(np.float32)}
    found = by_kernels(make_step("exp", values, {}, ("x",), x.shape), values, isa)
    np.testing.assert_allclose(found, np.exp(values["x"].astype(np.float64)), rtol=3e-7)
    values = {"x": np.exp(x).astype(np.float32)}
    found = by_kernels(make_step("log", values, {}, ("x",), x.shape), values, isa)
    exact = np.log(values["x"].astype(np.float64))
    np.testing.assert_allclose(found, exact, rtol=3e-7, atol=1e-8)


@on_all
def test_erf_is_precise_over_all_its_range(isa, rng):
    x = np.concatenate([np.linspace(-5, 5, 9000), rng.uniform(-1e-3, 1e-3, 999)])
    values = {"x": x.astype(np.float32)}
    found = by_kernels(make_step("erf", values, {}, ("x",), x.shape), values, isa)
    exact = [math.erf(value) for value in values["x"].tolist()]
    np.testing.assert_allclose(found, exact, rtol=1.2e-7, atol=0)


@on_all
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("seed", range(6))
def test_a_reduction_of_adjacent_axes(isa, name, seed):
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    first = int(rng.integers(0, len(shape)))
    axes = tuple(range(first, int(rng.integers(first, len(shape))) + 1))
    how = {"axis": axes, "keep_dims": bool(seed % 2)}
    values = {"x": rng.uniform(0.8, 1.2, shape).astype(np.float32)}
    result = OPS[name].rule(Spec(shape), **how).shape
    steps = [("add", (HERE, "z"), {})] if result else []
    values["z"] = rng.standard_normal(result).astype(np.float32)
    program = make_step(name, values, {}, ("x",), result, how, steps)
    check(program, values, isa)


@on_all
def test_extremes_of_nan_are_nan(isa, rng):
    for shape, axes in (((3, 40), (1,)), ((3, 5, 40), (1,))):
        x = rng.standard_normal(shape).astype(np.float32)
        x[1, 2] = np.nan
        for name in ("max", "min", "sum"):
            how = {"axis": axes, "keep_dims": False}
            result = OPS[name].rule(Spec(shape), **how).shape
            program = make_step(name, {"x": x}, {}, ("x",), result, how)
            expected, found = by_numpy(program, {"x": x}), by_kernels(program, {"x": x}, isa)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@on_all
@pytest.mark.parametrize("shape", [(1, 1001), (7, 3), (2, 5, 16), (1, 1), (40, 33)])
def test_softmax_of_rows(isa, shape, rng):
    values = {"x": (20 * rng.standard_normal(shape)).astype(np.float32)}
    program = make_step("softmax", values, {}, ("x",), shape, {"axis": -1})
    found = by_kernels(program, values, isa)
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(found, by_numpy(program, values), rtol=1e-5, atol=1e-10)
