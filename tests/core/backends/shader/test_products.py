"""Convolutions, products of matrices and pooling: what the cpu backend gives, on both paths."""

import numpy as np
import pytest

import core
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand, all_passes
from core.backends.shader.kernels.contraction import contract
from core.backends.shader.kernels.conv import conv2d
from core.backends.shader.kernels.linear import matmul
from core.engine.registry import KERNELS
from core.engine.specs import Spec
from tests.core.backends.shader.conftest import normal


def on_both(table, drawn):
    """A test of rows by compute shaders; the first ones are drawn, too.

    Those of all rows would take minutes to compile. The tables of all ops are drawn elsewhere.
    """
    rows = [("compute", row) for row in table] + [("fragment", row) for row in table[:drawn]]
    return pytest.mark.parametrize("path, row", rows, ids=str, indirect=["path"])


def check(compute, *arrays):
    """The shader backend gives what cpu gives; of sums, to the rounding of the largest."""
    with core.backend("cpu"):
        expected = compute(*arrays)
    with core.backend("shader"):
        found = compute(*arrays)
    several = isinstance(expected, tuple)
    pairs = zip(found, expected, strict=True) if several else [(found, expected)]
    for one, other in pairs:
        assert one.shape == other.shape and one.dtype == other.dtype
        one, other = one.numpy(), other.numpy()
        if one.dtype.kind != "f" or not one.size:
            np.testing.assert_array_equal(one, other)
            continue
        largest = np.abs(other[np.isfinite(other)]).max(initial=1.0)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-6 * largest)


# x, filter, attributes: above and below what a tile is for
CONVOLUTIONS = [
    ((2, 5, 4, 3), (2, 3, 3, 2), {"pad": "same"}),
    ((1, 7, 9, 5), (3, 2, 5, 7), {"strides": (3, 4)}),
    ((2, 3, 6, 5), (3, 3, 3, 4), {"data_format": "NCHW", "pad": "same", "dilations": 2}),
    ((0, 5, 5, 3), (3, 3, 3, 4), {}),
    ((2, 5, 5, 0), (3, 3, 0, 4), {}),
    ((1, 1, 1, 1), (1, 1, 1, 1), {}),
    ((1, 9, 8, 2), (3, 3, 2, 3), {"dilations": (2, 3), "pad": "same"}),
    ((1, 5, 6, 3), (2, 2, 3, 4), {"pad": ((1, 0), (0, 2)), "strides": 2}),
    ((1, 6, 5, 8), (1, 1, 8, 12), {}),
    ((2, 16, 15, 12), (3, 3, 12, 16), {"pad": "same", "strides": 2}),
    ((2, 14, 13, 9), (3, 3, 9, 11), {"pad": "same", "dilations": 2}),
    ((1, 30, 33, 3), (5, 5, 3, 16), {"pad": "same", "strides": 2}),
    ((1, 15, 15, 66), (1, 1, 66, 34), {}),
    ((1, 17, 19, 8), (2, 2, 8, 6), {"strides": 3, "pad": 1, "dim_rounding_mode": "ceil"}),
    ((2, 8, 12, 11), (3, 3, 8, 10), {"data_format": "NCHW", "pad": 1}),
    ((1, 64, 64, 32), (3, 3, 32, 8), {"pad": "same"}),
]


@on_both(CONVOLUTIONS, drawn=5)
def test_convolutions_and_their_gradients(path, rng, row):
    check_convolution(rng, "conv2d", *row)


# the last axis of a filter is the multiplier
DEPTHWISE = [
    ((2, 5, 4, 3), (2, 3, 3, 2), {"pad": "same"}),
    ((0, 5, 5, 3), (3, 3, 3, 1), {}),
    ((1, 7, 9, 5), (3, 2, 5, 1), {"strides": (3, 4)}),
    ((2, 3, 6, 5), (3, 3, 3, 2), {"data_format": "NCHW", "pad": "same"}),
    ((2, 20, 21, 16), (3, 3, 16, 1), {"pad": "same", "strides": 2}),
    ((1, 20, 21, 15), (3, 3, 15, 1), {"pad": "same", "dilations": (1, 3)}),
    ((1, 20, 21, 6), (3, 5, 6, 4), {"pad": ((0, 2), (1, 3))}),
    ((1, 30, 31, 3), (10, 11, 3, 2), {"pad": "same"}),
    ((1, 64, 64, 32), (3, 3, 32, 1), {"pad": "same"}),
]


