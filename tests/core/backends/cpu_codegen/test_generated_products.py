"""Generated convolutions and matrix products beside the NumPy tier, over random shapes."""

import numpy as np
import pytest

from core.engine.registry import OPS
from core.engine.specs import Spec
from tests.core.backends.cpu_codegen.one_step import (
    HERE,
    by_kernels,
    by_numpy,
    make_step,
    usable_sets,
)

_USABLE = usable_sets()


@pytest.mark.parametrize("isa", _USABLE, ids=lambda isa: isa.name)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "variable"])
def test_a_convolution_equals_the_numpy_tier(isa, seed, is_constant):
    rng = np.random.default_rng(seed)
    kind = ("conv2d", "depthwise_conv2d")[seed % 2]
    size = rng.integers(1, 6, 2)
    strides, dilations = int(rng.integers(1, 4)), 1
    if strides == 1:
        dilations = int(rng.integers(1, 4))
    height, width = size * dilations + rng.integers(0, 20, 2)
    n, depth, channels = rng.integers(1, 4), rng.integers(1, 70), rng.integers(1, 90)
    pad = ("same", "valid")[int(rng.integers(2))]
    how = {
        "strides": strides,
        "pad": pad,
        "data_format": "NHWC",
        "dilations": dilations,
        "dim_rounding_mode": None,
    }
    x = rng.standard_normal((n, height, width, depth)).astype(np.float32)
    last = channels if kind == "conv2d" else 1
    f = rng.standard_normal((*size, depth, last)).astype(np.float32)
    result = OPS[kind].rule(Spec(x.shape), Spec(f.shape), **how).shape
    bias = rng.standard_normal(result[-1]).astype(np.float32)
    slopes = rng.standard_normal(result[-1]).astype(np.float32)
    other = rng.standard_normal(result).astype(np.float32)
    steps = [("add", (HERE, "b"), {}), ("prelu", (HERE, "p"), {}), ("add", ("z", HERE), {})]
    values, constants = {"x": x, "z": other}, {"f": f, "b": bias, "p": slopes}
    if not is_constant:
        values, constants = values | constants, {}
    program = make_step(kind, values, constants, ("x", "f"), result, how, steps)
    expected = by_numpy(program, values)
    found = by_kernels(program, values, isa)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("isa", _USABLE, ids=lambda isa: isa.name)
@pytest.mark.parametrize("how", ["ab", "Ab", "aB", "AB"])
@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "variable"])
def test_a_product_of_matrices_in_any_order(isa, how, is_constant, rng):
    for _ in range(4):
        pixels, depth, channels = map(int, rng.integers(1, 90, 3))
        a, b = rng.standard_normal((pixels, depth)), rng.standard_normal((depth, channels))
        attributes = {"transpose_a": "A" in how, "transpose_b": "B" in how}
        values = {"a": (a.T if "A" in how else a).astype(np.float32).copy()}
        weights = {"b": (b.T if "B" in how else b).astype(np.float32).copy()}
        bias = {"c": rng.standard_normal(channels).astype(np.float32)}
        given = (
            (values, {**weights, **bias}) if is_constant else ({**values, **weights, **bias}, {})
        )
        steps = [("add", (HERE, "c"), {}), ("relu", (HERE,), {})]
        program = make_step("matmul", *given, ("a", "b"), (pixels, channels), attributes, steps)
        expected = by_numpy(program, given[0])
        found = by_kernels(program, given[0], isa)
        assert np.abs(found - expected).max() <= 1e-5 * max(np.abs(expected).max(), 1.0)
