"""Formulas of the optimizers' steps, composed of ops, for any backend.

Backends whose `Backend.update_of` returns None run these; an in-place step of a backend under the
name of a formula must compute equal values. A formula takes the value, its gradient, the slots of
the variable and the constants of the step, and returns the new value and the new slots. All may
be tensors, or anything else that has operators and the methods ``sqrt``, ``abs`` and ``maximum``.
"""

from collections.abc import Callable, Sequence
from typing import Any

Value = Any  # a tensor: mypy does not see its operators
Several = Sequence[Any]


def sgd(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return the value after a step against the gradient; the rate is negative."""
    (rate,) = constants
    return [w + g * rate]


def momentum(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and accumulated gradient after a step with momentum."""
    (a,), (rate, mu) = kept, constants
    a = a * mu + g
    return w + a * rate, a


def nesterov(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and accumulated gradient after a step with Nesterov momentum."""
    (a,), (rate, mu) = kept, constants
    a = a * mu + g
    return w + (a * mu + g) * rate, a


def rmsprop(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean square and momentum after a step of RMSProp; the rate is positive."""
    (rms, mom), (rate, decay, rest, mu, epsilon) = kept, constants
    rms = rms * decay + g * g * rest
    mom = mom * mu + g * rate / (rms + epsilon).sqrt()
    return w - mom, rms, mom


def centered_rmsprop(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and slots of centered RMSProp; epsilon is subtracted as in TensorFlow.js."""
    (rms, mom, mg), (rate, decay, rest, mu, epsilon) = kept, constants
    rms = rms * decay + g * g * rest
    mg = mg * decay + g * rest
    mom = mom * mu + g * rate / (rms - (mg * mg + epsilon)).sqrt()
    return w - mom, rms, mom, mg


def adam(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean and mean square of Adam; rate and epsilon contain the bias correction."""
    (m, v), (rate, beta1, rest1, beta2, rest2, epsilon) = kept, constants
    m = m * beta1 + g * rest1
    v = v * beta2 + g * g * rest2
    return w + m / (v.sqrt() + epsilon) * rate, m, v


def adadelta(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and mean squares of gradients and of changes after a step of Adadelta."""
    (grads, changes), (rate, rho, rest, epsilon) = kept, constants
    change = (changes + epsilon).sqrt() / (grads + epsilon).sqrt() * g
    grads = grads * rho + g * g * rest
    changes = changes * rho + change * change * rest
    return w + change * rate, grads, changes


def adamax(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean and decayed maximum of Adamax; the rate contains the bias correction."""
    (m, v), (rate, beta1, rest1, beta2, epsilon) = kept, constants
    m = m * beta1 + g * rest1
    v = (v * beta2).maximum(g.abs())
    return w + m / (v + epsilon) * rate, m, v


def adagrad(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and sum of squared gradients after a step of Adagrad."""
    (sums,), (rate, epsilon) = kept, constants
    sums = sums + g * g
    return w + g / (sums + epsilon).sqrt() * rate, sums


_ALL = (sgd, momentum, nesterov, rmsprop, centered_rmsprop, adam, adadelta, adamax, adagrad)
FORMULAS: dict[str, Callable[..., Several]] = {formula.__name__: formula for formula in _ALL}
