"""Folding of products and sums with constants into the weights before them, for known shapes.

The pass of graphs (`core.plan.passes.weights.fold_batch_norm`) does this where nodes show it; in
many models batch norm is a row of products and sums that only a program shows.
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

import numpy as np

from core.engine.program import Program, Step, use_counts
from core.engine.registry import OPS
from core.engine.specs import Shape, Spec
from core.graph.unique_names import free_name
from core.plan.passes.program_passes import is_replaced, without_unread
from core.plan.passes.weights import Affine, affine_of, combined, scaled
from core.plan.shared_arrays import shared

#: Ops with weights as their second input, and the axes of these for the channels of the result.
_CHANNELS: Mapping[str, Shape] = {
    "conv2d": (3,),
    "conv2d_backprop_input": (2,),
    "conv3d": (4,),
    "depthwise_conv2d": (2, 3),
    "matmul": (1,),
}


class _Weighted(NamedTuple):
    """A step with constant weights, and the axes of these for the channels of its result."""

    step: Step
    weights: np.ndarray
    axes: Shape

    @property
    def channels(self) -> int:
        """Return the number of channels of the result, its last axis."""
        return prod(self.weights.shape[axis] for axis in self.axes)


@np.errstate(all="ignore")  # weights of files may be NaN or infinite, or become so
def fold_scales(program: Program) -> Program:
    """Fold what scales and shifts the channels of a convolution or product into its weights.

    Nothing else may read the values between. Scales are combined in float64 and rounded once.
    Weights that train are inputs of their programs, and stay; networks of integers stay, too.
    """
    if program.integers or program.quantised:
        return program
    folding = _Folding(program)
    for step in program.steps:
        folding.add(step)
    return folding.result()


class _Folding:
    """The program's values, and the steps that replace others, by the first result of these."""

    def __init__(self, program: Program):
        self._program = program
        self._specs, self._constants = dict(program.specs), dict(program.constants)
        uses = use_counts(program.steps, program.outputs)
        readers = {r: step for step in program.steps for r in step.reads()}
        self._only_readers = {r: step for r, step in readers.items() if uses[r] == 1}
        self._replaced: dict[str, Step | None] = {}

    def result(self) -> Program:
        """Return the program with the steps replaced."""
        if not self._replaced:
            return self._program
        steps = [self._replaced.get(step.name, step) for step in self._program.steps]
        changed = self._program._replace(
            steps=tuple(step for step in steps if step is not None),
            specs=self._specs,
            constants=self._constants,
        )
        return without_unread(changed)

    def add(self, step: Step) -> None:
        """Fold what follows a step into its weights, if it has some and is scaled."""
        weighted = self._weighted(step)
        chain = [*self._chain(weighted)] if weighted else []
        total = combined([affine for _, affine in chain])
        if weighted is None or total is None or (total.scale == 1).all():
            return
        weights = scaled(weighted.weights, weighted.axes, total.scale)
        offset = total.offset.astype(np.float32)
        if not (np.isfinite(weights).all() and np.isfinite(offset).all()):
            return
        inputs = (step.inputs[0], self._constant(weights, f"{step.name}/scaled"))
        self._replaced[step.name] = step._replace(inputs=inputs)
        self._replaced |= {each.name: None for each, _ in chain}
        last = chain[-1][0]
        shifted = (step.name, self._constant(offset, f"{step.name}/offset"))
        self._replaced[last.name] = Step(OPS["add"], shifted, {}, (), last.outputs)

    def _weighted(self, step: Step) -> _Weighted | None:
        axes = _CHANNELS.get(step.op.name)
        weights = self._constants.get(step.inputs[1]) if axes else None
        if axes is None or weights is None or step.epilogue or is_replaced(step.op):
            return None
        is_last = step.attributes.get("data_format", "NHWC").endswith("C")
        if not is_last or weights.dtype != np.float32:
            return None
        if step.op.name == "matmul":
            if weights.ndim != 2:
                return None
            axes = (0,) if step.attributes["transpose_b"] else (1,)
        return _Weighted(step, weights, axes)

    def _chain(self, weighted: _Weighted) -> Iterator[tuple[Step, Affine]]:
        """Yield the steps that scale or shift the channels, one after the other."""
        last = weighted.step
        while reader := self._only_readers.get(last.name):
            affine = self._affine(reader, last, weighted.channels)
            if affine is None:
                return
            yield reader, affine
            last = reader

    def _affine(self, step: Step, source: Step, channels: int) -> Affine | None:
        """Return the map of a step on the channels of another's result, if that is all it does."""
        if len(step.inputs) != 2 or step.epilogue or is_replaced(step.op):
            return None
        if self._specs[step.name] != self._specs[source.name]:
            return None
        first = step.inputs[0] == source.name
        array = self._constants.get(step.inputs[first])
        if array is None or array.dtype != np.float32:
            return None
        if array.size not in (1, channels) or array.size != (array.shape or (1,))[-1]:
            return None
        with np.errstate(invalid="ignore"):  # weights of files may be signaling NaN
            values = np.broadcast_to(array.reshape(-1).astype(np.float64), (channels,))
        return affine_of(step.op.name, first, values)

    def _constant(self, array: np.ndarray, name: str) -> str:
        made = free_name(name, self._specs)
        self._specs[made] = Spec(array.shape, "float32")
        self._constants[made] = shared(array)
        return made
