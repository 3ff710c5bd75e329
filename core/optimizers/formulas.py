"""Formulas of the optimizers' steps, composed of ops, for any backend.

Backends whose `Backend.update_of` returns None run these; an in-place step of a backend under the
name of a formula must compute equal values. A formula takes the value, its gradient, the slots of
the variable and the constants of the step, and returns the new value and the new slots. All may
be tensors; those of `ELEMENTWISE` may be anything else that has operators and the methods
``sqrt``, ``abs``, ``sign``, ``maximum`` and ``minimum``.

The first formulas are those of `core.train`; the ones from `accelerated` on round as Keras 3 does.
Each has a twin ``decayed_<name>``, whose first constant is a share of the value to take off before.
"""

from collections.abc import Callable, Sequence
from functools import partial
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


def accelerated(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and velocity after a step of SGD with momentum; the rate is negative."""
    (a,), (rate, mu) = kept, constants
    a = a * mu + g * rate
    return w + a, a


def looking_ahead(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and velocity after a step of SGD with Nesterov momentum."""
    (a,), (rate, mu) = kept, constants
    step = g * rate
    a = a * mu + step
    return w + (a * mu + step), a


def root_mean_square(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and mean square after a step of RMSprop without momentum; a positive rate."""
    (rms,), (rate, rho, rest, epsilon) = kept, constants
    rms = rms * rho + g * g * rest
    return w - g * rate / (rms + epsilon).sqrt(), rms


def root_variance(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean square and mean after a step of centered RMSprop without momentum."""
    (rms, mean), (rate, rho, rest, epsilon) = kept, constants
    rms = rms * rho + g * g * rest
    mean = mean * rho + g * rest
    return w - g * rate / (rms - mean * mean + epsilon).sqrt(), rms, mean


def root_variance_momentum(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean square, momentum and mean after a step of centered RMSprop."""
    (rms, mom, mean), (rate, rho, rest, mu, epsilon) = kept, constants
    rms = rms * rho + g * g * rest
    mean = mean * rho + g * rest
    mom = mom * mu + g * rate / (rms - mean * mean + epsilon).sqrt()
    return w - mom, rms, mom, mean


def moments(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean and mean square after a step of Adam; a corrected positive rate."""
    (m, v), (rate, rest1, rest2, epsilon) = kept, constants
    m = m + (g - m) * rest1
    v = v + (g * g - v) * rest2
    return w - m * rate / (v.sqrt() + epsilon), m, v


def largest_moments(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean, mean square and its maximum after a step of Adam with ``amsgrad``."""
    (m, v, most), (rate, rest1, rest2, epsilon) = kept, constants
    m = m + (g - m) * rest1
    v = v + (g * g - v) * rest2
    most = most.maximum(v)
    return w - m * rate / (most.sqrt() + epsilon), m, v, most


def nesterov_moments(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean and mean square after a step of Nadam.

    The constants after the rate are the shares of the mean and of the gradient, and what corrects
    the mean square.
    """
    (m, v), (rate, share, own_share, correction, rest1, rest2, epsilon) = kept, constants
    m = m + (g - m) * rest1
    v = v + (g * g - v) * rest2
    return w - (m * share + g * own_share) * rate / ((v / correction).sqrt() + epsilon), m, v


def largest_gradient(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, mean and decayed maximum after a step of Adamax; a corrected positive rate."""
    (m, u), (rate, rest1, beta2, epsilon) = kept, constants
    m = m + (g - m) * rest1
    u = (u * beta2).maximum(g.abs())
    return w - m * rate / (u + epsilon), m, u


def unit_free(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and mean squares of gradients and changes after a step of Keras's Adadelta."""
    (grads, changes), (rate, rho, rest, epsilon) = kept, constants
    grads = grads * rho + g * g * rest
    change = (changes + epsilon).sqrt() * g / (grads + epsilon).sqrt()
    changes = changes * rho + change * change * rest
    return w - change * rate, grads, changes


def signs(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value and mean after a step of Lion; the rate is positive."""
    (m,), (rate, beta1, rest1, beta2, rest2) = kept, constants
    w = w - (m * beta1 + g * rest1).sign() * rate
    return w, m * beta2 + g * rest2


def follow_the_leader(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, sum of squares and linear term after a step of Ftrl with roots."""
    (sums, linear), (rate, l1, minus_l1, l2, shrinkage) = kept, constants
    new = sums + g * g
    root = new.sqrt()
    linear = linear + (w * shrinkage + g - (root - sums.sqrt()) / rate * w)
    return (linear.minimum(l1).maximum(minus_l1) - linear) / (root / rate + l2), new, linear


def follow_the_leader_power(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, sum of squares and linear term after a step of Ftrl with any power."""
    (sums, linear), (rate, l1, minus_l1, l2, shrinkage, power) = kept, constants
    new = sums + g * g
    root = new**power
    linear = linear + (w * shrinkage + g - (root - sums**power) / rate * w)
    return (linear.minimum(l1).maximum(minus_l1) - linear) / (root / rate + l2), new, linear


def factored(w: Value, g: Value, kept: Several, constants: Several) -> Several:
    """Return value, means by rows and columns, and mean square after a step of Adafactor."""
    (rows, columns, v), (rate, beta, rest, epsilon1, epsilon2, threshold) = kept, constants
    square = g * g + epsilon1
    if len(w.shape) >= 2:
        rows = rows * beta + square.mean(axis=-1) * rest
        columns = columns * beta + square.mean(axis=-2) * rest
        shares = rows / rows.mean(axis=-1, keep_dims=True)
        v = shares.expand_dims(-1) * columns.expand_dims(-2)
    else:
        v = v * beta + square * rest
    step = g / v.sqrt()
    step = step / ((step * step).mean().sqrt() / threshold).maximum(1.0)
    return w - step * (w * w).mean().sqrt().maximum(epsilon2) * rate, rows, columns, v


def _decayed(
    formula: Callable[..., Several], w: Value, g: Value, kept: Several, constants: Several
) -> Several:
    share, *rest = constants
    return formula(w - w * share, g, kept, rest)


_OF_TENSORFLOW_JS = (
    sgd, momentum, nesterov, rmsprop, centered_rmsprop, adam, adadelta, adamax, adagrad,
)  # fmt: skip
_OF_KERAS = (
    accelerated, looking_ahead, root_mean_square, root_variance, root_variance_momentum, moments,
    largest_moments, nesterov_moments, largest_gradient, unit_free, signs, follow_the_leader,
    follow_the_leader_power,
)  # fmt: skip


def _with_twins(formulas: Sequence[Callable[..., Several]]) -> dict[str, Callable[..., Several]]:
    found = {formula.__name__: formula for formula in formulas}
    return found | {f"decayed_{name}": partial(_decayed, f) for name, f in found.items()}


#: The formulas that compute each number of a result from numbers at its place.
ELEMENTWISE = _with_twins((*_OF_TENSORFLOW_JS, *_OF_KERAS))

#: All formulas by name.
FORMULAS = {**ELEMENTWISE, **_with_twins([factored])}
