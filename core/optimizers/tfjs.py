"""TensorFlow.js's optimizers, with the formulas of its version 4.22: ``core.train.adam(0.001)``.

>>> import core
>>> w, b = core.variable(0.0), core.variable(0.0)
>>> x = core.tensor([0.0, 1.0, 2.0])
>>> optimizer = core.train.sgd(0.3)
>>> for _ in range(100):
...     optimizer.minimize(lambda: core.mean(core.square(w * x + b - (2.0 * x + 1.0))))
>>> print(f"{w:.3f} {b:.3f}")
2.000 1.000

``core.train.Adam`` is ``core.train.adam``. `core.optimizers` has Keras's optimizers; these differ
from them (w: the variable, g: its gradient, lr: the learning rate, e: epsilon, t: the number of
the step from 1):

========= ====================================== =========================================
optimizer here, as in TensorFlow.js              `core.optimizers`, as in Keras 3
========= ====================================== =========================================
all       beta1, use_nesterov; epsilon None is   beta_1, nesterov; epsilon 1e-7;
          the backend's, 1e-7 in float32; none   weight_decay, clipnorm, clipvalue, use_ema,
          of the options at the right            gradient_accumulation_steps
SGD       no momentum; lr has no default         momentum option; lr 0.01
Momentum  a = momentum a + g; w -= lr a: a new   SGD(momentum): a = momentum a - lr g;
          lr counts for past gradients, too      w += a: a new lr counts from now on. The
          (Nesterov likewise)                    same values while lr stays
RMSProp   decay; lr has no default; centered:    rho; lr 0.001; centered:
          g / sqrt(rms - (mg^2 + e)), which is   g / sqrt(rms - mg^2 + e)
          NaN where the variance is below e
Adam      lr m' / (sqrt(v') + e), m' = m / (1 -  lr' m / (sqrt(v) + e), lr' = lr sqrt(1 -
          beta1^t), v' = v / (1 - beta2^t)       beta2^t) / (1 - beta1^t): at first e counts
                                                 up to 32 times as much; amsgrad option
Adadelta  divides by the root mean square of     by that of the gradients with this one
          the gradients before this one
Adamax    lr 0.002, lr / (1 + decay (t - 1))     lr 0.001, no decay
Adagrad   lr has no default, epsilon is the      lr 0.001, epsilon option
          backend's
========= ====================================== =========================================
"""

from math import sqrt

import numpy as np

from core.errors import CoreError
from core.optimizers.base import Optimizer, number

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "Momentum",
    "RMSProp",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "momentum",
    "rmsprop",
    "sgd",
]


class SGD(Optimizer):
    """Stochastic gradient descent: ``w -= learning_rate * g``.

    Args:
        learning_rate: factor of a step.

    Raises:
        CoreError: the learning rate is not a finite number.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.SGD(0.25)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.25, -0.5 ], dtype=float32)
    """

    formula = "sgd"

    def __init__(self, learning_rate: float):
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        return (-self.learning_rate,)


class Momentum(Optimizer):
    """Gradient descent with momentum: ``a = momentum * a + g; w -= learning_rate * a``.

    Source: Sutskever et al. 2013, http://proceedings.mlr.press/v28/sutskever13.pdf

    Args:
        learning_rate: factor of a step.
        momentum: share of the last step's ``a`` that is kept, usually from 0 to 1.
        use_nesterov: ``w -= learning_rate * (g + momentum * a)``: one step ahead.

    Raises:
        CoreError: the learning rate or the momentum is not a finite number.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.Momentum(0.125, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.4375, -0.875 ], dtype=float32)
    """

    slots = ("momentum",)

    def __init__(self, learning_rate: float, momentum: float, use_nesterov: bool = False):
        self.momentum = number(momentum, "momentum")
        self.use_nesterov = bool(use_nesterov)
        self.formula = "nesterov" if use_nesterov else "momentum"
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        return -self.learning_rate, self.momentum


