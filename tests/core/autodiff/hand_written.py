"""Eleven functions with gradients written by hand, each of ours beside one of PyTorch."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import core


class HandWritten(NamedTuple):
    """One function, twice."""

    ours: Callable[..., Any]
    forward: Callable[..., Any]  # of torch, then the inputs
    backward: Callable[..., Any]  # of torch, the inputs, then the gradients of the values
    shapes: tuple[tuple[int, ...], ...]
    low: float = -2.0
    high: float = 2.0

    def theirs(self, torch: ModuleType) -> Callable[..., Any]:
        """The function as PyTorch extends itself."""

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *xs):
                ctx.save_for_backward(*xs)
                return self.forward(torch, *xs)

            @staticmethod
            def backward(ctx, *dys):
                return self.backward(torch, *ctx.saved_tensors, *dys)

        return Function.apply


@core.custom_grad
def straight_through_round(x):
    return core.round(x), lambda dy: dy


@core.custom_grad
def clipped_gradient(x):
    return x, lambda dy: core.clip_by_value(dy, -0.5, 0.5)


@core.custom_grad
def log1pexp(x):
    e = core.exp(x)
    return core.log1p(e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))


@core.custom_grad
def reversed_gradient(x):
    return x, lambda dy: dy * -0.7


@core.custom_grad
def leaky_relu(x):
    positive = core.cast(x > 0.0, "float32")
    slope = positive + 0.2 * (1.0 - positive)
    return x * slope, lambda dy: dy * slope


@core.custom_grad
def softmax_cross_entropy(logits, labels):
    log_p = core.log_softmax(logits)
    mass = core.sum(labels, axis=-1, keep_dims=True)

    def gradient(dy):
        dy = core.expand_dims(dy, axis=-1)
        return dy * (mass * core.exp(log_p) - labels), -dy * log_p

    return -core.sum(labels * log_p, axis=-1), gradient


@core.custom_grad
def polynomial(x, c):
    """Horner's scheme; the powers go to the gradient."""
    powers = core.stack([core.ones_like(x), x, x * x, x * x * x])
    slope = c[1] + 2.0 * c[2] * x + 3.0 * c[3] * x * x
    value = ((c[3] * x + c[2]) * x + c[1]) * x + c[0]
    return value, lambda dy: (dy * slope, core.sum(powers * dy, axis=(1, 2)))


@core.custom_grad
def product(a, b):
    return a @ b, lambda dy: (dy @ b.T, a.T @ dy)


@core.custom_grad
def l2_normalised(x):
    norm = core.sqrt(core.sum(x * x, axis=-1, keep_dims=True))
    y = x / norm
    return y, lambda dy: (dy - y * core.sum(y * dy, axis=-1, keep_dims=True)) / norm


@core.custom_grad
def from_polar(r, angle):
    x, y = r * core.cos(angle), r * core.sin(angle)
    return (x, y), lambda dx, dy: ((dx * x + dy * y) / r, dy * x - dx * y)


@core.custom_grad
def sigmoid(x):
    y = 1.0 / (1.0 + core.exp(-x))
    return y, lambda dy: dy * y * (1.0 - y)


@core.custom_grad
def swish(x):
    """A custom gradient inside of another, and inside of its gradient."""
    return x * sigmoid(x), lambda dy: dy * (sigmoid(x) + x * core.grad(sigmoid)(x))


def _leaky(torch, x, dy):
    return torch.where(x > 0, dy, 0.2 * dy)


def _cross_entropy_gradients(torch, logits, labels, dy):
    dy, log_p = dy[..., None], torch.log_softmax(logits, -1)
    return dy * (labels.sum(-1, keepdim=True) * log_p.exp() - labels), -dy * log_p


def _polynomial_gradients(torch, x, c, dy):
    slope = c[1] + 2 * c[2] * x + 3 * c[3] * x**2
    return dy * slope, torch.stack([(dy * x**k).sum() for k in range(4)])


def _normalised_gradient(torch, x, dy):
    norm = x.norm(dim=-1, keepdim=True)
    return dy / norm - x * (x * dy).sum(-1, keepdim=True) / norm**3


def _swish_gradient(torch, x, dy):
    s = torch.sigmoid(x)
    return dy * (s + x * s * (1 - s))


FUNCTIONS = {
    "straight-through round": HandWritten(
        straight_through_round, lambda torch, x: x.round(), lambda torch, x, dy: dy, ((3, 4),)
    ),
    "clipped gradient": HandWritten(
        clipped_gradient,
        lambda torch, x: x.clone(),
        lambda torch, x, dy: dy.clamp(-0.5, 0.5),
        ((3, 4),),
    ),
    "log1pexp": HandWritten(
        log1pexp,
        lambda torch, x: torch.log1p(x.exp()),
        lambda torch, x, dy: dy * torch.sigmoid(x),
        ((3, 4),),
    ),
    "reversed gradient": HandWritten(
        reversed_gradient,
        lambda torch, x: x.clone(),
        lambda torch, x, dy: -0.7 * dy,
        ((3, 4),),
    ),
    "leaky relu": HandWritten(leaky_relu, lambda torch, x: _leaky(torch, x, x), _leaky, ((3, 4),)),
    "softmax cross entropy": HandWritten(
        softmax_cross_entropy,
        lambda torch, x, labels: -(labels * torch.log_softmax(x, -1)).sum(-1),
        _cross_entropy_gradients,
        ((3, 5), (3, 5)),
    ),
    "polynomial": HandWritten(
        polynomial,
        lambda torch, x, c: sum(c[k] * x**k for k in range(4)),
        _polynomial_gradients,
        ((3, 2), (4,)),
    ),
    "matrix product": HandWritten(
        product,
        lambda torch, a, b: a @ b,
        lambda torch, a, b, dy: (dy @ b.T, a.T @ dy),
        ((3, 4), (4, 2)),
    ),
    "l2 normalised": HandWritten(
        l2_normalised,
        lambda torch, x: x / x.norm(dim=-1, keepdim=True),
        _normalised_gradient,
        ((3, 4),),
    ),
    "from polar": HandWritten(
        from_polar,
        lambda torch, r, a: (r * a.cos(), r * a.sin()),
        lambda torch, r, a, dx, dy: (
            dx * a.cos() + dy * a.sin(),
            r * (dy * a.cos() - dx * a.sin()),
        ),
        ((5,), (5,)),
        0.5,
    ),
    "swish": HandWritten(swish, lambda torch, x: x * torch.sigmoid(x), _swish_gradient, ((3, 4),)),
}