@on_both(DEPTHWISE, drawn=2)
def test_depthwise_convolutions_and_their_gradients(path, rng, row):
    check_convolution(rng, "depthwise_conv2d", *row)


def check_convolution(rng, name, x_shape, filter_shape, how):
    convolve = getattr(core, name)
    to_x = getattr(core, f"{name}_backprop_input")
    to_filter = getattr(core, f"{name}_backprop_filter")
    x, filter = normal(rng, *x_shape), normal(rng, *filter_shape)
    with core.backend("cpu"):
        dy = normal(rng, *convolve(x, filter, **how).shape)
    check(lambda x, f: convolve(x, f, **how), x, filter)
    check(lambda dy, f: to_x(dy, f, input_shape=x_shape, **how), dy, filter)
    check(lambda x, dy: to_filter(x, dy, filter_shape=filter_shape, **how), x, dy)


@pytest.mark.parametrize("path", ["compute"], indirect=True)
def test_integer_products(path, rng):
    x = rng.integers(-9, 9, (2, 12, 13, 5)).astype(np.int32)
    filter = rng.integers(-9, 9, (3, 3, 5, 16)).astype(np.int32)
    check(lambda x, f: core.conv2d(x, f, pad="same"), x, filter)
    check(lambda x, f: core.depthwise_conv2d(x, f, strides=2), x, filter)
    a = rng.integers(-99, 99, (40, 50)).astype(np.int32)
    check(lambda a: core.matmul(a, a, transpose_b=True), a)


# a and b as they are multiplied, and which of them is given transposed
MATRICES = [
    ((2, 3), (3, 4), ""),
    ((2, 1, 2, 3), (1, 5, 3, 4), "a"),
    ((3, 20, 30), (30, 40), "b"),
    ((2, 0), (0, 3), ""),
    ((0, 2), (2, 3), "ab"),
    ((1, 300), (300, 40), ""),
    ((65, 70), (70, 33), "ab"),
    ((100, 80), (80, 1), ""),
    ((100, 80), (80, 1), "a"),
    ((5, 100, 80), (5, 80, 1), "b"),
    ((3, 20, 30), (3, 30, 40), "b"),
    ((3, 20, 30), (30, 40), ""),
    ((3, 20, 30), (30, 40), "a"),
    ((3, 20, 30), (1, 30, 40), "ab"),
    ((20, 30), (3, 30, 40), "a"),
    ((3, 1, 20, 30), (4, 30, 9), "b"),
    ((2, 1, 1, 99), (5, 99, 1), ""),
]


@on_both(MATRICES, drawn=5)
def test_products_of_matrices(path, rng, row):
    a_shape, b_shape, turned = row
    a, b = normal(rng, *a_shape), normal(rng, *b_shape)
    a = a.swapaxes(-1, -2).copy() if "a" in turned else a
    b = b.swapaxes(-1, -2).copy() if "b" in turned else b
    how = {"transpose_a": "a" in turned, "transpose_b": "b" in turned}
    check(lambda a, b: core.matmul(a, b, **how), a, b)


EQUATIONS = [
    ("ij,jk->ki", (33, 44), (44, 55)),
    ("...ij,...jk->...ik", (5, 1, 30, 20), (3, 20, 10)),
    ("iij,jkl->ik", (20, 20, 30), (30, 25, 4)),
    ("ij->j", (3000, 3)),
    ("ij,jk->ik", (3, 0), (0, 5)),
    ("bqhd,bkhd->bhqk", (2, 20, 3, 16), (2, 21, 3, 16)),
    ("bhqk,bkhd->bqhd", (2, 3, 20, 21), (2, 21, 3, 16)),
    ("ijk,kjl->li", (20, 8, 9), (9, 8, 30)),
    ("ij,ij->", (90, 80), (90, 80)),
    ("i,j->ij", (300,), (200,)),
    ("ij,kj->", (70, 66), (2, 66)),
    ("a,ab,bc,cd->d", (9,), (9, 20), (20, 80), (80, 7)),
    ("a,a,a->a", (9,), (9,), (9,)),
    ("ij->", (80, 70)),
    ("iji->j", (5, 6, 5)),
    ("...,...->...", (), (2, 3)),
]