class RMSProp(Optimizer):
    """Gradient descent divided by the root mean square of recent gradients.

    ``rms = decay * rms + (1 - decay) * g^2``,
    ``mom = momentum * mom + learning_rate * g / sqrt(rms + epsilon)``, ``w -= mom``.

    Source: Tieleman and Hinton 2012,
    http://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf

    Args:
        learning_rate: factor of a step.
        decay: decay of the mean square per step, 0 to 1.
        momentum: share of the last step that is repeated, usually from 0 to 1.
        epsilon: avoids a division by zero; by default the backend's, 1e-7 on ``cpu``.
        centered: divide by ``sqrt(rms - (mg^2 + epsilon))``, where ``mg`` is the mean gradient.
            As in TensorFlow.js, the result is NaN where the variance of the gradients is below
            epsilon, such as for a gradient that is zero from the first step.

    Raises:
        CoreError: a number is not finite, decay is not from 0 to 1, or epsilon is negative.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.RMSProp(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.49887067, -1.4738754 ], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = None,
        centered: bool = False,
    ):
        self.decay = number(decay, "decay", 0, 1)
        self.momentum = number(momentum, "momentum")
        self.epsilon = _epsilon(epsilon)
        self.centered = bool(centered)
        self.formula = "centered_rmsprop" if centered else "rmsprop"
        self.slots = ("rms", "momentum", "mg") if centered else ("rms", "momentum")
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        return self.learning_rate, self.decay, 1 - self.decay, self.momentum, epsilon


class Adam(Optimizer):
    """Steps of the mean gradient over the root of the mean square, with bias correction.

    ``m = beta1 * m + (1 - beta1) * g``, ``v = beta2 * v + (1 - beta2) * g^2``, and in step t
    ``w -= learning_rate * m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)``.

    Source: Kingma and Ba 2014, https://arxiv.org/abs/1412.6980

    Args:
        learning_rate: factor of a step.
        beta1: decay of the mean per step, from 0 to below 1.
        beta2: decay of the mean square per step, from 0 to below 1.
        epsilon: avoids a division by zero; by default the backend's, 1e-7 on ``cpu``.

    Raises:
        CoreError: a number is not finite, a beta is not from 0 to below 1, or epsilon is negative.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.Adam(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.80041397, -1.8001682 ], dtype=float32)
    """

    formula = "adam"
    slots = ("m", "v")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
    ):
        self.beta1, self.beta2 = _beta(beta1, "beta1"), _beta(beta2, "beta2")
        self.epsilon = _epsilon(epsilon)
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        # sqrt(v / c) + e = (sqrt(v) + e sqrt(c)) / sqrt(c) saves two passes over the data.
        root = sqrt(1 - self._power(self.beta2))
        rate = -self.learning_rate * root / (1 - self._power(self.beta1))
        return rate, self.beta1, 1 - self.beta1, self.beta2, 1 - self.beta2, epsilon * root


class Adadelta(Optimizer):
    """Steps scaled by the root mean square of recent steps over that of recent gradients.

    ``change = g * sqrt(changes + epsilon) / sqrt(grads + epsilon)``, then
    ``grads = rho * grads + (1 - rho) * g^2``, ``changes = rho * changes + (1 - rho) * change^2``,
    ``w -= learning_rate * change``.

    Source: Zeiler 2012, https://arxiv.org/abs/1212.5701, where ``grads`` includes this gradient
    already; this implementation has the order of TensorFlow.js.

    Args:
        learning_rate: factor of a step; 1 in the paper.
        rho: decay of the means per step, 0 to 1.
        epsilon: avoids a division by zero; by default the backend's, 1e-7 on ``cpu``.

    Raises:
        CoreError: a number is not finite, rho is not from 0 to 1, or epsilon is negative.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.Adadelta(0.125, epsilon=0.01)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.5625, -1.125 ], dtype=float32)
    """

    formula = "adadelta"
    slots = ("accum_grad", "accum_var")

    def __init__(
        self, learning_rate: float = 0.001, rho: float = 0.95, epsilon: float | None = None
    ):
        self.rho, self.epsilon = number(rho, "rho", 0, 1), _epsilon(epsilon)
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        return -self.learning_rate, self.rho, 1 - self.rho, epsilon


class Adamax(Optimizer):
    """Steps of the mean gradient over the largest recent gradient.

    ``m = beta1 * m + (1 - beta1) * g``, ``v = max(beta2 * v, |g|)``, and in step t
    ``w -= learning_rate / (1 + decay * (t - 1)) / (1 - beta1^t) * m / (v + epsilon)``.

    Source: Kingma and Ba 2014, section 7.1, https://arxiv.org/abs/1412.6980

    Args:
        learning_rate: factor of the first step.
        beta1: decay of the mean per step, from 0 to below 1.
        beta2: decay of the largest gradient per step, from 0 to below 1.
        epsilon: avoids a division by zero; by default the backend's, 1e-7 on ``cpu``.
        decay: decrease of the learning rate per step.

    Raises:
        CoreError: a number is not finite, a beta is not from 0 to below 1, or epsilon or decay is
            negative.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.Adamax(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.8051684, -1.8025341], dtype=float32)
    """

    formula = "adamax"
    slots = ("m", "v")

    def __init__(
        self,
        learning_rate: float = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
    ):
        self.beta1, self.beta2 = _beta(beta1, "beta1"), _beta(beta2, "beta2")
        self.epsilon, self.decay = _epsilon(epsilon), number(decay, "decay", 0)
        super().__init__(learning_rate)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        rate = -self.learning_rate / (1 + self.decay * self.iterations)
        rate /= 1 - self._power(self.beta1)
        return rate, self.beta1, 1 - self.beta1, self.beta2, epsilon


class Adagrad(Optimizer):
    """Gradient descent divided by the root of the sum of all squared gradients.

    ``sums += g^2``, ``w -= learning_rate * g / sqrt(sums + epsilon)`` with the backend's epsilon.

    Source: Duchi et al. 2011, http://www.jmlr.org/papers/volume12/duchi11a/duchi11a.pdf

    Args:
        learning_rate: factor of a step.
        initial_accumulator_value: initial value of the sums, 0 or more.

    Raises:
        CoreError: a number is not finite, or the initial accumulator value is negative.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.train.Adagrad(0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.28255534, -1.2019544 ], dtype=float32)
    """

    formula = "adagrad"
    slots = ("accumulator",)

    def __init__(self, learning_rate: float, initial_accumulator_value: float = 0.1):
        initial = number(initial_accumulator_value, "initial_accumulator_value", 0)
        self.initial_accumulator_value = initial
        super().__init__(learning_rate, [initial])

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        return -self.learning_rate, epsilon


def _epsilon(value: float | None) -> float | None:
    return None if value is None else number(value, "epsilon", 0)


def _beta(value: float, name: str) -> float:
    beta = number(value, name, 0, 1)
    if np.float32(beta) == 1:
        raise CoreError(f"{name} must be below 1: with 1 all gradients would be ignored")
    return beta


#: The classes, of which each is also there by its TensorFlow.js name: ``core.train.adam(0.001)``.
CLASSES = (SGD, Momentum, RMSProp, Adam, Adadelta, Adamax, Adagrad)
sgd, momentum, rmsprop, adam, adadelta, adamax, adagrad = CLASSES
