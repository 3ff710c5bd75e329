"""Rows whose results depend on element types: casts, bits, quantized forms."""

import numpy as np
import pytest

import core
from core.converter.onnx.small_types import decoded
from core.errors import CoreError
from core.graph.node_types.onnx import all_rows
from core.graph.node_types.onnx.short_floats import SHORT_FLOATS, rounded
from core.graph.node_types.onnx.type_table import NUMBERS
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.beside_runtime import run_both
from tests.core.converter.onnx.protos import node
from tests.helpers import require, start_or_skip

rng = np.random.default_rng(49)

#: Types whose codes are few: each is tried.
CODED = [name for name in SHORT_FLOATS if name not in ("float16", "bfloat16", "float8e8m0")]


def codes_of(kind):
    """All positive numbers of a type, in order."""
    values = decoded(np.arange(8, dtype=np.uint8) * 17 if "4e" in kind else codes, kind)
    return np.unique(values[np.isfinite(values) & (values >= 0)])


codes = np.arange(256, dtype=np.uint8)


def test_numbers_of_types_are_those_of_the_standard():
    names = {"float": "float32", "double": "float64"}
    for name, number in require("onnx").TensorProto.DataType.items():
        found = names.get(name.lower(), name.lower())
        assert NUMBERS.get(found, number) == number, name


# Rounding


@pytest.mark.parametrize("kind", CODED)
def test_numbers_of_a_type_stay(kind):
    values = codes_of(kind)
    both = np.concatenate([values, -values])
    assert len(values) >= 8
    assert rounded(core.tensor(both), kind).numpy().tolist() == both.tolist()


@pytest.mark.parametrize("kind", CODED)
def test_halves_become_even(kind):
    values = codes_of(kind)
    low, high = values[:-1], values[1:]
    half = (low + high) / 2
    even = np.where(np.arange(len(low)) % 2 == 0, low, high)
    cases = [(half, even), (np.nextafter(half, high), high), (np.nextafter(half, low), low)]
    for given, wanted in cases:
        assert rounded(core.tensor(given), kind).numpy().tolist() == wanted.tolist()


def test_float16_is_numpys():
    values = rng.normal(size=3000) * 2.0 ** rng.integers(-30, 20, 3000)
    values = np.float32([*values, 0, -0.0, np.inf, -np.inf, np.nan, 65519, 65520, 2**-25, 1e38])
    with np.errstate(over="ignore"):
        wanted = values.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(rounded(core.tensor(values), "float16").numpy(), wanted)


def test_bfloat16_is_the_upper_half_of_float32():
    values = (rng.normal(size=3000) * 2.0 ** rng.integers(-100, 120, 3000)).astype(np.float32)
    values = np.concatenate([values, np.float32([0, np.inf, 3.4e38, -3.4e38, 1 + 2**-8])])
    bits = values.view(np.uint32)
    wanted = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)
    np.testing.assert_array_equal(rounded(core.tensor(values), "bfloat16").numpy(), wanted)


@pytest.mark.parametrize(
    ("kind", "largest", "beyond"),
    [
        ("float8e4m3fn", 448, np.nan),
        ("float8e4m3fnuz", 240, np.nan),
        ("float8e5m2", 57344, np.inf),
        ("float8e5m2fnuz", 57344, np.nan),
    ],
)
def test_numbers_that_are_too_large(kind, largest, beyond):
    given = core.tensor(np.float32([1e6, -1e6, np.inf, np.nan]))
    found = [rounded(given, kind, saturate).numpy() for saturate in (True, False)]
    np.testing.assert_array_equal(found[0], np.float32([largest, -largest, largest, np.nan]))
    np.testing.assert_array_equal(found[1], np.float32([beyond, -beyond, beyond, np.nan]))


def test_scales_are_powers_of_two():
    given = core.tensor(np.float32([1, 1.2, 1.5, 1.7, 3, 0]))
    modes = {mode: rounded(given, "float8e8m0", True, mode).numpy() for mode in ("up", "down")}
    modes["nearest"] = rounded(given, "float8e8m0", True, "nearest").numpy()
    assert modes["up"].tolist() == [1, 2, 2, 2, 4, 2**-127]
    assert modes["down"].tolist() == [1, 1, 1, 1, 2, 2**-127]
    assert modes["nearest"].tolist() == [1, 1, 2, 2, 4, 2**-127]
    with pytest.raises(CoreError, match="round_mode 'odd' must be one of up, down, nearest"):
        rounded(given, "float8e8m0", True, "odd")


