"""Functions that bring their own gradient."""

import functools

import numpy as np
import pytest

import core


@core.custom_grad
def scaled(x):
    """x, whose gradient is ten times as large."""
    return x, lambda dy: dy * 10.0


def test_a_function_keeps_its_name_and_document():
    assert (scaled.__name__, scaled.__doc__[:2]) == ("scaled", "x,")
    unnamed = core.custom_grad(functools.partial(lambda k, x: (x * k, lambda dy: dy), 3.0))
    assert unnamed(2.0).item() == 6
    with pytest.raises(core.CoreError, match="the function must return a value and a function"):
        core.custom_grad(functools.partial(core.square))(1.0)


def test_a_function_that_returns_its_input():
    assert core.grad(lambda x: scaled(x) + x)(1.0).item() == 11
    assert core.grad(scaled)([1.0], dy=[3.0]).tolist() == [30]
    x = core.tensor(2.0)
    assert scaled(x).item() == 2 and scaled(3).dtype == "int32"


def test_inputs_through_which_nothing_flows():
    @core.custom_grad
    def gated(x, gate):
        return x * gate, lambda dy: (dy, None)

    assert [g.item() for g in core.grads(lambda x, y: gated(x, y) + y)(2.0, 3.0)] == [1, 1]
    with pytest.raises(core.CoreError, match="no gradient reaches input 1"):
        core.grads(gated)(2.0, 3.0)


def test_the_same_tensor_for_both_inputs():
    @core.custom_grad
    def product(a, b):
        return a * b, lambda dy: [dy * 100.0, dy * 1.0]

    assert core.grad(lambda x: product(x, x))(2.0).item() == 101


def test_several_values():
    @core.custom_grad
    def both(x):
        return (x * 2.0, x * 3.0), lambda d2, d3: d2 * 10.0 + d3 * 100.0

    assert core.grad(lambda x: both(x)[0] + both(x)[1] * x)(1.0).item() == 10 + 3 + 100
    assert core.grad(lambda x: both(x)[1])(1.0).item() == 100
    assert isinstance(both(1.0), tuple)

    @core.custom_grad
    def one(x):
        return [x], lambda dy: dy

    assert isinstance(one(1.0), tuple) and len(one(1.0)) == 1


def test_gradients_flow_into_inputs_and_not_into_variables_around():
    w = core.variable(3.0, name="w")

    @core.custom_grad
    def times_w(x):
        return x * w, lambda dy: dy * w

    assert core.variable_grads(lambda: times_w(w)).grads["w"].item() == 3
    with pytest.raises(core.CoreError, match="no gradient reaches a variable"):
        core.variable_grads(lambda: times_w(2.0))
    # The gradient itself depends on w.
    assert core.variable_grads(lambda: core.grad(times_w)(2.0)).grads["w"].item() == 1


def test_what_a_gradient_takes_from_its_function_is_differentiated():
    """Three orders of log(1 + exp(x)), and no more on the tape than the order asks for."""

    @core.custom_grad
    def log1pexp(x):
        e = core.exp(x)
        return core.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))

    s = 1 / (1 + np.exp(-0.3))
    function, found = log1pexp, []
    for _ in range(4):
        function = core.grad(function)
        found.append(function(0.3).item())
    expected = [s, s * (1 - s), s * (1 - s) * (1 - 2 * s), s * (1 - s) * (1 - 6 * s + 6 * s * s)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    ran = [row["op"] for row in core.profile(lambda: core.grad(log1pexp)(0.3)).kernels]
    assert "log" in ran and "reciprocal" not in ran and ran.count("div") == 1


def test_a_function_with_a_tape_inside_of_it():
    """The implicit function theorem: the gradient of a root needs none of the steps towards it."""

    def residual(root, a):
        return root * root - a

    @core.custom_grad
    def solved(a):
        root = core.tensor(1.0)
        for _ in range(8):
            root = root - residual(root, a) / core.grad(lambda r: residual(r, a))(root)
        return root, lambda dy: dy / (2.0 * solved(a))

    x = 2.0
    assert solved(x).item() == pytest.approx(x**0.5)
    assert core.grad(solved)(x).item() == pytest.approx(0.5 * x**-0.5)
    assert core.grad(core.grad(solved))(x).item() == pytest.approx(-0.25 * x**-1.5)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: x * 2.0, "<lambda> must return a value and a function.*got Tensor"),
        (lambda x: (x, x), "must return a value and a function for its gradient, as in"),
        (lambda x: (x, lambda dy: dy, x), "must return a value and a function"),
        (lambda x: [x, lambda dy: dy], "must return a value and a function"),
        (lambda x: None, "got None"),
        (lambda x: (x, lambda dy: (dy, dy)), "one tensor for each of its 1 inputs, got 2"),
        (lambda x: (x, lambda dy: ()), "one tensor for each of its 1 inputs, got 0"),
        (
            lambda x: (x, lambda dy: core.sum(dy)),
            r"of <lambda> must be a tensor of shape \(2,\) for input 0, got shape \(\)",
        ),
        (lambda x: (x, lambda dy: 1.0), r"must be a tensor of shape \(2,\) for input 0, got 1\.0"),
        (lambda x: (x, lambda dy: None), "no gradient reaches input 0"),
    ],
)
def test_misuse_of_custom_gradients(function, message):
    with pytest.raises(core.CoreError, match=message):
        core.grad(core.custom_grad(function))([1.0, 2.0])


def test_inputs_and_values_that_are_no_tensors():
    with pytest.raises(core.CoreError):
        scaled(None)
    with pytest.raises(core.CoreError):
        core.custom_grad(lambda x: (None, lambda dy: dy))(1.0)
    both = core.custom_grad(lambda x: ((x, x), lambda dy: dy))
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        core.grad(lambda x: both(x)[0])(1.0)


def test_keyword_arguments_are_passed_on():
    @core.custom_grad
    def power(x, *, by):
        return x**by, lambda dy: dy * 100.0 * by

    assert core.grad(lambda x: power(x, by=3.0))(2.0).item() == 300
