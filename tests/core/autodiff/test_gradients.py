"""The gradients of variables, what stops gradients, and what misuse is told."""

import numpy as np
import pytest

import core


def slopes(function, variables=None):
    """The gradients of a loss by name, as lists."""
    found = core.variable_grads(function, variables).grads
    return {name: g if g is None else g.tolist() for name, g in found.items()}


def test_gradients_of_the_variables_that_a_loss_reads():
    w, b = core.variable([1.0, 2.0], name="w"), core.variable(0.5, name="b")
    unused = core.variable(1.0, name="unused")
    value, grads = result = core.variable_grads(lambda: core.sum(w * w * 3.0) + b)
    assert value is result.value and grads is result.grads
    assert value.item() == 15.5
    assert list(grads) == ["w", "b"] and "unused" not in grads
    assert (grads["w"].tolist(), grads["b"].item()) == ([6, 12], 1)
    assert grads.variables == {"w": w, "b": b} and unused.item() == 1


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda w: w, 1),
        (lambda w: w.read(), 1),
        (lambda w: core.identity(w), 1),
        (lambda w: w + w, 2),
        (lambda w: w * w.read(), 6),
        (lambda w: w.read() * w.read() * core.tensor(w), 27),
        (lambda w: 1.0 - w, -1),
        (lambda w: core.sum(core.concat([w.reshape(1), w.reshape(1) * 2.0])), 3),
        (lambda w: core.sum(core.stack([w, w, w])), 3),
        (lambda w: w * core.stop_gradient(w), 3),
        (lambda w: core.stop_gradient(w) + w, 1),
        (lambda w: core.variable(w, trainable=False) * w, 3),
        (lambda w: core.reshape(core.fused_matmul([[1.0]], [[2.0]], w.reshape(1)), ()), 1),
        (lambda w: core.sum(core.fused_matmul([[1.0]], [[2.0, 2.0]], core.stack([w, w]))), 2),
        (lambda w: core.tidy(lambda: w * w), 6),
        (lambda w: core.profile(lambda: w * w).result, 6),
        (lambda w: core.grad(lambda x: x * w * w)(w), 6),
    ],
)
def test_ways_to_read_a_variable(function, expected):
    w = core.variable(3.0, name="w")
    assert slopes(lambda: function(w)) == {"w": expected}


def test_what_was_read_before_is_no_part_of_the_loss():
    """As in a distance to earlier weights; also before anything has changed."""
    w = core.variable([1.0, 2.0], name="w")
    before, snapshot = w.read(), core.tensor(w)
    for _ in range(2):
        assert slopes(lambda: core.sum(core.exp(w - before))) != {"w": [0, 0]}
        assert slopes(lambda: core.sum(before * w)) == {"w": [1, 2]}
        assert slopes(lambda: core.sum(w * w) + core.sum(snapshot * snapshot)) == {
            "w": (2 * w.numpy()).tolist()
        }
        w.assign([2.0, 4.0])
    with pytest.raises(core.CoreError, match="no gradient reaches a variable"):
        core.variable_grads(lambda: core.sum(before))


def test_an_inner_tape_does_not_watch_what_an_outer_one_has_read():
    w = core.variable(3.0, name="w")

    def outer():
        outside = w.read()
        inner = core.variable_grads(lambda: w * w * outside).grads["w"]  # 2 w outside
        return inner * inner  # 4 w^2 outside^2

    assert slopes(outer) == {"w": 16 * 27}


def test_a_variable_that_is_assigned_to_in_between():
    """What it got counts as a new value, and not where that came from: as in TensorFlow.js."""
    w = core.variable(3.0, name="w")

    def loss():
        first = w * w
        w.assign(w * 10.0)
        return first + w * 2.0

    assert slopes(loss) == {"w": 8}
    assert w.item() == 30


def test_variables_that_do_not_train():
    w = core.variable(2.0, name="w")
    fixed = core.variable(3.0, trainable=False, name="fixed")
    count = core.variable(4, name="count")
    unused, wrong = core.variable(1.0, name="unused"), core.variable(["x"], name="wrong")

    def loss():
        assert wrong.tolist() == core.identity(wrong).tolist()
        return w * fixed * count

    assert slopes(loss) == {"w": 12}
    assert slopes(loss, [fixed, unused, w, count, w]) == {
        "fixed": None,
        "unused": None,
        "w": 12,
        "count": None,
    }
    assert core.grads(lambda a, b: a * b)(w, count)[1].item() == 2


def test_a_list_of_variables_chooses():
    a, b = core.variable(2.0, name="a"), core.variable(3.0, name="b")
    for one in (a, [a], (a,), iter([a])):
        assert slopes(lambda: a * b, one) == {"a": 3}
    assert slopes(lambda: a * b, {"any": a, "name": b}.values()) == {"a": 3, "b": 2}


