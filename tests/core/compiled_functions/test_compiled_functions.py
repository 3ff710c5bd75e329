"""Functions that `core.compile` runs as plans: results, variables, random numbers, signatures."""

from typing import NamedTuple

import numpy as np
import pytest

import core

pytestmark = pytest.mark.usefixtures("tier")


class Pair(NamedTuple):
    first: core.Tensor
    second: object


def test_results_keep_their_structure():
    constant = core.tensor([5.0])

    @core.compile
    def several(x, options, *, scale):
        found = {"twice": x * scale, "list": [x, constant, options["n"]], "none": None}
        return Pair(core.relu(x), found)

    x = core.tensor([-1.0, 2.0])
    first, found = several(x, {"n": 3}, scale=2.0)
    assert first.tolist() == [0.0, 2.0] and found["twice"].tolist() == [-2.0, 4.0]
    assert found["list"][0].tolist() == [-1.0, 2.0] and found["list"][1].tolist() == [5.0]
    assert found["list"][2] == 3 and found["none"] is None
    assert "a plan" in several.report()


def test_shapes_dtypes_and_other_values_make_plans_of_their_own():
    calls = []

    @core.compile
    def power(x, exponent):
        calls.append(exponent)
        result = x
        for _ in range(exponent - 1):
            result = result * x
        return result

    for _ in range(2):
        assert power(core.tensor([2.0]), 3).tolist() == [8.0]
        assert power(np.float32([[3.0]]), 2).tolist() == [[9.0]]
        assert power(core.tensor([3]), 2).tolist() == [9]
    assert calls == [3, 2, 2]
    assert power(core.tensor([2.0]), True + 1).tolist() == [4.0]
    assert len(power.report().splitlines()) == 4


def test_arrays_and_tensors_share_a_plan_and_arrays_may_change(rng):
    @core.compile
    def double(x):
        return x * 2.0

    array = rng.standard_normal((3, 4)).astype(np.float32)
    first = double(array)
    expected = array * 2
    array[:] = 0
    assert (first.numpy() == expected).all()
    assert (double(array).numpy() == 0).all() and len(double.report().splitlines()) == 1
    assert double(core.tensor(array)).shape == (3, 4)
    assert double(np.float64([1.5])).tolist() == [3.0]


def test_variables_are_read_and_assigned_at_each_call():
    count, last = core.variable(0.0), core.variable([0.0, 0.0])

    @core.compile
    def note(x):
        count.assign(count + 1.0)
        before = last.read()
        last.assign(x)
        return before + count

    assert note(core.tensor([1.0, 2.0])).tolist() == [1.0, 1.0]
    assert note(core.tensor([5.0, 6.0])).tolist() == [3.0, 4.0]
    count.assign(10.0)
    assert note(core.tensor([0.0, 0.0])).tolist() == [16.0, 17.0]
    assert count.item() == 11.0 and last.tolist() == [0.0, 0.0]


def test_variables_swap_and_share_data():
    a, b = core.variable([1.0, 2.0]), core.variable([3.0, 4.0])
    c = core.variable(a.read())
    kept = a.read()

    @core.compile
    def swap():
        first = a.read()
        a.assign(b)
        b.assign(first)

    for _ in range(3):
        expected = b.tolist(), a.tolist()
        assert swap() is None
        assert (a.tolist(), b.tolist()) == expected
    assert c.tolist() == kept.tolist() == [1.0, 2.0]


def test_readings_of_a_variable_stay_when_a_step_changes_it():
    w = core.variable(np.arange(40, dtype=np.float32))

    @core.compile
    def step():
        w.assign(core.relu(w * 2.0 - 1.0))
        return w

    before = w.read()
    first = step()
    middle = w.read()
    second = step()
    expected = np.arange(40, dtype=np.float32)
    assert (before.numpy() == expected).all()
    expected = np.maximum(expected * 2 - 1, 0)
    assert (first.numpy() == expected).all() and (middle.numpy() == expected).all()
    expected = np.maximum(expected * 2 - 1, 0)
    assert (second.numpy() == expected).all() and (w.numpy() == expected).all()


def test_random_numbers_are_those_of_the_function_op_by_op():
    def draw(x):
        kept = core.dropout(x, 0.5)
        noise = core.random_normal((3,)) + core.random_uniform((3,), -1, 1)
        more = core.truncated_normal((3,)) + core.random_gamma((3,), 2.0)
        whole = core.random_uniform((3,), 0, 100, "int32")
        return kept + noise + more, whole, core.random_uniform((2,), seed=3)

    x = core.ones((3,))
    core.set_random_seed(5)
    expected = [[t.tolist() for t in draw(x)] for _ in range(3)]
    compiled = core.compile(draw)
    compiled.warmup(x)  # draws nothing
    core.set_random_seed(5)
    found = [[t.tolist() for t in compiled(x)] for _ in range(3)]
    np.testing.assert_allclose(
        [f[0] for f in found], [e[0] for e in expected], rtol=1e-5, atol=1e-6
    )
    assert [f[1:] for f in found] == [e[1:] for e in expected]


def test_gradients_inside_of_a_compiled_function():
    w = core.variable([[1.0, -2.0], [0.5, 3.0]])

    def both(x):
        value, grads = core.variable_grads(lambda: core.sum(core.sigmoid(core.matmul(x, w))), [w])
        inner = core.grad(lambda t: core.sum(core.exp(t) * t))(x)
        return value, grads[w.name], inner

    x = core.tensor([[0.1, 0.2], [0.3, -0.4]])
    for found, expected in zip(core.compile(both)(x), both(x), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=2e-6, atol=1e-7)


def test_a_gradient_through_a_compiled_function():
    @core.compile
    def cube(x):
        return x * x * x

    assert cube(core.tensor(2.0)).item() == 8.0
    assert core.grad(cube)(2.0).item() == 12.0
    assert core.grad(core.grad(cube))(2.0).item() == 12.0


def test_compiled_functions_call_each_other():
    inner = core.compile(lambda x: x + 1.0)
    outer = core.compile(lambda x: inner(x) * 2.0)
    assert outer(core.tensor([1.0])).tolist() == [4.0]
    assert inner.report().endswith("not called yet")


def test_methods():
    class Model:
        def __init__(self):
            self.w = core.variable(3.0)

        @core.compile
        def scaled(self, x):
            """Scale."""
            return x * self.w

    one, other = Model(), Model()
    other.w.assign(5.0)
    assert one.scaled(core.tensor(2.0)).item() == 6.0
    assert other.scaled(core.tensor(2.0)).item() == 10.0
    assert len(Model.scaled.report().splitlines()) == 2
    assert one.scaled.plan(core.tensor(2.0)).steps and one.scaled.warmup(core.tensor(2.0)) > 0
    assert Model.scaled.__doc__ == "Scale."


def test_steps_that_repeat_each_other_are_merged():
    @core.compile
    def both(x):
        return core.exp(x) + 1.0, core.exp(x) * 2.0, core.random_uniform((1,))

    x = core.ones((40,))
    ops = [op for step in both.plan(x).steps for op in (step.op, *step.fused)]
    assert ops.count("exp") == 1
    assert both(x)[2].item() != both(x)[2].item()


def test_a_list_is_no_tuple():
    seen = []

    @core.compile
    def total(pair):
        seen.append(type(pair))
        return pair[0] + pair[1]

    x = core.tensor([1.0])
    assert [total(kind([x, x])).item() for kind in (list, tuple, list)] == [2.0, 2.0, 2.0]
    assert seen == [list, tuple]
