"""What lowerings are made of, and how they are found.

A lowering turns one node of a program into `Work`: calls of NumPy whose arguments are bound once,
when a workspace is made. While a plan runs, nothing is looked up and nothing is allocated.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, TypeVar

import numpy as np

from core.backends.cpu.lowering.thread_pool import Work
from core.dtypes import DTYPES
from core.graph.nodes import Node
from core.plan.program import Program
from core.specs import Shape, Spec
from core.windows import Sides


class Scratch(NamedTuple):
    """Memory that a step has for itself while it runs: contiguous, its contents arbitrary."""

    shape: Shape
    dtype: str = "float32"  # of NumPy

    @property
    def bytes(self) -> int:
        """How many it takes."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


class Views:
    """The arrays that a step is bound to.

    ``views[reference]`` is the value of an input, a constant or a result, in its own shape. It is
    contiguous unless its buffer has a margin (`NumpyCall.margin`); then each row of pixels is.
    """

    def __init__(
        self,
        values: Mapping[str, np.ndarray],
        wholes: Mapping[str, np.ndarray],
        scratch: Sequence[np.ndarray] = (),
    ):
        self._values, self._wholes = values, wholes
        self.scratch = scratch

    def __getitem__(self, reference: str) -> np.ndarray:
        return self._values[reference]

    def whole(self, reference: str) -> np.ndarray:
        """A value with its margin of zeros, [n, top + height + bottom, left + width + right, c]."""
        return self._wholes.get(reference, self._values[reference])


class NumpyCall:
    """A node to lower, with what is known of it."""

    def __init__(self, node: Node, program: Program, margins: Mapping[str, Sides]):
        self.node, self.program, self._margins = node, program, margins
        self.packed_bytes = 0

    def spec(self, reference: str) -> Spec:
        """Shape and dtype of a value."""
        return self.program.specs[reference]

    @property
    def result(self) -> Spec:
        """Shape and dtype of the (first) result."""
        return self.program.specs[self.node.name]

    def constant(self, reference: str) -> np.ndarray | None:
        """The array of a constant, or None."""
        return self.program.constants.get(reference)

    def packed(self, array: np.ndarray) -> np.ndarray:
        """A constant in the form that its calls read, which the plan keeps; counted."""
        self.packed_bytes += array.nbytes
        return array

    def margin(self, reference: str) -> Sides:
        """Pixels of zeros around the images of a value: ((top, bottom), (left, right))."""
        return self._margins.get(reference, ((0, 0), (0, 0)))

    def has_margin(self, reference: str) -> bool:
        """Whether there are such pixels, so that the value is not contiguous."""
        return any(map(any, self.margin(reference)))

    def has_floats(self, *references: str) -> bool:
        """Whether values are of float32, and none is empty."""
        specs = map(self.spec, references)
        return all(spec.dtype == "float32" and spec.size for spec in specs)


class Lowered(NamedTuple):
    """A node as calls of NumPy.

    Attributes:
        kernel: what the calls are named in tables, such as ``"matmul"``.
        bind: makes the calls for the arrays of one workspace.
        scratch: what it needs beside its inputs and results; ``views.scratch`` in that order.
    """

    kernel: str
    bind: Callable[[Views], list[Work]]
    scratch: tuple[Scratch, ...] = ()


Lowering = Callable[[NumpyCall], Lowered | None]
Function = TypeVar("Function", bound=Lowering)

_LOWERINGS: dict[str, Lowering] = {}

#: The file of each op's lowering, which is imported when first needed.
_HOMES = {
    op: file
    for file, ops in {
        "convolution": "conv2d conv2d_backprop_input",
        "depthwise": "depthwise_conv2d",
        "matrix": "matmul",
        "chain": "add sub mul div maximum minimum squared_difference prelu add_n neg abs square "
        "sqrt rsqrt reciprocal floor ceil round exp expm1 log log1p sin cos tanh sigmoid softplus "
        "relu relu6 elu leaky_relu clip_by_value quantise_round",
        "pooling": "max_pool avg_pool",
        "reduction": "sum mean max min softmax log_softmax argmax argmin",
        "resampling": "resize_bilinear resize_nearest_neighbor",
        "arrangement": "slice strided_slice transpose reverse broadcast_to tile depth_to_space pad "
        "mirror_pad concat stack unstack split",
        "gathering": "gather gather_nd",
        "conversion": "cast floor_div",
    }.items()
    for op in ops.split()
}


def lowers(*ops: str) -> Callable[[Function], Function]:
    """Register the decorated function as the lowering of ops; None from it means: not this node."""

    def register(function: Function) -> Function:
        _LOWERINGS.update(dict.fromkeys(ops, function))
        return function

    return register


def find_lowering(op: str) -> Lowering | None:
    """The lowering of an op, or None."""
    if op in _HOMES and op not in _LOWERINGS:
        import_module(f"core.backends.cpu.lowering.{_HOMES[op]}")
    return _LOWERINGS.get(op)


def padded_shape(images: Shape, sides: Sides) -> Shape:
    """The shape of images [n, height, width, c] with pixels around them.

    >>> padded_shape((1, 4, 6, 3), ((0, 1), (2, 2)))
    (1, 5, 10, 3)
    """
    n, height, width, channels = images
    (top, bottom), (left, right) = sides
    return n, top + height + bottom, left + width + right, channels


def numpy_dtype(spec: Spec) -> np.dtype:
    """How NumPy stores the values of a tensor."""
    return np.dtype(DTYPES[spec.dtype])
