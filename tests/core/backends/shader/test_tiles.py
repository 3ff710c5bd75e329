"""Every generator of tiles against NumPy in float64, on sizes that fit and sizes that do not."""

import numpy as np
import pytest

from core.backends.shader.codegen.tiles.averages import mean_tile
from core.backends.shader.codegen.tiles.choices import (
    CANDIDATES,
    FEW_ROWS,
    SEPARABLE,
    TUNED,
    TUNED_SEPARABLE,
    choose,
    choose_separable,
)
from core.backends.shader.codegen.tiles.convolution import (
    Convolution,
    conv2d_tile,
    direct_fits,
    direct_pixels,
    direct_tile,
    gathered_tile,
    narrow_tile,
)
from core.backends.shader.codegen.tiles.depthwise import (
    Depthwise,
    Strip,
    depthwise_input_tile,
    depthwise_tile,
)
from core.backends.shader.codegen.tiles.fused import (
    can_fuse,
    narrow_separable_tile,
    pays,
    separable_tile,
)
from core.backends.shader.codegen.tiles.gradients import depthwise_filter_gradient, filter_gradient
from core.backends.shader.codegen.tiles.matrix import matmul_tile, product_tile
from core.backends.shader.codegen.tiles.tile_source import (
    MOST_GROUPS,
    Choice,
    Product,
    TileLimits,
    TwoStages,
    spread,
    threads,
)
from core.backends.shader.codegen.tiles.transposed import transposed_tile
from core.engine.windows import window
from tests.core.backends.shader.conftest import normal
from tests.core.backends.shader.tile_runs import run
from tests.helpers import release_context, require, skip_or_fail

LIMITS = TileLimits(32768, 1024, 4)


@pytest.fixture(scope="module")
def gl():
    moderngl = require("moderngl")
    try:
        context = moderngl.create_context(standalone=True, backend="egl", require=430)
    except Exception as error:
        skip_or_fail(f"no OpenGL 4.3 here: {error}")
    yield context
    release_context(context)


def assert_sum(found, expected, terms):
    """As near as float32 sums come: each term's rounding is 6e-8, and they add up as a walk does.

    The bound is relative to the whole result and some ten times what such a walk gives.
    """
    assert found.shape == expected.shape
    error = np.linalg.norm(found.astype(np.float64) - expected) / np.linalg.norm(expected)
    assert error <= 1e-7 * (5 + np.sqrt(terms))  # NaN, which nobody wrote, fails too


