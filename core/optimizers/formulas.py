"""The definition of each optimizer's step, made of ops: it runs on any backend.

Backends whose `Backend.update_of` gives nothing run these; a step in place that one gives under
the name of a formula must come to the same values. A formula takes the value, its gradient, what
the optimizer keeps for the variable and the constants of the step, and gives the new value and what
to keep now.
"""

from collections.abc import Callable, Sequence
from typing import Any

from core.registry import ops

Value = Any  # a tensor: mypy does not see its operators
Several = Sequence[Any]


def sgd(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Against the gradient: the rate is negative."""
    (rate,) = constants
    return [w + g * rate]


def momentum(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Gradients add up."""
    (a,), (rate, mu) = kept, constants
    a = a * mu + g
    return w + a * rate, a


def nesterov(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """As momentum, one step ahead."""
    (a,), (rate, mu) = kept, constants
    a = a * mu + g
    return w + (a * mu + g) * rate, a


def rmsprop(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the mean square of the gradients; the rate is positive."""
    (rms, mom), (rate, decay, rest, mu, epsilon) = kept, constants
    rms = rms * decay + g * g * rest
    mom = mom * mu + g * rate / ops.sqrt(rms + epsilon)
    return w - mom, rms, mom


def centered_rmsprop(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the variance of the gradients less epsilon: it is subtracted in TensorFlow.js."""
    (rms, mom, mg), (rate, decay, rest, mu, epsilon) = kept, constants
    rms = rms * decay + g * g * rest
    mg = mg * decay + g * rest
    mom = mom * mu + g * rate / ops.sqrt(rms - (mg * mg + epsilon))
    return w - mom, rms, mom, mg


def adam(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the mean and the mean square; rate and epsilon bring the correction of their bias."""
    (m, v), (rate, beta1, rest1, beta2, rest2, epsilon) = kept, constants
    m = m * beta1 + g * rest1
    v = v * beta2 + g * g * rest2
    return w + m / (ops.sqrt(v) + epsilon) * rate, m, v


def adadelta(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the mean squares of the gradients before this one, and of the changes."""
    (grads, changes), (rate, rho, rest, epsilon) = kept, constants
    change = ops.sqrt(changes + epsilon) / ops.sqrt(grads + epsilon) * g
    grads = grads * rho + g * g * rest
    changes = changes * rho + change * change * rest
    return w + change * rate, grads, changes


def adamax(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the mean and the largest, which fades; the rate brings the correction of the bias."""
    (m, v), (rate, beta1, rest1, beta2, epsilon) = kept, constants
    m = m * beta1 + g * rest1
    v = ops.maximum(v * beta2, ops.abs(g))
    return w + m / (v + epsilon) * rate, m, v


def adagrad(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """By the sum of the squares."""
    (sums,), (rate, epsilon) = kept, constants
    sums = sums + g * g
    return w + g / ops.sqrt(sums + epsilon) * rate, sums


FORMULAS: dict[str, Callable[[Value, Value, Several, Several], Several]] = {
    "sgd": sgd,
    "momentum": momentum,
    "nesterov": nesterov,
    "rmsprop": rmsprop,
    "centered_rmsprop": centered_rmsprop,
    "adam": adam,
    "adadelta": adadelta,
    "adamax": adamax,
    "adagrad": adagrad,
}