def test_gradients_pass_roundings():
    given = core.tensor(np.float32([0.3, -200.0]))
    slope = core.grad(lambda x: core.sum(rounded(x, "float16") * 3.0))(given)
    assert slope.numpy().tolist() == [3, 3]


@pytest.mark.parametrize("kind", ["float16", "float8e4m3fn"])
def test_roundings_on_shader(kind):
    start_or_skip()
    values = np.float32([0, 1, -1.03, 3.14159, 1e-3, 447, 1e5, 2.0**-6])
    here = rounded(core.tensor(values), kind).numpy()
    with core.backend("shader"):
        there = rounded(core.tensor(values), kind).numpy()
    np.testing.assert_array_equal(here, there)


# Casts and bits


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("int8", -56), ("uint8", 200), ("int4", -8), ("uint4", 8), ("uint2", 0), ("int64", 200)],
)
def test_integers_lose_upper_bits(kind, wanted):
    assert all_rows()["Cast"](core.tensor(np.int32([200])), to=NUMBERS[kind]).numpy().tolist() == [
        wanted
    ]


def test_texts_and_numbers():
    texts = core.tensor(np.array([b"1.5", b"-inf", b"1e3"], object))
    assert all_rows()["Cast"](texts, to=1).numpy().tolist() == [1.5, -np.inf, 1000]
    assert all_rows()["Cast"](core.tensor(np.float32([0.25])), to=8).numpy().tolist() == [b"0.25"]


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_shifts_are_numpys(dtype, direction):
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 40, dtype)
    count = np.arange(40).astype(dtype) % 34
    shift = np.left_shift if direction == "LEFT" else np.right_shift
    given = (core.tensor(each.astype(np.int32)) for each in (x, count))
    types = (np.dtype(dtype).name,) * 2
    found = all_rows()["BitShift"](*given, direction=direction, types=types).numpy()
    assert found.tolist() == shift(x, count).tolist()


def test_bits_of_another_type():
    given = core.tensor(np.float32([1.0, -2.5]))
    bits = all_rows()["BitCast"](given, to=6, types=("float32",))
    assert bits.numpy().tolist() == np.float32([1.0, -2.5]).view(np.int32).tolist()
    assert all_rows()["BitCast"](bits, to=1, types=("int32",)).numpy().tolist() == [1, -2.5]
    halves = all_rows()["BitCast"](core.tensor(np.int32([0x3C00])), to=10, types=("uint16",))
    assert halves.numpy().tolist() == [1]


@pytest.mark.parametrize(
    ("to", "kind", "text"),
    [
        (7, "float64", "not of float64"),
        (16, "int16", "not of bfloat16"),
        (3, "float32", "bits of float32 cannot be read as int8, which has another size"),
    ],
)
def test_bits_that_are_not_known(to, kind, text):
    dtype = np.int32 if "int" in kind else np.float32
    with pytest.raises(CoreError, match=text):
        all_rows()["BitCast"](core.tensor(np.ones(2, dtype)), to=to, types=(kind,))


# Quantized forms, to the bit


def integers(kind, *shape):
    """Integers of a type, its ends among them."""
    ends = np.iinfo(kind)
    found = rng.integers(ends.min, ends.max, shape, kind, endpoint=True)
    found.ravel()[:2] = ends.min, ends.max
    return found


def check(pairs):
    """Ours are ONNX Runtime's, to the bit."""
    for ours, theirs in pairs:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int16"])
def test_quantize(kind, tmp_path):
    x = (rng.normal(size=(3, 40)) * 40).astype(np.float32)
    x[0, :8] = np.arange(8) * 0.5  # halves
    feeds = {"x": x, "scale": np.float32([1, 0.7, 0.013]), "zero": integers(kind, 3)}
    nodes = [node("QuantizeLinear", [*feeds], ["y"], axis=0)]
    nodes.append(node("DequantizeLinear", ["y", "scale", "zero"], ["z"], axis=0))
    check(run_both(tmp_path, nodes, feeds, {"y": kind, "z": "float32"}))


def test_quantize_in_blocks(tmp_path):
    feeds = {"x": integers("int8", 4, 6), "scale": np.float32(rng.random((4, 2)) + 0.1)}
    nodes = [node("DequantizeLinear", ["x", "scale"], ["y"], axis=1, block_size=3)]
    check(run_both(tmp_path, nodes, feeds, {"y": "float32"}))


