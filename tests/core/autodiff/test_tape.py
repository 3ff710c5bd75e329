"""Gradients beyond the op tables: composition, higher order, pruning, errors."""

import gc
import weakref

import numpy as np
import pytest

import core
from core.autodiff.tape import Tape
from core.engine.observers import active_observers, observing
from core.engine.operation import Op
from core.engine.registry import KERNEL_NAMES, KERNELS, OPS, READY, register


def test_value_and_gradients_of_a_composition():
    def loss(x, w, b):
        return core.mean(core.square(core.sigmoid(x @ w + b)))

    x, w, b = np.ones((4, 3)), np.full((3, 2), 0.1), np.zeros(2)
    value, gradients = core.value_and_grads(loss)(x, w, b)
    s = 1 / (1 + np.exp(-0.3))
    assert value.item() == pytest.approx(s * s, rel=1e-6)
    slope = 2 * s * s * (1 - s) / 8
    np.testing.assert_allclose(gradients[2].numpy(), [4 * slope] * 2, rtol=1e-5)
    np.testing.assert_allclose(gradients[1].numpy(), np.full((3, 2), 4 * slope), rtol=1e-5)
    np.testing.assert_allclose(gradients[0].numpy(), np.full((4, 3), 0.2 * slope), rtol=1e-5)


@pytest.mark.parametrize(
    "function, second",
    [
        (lambda x: core.exp(x * 2.0), lambda x: 4 * np.exp(2 * x)),
        (core.sin, lambda x: -np.sin(x)),
        (lambda x: x**3.0, lambda x: 6 * x),
        (lambda x: core.log(x) * x, lambda x: 1 / x),
        (core.tanh, lambda x: -2 * np.tanh(x) * (1 - np.tanh(x) ** 2)),
    ],
)
def test_second_derivatives(function, second):
    x = np.array([0.3, 1.2], np.float32)
    both = core.grad(lambda t: core.sum(core.grad(lambda u: core.sum(function(u)))(t)))
    np.testing.assert_allclose(both(x).numpy(), second(x.astype(float)), rtol=1e-4)


def test_second_derivative_of_a_convolution():
    """The loss is quadratic in x: its Hessian times d is twice the transposed filter of it."""
    rng = np.random.default_rng(1)
    x, f, d = (
        rng.normal(size=s).astype(np.float32) for s in [(1, 5, 5, 2), (3, 3, 2, 3), (1, 5, 5, 2)]
    )

    def loss(t):
        return core.sum(core.square(core.conv2d(t, f, pad="same")))

    hessian_d = core.grad(lambda t: core.sum(core.grad(loss)(t) * d))(x)
    expected = core.grad(loss)(d)
    np.testing.assert_allclose(hessian_d.numpy(), expected.numpy(), rtol=1e-4, atol=1e-3)


def test_an_inner_gradient_is_part_of_an_outer_one():
    def outer(x, y):
        inner = core.grad(lambda t: t * t * y)(x)  # 2 x y
        return inner * x  # 2 x² y

    dx, dy = core.grads(outer)(3.0, 5.0)
    assert (dx.item(), dy.item()) == (60, 18)


def test_dy_weighs_the_result():
    gradient = core.grad(core.square)([1.0, 2.0], dy=[10.0, 100.0])
    np.testing.assert_array_equal(gradient.numpy(), [20, 400])
    with pytest.raises(core.CoreError, match=r"dy has shape \(1,\), the value has \(2,\)"):
        core.grad(core.square)([1.0, 2.0], dy=[1.0])


def test_the_same_tensor_twice_and_outside():
    x = core.tensor(3.0)
    assert core.grad(lambda t: t * t + t * x)(x).item() == 9
    assert [g.item() for g in core.grads(lambda a, b: a * b)(x, x)] == [3, 3]


