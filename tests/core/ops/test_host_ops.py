"""Ops that the host computes: they raise, and call functions, inside of compiled functions, too."""

import numpy as np
import pytest

import core


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("compiled", [False, True])
def test_check_numerics_raises_before_a_variable_changes(bad, compiled):
    w = core.variable(1.0)

    def step(x):
        loss = core.check_numerics(core.sum(x), message="the loss")
        w.assign(w + loss)
        return loss

    run = core.compile(step) if compiled else step
    assert run(np.float32([1, 2])).item() == 3
    with pytest.raises(core.NotFiniteError, match="the loss is"):
        run(np.float32([1, bad]))
    assert w.item() == 4
    assert run(np.float32([1, 2])).item() == 3


def test_numpy_functions_are_called_at_each_run():
    calls = []

    def noted(x):
        calls.append(x.copy())
        return x + len(calls)

    run = core.compile(lambda x: 2.0 * core.numpy_function(x, function=noted))
    found = [run(np.float32([0, 1])).tolist() for _ in range(3)]
    assert found == [[2, 4], [4, 6], [6, 8]]
    np.testing.assert_array_equal(calls, [[0, 1]] * 3)


def test_the_array_of_a_function_is_read_only_and_its_shape_stays():
    def written(x):
        x[0] = 1
        return x

    with pytest.raises(core.CoreError, match="read-only"):
        core.numpy_function([1.0, 2.0], function=written)
    with pytest.raises(core.CoreError, match=r"shape \(1,\) of one of \(2,\)"):
        core.numpy_function([1.0, 2.0], function=lambda x: x[:1])
