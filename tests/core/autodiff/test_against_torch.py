"""Gradients, their gradients, and what programs do with them, against PyTorch in float64."""

import numpy as np
import pytest

import core
from tests.core.autodiff.hand_written import FUNCTIONS, l2_normalised, log1pexp, swish
from tests.helpers import require


@pytest.fixture(scope="module")
def torch():
    return require("torch")


def assert_close(found, expected, tolerance=1e-5):
    """Equal in float32, by the largest value of each tensor."""
    for ours, theirs in zip(found, expected, strict=True):
        theirs = theirs.detach().numpy()
        assert ours.shape == theirs.shape and ours.dtype == "float32"
        scale = max(np.abs(theirs).max(initial=0), 1e-3)
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=0, atol=tolerance * scale)


def leaves(torch, arrays):
    """Tensors of PyTorch that want gradients."""
    return [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]


def tensors(torch, arrays):
    return [torch.tensor(a, dtype=torch.float64) for a in arrays]


def drawn(rng, *shapes, low=-1.0, high=1.0):
    return [rng.uniform(low, high, s).astype(np.float32) for s in shapes]


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


@pytest.fixture(params=FUNCTIONS.values(), ids=FUNCTIONS)
def pair(request, torch, rng):
    """Our function, PyTorch's, and inputs."""
    each = request.param
    return each.ours, each.theirs(torch), drawn(rng, *each.shapes, low=each.low, high=each.high)


def test_values_and_gradients(pair, torch, rng):
    ours, theirs, xs = pair
    ts = leaves(torch, xs)
    values = listed(theirs(*ts))
    assert_close(listed(ours(*xs)), values)
    dys = drawn(rng, *[tuple(v.shape) for v in values])
    expected = torch.autograd.grad(values, ts, tensors(torch, dys))

    def weighed(*inputs):
        return sum(core.sum(y * dy) for y, dy in zip(listed(ours(*inputs)), dys, strict=True))

    assert_close(core.grads(weighed)(*xs), expected)


def our_derivative(function, directions):
    """The derivative of a number along directions of all inputs, as a function of the inputs."""

    def along(*inputs):
        found = core.grads(function)(*inputs)
        return sum(core.sum(g * d) for g, d in zip(found, directions, strict=True))

    return along


@pytest.mark.parametrize("order", [2, 3])
def test_nested_gradients(pair, order, torch, rng):
    """Along directions in all inputs, so the mixed ones, too; a sine makes none of them zero."""
    ours, theirs, xs = pair
    ts = leaves(torch, xs)
    directions = [drawn(rng, *[x.shape for x in xs]) for _ in range(order - 1)]

    def function(*inputs):
        return sum(core.sum(core.sin(y)) for y in listed(ours(*inputs)))

    number = sum(y.sin().sum() for y in listed(theirs(*ts)))
    for direction in directions:
        function = our_derivative(function, direction)
        found = torch.autograd.grad(number, ts, create_graph=True)
        along = tensors(torch, direction)
        number = sum((g * d).sum() for g, d in zip(found, along, strict=True))
    # PyTorch has no value where a gradient does not depend on an input; ours are zeros then.
    expected = torch.autograd.grad(number, ts)
    # Each order sums products of the one before, so its rounding errors add up.
    assert_close(core.grads(function)(*xs), expected, 1e-5 * (order - 1))


@pytest.mark.parametrize(
    "name", ["softmax cross entropy", "polynomial", "matrix product", "from polar"]
)
@pytest.mark.parametrize("first, second", [(0, 1), (1, 0)])
def test_mixed_derivatives(name, first, second, torch, rng):
    """The gradient by one input of the gradient by the other."""
    each = FUNCTIONS[name]
    xs = drawn(rng, *each.shapes, low=each.low, high=each.high)
    (weights,) = drawn(rng, each.shapes[first])
    ts = leaves(torch, xs)
    number = sum((y * y * y).sum() for y in listed(each.theirs(torch)(*ts)))
    (inner,) = torch.autograd.grad(number, ts[first], create_graph=True)
    expected = torch.autograd.grad(inner, ts[second], *tensors(torch, [weights]))

    def loss(*inputs):
        return sum(core.sum(y * y * y) for y in listed(each.ours(*inputs)))

    def with_input(place, inputs):
        return lambda x: loss(*[x if i == place else other for i, other in enumerate(inputs)])

    def inner_gradient(x):
        inputs = [x if i == second else other for i, other in enumerate(xs)]
        return core.grad(with_input(first, inputs))(inputs[first])

    assert_close([core.grad(inner_gradient)(xs[second], dy=weights)], expected)


def test_rows_of_a_jacobian(torch, rng):
    (x,) = drawn(rng, (4,), low=0.5, high=2.0)
    rows = [core.grad(l2_normalised)(x, dy=row) for row in np.eye(4, dtype=np.float32)]
    theirs = FUNCTIONS["l2 normalised"].theirs(torch)
    (t,) = tensors(torch, [x])
    assert_close([core.stack(rows)], [torch.autograd.functional.jacobian(theirs, t)])


