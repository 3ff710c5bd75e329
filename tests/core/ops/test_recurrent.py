"""Recurrent cells and the moving average, against NumPy, and their gradients."""

import numpy as np
import pytest

import core


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(forget_bias, kernel, bias, data, c, h):
    weighted = np.concatenate([data, h], 1) @ kernel + bias
    i, j, f, o = np.split(weighted, 4, 1)
    new_c = c * sigmoid(f + forget_bias) + sigmoid(i) * np.tanh(j)
    return new_c, np.tanh(new_c) * sigmoid(o)


@pytest.fixture
def arguments(rng):
    shapes = [(), (5, 12), (12,), (4, 2), (4, 3), (4, 3)]
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def test_a_cell(arguments):
    expected = lstm(*(a.astype(float) for a in arguments))
    for found, wanted in zip(core.basic_lstm_cell(*arguments), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_a_cell_of_tensorflow_js():
    c, h = core.basic_lstm_cell(
        1.0, np.full((4, 4), 0.5), np.zeros(4), [[0.0, 1.0, 2.0]], [[1.0]], [[0.0]]
    )
    assert c.item() == pytest.approx(1.664167881011963, rel=1e-6)
    assert h.item() == pytest.approx(0.7609790563583374, rel=1e-6)


@pytest.mark.parametrize("place", range(6))
def test_gradients_of_a_cell(arguments, place, rng):
    weights = [rng.uniform(0.5, 1, (4, 3)) for _ in range(2)]

    def loss(cell, x):
        results = cell(*arguments[:place], x, *arguments[place + 1 :])
        return [(y * w).sum() for y, w in zip(results, weights, strict=True)]

    x = arguments[place].astype(float)
    direction = rng.uniform(-1, 1, x.shape)
    gradient = core.grad(lambda x: core.add(*loss(core.basic_lstm_cell, x)))(arguments[place])
    high, low = (sum(loss(lstm, x + step * direction)) for step in (1e-5, -1e-5))
    slope = np.sum(gradient.numpy() * direction)
    assert gradient.shape == x.shape
    assert slope == pytest.approx((high - low) / 2e-5, rel=1e-3, abs=1e-4)


def test_a_cell_refuses(arguments):
    forget_bias, kernel, bias, data, c, h = arguments
    with pytest.raises(core.CoreError):
        core.basic_lstm_cell(forget_bias, kernel[:-1], bias, data, c, h)
    with pytest.raises(core.CoreError, match="into 4 equal parts"):
        core.basic_lstm_cell(forget_bias, kernel[:, :-1], bias[:-1], data, c, h)
    with pytest.raises(core.CoreError):
        core.basic_lstm_cell(forget_bias, kernel, bias, data[:-1], c, h)


def test_cells_on_top_of_each_other(rng):
    shapes = [[(4, 8), (8,)], [(5, 12), (12,)]]
    weights = [[rng.normal(size=s).astype(np.float32) for s in pair] for pair in shapes]
    c, h = ([rng.normal(size=(3, n)).astype(np.float32) for n in (2, 3)] for _ in range(2))
    data = rng.normal(size=(3, 2)).astype(np.float32)

    def cells(one):
        return [lambda data, c, h, w=w: one(1.0, *w, data, c, h) for w in weights]

    states, outputs = core.multi_rnn_cell(cells(core.basic_lstm_cell), data, c, h)
    expected_states, expected_outputs, x = [], [], data
    for cell, old_c, old_h in zip(cells(lstm), c, h, strict=True):
        new_c, x = cell(x, old_c, old_h)
        expected_states.append(new_c)
        expected_outputs.append(x)
    expected = expected_states + expected_outputs
    for found, wanted in zip(states + outputs, expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)
    gradient = core.grad(
        lambda x: core.sum(core.multi_rnn_cell(cells(core.basic_lstm_cell), x, c, h)[1][1])
    )(data)
    assert gradient.shape == data.shape and np.abs(gradient.numpy()).min() > 0


def test_as_many_states_as_cells():
    with pytest.raises(core.CoreError, match="1 cells need as many states c and h, got 1 and 2"):
        core.multi_rnn_cell([lambda data, c, h: (c, h)], [[1.0]], [[[1.0]]], [[[1.0]]] * 2)


def test_moving_average():
    v, x = np.array([1.0, -2.0]), np.array([3.0, 5.0])
    plain = core.moving_average(v, x, 0.6, zero_debias=False)
    np.testing.assert_allclose(plain.numpy(), [1.8, 0.8], rtol=1e-6)
    for step in (1, 2, core.tensor(3.0)):
        debiased = core.moving_average(v, x, 0.6, step).numpy()
        change = (x - v) * 0.4 / (1 - 0.6 ** float(step))
        np.testing.assert_allclose(debiased, v + change, rtol=1e-5)
    assert core.moving_average(1, 3, 0.5, zero_debias=False).item() == 2


def test_gradients_of_the_moving_average():
    gradients = core.grads(lambda v, x, d: core.sum(core.moving_average(v, x, d, 2)))(1.0, 3.0, 0.5)
    # The change is (x - v) / (1 + d) for the second step.
    np.testing.assert_allclose([g.item() for g in gradients], [1 / 3, 2 / 3, -8 / 9], rtol=1e-5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1.0], [1.0], 0.5), "give step"),
        (([1.0], [1.0, 2.0], 0.5, 1), "of one shape and dtype"),
        (([1.0], [1], 0.5, 1), "of one shape and dtype"),
    ],
)
def test_the_moving_average_refuses(arguments, message):
    with pytest.raises(core.CoreError, match=message):
        core.moving_average(*arguments)
