"""The check of gradients: the derivative of a loss along a direction, by the tape."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from core import ops
from core.autodiff.gradients import grads
from core.conformance.op_cases import Gradient, OpCase, arrays_of
from core.engine.backend import Backend
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor

#: Tolerance of derivatives, which are sums of many values, in epsilons of the backend.
TOLERANCE = 1000


def gradient_failures(case: OpCase, backend: Backend) -> Iterator[str]:
    """Describe each wrong gradient of a case on the active backend."""
    for gradient in case.gradients:
        yield from _failures(case, gradient, TOLERANCE * backend.epsilon)


def _failures(case: OpCase, gradient: Gradient, tolerance: float) -> Iterator[str]:
    name = case.record.inputs[gradient.input_index]
    xs = [tensor(x) for x in arrays_of(case.inputs[gradient.input_index])]
    found = _gradients(case, gradient.input_index, xs)
    for x, g in zip(xs, found, strict=True):
        if g.spec != x.spec:
            yield f"the gradient of {name!r} is {g.dtype} {g.shape}, should be {x.dtype} {x.shape}"
            return
    pairs = zip(found, gradient.directions, strict=True)
    parts = np.concatenate([_flow(g.numpy(), along) for g, along in pairs])
    derivative, scale = float(np.sum(parts)), float(np.sum(parts * parts)) ** 0.5
    limit = tolerance * max(abs(gradient.derivative), scale)
    if not abs(derivative - gradient.derivative) <= limit:
        yield (
            f"the gradient of {name!r}: the derivative along a direction is {derivative:g}, should "
            f"be {gradient.derivative:g} (within {limit:.2g})"
        )


def _flow(gradient: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return the share of each value in the derivative; of a complex one there are two."""
    real = gradient.real.astype(np.float64) * direction.real
    if gradient.dtype.kind == "c":
        real = np.concatenate([real.ravel(), (gradient.imag * direction.imag).ravel()])
    return real.ravel()


def _gradients(case: OpCase, index: int, xs: list[Tensor]) -> list[Tensor]:
    """Gradients of the loss for the tensors of one input."""
    several = isinstance(case.inputs[index], list)
    dtypes = [y.dtype.kind for y in case.results]

    def call(*moved: Tensor) -> Any:
        inputs: list[Any] = [*case.inputs]
        inputs[index] = [*moved] if several else moved[0]
        return case.record(*inputs, **case.attributes)

    if len(dtypes) == 1:  # no op but those of the gradient runs
        (weights,) = case.weights
        assert weights is not None
        kind = np.complex64 if dtypes == ["c"] else np.float32
        return grads(call)(*xs, dy=weights.astype(kind))
    return grads(_loss(call, case))(*xs)


def _loss(call: Callable[..., Any], case: OpCase) -> Callable[..., Tensor]:
    """The sum of several results times their weights."""

    def loss(*moved: Tensor) -> Tensor:
        shares = [
            share
            for y, weights in zip(call(*moved), case.weights, strict=True)
            if weights is not None
            for share in _shares(y, weights)
        ]
        return shares[0] if len(shares) == 1 else ops.add_n(shares)

    return loss


def _shares(y: Tensor, weights: np.ndarray) -> Iterator[Tensor]:
    if y.dtype == "complex64":
        yield ops.sum(ops.real(y) * weights.real.astype(np.float32))
        yield ops.sum(ops.imag(y) * weights.imag.astype(np.float32))
    else:
        yield ops.sum(y * weights.astype(np.float32))
