"""Reductions beyond the cases of ops: long ones in stages and by groups, on both paths."""

import numpy as np
import pytest

import core
from core.backends.shader.codegen.kernel_language import KernelBuilder, Operand, all_passes
from core.backends.shader.codegen.reductions import Groups, grouped, reduced
from core.engine.registry import OPS
from core.engine.specs import Spec

#: Shape, axes, and what runs: maps of each value by itself, or tiles, which are groups of threads.
WAYS = [
    ((3, 5), (1,), ["map"]),
    ((7, 1000), (1,), ["tile"]),
    ((5, 300, 3), (1,), ["tile"]),
    ((2, 7, 7, 40), (1, 2), ["map"]),
    ((2, 9, 40), (1,), ["map"]),
    ((40, 3, 50), (0, 2), ["map", "map"]),
    ((3, 20000), (1,), ["map", "tile"]),
    ((20000, 3), (0,), ["map", "tile"]),
    ((3000, 20), (0,), ["tile"]),
    ((2, 300, 5, 70), (1, 3), ["map", "tile"]),
    ((70000, 2), (1,), ["map"]),
]


def kinds(shape, axes, name, dtype="float32", has_tiles=True):
    """Of the passes of a reduction."""
    kept = tuple(n for i, n in enumerate(shape) if i not in axes)
    call = KernelBuilder(Spec(kept, dtype), has_tiles=has_tiles)
    made = reduced(call, Operand(0, Spec(shape, dtype)), axes, name)
    return [each.kind for each in all_passes((made,))]


def test_axes_that_go_together_become_one():
    assert grouped((2, 1, 3, 4, 5), (2, 3)) == Groups((2, 12, 5), (False, True, False))
    assert grouped((2, 3, 1), (0, 1)) == Groups((6,), (True,))
    assert grouped((1, 1), (0,)) == Groups((), ())


@pytest.mark.parametrize("shape, axes, expected", WAYS)
def test_paths_of_reductions(shape, axes, expected):
    assert kinds(shape, axes, "sum") == expected
    assert set(kinds(shape, axes, "sum", has_tiles=False)) == {"map"}
    assert set(kinds(shape, axes, "sum", "int32")) == {"map"}


def test_long_reductions_of_few_results_take_more_groups_and_threads():
    def tile_of(count, inner):
        call = KernelBuilder(Spec((inner,)))
        return reduced(call, Operand(0, Spec((count, inner))), (0,), "sum").tile

    assert tile_of(100, 64)[1:] == (256, (2, 1, 1))
    assert tile_of(500, 64)[1:] == (512, (2, 1, 1))
    assert tile_of(12_544, 64)[1:] == (1024, (8, 1, 1))


def test_neither_passes_nor_texts_grow_with_the_values():
    for has_tiles, most in ((True, 2), (False, 3)):
        texts = []
        for count in (200_000, 2_000_000):
            call = KernelBuilder(Spec(()), has_tiles=has_tiles)
            made = reduced(call, Operand(0, Spec((count,))), (0,), "sum")
            passes = [*all_passes((made,))]
            assert len(passes) <= most
            texts.append(passes[0].text)
        assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_floats_are_those_of_the_cpu(name, path, rng):
    for shape, axes, _ in WAYS:
        if kinds(shape, axes, name) != kinds(shape, axes, "sum"):
            continue  # a mean with a tile of its own: see below
        x = rng.uniform(-1, 1, shape).astype(np.float32)
        x = np.sign(x) * np.exp(x * 0.01).astype(np.float32) if name == "prod" else x
        with core.backend("cpu"):
            expected = OPS[name](x, axis=axes).numpy()
        # Both round the same number, but where it lies between two floats as good.
        np.testing.assert_allclose(OPS[name](x, axis=axes).numpy(), expected, rtol=1.2e-7)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_integers_equal_the_cpu(name, path, rng):
    for shape, axes in [((9, 4), (0,)), ((4, 20000), (1,)), ((400, 3, 50), (0, 2))]:
        x = rng.integers(-(2**31), 2**31, shape).astype(np.int32) | 1
        with core.backend("cpu"):
            expected = OPS[name](x, axis=axes).numpy()
        np.testing.assert_array_equal(OPS[name](x, axis=axes).numpy(), expected)


