"""The pass that makes networks of integers compute with bytes, for generated kernels."""

from collections.abc import Sequence

import numpy as np

from core.engine.program import Program, Step
from core.engine.specs import Shape
from core.plan.integer_ops import (
    FROM_BYTES,
    INTEGER_BINARY,
    INTEGER_DEPTHWISE,
    INTEGER_RESIZE,
    TO_BYTES,
)
from core.plan.passes.integer_numbers import Numbers, Quanta
from core.plan.passes.integers import (
    POINTWISE,
    PRODUCTS,
    Parts,
    Rewriting,
    as_filter,
    windows_of,
)


def with_bytes(program: Program) -> Program:
    """Return a program that computes with bytes what `integers` says."""
    return _AsBytes(program).result()


class _AsBytes(Rewriting):
    """Integers as bytes, by the ops of `core.plan.integer_ops`."""

    dtype, ending = "uint8", "bytes"

    def to_integers(self, x: str, quanta: Quanta, nudge: bool) -> Step:
        """Return rounding to bytes."""
        return Step(TO_BYTES, (x,), {"scale": quanta.scale, **quanta.limits, "nudge": nudge})

    def to_real(self, x: str, quanta: Quanta) -> Step:
        """Return the real values of bytes."""
        return Step(FROM_BYTES, (x,), {"scale": quanta.scale, "zero_point": quanta.zero_point})

    def constant_integers(self, reference: str, how: Quanta, shape: Shape) -> str:
        """Return bytes, repeated to the shape."""
        moved = (self._program.integers[reference].values.astype(np.int16) + how.base).astype(
            np.uint8
        )
        whole = np.ascontiguousarray(np.broadcast_to(moved, shape))
        return self.constant(f"{reference}/bytes", whole)

    def product(self, step: Step, x: str, parts: Parts) -> Step:
        """Return a convolution, also of matrices."""
        filter = parts.filter
        inputs = (
            x,
            self.constant(f"{step.inputs[1]}/integers", as_filter(filter.values)),
            self.constant(f"{step.name}/bias", parts.bias),
            *self._numbers(step, parts.numbers),
        )
        zeros = {"x_zero": parts.given.zero_point, "filter_zero": filter.zero_point}
        return Step(PRODUCTS[step.op.name], inputs, windows_of(step) | zeros | parts.quanta.limits)

    def _numbers(self, step: Step, numbers: Numbers) -> list[str]:
        named = numbers._asdict().items()
        return [self.constant(f"{step.name}/{name}", array) for name, array in named]

    def binary(self, step: Step, both: list[str], numbers: np.ndarray, quanta: Quanta) -> Step:
        """Return the op of two arrays of bytes."""
        inputs = (*both, self.constant(f"{step.name}/numbers", numbers))
        return Step(INTEGER_BINARY, inputs, {"kind": step.op.name, **quanta.limits})

    def resize(self, step: Step, x: str, tables: Sequence[np.ndarray], how: Quanta) -> Step | None:
        """Return the resizing of bytes."""
        names = [self.constant(f"{step.name}/positions", table) for table in tables]
        return Step(INTEGER_RESIZE, (x, *names), {"base": how.base})

    def mean(self, step: Step, x: str, given: Quanta, numbers: Numbers, how: Quanta) -> Step:
        """Return a depthwise convolution whose taps are 1."""
        _, *size, channels = self.specs[step.inputs[0]].shape
        inputs = (
            x,
            self.constant(f"{step.name}/taps", np.ones((*size, channels, 1), np.int8)),
            self.constant(f"{step.name}/bias", np.zeros(channels, np.int32)),
            *self._numbers(step, numbers),
        )
        zeros = {"x_zero": given.zero_point, "filter_zero": 0}
        return Step(INTEGER_DEPTHWISE, inputs, POINTWISE | zeros | how.limits)