def matrices(rng, p):
    a = rng.standard_normal((1 if p.shared_a else p.batch, p.rows, p.inner))
    b = rng.standard_normal((1 if p.shared_b else p.batch, p.inner, p.columns))
    a, b = a.astype(np.float32), b.astype(np.float32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    a = a.swapaxes(1, 2) if p.transpose_a else a
    b = b.swapaxes(1, 2) if p.transpose_b else b
    return {"a": a, "b": b}, expected


@pytest.mark.parametrize("transposed", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(
    "sizes",
    [(64, 64, 64), (33, 17, 20), (100, 77, 53), (37, 64, 6), (6, 5, 7), (130, 36, 132), (1, 7, 9)]
    + [(1, 256, 40), (2, 33, 8), (4, 8, 6), (3, 1, 1), (5, 1, 3)],
)
def test_matmul_has_any_size(gl, rng, sizes, transposed):
    rows, inner, columns = sizes
    p = Product(rows, inner, columns, 1, *map(bool, transposed))
    inputs, expected = matrices(rng, p)
    found = run(gl, matmul_tile(p, LIMITS), inputs, expected.size)
    assert_sum(found.reshape(expected.shape), expected, inner)


@pytest.mark.parametrize("shared", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("sizes", [(20, 12, 16), (9, 7, 5), (2, 12, 8)])
def test_matmul_has_batches(gl, rng, sizes, shared):
    rows, inner, columns = sizes
    for transpose in (False, True):
        p = Product(rows, inner, columns, 3, transpose, transpose, *shared)
        inputs, expected = matrices(rng, p)
        found = run(gl, matmul_tile(p, LIMITS), inputs, expected.size)
        assert_sum(found.reshape(expected.shape), expected, inner)


@pytest.mark.parametrize("choice", CANDIDATES, ids=str)
def test_every_candidate_is_right(gl, rng, choice):
    turned = (choice.thread_rows % 4 == 0, True)
    for p in (Product(150, 96, 140), Product(10, 132, 36, 1, *turned), Product(10, 132, 36)):
        if not choice.fits(LIMITS, p):
            continue
        inputs, expected = matrices(rng, p)
        found = run(gl, product_tile(p, choice), inputs, expected.size)
        assert_sum(found.reshape(expected.shape), expected, p.inner)


def patches(x, w):
    """The inputs of each place of the filter: [kh, kw, n, out height, out width, c], float64."""
    (top, bottom), (left, right) = w.padding
    reach = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(*w[1:5], strict=True)]
    more = [max(r - n - a - b, 0) for r, n, (a, b) in zip(reach, w.in_size, w.padding, strict=True)]
    sides = ((0, 0), (top, bottom + more[0]), (left, right + more[1]), (0, 0))
    x = np.pad(x.astype(np.float64), sides)
    taps = [
        [
            x[:, ky : ky + (w.out_size[0] - 1) * w.strides[0] + 1 : w.strides[0]][
                :, :, kx : kx + (w.out_size[1] - 1) * w.strides[1] + 1 : w.strides[1]
            ]
            for kx in np.arange(w.size[1]) * w.dilations[1]
        ]
        for ky in np.arange(w.size[0]) * w.dilations[0]
    ]
    return np.array(taps)


def unpatched(taps, w):
    """The gradient of `patches`."""
    kh, kw, n, oh, ow, c = taps.shape
    high = (oh - 1) * w.strides[0] + (kh - 1) * w.dilations[0] + 1
    wide = (ow - 1) * w.strides[1] + (kw - 1) * w.dilations[1] + 1
    (top, _), (left, _) = w.padding
    whole = np.zeros((n, max(high, top + w.in_size[0]), max(wide, left + w.in_size[1]), c))
    for ky in range(kh):
        for kx in range(kw):
            y, x = ky * w.dilations[0], kx * w.dilations[1]
            rows = slice(y, y + (oh - 1) * w.strides[0] + 1, w.strides[0])
            columns = slice(x, x + (ow - 1) * w.strides[1] + 1, w.strides[1])
            whole[:, rows, columns] += taps[ky, kx]
    return whole[:, top : top + w.in_size[0], left : left + w.in_size[1]]


# batch, height, width, channels, filters, size, strides, padding, dilations
CONVOLUTIONS = [
    (1, 9, 8, 8, 12, 3, 1, "same", 1),
    (2, 7, 9, 8, 6, 3, 2, "same", 1),
    (1, 11, 10, 5, 7, (3, 2), (1, 2), "valid", 1),
    (1, 10, 13, 6, 8, 3, 1, ((2, 1), (0, 3)), 2),
    (2, 15, 14, 3, 16, 3, 2, "same", 1),
    (1, 15, 17, 3, 10, 5, (2, 1), ((1, 2), (3, 0)), 1),
    (1, 12, 12, 1, 5, 4, 1, "same", (1, 2)),
    (1, 16, 12, 4, 8, 2, 2, "valid", 1),
    (1, 6, 7, 8, 4, 1, 2, "same", 1),
    (2, 6, 5, 12, 20, 1, 1, "same", 1),
    (1, 3, 3, 64, 8, 3, 1, "same", 1),
    (1, 8, 8, 4, 4, 4, 2, "same", 1),
    (3, 2, 4, 8, 5, (2, 4), 1, "valid", 1),
    (2, 9, 7, 8, 1, 3, 1, "same", 1),
    (1, 7, 9, 4, 2, (3, 2), (1, 2), ((0, 2), (1, 0)), 1),
]


def convolution(row):
    n, h, w, c, f, size, strides, pad, dilations = row
    v = window((n, h, w, c), size, strides, pad, "NHWC", dilations)
    return Convolution(n, c, f, v)


@pytest.mark.parametrize("row", CONVOLUTIONS, ids=str)
def test_convolutions(gl, rng, row):
    c = convolution(row)
    x = normal(rng, *row[:4])
    w = normal(rng, *c.window.size, c.channels, c.filters)
    expected = np.einsum("yxnhwc,yxcf->nhwf", patches(x, c.window), w.astype(np.float64))
    tiles = [conv2d_tile(c, LIMITS)]
    if not c.window.pointwise:
        tiles += [gathered_tile(c, Choice(16, 16, 2, 1, 2, 8)), gathered_tile(c, CANDIDATES[4])]
    if direct_fits(c, LIMITS):
        tiles.append(direct_tile(c, pixels=3, local_size=64))
    if not c.channels % 4 and c.filters <= 2:
        tiles.append(narrow_tile(c, local_size=64))
    for tile in tiles:
        found = run(gl, tile, {"x": x, "w": w}, expected.size).reshape(expected.shape)
        assert_sum(found, expected, c.taps * c.channels)


@pytest.mark.parametrize("row", CONVOLUTIONS, ids=str)
def test_gradients_of_convolutions(gl, rng, row):
    c = convolution(row)
    w = normal(rng, *c.window.size, c.channels, c.filters)
    dy = normal(rng, c.batch, *c.window.out_size, c.filters)
    taps = np.einsum("nhwf,yxcf->yxnhwc", dy.astype(np.float64), w.astype(np.float64))
    expected = unpatched(taps, c.window)
    tile = transposed_tile(c, LIMITS)
    found = run(gl, tile, {"dy": dy, "w": w}, expected.size).reshape(expected.shape)
    assert_sum(found, expected, c.taps * c.filters)

    x = normal(rng, *row[:4])
    expected = np.einsum("yxnhwc,nhwf->yxcf", patches(x, c.window), dy.astype(np.float64))
    for parts in (1, 3):
        tile = filter_gradient(c, LIMITS, Choice(32, 32, 4, 1, 1, 8), parts)
        assert isinstance(tile, TwoStages) == (parts == 3 and c.pixels > 8)
        found = run(gl, tile, {"x": x, "dy": dy}, expected.size).reshape(expected.shape)
        assert_sum(found, expected, c.pixels)
    tile = filter_gradient(c, LIMITS)
    found = run(gl, tile, {"x": x, "dy": dy}, expected.size).reshape(expected.shape)
    assert_sum(found, expected, c.pixels)


# the multiplier stands where CONVOLUTIONS have filters
DEPTHWISE = [
    (1, 9, 8, 8, 1, 3, 1, "same", 1),
    (2, 9, 7, 12, 1, 3, 2, "same", 1),
    (1, 9, 10, 4, 1, 5, 1, ((1, 2), (3, 0)), 1),
    (1, 9, 10, 8, 1, 3, 1, "same", 2),
    (1, 9, 10, 6, 1, 3, 1, "same", (1, 3)),
    (2, 7, 6, 3, 2, (2, 3), 2, "valid", 1),
    (1, 7, 6, 2, 4, 3, 1, "same", 1),
    (1, 7, 6, 1, 8, 3, (1, 2), "same", 1),
]


@pytest.mark.parametrize("row", DEPTHWISE, ids=str)
def test_depthwise_convolutions_and_gradients(gl, rng, row):
    c = convolution(row)
    d = Depthwise(c.batch, c.channels, c.filters, c.window)
    x, w = normal(rng, *row[:4]), normal(rng, *c.window.size, d.channels, d.multiplier)
    taps, exact = patches(x, d.window), w.astype(np.float64)
    expected = np.einsum("yxnhwc,yxcm->nhwcm", taps, exact)
    for strip in (None, Strip(1, 64), Strip(2, 64), Strip(3, 32)):
        tile = depthwise_tile(d, LIMITS, strip)
        found = run(gl, tile, {"x": x, "w": w}, expected.size).reshape(expected.shape)
        assert_sum(found, expected, c.taps)

    dy = normal(rng, *expected.shape)
    spread_ = np.einsum("nhwcm,yxcm->yxnhwc", dy.astype(np.float64), exact)
    gradient = unpatched(spread_, d.window)
    tile = depthwise_input_tile(d, LIMITS)
    found = run(gl, tile, {"dy": dy, "w": w}, gradient.size).reshape(gradient.shape)
    assert_sum(found, gradient, c.taps * d.multiplier)

    gradient = np.einsum("yxnhwc,nhwcm->yxcm", taps, dy.astype(np.float64))
    for parts in (0, 1, 3):
        tile = depthwise_filter_gradient(d, LIMITS, parts)
        found = run(gl, tile, {"x": x, "dy": dy}, gradient.size).reshape(gradient.shape)
        assert_sum(found, gradient, c.pixels)


@pytest.mark.parametrize("shape", [(1, 49, 64), (2, 10, 36), (3, 5, 7), (1, 1, 3), (1, 300, 1)])
def test_means(gl, rng, shape):
    x = normal(rng, *shape)
    expected = x.astype(np.float64).mean(axis=1)
    found = run(gl, mean_tile(*shape, LIMITS), {"x": x}, expected.size).reshape(expected.shape)
    assert_sum(found, expected, shape[1])


@pytest.mark.parametrize("row", [row for row in DEPTHWISE if not row[3] % 4 and row[4] == 1])
@pytest.mark.parametrize("filters", [16, 6])
def test_depthwise_and_pointwise_in_one(gl, rng, row, filters):
    c = convolution(row)
    d = Depthwise(c.batch, c.channels, 1, c.window)
    x, w = normal(rng, *row[:4]), normal(rng, *c.window.size, c.channels)
    bias, last = normal(rng, c.channels), normal(rng, c.channels, filters)
    between = np.einsum("yxnhwc,yxc->nhwc", patches(x, d.window), w.astype(np.float64))
    expected = np.maximum(between + bias, 0) @ last.astype(np.float64)
    middle = "vec4 middle_4(int c, vec4 v) { return max(v + bias_4(c), 0.0); }\n"
    for choice in (
        None,
        Choice(16, 16, 4, 1, 2, 8),
        Choice(16, 64, 8, 1, 2, 4, 0),
        Choice(5, 32, 5, 1, 4, 4, 0),
        *FEW_ROWS,
    ):
        if choice and not choice.fits(LIMITS, Product(c.pixels, c.channels, filters)):
            continue
        tile = separable_tile(d, filters, LIMITS, choice)
        inputs = {"x": x, "d": w, "w": last, "bias": bias}
        found = run(gl, tile, inputs, expected.size, middle).reshape(expected.shape)
        assert_sum(found, expected, c.channels * c.taps)
    if not filters % 4:
        tile = narrow_separable_tile(c._replace(filters=filters), local_size=64)
        found = run(gl, tile, inputs, expected.size, middle).reshape(expected.shape)
        assert_sum(found, expected, c.channels * c.taps)


def test_many_pixels_of_few_channels_get_a_thread_each(gl):
    """A tile of a product would be mostly padding; one window of a whole image has few rows."""
    wide = convolution((1, 128, 128, 8, 1, 3, 1, "same", 1))
    assert conv2d_tile(wide, LIMITS) == narrow_tile(wide)
    assert conv2d_tile(wide._replace(channels=32), LIMITS) != narrow_tile(
        wide._replace(channels=32)
    )
    separable = wide._replace(filters=8)
    d = Depthwise(1, 8, 1, wide.window)
    assert separable_tile(d, 8, LIMITS) == narrow_separable_tile(separable)
    assert separable_tile(d, 68, LIMITS) != narrow_separable_tile(wide._replace(filters=68))
    whole = convolution((1, 2, 2, 192, 195, 2, 1, "valid", 1))
    assert conv2d_tile(whole, LIMITS) == matmul_tile(whole.product, LIMITS, names=("x", "w"))


def test_a_first_layer_of_many_images_gets_several_pixels_for_a_thread():
    one = convolution((1, 224, 224, 3, 32, 3, 2, "same", 1))
    many = convolution((32, 224, 224, 3, 32, 3, 2, "same", 1))
    large = TileLimits(49152, 1024, 132)
    assert direct_pixels(one, large) == 1 < direct_pixels(many, large)


def test_many_groups_go_into_rows():
    assert spread(MOST_GROUPS)[0] == (MOST_GROUPS, 1, 1)
    (across, rows, one), text = spread(200_001)
    assert across <= MOST_GROUPS and one == 1
    assert 200_001 <= across * rows < 200_001 + rows
    assert f"gl_WorkGroupID.y) * {across}" in text and ">= 200001" in text
    assert threads(1000, 128)[0] == (8, 1, 1)


def test_a_choice_keeps_to_the_limits():
    big = Choice(128, 128, 16, 1, 1, 16)
    p = Product(512, 512, 512)
    assert big.fits(TileLimits(49152, 1024), p) and not big.fits(TileLimits(16384, 1024), p)
    assert not big.fits(TileLimits(49152, 128), p)
    assert not Choice(24, 32, 16, 1, 1, 8).fits(LIMITS, p)


def test_tuned_choices_are_for_large_devices():
    large = TileLimits(49152, 1024, 132)
    for tuned, chosen in ((TUNED, choose), (TUNED_SEPARABLE, choose_separable)):
        for key, choice in tuned.items():
            p = Product(*key)
            assert choice.fits(large, p)
            assert chosen(p, large) == choice
            assert chosen(p, LIMITS).fits(LIMITS, p)
    assert {*TUNED_SEPARABLE.values()} <= {*SEPARABLE, *FEW_ROWS}
    assert {*FEW_ROWS} & {*TUNED_SEPARABLE.values()} == {*FEW_ROWS}


@pytest.mark.parametrize("multiprocessors", [0, 1, 16, 132])
def test_every_product_has_a_tile(multiprocessors):
    for rows, inner, columns in ((5, 3, 1), (7, 4096, 4), (999, 6, 130), (10**6, 8, 8)):
        for turned in (False, True):
            for shared_bytes in (16384, 49152):
                p = Product(rows, inner, columns, 1, turned, turned)
                limits = TileLimits(shared_bytes, 1024, multiprocessors)
                assert choose(p, limits).fits(limits, p)


def test_few_groups_get_small_tiles():
    """A large device wants many groups of a small product, and large tiles of a large one."""
    small, large = Product(70, 512, 512), Product(20_000, 512, 512)
    sizes = [choose(p, TileLimits(49152, 1024, 132)) for p in (small, large)]
    assert sizes[0].rows * sizes[0].columns < sizes[1].rows * sizes[1].columns
    assert sizes[0].splits > sizes[1].splits


def test_small_separable_convolutions_are_fused():
    """MobileNet's blocks at batch 1, not at batch 32; and none whose channels are no vec4s."""
    for size, channels, filters in ((112, 32, 64), (14, 512, 512), (7, 1024, 1024)):
        for batch in (1, 32):
            w = window((batch, size, size, channels), 3, 1, "same", "NHWC")
            assert pays(Depthwise(batch, channels, 1, w), filters) == (batch == 1)
    w = window((1, 8, 8, 6), 3, 1, "same", "NHWC")
    assert not can_fuse(Depthwise(1, 6, 1, w)) and not pays(Depthwise(1, 6, 1, w), 8)
    assert not can_fuse(Depthwise(1, 8, 2, w))