@on_both(EQUATIONS, drawn=5)
def test_sums_of_products(path, rng, row):
    equation, *shapes = row
    check(lambda *arrays: core.einsum(equation, *arrays), *(normal(rng, *s) for s in shapes))


def test_more_factors_than_a_pass_reads(path, rng):
    equation = f"{','.join(['i'] * 17)}->i"
    check(lambda *arrays: core.einsum(equation, *arrays), *(1 + normal(rng, 17, 3) / 9))


AFTER = [
    ("NCHW", "prelu"),
    ("NHWC", "elu"),
    *(("NHWC", name) for name in ("linear", "relu", "relu6", "sigmoid", "leakyrelu", "prelu")),
    ("NCHW", "relu"),
]


@on_both(AFTER, drawn=2)
def test_epilogues_of_products(path, rng, row):
    data_format, activation = row
    x, filter = normal(rng, 2, 6, 6, 6), normal(rng, 3, 3, 6, 12)
    bias, slopes = normal(rng, 12), normal(rng, 12)
    how = {"activation": activation, "leakyrelu_alpha": 0.3}
    images_how = {**how, "data_format": data_format, "pad": "same"}
    check(lambda *given: core.fused_conv2d(*given, **images_how), x, filter, bias, slopes)
    filter = normal(rng, 3, 3, 6, 2)
    check(lambda *given: core.fused_depthwise_conv2d(*given, **images_how), x, filter, bias, slopes)
    a, b = normal(rng, 7, 30), normal(rng, 30, 12)
    check(lambda *given: core.fused_matmul(*given, **how), a, b, bias, slopes)


def test_an_activation_keeps_nan(path):
    x, one = np.array([[np.nan], [-1.0], [7.0]], np.float32), np.ones((1, 1), np.float32)
    for activation in ("relu", "relu6", "elu", "sigmoid", "leakyrelu"):
        check(lambda x, y, a=activation: core.fused_matmul(x, y, activation=a), x, one)


POOLS = [
    (5, {"filter_size": (3, 2), "strides": (1, 2), "pad": "same"}),
    (3, {"filter_size": 2, "strides": 3, "pad": ((1, 0), (0, 2))}),
    (3, {"filter_size": 3, "strides": 2, "pad": 2, "dim_rounding_mode": "ceil"}),
    (64, {"filter_size": 2, "strides": 2, "pad": "valid"}),
    (1, {"filter_size": 1, "strides": 1, "pad": 1}),
    (1, {"filter_size": 1, "strides": 1, "pad": "same"}),
    (64, {"filter_size": (11, 13), "strides": 1, "pad": "valid"}),
]


@on_both(POOLS, drawn=1)
def test_pooling_and_its_gradients(path, rng, row):
    channels, how = row
    x = normal(rng, 2, 11, 13, channels)
    x[0, 3, 3:5] = x[1, 5, 5]  # the first of equal ones wins
    with core.backend("cpu"):
        y = core.max_pool(x, **how).numpy()
    dy = normal(rng, *y.shape)
    check(lambda x: core.avg_pool(x, **how), x)
    check(lambda x: core.max_pool(x, **how), x)
    check(lambda dy, x: core.avg_pool_grad(dy, x, **how), dy, x)
    check(lambda dy, x, y: core.max_pool_grad(dy, x, y, **how), dy, x, y)
    if "dim_rounding_mode" not in how:
        check(lambda x: core.max_pool_with_argmax(x, **how), x)
        check(lambda x: core.max_pool_with_argmax(x, include_batch_in_index=True, **how), x)


ANY = [(kind, dtype) for dtype in ("int32", "float32", "bool") for kind in ("max", "avg")]


@on_both(ANY, drawn=1)
def test_pooling_of_any_dtype_at_distances(path, rng, row):
    kind, dtype = row
    x = (rng.integers(-3, 2, (2, 7, 8, 3)) - 1).astype(dtype)
    for how in ({"dilations": 2, "pad": "same"}, {"strides": 2, "pad": 1}, {"pad": "valid"}):
        check(lambda x, how=how: core.pool(x, 2, kind, **how), x)


