"""Steps of optimizers in place: the formulas of `core.optimizers.formulas` without new arrays.

They are the same float32 operations in the same order and give the same bits, but for numbers
below the smallest normal one: see `_drop_denormals`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import local

import numpy as np
from numpy import absolute, add, divide, maximum, multiply, sqrt, subtract

Array = np.ndarray
Several = Sequence[np.ndarray]

#: Floats that are worked on at a time: the pieces of five arrays stay in a cache of 1 MB.
BLOCK = 2**15


class _Scratch(local):
    """Room for what is between two operations, of each thread."""

    def __init__(self) -> None:
        self.blocks = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)


_scratch = _Scratch()


def _update(
    formula: Callable[[Array, Array, Several, Several, Array, Array], None],
    value: Array,
    gradient: Array,
    kept: Several,
    constants: Several,
    clean: bool,
) -> None:
    """Make a step, block by block.

    Args:
        formula: works on pieces along one axis, with room for two such pieces.
        value: of the variable, to be changed.
        gradient: of the same shape.
        kept: what the optimizer keeps for the variable, to be changed.
        constants: float32 numbers as arrays without axes, which NumPy takes faster than scalars.
        clean: whether to put zeros in the place of denormal numbers in what is kept.
    """
    for array in kept:
        array.setflags(write=True)
    w, g, *flat = [a.reshape(-1) for a in (value, gradient, *kept)]
    t, u = _scratch.blocks
    if w.size <= BLOCK:
        formula(w, g, flat, constants, t[: w.size], u[: w.size])
    else:
        for piece in _pieces(w):
            size = w[piece].size
            formula(w[piece], g[piece], [a[piece] for a in flat], constants, t[:size], u[:size])
    if clean:
        for array in flat:
            _drop_denormals(array)
    for array, changed in zip((value, *kept), (w, *flat), strict=True):
        if not array.flags.c_contiguous:
            array[...] = changed.reshape(array.shape)  # which is a copy then


def _pieces(array: Array) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, array.size, BLOCK))


_SMALLEST = np.finfo(np.float32).smallest_normal


def _drop_denormals(array: Array) -> None:
    """Put zeros in the place of numbers with which many processors are fifty times slower.

    Without gradients, means fade down to such numbers and stay there: 0.9 times the smallest one
    is rounded to itself.
    """
    for piece in _pieces(array):
        part = array[piece]
        tiny = absolute(part, _scratch.blocks[0][: part.size]) < _SMALLEST
        if tiny.any():
            part[tiny] = 0


def _sgd(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (rate,) = constants
    multiply(g, rate, t)
    add(w, t, w)


def _momentum(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (a,), (rate, mu) = kept, constants
    multiply(a, mu, a)
    add(a, g, a)
    multiply(a, rate, t)
    add(w, t, w)


def _nesterov(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (a,), (rate, mu) = kept, constants
    multiply(a, mu, a)
    add(a, g, a)
    multiply(a, mu, t)
    add(t, g, t)
    multiply(t, rate, t)
    add(w, t, w)


def _rmsprop(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (rms, mom), (rate, decay, rest, mu, epsilon) = kept, constants
    _fade_square(rms, g, decay, rest, t)
    add(rms, epsilon, t)
    _move_on(w, g, mom, rate, mu, t, u)


def _centered_rmsprop(
    w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array
) -> None:
    (rms, mom, mg), (rate, decay, rest, mu, epsilon) = kept, constants
    _fade_square(rms, g, decay, rest, t)
    _fade(mg, g, decay, rest, t)
    multiply(mg, mg, t)
    add(t, epsilon, t)
    subtract(rms, t, t)
    _move_on(w, g, mom, rate, mu, t, u)


def _adam(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (m, v), (rate, beta1, rest1, beta2, rest2, epsilon) = kept, constants
    _fade(m, g, beta1, rest1, t)
    _fade_square(v, g, beta2, rest2, t)
    sqrt(v, t)
    add(t, epsilon, t)
    _step(w, m, rate, t)


def _adadelta(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (grads, changes), (rate, rho, rest, epsilon) = kept, constants
    add(grads, epsilon, t)
    sqrt(t, t)
    add(changes, epsilon, u)
    sqrt(u, u)
    divide(u, t, u)
    multiply(u, g, u)
    _fade_square(grads, g, rho, rest, t)
    _fade_square(changes, u, rho, rest, t)
    multiply(u, rate, u)
    add(w, u, w)


def _adamax(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (m, v), (rate, beta1, rest1, beta2, epsilon) = kept, constants
    _fade(m, g, beta1, rest1, t)
    multiply(v, beta2, v)
    absolute(g, t)
    maximum(v, t, out=v)  # NumPy takes no third argument here
    add(v, epsilon, t)
    _step(w, m, rate, t)


def _adagrad(w: Array, g: Array, kept: Several, constants: Several, t: Array, u: Array) -> None:
    (sums,), (rate, epsilon) = kept, constants
    multiply(g, g, t)
    add(sums, t, sums)
    add(sums, epsilon, t)
    sqrt(t, t)
    _step(w, g, rate, t)


def _fade(mean: Array, x: Array, keep: Array, rest: Array, t: Array) -> None:
    """``mean * keep + x * rest`` becomes the mean."""
    multiply(mean, keep, mean)
    multiply(x, rest, t)
    add(mean, t, mean)


def _fade_square(mean: Array, x: Array, keep: Array, rest: Array, t: Array) -> None:
    """``mean * keep + x * x * rest`` becomes the mean."""
    multiply(mean, keep, mean)
    multiply(x, x, t)
    multiply(t, rest, t)
    add(mean, t, mean)


def _step(w: Array, x: Array, rate: Array, t: Array) -> None:
    """``w + x / t * rate`` becomes the value."""
    divide(x, t, t)
    multiply(t, rate, t)
    add(w, t, w)


def _move_on(w: Array, g: Array, mom: Array, rate: Array, mu: Array, t: Array, u: Array) -> None:
    """``mom * mu + g * rate / sqrt(t)`` becomes the momentum, and the value goes by it."""
    sqrt(t, t)
    multiply(g, rate, u)
    divide(u, t, u)
    multiply(mom, mu, mom)
    add(mom, u, mom)
    subtract(w, mom, w)


UPDATES = {
    "sgd": partial(_update, _sgd),
    "momentum": partial(_update, _momentum),
    "nesterov": partial(_update, _nesterov),
    "rmsprop": partial(_update, _rmsprop),
    "centered_rmsprop": partial(_update, _centered_rmsprop),
    "adam": partial(_update, _adam),
    "adadelta": partial(_update, _adadelta),
    "adamax": partial(_update, _adamax),
    "adagrad": partial(_update, _adagrad),
}
