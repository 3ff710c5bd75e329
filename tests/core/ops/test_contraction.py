"""Einsum beyond the records."""

import numpy as np
import pytest

import core


def test_the_equation_comes_first(rng):
    a, b = rng.uniform(-1, 1, (2, 3)), rng.uniform(-1, 1, (3, 4))
    np.testing.assert_allclose(core.einsum("ij,jk->ik", a, b).numpy(), a @ b, rtol=1e-4, atol=1e-5)


def test_a_transposed_tensor_is_no_view():
    x = core.tensor(np.arange(6).reshape(2, 3))
    y = core.einsum("ij->ji", x)
    np.testing.assert_array_equal(y.numpy(), [[0, 3], [1, 4], [2, 5]])
    assert not np.shares_memory(np.asarray(x), np.asarray(y))


def test_mixed_dtypes_take_the_common_one():
    y = core.einsum("i,i->", np.array([1, 2], np.int32), [1.5, 2.0])
    assert (y.dtype, y.item()) == ("float32", 5.5)


def test_whole_numbers_wrap_around():
    assert core.einsum("i->", np.array([2**31 - 1, 1], np.int32)).item() == -(2**31)


def test_a_long_sum_is_rounded_once():
    x = np.full(1 << 20, 0.1, np.float32)
    assert core.einsum("i->", x).item() == np.float32(x.astype(np.float64).sum())


def test_second_derivative():
    def cube(x):
        return core.einsum("i,i,i->", x, x, x)

    curve = core.grad(lambda x: core.sum(core.grad(cube)(x)))
    np.testing.assert_allclose(curve([1.0, -2.0]).numpy(), [6, -12])


@pytest.mark.parametrize(
    "equation, shapes, message",
    [
        ("ij,jk->ik", [(2, 3)], "Expected 2 input but got: 1"),
        ("ij->ji", [(2, 3), (3, 2)], "Expected 1 input but got: 2"),
        ("ij->ik", [(2, 3)], "the label k not present"),
        ("ij->ij->ij", [(2, 3)], "one '->'"),
        ("i1->i", [(2, 3)], "must be letters"),
        ("ij->i,j", [(2, 3)], "must be letters"),
        ("ij->ij", [(2,)], "does not fit to shapes"),
        ("i->i", [(2, 3)], "does not fit to shapes"),
        ("i->ii", [(2,)], "each letter once"),
        ("...i->i", [(2, 3)], "and '...'"),
        ("...i...->...i", [(2, 3)], "does not fit to shapes"),
        ("...i...->...i", [(2, 3, 4)], "does not fit to shapes"),
        ("i,i->i", [(1,), (3,)], "dimension 1 at axis 0 .* dimension 3"),
        ("ij,jk->ik", [(2, 3), (4, 2)], "dimension 3 at axis 0 .* dimension 4"),
        ("...,...->...", [(2,), (3,)], "dimension 2 at axis 0 .* dimension 3"),
    ],
)
def test_refusals(equation, shapes, message):
    with pytest.raises(core.CoreError, match=message):
        core.einsum(equation, *[core.ones(s) for s in shapes])


def test_kernel_by_its_name():
    inputs = {"inputs": [[[1.0, 2.0]], [3.0, 4.0]]}
    (y,) = core.run_kernel("Einsum", inputs, {"equation": "ij,j->i"})
    np.testing.assert_array_equal(y.numpy(), [11])