def test_bools_in_stages(path):
    x = np.zeros((3, 30000), bool)
    x[1, 17], x[2] = True, True
    np.testing.assert_array_equal(core.any(x, 1).numpy(), [False, True, True])
    np.testing.assert_array_equal(core.all(x, 1).numpy(), [False, False, True])


@pytest.mark.parametrize("shape, axis", [((5, 700), 1), ((5, 700, 2), 1), ((3, 20000), 1)])
def test_nan_propagates(shape, axis, path):
    x = np.ones(shape, np.float32)
    x[0, 650], x[1, 3] = np.nan, np.inf
    for name in ("sum", "mean", "max"):
        found = OPS[name](x, axis=axis).numpy().reshape(shape[0], -1)[:, 0]
        assert np.isnan(found[0]) and found[1] == np.inf and np.isfinite(found[2:]).all()
    assert np.isnan(core.min(x, axis).numpy()[0]).all()


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_partial_sums_may_overflow(name, path, rng):
    """As in float64; where one does, those beside it stay as they are."""
    ways = [*WAYS, ((2, 7, 7, 42), (1, 2), []), ((2, 2000, 40), (1,), []), ((70000,), (0,), [])]
    for shape, axes, _ in ways:
        kept = np.ones([1 if a in axes else n for a, n in enumerate(shape)], np.float32)
        last = kept.reshape(-1)[-1:]
        last[:] = 1e-30
        signs = np.resize([1, 1, -1, -1], [n if a in axes else 1 for a, n in enumerate(shape)])
        for x in (3e38 * signs * kept, rng.uniform(-1, 1, shape) * 3e38, 3e38 * kept + 0 * signs):
            x = x.astype(np.float32)
            with core.backend("cpu"), np.errstate(over="ignore"):
                expected = OPS[name](x, axis=axes).numpy()
            found = OPS[name](x, axis=axes).numpy()
            size = OPS[name](np.abs(x) * np.float32(1e-6), axis=axes).numpy()
            with np.errstate(invalid="ignore"):
                is_near = (found == expected) | (np.abs(found * 1.0 - expected) <= size)
            assert is_near.all(), (shape, axes)


def test_a_million_values_are_summed_to_the_last_bit(path, rng):
    x = rng.normal(size=1_000_003).astype(np.float32)
    exact = x.astype(np.float64).sum()
    assert core.sum(x).item() == np.float32(exact)
    assert core.mean(x).item() == np.float32(exact / x.size)


def test_complex_numbers_in_stages(path, rng):
    x = (rng.normal(size=30000) + 1j * rng.normal(size=30000)).astype(np.complex64)
    np.testing.assert_allclose(core.sum(x).numpy(), x.astype(np.complex128).sum(), rtol=1e-6)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("shape, axis", [((4, 9), 1), ((4, 5000), 1), ((5000, 3), 0)])
def test_the_first_of_the_best_wins(name, shape, axis, path, rng):
    x = rng.integers(-3, 3, shape).astype(np.float32)
    x[rng.uniform(size=shape) < 0.3] = np.nan
    for values in (x, np.nan_to_num(x).astype(np.int32), np.nan_to_num(x) > 0, x * np.nan):
        with core.backend("cpu"):
            expected = OPS[name](values, axis=axis).numpy()
        np.testing.assert_array_equal(OPS[name](values, axis=axis).numpy(), expected)


def test_the_mean_before_a_classifier_has_a_tile(path, rng):
    """It adds floats, which is as near as the largest of them."""
    assert kinds((2, 7, 7, 40), (1, 2), "mean") == ["tile"]
    assert kinds((2, 7, 7, 8), (1, 2), "mean") == ["map"]
    x = rng.uniform(-1, 1, (2, 7, 7, 40)).astype(np.float32)
    expected = x.astype(np.float64).mean((1, 2))
    np.testing.assert_allclose(core.mean(x, (1, 2)).numpy(), expected, rtol=0, atol=1e-7)