def test_a_whole_hessian(torch, rng):
    (x,) = drawn(rng, (5,))
    slope = core.grad(lambda t: core.sum(swish(t * t) * core.cumsum(t)))
    rows = [core.grad(slope)(x, dy=row) for row in np.eye(5, dtype=np.float32)]
    (t,) = tensors(torch, [x])
    theirs = FUNCTIONS["swish"].theirs(torch)
    expected = torch.autograd.functional.hessian(lambda t: (theirs(t * t) * t.cumsum(0)).sum(), t)
    assert_close([core.stack(rows)], [expected])


# Programs


def network(activation, x, w1, b1, w2):
    return activation(x @ w1 + b1) @ w2


SHAPES = (6, 4), (4, 8), (8,), (8, 1)


def test_hessian_vector_products_of_a_network(torch, rng):
    x, *weights = drawn(rng, *SHAPES)
    directions = drawn(rng, *SHAPES[1:])

    def loss(*ws):
        return core.mean(core.square(network(swish, core.tensor(x), *ws)))

    found = core.grads(our_derivative(loss, directions))(*weights)
    (tx,), ws = tensors(torch, [x]), leaves(torch, weights)
    theirs = network(FUNCTIONS["swish"].theirs(torch), tx, *ws).square().mean()
    slopes = torch.autograd.grad(theirs, ws, create_graph=True)
    expected = torch.autograd.grad(slopes, ws, tensors(torch, directions))
    assert_close(found, expected)


def test_a_gradient_penalty_for_variables(torch, rng):
    """WGAN-GP (Gulrajani et al. 2017): the loss holds the gradient of the critic by its input."""
    x, *weights = drawn(rng, *SHAPES)
    names = ["w1", "b1", "w2"]
    variables = [core.variable(w, name=n) for w, n in zip(weights, names, strict=True)]

    def loss():
        def critic(t):
            return core.sum(network(log1pexp, t, *variables))

        value, slope = core.value_and_grad(critic)(x)
        norm = core.sqrt(core.sum(core.square(slope), axis=1))
        return value / 6.0 + 10.0 * core.mean(core.square(norm - 1.0))

    value, grads = core.variable_grads(loss, variables)
    (tx,), ws = leaves(torch, [x]), leaves(torch, weights)
    theirs = network(FUNCTIONS["log1pexp"].theirs(torch), tx, *ws).sum()
    (slope,) = torch.autograd.grad(theirs, tx, create_graph=True)
    total = theirs / 6 + 10 * (slope.square().sum(1).sqrt() - 1).square().mean()
    expected = torch.autograd.grad(total, ws)
    assert_close([value], [total])
    assert_close([grads[n] for n in names], expected)


def test_a_step_of_meta_learning(torch, rng):
    """MAML (Finn et al. 2017): gradients through two steps of descent, and by their length."""
    x, *weights = drawn(rng, *SHAPES)
    y, x2, y2 = drawn(rng, (6, 1), (6, 4), (6, 1))

    def task_loss(given, wanted, ws):
        return core.mean(core.square(network(swish, core.tensor(given), *ws) - wanted))

    def outer_loss(rate, *ws):
        for _ in range(2):
            slopes = core.grads(lambda *inner: task_loss(x, y, inner))(*ws)
            ws = [w - rate * g for w, g in zip(ws, slopes, strict=True)]
        return task_loss(x2, y2, ws)

    found = core.grads(outer_loss)(0.1, *weights)
    theirs = FUNCTIONS["swish"].theirs(torch)
    tx, ty, tx2, ty2 = tensors(torch, [x, y, x2, y2])
    rate, *start = leaves(torch, [0.1, *weights])
    ws = start
    for _ in range(2):
        loss = (network(theirs, tx, *ws) - ty).square().mean()
        slopes = torch.autograd.grad(loss, ws, create_graph=True)
        ws = [w - rate * g for w, g in zip(ws, slopes, strict=True)]
    total = (network(theirs, tx2, *ws) - ty2).square().mean()
    assert_close(found, torch.autograd.grad(total, [rate, *start]))


def test_training_with_variables_for_thirty_steps(torch, rng):
    """The errors of thirty steps of descent add up to a few units in the last place."""
    x, *weights = drawn(rng, *SHAPES)
    (y,) = drawn(rng, (6, 1))
    variables = [core.variable(w) for w in weights]
    ws = leaves(torch, weights)
    tx, ty = tensors(torch, [x, y])
    theirs = FUNCTIONS["swish"].theirs(torch)
    for _ in range(30):
        grads = core.variable_grads(
            lambda: core.mean(core.square(network(swish, x, *variables) - y))
        ).grads
        for name, variable in grads.variables.items():
            variable -= 0.2 * grads[name]
        loss = (network(theirs, tx, *ws) - ty).square().mean()
        slopes = torch.autograd.grad(loss, ws)
        ws = [(w - 0.2 * g).detach().requires_grad_() for w, g in zip(ws, slopes, strict=True)]
    assert_close([v.read() for v in variables], ws)