def test_names_must_tell_variables_apart():
    a, b = core.variable(1.0, name="w"), core.variable(1.0, name="w")
    with pytest.raises(core.CoreError, match="two variables are named 'w'"):
        core.variable_grads(lambda: a * b)
    assert slopes(lambda: a * b, [b]) == {"w": 1}


def test_a_complex_variable():
    w = core.variable([1 + 2j], name="w")
    assert slopes(lambda: core.sum(core.square(core.real(w)))) == {"w": [2]}


def test_variables_as_inputs():
    w, dy = core.variable([1.0, 2.0], name="w"), core.variable([10.0, 100.0])
    value, (first, second) = core.value_and_grads(lambda a, b: core.sum(a * b * w))(w, w)
    assert value.item() == 9 and type(value) is core.Tensor
    assert first.tolist() == second.tolist() == [1, 4]
    assert core.grad(core.square)(w, dy=dy).tolist() == [20, 400]
    assert slopes(lambda: core.sum(core.grad(lambda x: x * x * x)(w))) == {"w": [6, 12]}


def test_variables_read_by_a_function_of_inputs_are_constants():
    w = core.variable(3.0)
    assert core.grad(lambda x: x * w)(2.0).item() == 3
    with pytest.raises(core.CoreError, match="no gradient reaches input 0"):
        core.grad(lambda x: w)(2.0)


def test_many_readings_of_one_variable():
    w = core.variable(np.ones(1000), name="w")

    def loss():
        total = core.tensor(0.0)
        for _ in range(100):
            total = total + core.sum(w)
        return total

    found = core.profile(lambda: core.variable_grads(loss).grads["w"])
    assert found.result.tolist() == [100.0] * 1000
    assert found.peak_bytes - core.memory()["num_bytes"] < 5 * 4000  # each joins the sum at once


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda w: core.variable_grads(w), r"give a function.*got Variable\('w'"),
        (lambda w: core.variable_grads(lambda: w * [1.0, 2.0]), r"one number, got shape \(2,\)"),
        (lambda w: core.variable_grads(lambda: 3.0), "must return one tensor, not float"),
        (lambda w: core.variable_grads(lambda: None), "must return one tensor, not NoneType"),
        (lambda w: core.variable_grads(lambda: [w]), "must return one tensor, not list"),
        (lambda w: core.variable_grads(lambda: core.tensor(3.0)), "no gradient reaches a variable"),
        (lambda w: core.variable_grads(lambda: core.ceil(w > 2.0)), "no gradient reaches"),
        (lambda w: core.variable_grads(lambda: core.tensor(w.numpy())), "no gradient reaches"),
        (lambda w: core.variable_grads(lambda: w, []), "none of the 0 variables is trainable"),
        (
            lambda w: core.variable_grads(lambda: w, [core.variable(1)]),
            "1 variables is trainable and holds floats",
        ),
        (
            lambda w: core.variable_grads(lambda: w, [core.variable(1.0, trainable=False)]),
            "none of the 1 variables is trainable",
        ),
        (lambda w: core.variable_grads(lambda: w, 5), "expected variables, got 5"),
        (lambda w: core.variable_grads(lambda: w, ["w"]), "expected variables, got 'w'"),
        (lambda w: core.variable_grads(lambda: w, [w.read()]), r"expected variables, got Tensor"),
        (lambda w: core.grad(w * w), r"give a function.*got Tensor\(9"),
        (lambda w: core.grads("x * x"), "give a function.*got 'x "),
        (lambda w: core.value_and_grad(None), "give a function.*got None"),
        (lambda w: core.custom_grad(3), "give a function.*got 3"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.variable(3.0, name="w"))


def test_stop_gradient_of_any_dtype():
    for value in (1.0, 2, True, 1j, "a"):
        given = core.tensor([value])
        stopped = core.stop_gradient(given)
        assert (stopped.tolist(), stopped.dtype) == (given.tolist(), given.dtype)


def test_stop_gradient_in_a_second_derivative():
    second = core.grad(lambda x: core.stop_gradient(core.grad(lambda t: t**3.0)(x)) * x)
    assert second(2.0).item() == 12


def test_several_inputs_are_for_grads():
    for make in (core.grad, core.value_and_grad):
        with pytest.raises(core.CoreError, match=r"of one input, got 2: use core\.grads"):
            make(lambda a, b: a * b)(1.0, 2.0)


def test_a_derivative_that_is_zero_everywhere():
    with pytest.raises(core.CoreError, match=r"zero everywhere.*counts as none.*add 0\.0 \* x"):
        core.grad(core.grad(lambda x: 2.0 * x))(1.0)
    assert core.grad(lambda x: core.grad(lambda t: 2.0 * t)(x) + 0.0 * x)(1.0).item() == 0


def test_a_complex_dy_of_a_real_value():
    with pytest.raises(core.CoreError, match="dy is complex, the value is float32"):
        core.grad(core.square)([1.0], dy=[1j])