@pytest.mark.parametrize("ends", [(-3, 5), (0.5, 2), (-7, -1), (0, 0)])
def test_dynamic_quantize(ends, tmp_path):
    x = rng.uniform(*ends, (5, 7)).astype(np.float32)
    nodes = [node("DynamicQuantizeLinear", ["x"], ["y", "scale", "zero"])]
    outputs = {"y": "uint8", "scale": "float32", "zero": "uint8"}
    check(run_both(tmp_path, nodes, {"x": x}, outputs))


@pytest.mark.parametrize("kinds", [("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8")])
def test_products_of_integers(kinds, tmp_path):
    feeds = {
        "a": integers(kinds[0], 3, 700),
        "b": integers(kinds[1], 700, 4),
        "a_zero": np.array(3, kinds[0]),
        "b_zero": np.array(5, kinds[1]),
    }
    nodes = [node("MatMulInteger", [*feeds], ["y"])]
    check(run_both(tmp_path, nodes, feeds, {"y": "int32"}))


def test_sums_that_float32_does_not_hold(tmp_path):
    feeds = {"a": np.full((1, 2001), 255, np.uint8), "b": np.full((2001, 1), 127, np.int8)}
    feeds["a"][0, 0] = 254
    nodes = [node("MatMulInteger", ["a", "b"], ["y"])]
    ((ours, theirs),) = run_both(tmp_path, nodes, feeds, {"y": "int32"})
    assert ours.tolist() == theirs.tolist() == [[2001 * 255 * 127 - 127]]
    assert float(np.float32(ours[0, 0])) != ours[0, 0]


@pytest.mark.parametrize("group", [1, 2])
def test_convolution_of_integers(group, tmp_path):
    feeds = {
        "x": integers("uint8", 2, 40, 5, 6),
        "w": integers("uint8", 4, 40 // group, 3, 3),
        "x_zero": np.array(7, np.uint8),
    }
    nodes = [node("ConvInteger", [*feeds], ["y"], pads=[1, 0, 1, 2], group=group)]
    check(run_both(tmp_path, nodes, feeds, {"y": "int32"}))


@pytest.mark.parametrize("kinds", [("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8")])
def test_qlinear_convolution(kinds, tmp_path):
    of_x, of_w = kinds
    feeds = {
        "x": integers(of_x, 1, 6, 7, 5),
        "x_scale": np.array(0.031, np.float32),
        "x_zero": np.array(12, of_x),
        "w": integers(of_w, 4, 6, 3, 3),
        "w_scale": np.float32([0.01, 0.02, 0.004, 0.015]),
        "w_zero": np.full(4, 0 if of_w == "int8" else 119, of_w),
        "y_scale": np.array(0.6, np.float32),
        "y_zero": np.array(30, of_x),
        "bias": rng.integers(-3000, 3000, 4, np.int32),
    }
    nodes = [node("QLinearConv", [*feeds], ["y"], strides=[2, 1], pads=[1, 1, 1, 1])]
    check(run_both(tmp_path, nodes, feeds, {"y": of_x}))


@pytest.mark.parametrize("kinds", [("uint8", "int8"), ("int8", "int8")])
def test_qlinear_matmul(kinds, tmp_path):
    feeds = {
        "a": integers(kinds[0], 2, 3, 60),
        "a_scale": np.array(0.02, np.float32),
        "a_zero": np.array(9, kinds[0]),
        "b": integers(kinds[1], 60, 5),
        "b_scale": np.array(0.011, np.float32),
        "b_zero": np.array(0, kinds[1]),
        "y_scale": np.array(0.7, np.float32),
        "y_zero": np.array(-20 if kinds[0] == "int8" else 100, kinds[0]),
    }
    check(run_both(tmp_path, [node("QLinearMatMul", [*feeds], ["y"])], feeds, {"y": kinds[0]}))


def test_types_that_are_not_quantized(tmp_path):
    nodes = [node("QuantizeLinear", ["x", "scale", "zero"], ["y"])]
    ends = [protos.value("x", (2,)), protos.value("scale", ()), protos.value("zero", (), "int64")]
    data = protos.model(protos.graph(nodes, ends, [protos.value("y", None, "int64")]))
    model = core.load_model(protos.write(tmp_path, data))
    feeds = {"x": np.zeros(2, np.float32), "scale": np.float32(1), "zero": np.int32(0)}
    with pytest.raises(CoreError, match="values of the type int64 are not quantized"):
        model.predict(feeds)
