"""Building blocks of lowerings, and the search for an op's lowering.

A lowering turns one step of a program into `Work`: NumPy calls whose arguments are bound once, when
a workspace is made. While a plan runs, nothing is looked up and nothing is allocated.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from core.backends.cpu import numpy_steps
from core.backends.cpu.numpy_steps.thread_pool import Work
from core.engine.backends import REPLACED
from core.engine.dtypes import DTYPES
from core.engine.operation import Op
from core.engine.program import Program, Step
from core.engine.specs import Shape, Spec
from core.engine.windows import Sides


class Scratch(NamedTuple):
    """Memory of a step while it runs: contiguous, with arbitrary content."""

    shape: Shape
    dtype: str = "float32"  # of NumPy

    @property
    def bytes(self) -> int:
        """Return its size in bytes."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


_NO_MEMORY = np.empty(0, np.uint8)


class Views:
    """Arrays that a step is bound to.

    ``views[reference]`` is the value of an input, a constant or a result, in its shape. The array
    is contiguous unless its buffer has a margin (`NumpyCall.margin`); then each row of pixels is.

    Attributes:
        scratch: memory of the step, in the order of `Lowered.scratch`.
        shared: memory of all threads, which all generated kernels of a plan share.
    """

    def __init__(
        self,
        values: Mapping[str, np.ndarray],
        wholes: Mapping[str, np.ndarray],
        scratch: Sequence[np.ndarray] = (),
        shared: np.ndarray = _NO_MEMORY,
    ):
        self._values, self._wholes = values, wholes
        self.scratch, self.shared = scratch, shared

    def __getitem__(self, reference: str) -> np.ndarray:
        return self._values[reference]

    def whole(self, reference: str) -> np.ndarray:
        """Return a value with its margin of zeros, of the shape of `padded_shape`."""
        return self._wholes.get(reference, self._values[reference])


class NumpyCall:
    """A step to lower, with the known facts about its values."""

    def __init__(self, step: Step, program: Program, margins: Mapping[str, Sides]):
        self.step, self.program, self._margins = step, program, margins
        self.packed_bytes = 0

    def spec(self, reference: str) -> Spec:
        """Return the shape and dtype of a value."""
        return self.program.specs[reference]

    @property
    def result(self) -> Spec:
        """Return the shape and dtype of the (first) result."""
        return self.program.specs[self.step.name]

    def constant(self, reference: str) -> np.ndarray | None:
        """Return the array of a constant, or None."""
        return self.program.constants.get(reference)

    def packed(self, array: np.ndarray) -> np.ndarray:
        """Return a constant in the form that calls read, which the plan keeps and counts."""
        self.packed_bytes += array.nbytes
        return array

    def margin(self, reference: str) -> Sides:
        """Return the zero pixels around the images of a value: ((top, bottom), (left, right))."""
        return self._margins.get(reference, ((0, 0), (0, 0)))

    def has_margin(self, reference: str) -> bool:
        """Return whether there are such pixels, so that the value is not contiguous."""
        return any(map(any, self.margin(reference)))

    def has_floats(self, *references: str) -> bool:
        """Return whether values are float32, and none is empty."""
        specs = map(self.spec, references)
        return all(spec.dtype == "float32" and spec.size for spec in specs)


class Lowered(NamedTuple):
    """A step as NumPy calls.

    Attributes:
        kernel: name of the calls in tables, such as ``"matmul"``.
        bind: function that makes the calls for the arrays of one workspace.
        scratch: memory needed besides inputs and results; ``views.scratch`` has that order.
        in_place: whether every value is read before a result is written at its index.
    """

    kernel: str
    bind: Callable[[Views], list[Work]]
    scratch: tuple[Scratch, ...] = ()
    in_place: bool = False


class NativeKernels(Protocol):
    """Generated kernels for steps of a program; see `core.backends.cpu.codegen`.

    Attributes:
        absorbed: earlier steps that the kernels of a later step compute, too, by the first
            result of that one.
        scratch_bytes: memory that each thread needs for itself.
        packed_bytes: bytes of weights in the form that kernels read.
    """

    absorbed: Mapping[str, tuple[Step, ...]]
    scratch_bytes: int
    packed_bytes: int

    def are_native(self, works: Sequence[Work]) -> bool:
        """Return whether all calls are of generated kernels."""

    def lowered(self, name: str) -> Lowered | None:
        """Return calls for the step that computes a value; None if it has no kernels."""

    def joined(self, steps: Sequence[Sequence[Work]]) -> tuple[list[Work], list[int]]:
        """Return the calls of all steps, and for each how many calls there are up to its end."""

    def stored(
        self,
        arena: np.ndarray,
        works: Sequence[Work],
        inputs: Sequence[tuple[int, np.ndarray]],
        outputs: Sequence[np.ndarray],
    ) -> bytes | None:
        """Return what a later process runs the program from; None if NumPy computes some of it.

        Args:
            arena: the memory of a run.
            works: the calls that are bound to it.
            inputs: number of the feed and value of each input.
            outputs: the values of the outputs.
        """

    def listing(self) -> str:
        """Return the text of the kernels."""


Lowering = Callable[[NumpyCall], Lowered | None]
Function = TypeVar("Function", bound=Lowering)

_LOWERINGS: dict[str, Lowering] = {}


def lowers(*ops: str) -> Callable[[Function], Function]:
    """Register the decorated function as the lowering of ops; it returns None to decline a step."""

    def register(function: Function) -> Function:
        _LOWERINGS.update(dict.fromkeys(ops, function))
        return function

    return register


def find_lowering(op: Op) -> Lowering | None:
    """Return the lowering of an op; None without one, or if a user replaced its kernel.

    The lowering is in the file that is named like the file that declares the op, which is imported
    at the first use; `chain` has the lowering of all element-wise ops.
    """
    if (op.name, "cpu") in REPLACED:
        return None
    file = "chain" if op.traits.elementwise else op.rule.__module__.rpartition(".")[2]
    if op.name not in _LOWERINGS and file in _files():
        import_module(f"{numpy_steps.__name__}.{file}")
    return _LOWERINGS.get("elementwise" if op.traits.elementwise else op.name)


@cache
def _files() -> frozenset[str]:
    return frozenset(m.name for m in iter_modules(numpy_steps.__path__))


def padded_shape(images: Shape, sides: Sides) -> Shape:
    """Return the shape of images [n, height, width, c] with pixels around them.

    >>> padded_shape((1, 4, 6, 3), ((0, 1), (2, 2)))
    (1, 5, 10, 3)
    """
    n, height, width, channels = images
    (top, bottom), (left, right) = sides
    return n, top + height + bottom, left + width + right, channels


def numpy_dtype(spec: Spec) -> np.dtype:
    """Return NumPy's dtype for the values of a tensor."""
    return np.dtype(DTYPES.get(spec.dtype, spec.dtype))
