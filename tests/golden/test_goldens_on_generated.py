"""Every staged model on the generated kernels of the cpu backend, within the bounds of NumPy's."""

import numpy as np
import pytest

import core
from core.backends.cpu import tiers
from core.backends.cpu.codegen.ir.instruction_set import host_instruction_set
from tests.core.backends.cpu_codegen.one_step import HERE, by_kernels, by_numpy, make_step
from tests.golden.comparison import assert_near, compare
from tests.golden.staged import cases, id_of, loaded_on
from tests.helpers import require_llvmlite


@pytest.fixture(autouse=True, scope="module")
def _generated():
    """Models that are loaded meanwhile run on generated kernels, and no others do."""
    require_llvmlite()
    with pytest.MonkeyPatch.context() as changes:
        changes.setattr(tiers, "_is_chosen", False)
        core.set_tier(2)
        loaded_on.cache_clear()
        yield
        loaded_on.cache_clear()


@pytest.mark.parametrize("staged, name", [pytest.param(*c, id=id_of(*c)) for c in cases()])
def test_golden_on_generated_kernels(shared, staged, name):
    assert_near(compare(shared / "weights", staged, name))


def test_few_sums_are_rounded_otherwise(rng):
    """Rounded to quanta, sums of 512 products differ from exact ones in few values."""
    pixels, depth, channels = 1600, 512, 250
    scales = np.float32([0.0235, 0.0041, 0.0617])  # of the input, the weights and the result
    x = rng.integers(0, 256, (1, 1, pixels, depth)).astype(np.float32) * scales[0]
    weights = rng.integers(-127, 128, (1, 1, depth, channels)).astype(np.float32) * scales[1]
    rounding = {"scale": float(scales[2]), "zero_point": 128, "low": 0, "high": 255, "nudge": True}
    how = {"strides": 1, "pad": "valid", "data_format": "NHWC", "dilations": 1}
    how["dim_rounding_mode"] = None
    result = (1, 1, pixels, channels)
    epilogue = [("quantise_round", (HERE,), rounding)]
    program = make_step("conv2d", {"x": x}, {"f": weights}, ("x", "f"), result, how, epilogue)
    exact = x[0, 0].astype(np.float64) @ weights[0, 0].astype(np.float64) / scales[2] * (1 + 2**-20)
    quanta = np.clip(np.trunc(exact + np.copysign(0.5, exact)), -128, 127)
    kernels = by_kernels(program, {"x": x}, host_instruction_set())
    for found in (by_numpy(program, {"x": x}), kernels):
        others = np.count_nonzero(np.rint(found[0, 0] / scales[2]) != quanta)
        assert others < 3e-5 * quanta.size