def test_whole_numbers_pass_their_gradient_on_as_floats():
    gradient = core.grad(lambda x: core.sum(x * 2.5))([1, 2])
    assert gradient.dtype == "float32"
    np.testing.assert_array_equal(gradient.numpy(), [2.5, 2.5])


def test_some_outputs_of_a_split_are_not_used():
    gradient = core.grad(lambda x: core.sum(core.split(x, num_or_size_splits=3)[1] * 2.0))
    np.testing.assert_array_equal(gradient([1.0, 2.0, 3.0]).numpy(), [0, 2, 0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: core.tensor(1.0),
        lambda x: core.cast(x > 0.0, dtype="float32"),
        lambda x: core.tensor(x.numpy()),
    ],
)
def test_no_path_from_the_input(function):
    with pytest.raises(core.CoreError, match="no gradient reaches input 0"):
        core.grad(function)([1.0, 2.0])


def test_the_function_must_return_a_tensor():
    with pytest.raises(core.CoreError, match="not float"):
        core.grad(lambda x: 1.0)([1.0])


def test_the_tape_keeps_only_what_gradients_name():
    """exp keeps its result, add keeps nothing, and ops beside the path are not recorded."""
    x, other = core.tensor([1.0]), core.tensor([2.0])
    tape = Tape([x])
    with observing(tape):
        between = x + 1.0
        died = weakref.ref(between)
        y = core.exp(between)
        core.sin(other)
    assert [node.name for node in tape.nodes] == ["add", "exp"]
    del between
    gc.collect()
    assert died() is None
    assert [[list(rule[-1]) for rule in n.rules] for n in tape.nodes] == [[[]], [["y"]]]
    assert y.shape == (1,)


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
def test_second_derivatives_through_a_resize(name):
    """The loss is quadratic: its gradient at d is its Hessian times d."""
    d = np.random.default_rng(3).normal(size=(1, 3, 3, 1)).astype(np.float32)

    def loss(t):
        return core.sum(core.square(OPS[name](t, size=(5, 5)))) + core.sum(t * t)

    hessian_d = core.grad(lambda t: core.sum(core.grad(loss)(t) * d))(np.ones_like(d))
    np.testing.assert_allclose(hessian_d.numpy(), core.grad(loss)(d).numpy(), rtol=1e-5)


def test_attributes_that_the_caller_changes_later():
    def function(x):
        begin, total = [0], core.tensor(0.0)
        for i in range(3):
            begin[0] = i
            total = total + core.sum(core.slice(x, begin=begin, size=[1])) * float(i + 1)
        return total

    np.testing.assert_array_equal(core.grad(function)([1.0, 1.0, 1.0]).numpy(), [1, 2, 3])


def test_an_op_without_a_gradient_says_so():
    def rule(x: core.Spec) -> core.Spec:
        return x

    register(Op(rule, name="my_floaty"))
    core.kernel("my_floaty", "cpu")(lambda x: x * 2)
    try:
        with pytest.raises(core.CoreError, match="'my_floaty' has no gradient for its input 'x'"):
            core.grad(lambda x: core.sum(core.my_floaty(x)) + core.sum(x))([1.0])
    finally:
        del OPS["my_floaty"], KERNELS["my_floaty", "cpu"]


def test_gradients_of_whole_numbers_and_of_a_whole_dy():
    assert [g.item() for g in core.grads(core.prelu)(-2, 3)] == [3, -2]
    assert core.grads(core.pow)(2, 3)[0].item() == 12
    assert core.grad(lambda x: x + 1.0)([1.0], dy=[1]).dtype == "float32"


def test_an_exception_leaves_no_tape_behind():
    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        core.grad(fails)(1.0)
    assert active_observers() == ()


def test_the_gradient_of_a_complex_result():
    c = np.array([1 + 2j, 3j, 1], np.complex64)
    np.testing.assert_allclose(core.grad(lambda x: x * x)(c, dy=c).numpy(), [10, 18, 2])
    slope = core.grad(core.fft)(c)
    assert slope.dtype == "complex64"
    np.testing.assert_allclose(slope.numpy(), [3, 0, 0], atol=1e-6)
    assert core.grad(lambda x: core.complex(x, x))([1.0]).dtype == "float32"
    assert core.grad(lambda x: x)(c).dtype == "complex64"