def test_max_pool_ignores_nan(path):
    x = np.full((1, 4, 4, 1), np.nan, np.float32)
    x[0, 0, 1], x[0, 2, 2] = -3.0, -np.inf
    for size in (1, 2):
        check(lambda x, size=size: core.max_pool(x, size, size, "valid"), x)
        check(lambda x, size=size: core.max_pool_with_argmax(x, size, size, "valid"), x)
    check(lambda x: core.pool(x, 2, "max", "same", dilations=2), x)


# --- what runs -----------------------------------------------------------------------------------


def operands(*shapes, dtype="float32"):
    return [Operand(i, Spec(shape, dtype)) for i, shape in enumerate(shapes)]


def test_a_tile_is_for_much_work_in_floats():
    how = {"strides": 1, "pad": "same", "data_format": "NHWC"}
    large, filter = operands((1, 32, 32, 8), (3, 3, 8, 8))
    to = Spec((1, 32, 32, 8))
    assert conv2d(KernelBuilder(to), large, filter, **how).kind == "tile"
    assert conv2d(KernelBuilder(to, has_tiles=False), large, filter, **how).kind == "draw"
    whole = operands(large.shape, filter.shape, dtype="int32")
    assert conv2d(KernelBuilder(Spec(to.shape, "int32")), *whole, **how).kind == "map"
    assert (
        conv2d(KernelBuilder(Spec(to.shape, "int32"), has_tiles=False), *whole, **how).kind == "map"
    )
    small, filter = operands((1, 3, 3, 2), (3, 3, 2, 2))
    for has_tiles in (True, False):
        call = KernelBuilder(Spec((1, 3, 3, 2)), has_tiles=has_tiles)
        assert conv2d(call, small, filter, **how).kind == "map"


def test_one_text_serves_all_shapes():
    def text(size):
        how = {"strides": size % 2 + 1, "pad": "same", "data_format": "NHWC"}
        x, filter = operands((1, size, size, 2), (size, 1, 2, 3))
        n = -(-size // how["strides"])
        return conv2d(KernelBuilder(Spec((1, n, n, 3))), x, filter, **how).text

    assert text(3) == text(4)


def test_a_long_sum_has_parts():
    how = {"strides": 1, "pad": "valid", "data_format": "NHWC"}
    x, dy = operands((3, 40, 40, 2), (3, 38, 38, 2))
    call = KernelBuilder(Spec((3, 3, 2, 2)), has_tiles=False)
    kernel = KERNELS["conv2d_backprop_filter", "shader"]
    made = kernel(call, x, dy, filter_shape=(3, 3, 2, 2), **how)
    (parts,) = made.inputs.values()
    assert parts.shape[0] == 64
    for dtype, (kind, shape) in {
        "int32": ("map", (256, 3)),
        "float32": ("draw", (3 * 157, 4)),  # 3 rows in parts of 8 texels
    }.items():
        call = KernelBuilder(Spec((3,), dtype), has_tiles=False)
        made = contract(call, operands((5000,), (5000, 3), dtype=dtype), equation="i,ij->j")
        assert (kind, shape) in [(each.kind, each.shape) for each in all_passes((made,))]


def test_a_contraction_that_is_a_product_moves_nothing():
    a, b = operands((2, 64, 32), (2, 48, 32))
    made = contract(KernelBuilder(Spec((2, 64, 48))), [a, b], equation="bij,bkj->bik")
    assert made.kind == "tile" and {type(s) for s in made.inputs.values()} == {Operand}
    turned = contract(KernelBuilder(Spec((2, 48, 64))), [a, b], equation="bij,bkj->bki")
    assert turned.kind == "tile" and {type(s) for s in turned.inputs.values()} == {Operand}


def test_one_matrix_for_a_batch_is_one_product():
    a, b = operands((3, 20, 30), (30, 40))
    how = {"transpose_a": False, "transpose_b": False}
    made = matmul(KernelBuilder(Spec((3, 20, 40))), a, b, **how)
    alone = matmul(KernelBuilder(Spec((60, 40))), *operands((60, 30), (30, 40)), **how)
    assert made.text == alone.text