def test_nothing_flows_into_indices():
    x = core.tensor([1.0, 3.0, 2.0])
    best = core.grad(lambda x: core.sum(core.topk(x, 2).values ** 2.0))
    np.testing.assert_allclose(best(x).numpy(), [0, 6, 4])
    np.testing.assert_allclose(core.grad(lambda x: core.sum(best(x)))(x).numpy(), [0, 2, 2])
    ids = core.grad(lambda x: core.sum(core.unsorted_segment_sum(x, x.cast("int32"), 4) * x[0]))
    assert ids(x).shape == (3,)


def test_strings_have_no_gradient():
    with pytest.raises(core.CoreError, match="strings have no gradient"):
        core.grad(lambda x: x)(["a"])


def test_tensors_in_nested_lists_are_told():
    with pytest.raises(core.CoreError, match="core.stack"):
        core.grad(lambda x: core.sum(core.tensor([[x, x], [x, x]])))(3.0)


@pytest.fixture
def stretched():
    """An op of a user: rows are added to a matrix, or to several tensors."""

    def stretched(x: core.Spec, row: core.Spec, others: list[core.Spec]) -> core.Spec:
        return x

    declared = register(Op(stretched))
    core.kernel("stretched", "cpu")(lambda x, row, others: x + row)
    yield declared
    del OPS["stretched"], KERNELS["stretched", "cpu"]
    READY.pop(("stretched", "cpu"), None)
    KERNEL_NAMES.pop("Stretched")


ROW = r"gradient of op 'stretched' for its input 'row' must be a float32 tensor of .* \(3,\)"


@pytest.mark.parametrize(
    "given, message",
    [
        (lambda g: None, ROW + ".* got None"),
        (lambda g: 1.5, ROW + r".* got 1\.5"),
        (lambda g: g.numpy(), ROW + r".* got array"),
        (lambda g: (g,), ROW + ".* got 1 values"),
        (lambda g: g[0, :2], ROW + r".* the result's shape \(2, 3\).* shape \(2,\)"),
        (lambda g: core.ones((4, 3)), ROW + r".* shape \(4, 3\)"),
        (lambda g: core.ones((3, 1)), ROW + r".* shape \(3, 1\)"),
        (lambda g: core.cast(g, dtype="int32"), ROW + ".* a int32 tensor"),
        (lambda g: core.cast(g[0], dtype="int32"), ROW + ".* a int32 tensor"),
    ],
)
def test_a_users_rule_that_gives_no_gradient_of_the_input(stretched, given, message):
    stretched.gradient("row")(given)
    with pytest.raises(core.CoreError, match=message):
        core.grad(lambda r: stretched(core.ones((2, 3)), r, [1.0]))([1.0, 2.0, 3.0])


def test_a_users_rule_may_leave_broadcasting_to_the_tape(stretched):
    stretched.gradient("row")(lambda g: core.variable(g * 2.0))
    slope = core.grad(lambda r: stretched(core.ones((2, 3)), r, [1.0]))
    assert slope([1.0, 2.0, 3.0]).tolist() == [4, 4, 4]
    assert slope([[5.0], [6.0]]).tolist() == [[6], [6]]


@pytest.mark.parametrize("given", [lambda g: g, lambda g: [g], lambda g: [1.0, 2.0], lambda g: ()])
def test_a_users_rule_for_a_list_of_tensors(stretched, given):
    stretched.gradient("others")(given)
    with pytest.raises(core.CoreError, match="for its input 'others' must be a"):
        core.grad(lambda x: stretched(core.ones((3,)), 1.0, [x, x]))([1.0, 2.0, 3.0])
