"""The language of kernels of this backend.

A kernel is a function of a `KernelBuilder`, the operands and the op's attributes. It runs once for
each combination of shapes and attributes, computes nothing, and returns a `Dispatch`, or one for
each result of the op. A dispatch may read the results of other dispatches.

>>> from core.engine.specs import Spec
>>> def flip(call, x):
...     return call.map("get_x(out_0 - 1 - o0, o1)", x=x)
>>> x = Operand(0, Spec((2, 3)))
>>> flip(KernelBuilder(Spec((2, 3))), x).to.shape
(2, 3)
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from core.backends.shader.codegen.fragment.fragment_source import Drawing
from core.backends.shader.codegen.tiles.tile_source import Tile, TileLimits
from core.engine.dtypes import dtype_of
from core.engine.specs import Shape, Spec
from core.errors import CoreError

#: Largest number of inputs of a pass: with its result they take all 16 bindings.
MOST_INPUTS = 15

#: Limits of llvmpipe, the least that a driver offers; used where no device is queried.
LEAST_LIMITS = TileLimits(32768, 1024, 0)


class _Values:
    """Values that a kernel does not compute."""

    __slots__ = ("array", "spec")
    spec: Spec

    @property
    def shape(self) -> Shape:
        """Return the length of each axis."""
        return self.spec.shape

    @property
    def dtype(self) -> str:
        """Return the dtype of the values."""
        return self.spec.dtype


class Operand(_Values):
    """An input of a kernel.

    Attributes:
        index: its number among the handles of the call, those of lists counted one by one.
        spec: shape and dtype.
        array: the values, if they are a constant of a plan, which is never written to.
    """

    __slots__ = ("index",)

    def __init__(self, index: int, spec: Spec, array: np.ndarray | None = None):
        self.index, self.spec, self.array = index, spec, array

    def reshaped(self, *shape: int) -> "Operand":
        """Return the operand in another shape."""
        array = None if self.array is None else self.array.reshape(shape)
        return Operand(self.index, Spec(shape, self.dtype), array)


class Table(_Values):
    """Constant values of a kernel, such as a permuted filter."""

    __slots__ = ()
    array: np.ndarray

    def __init__(self, array: np.ndarray):
        self.array, self.spec = array, Spec(array.shape, dtype_of(array))


class Dispatch:
    """One program run, which computes one tensor.

    Attributes:
        to: shape and dtype of the result; `reshaped` may present another shape.
        inputs: inputs by name; names are lower-case words without digits at their end.
        text: GLSL, as `KernelBuilder` describes.
        kind: ``"map"``, ``"each"``, ``"tile"`` or ``"draw"``.
        values: numbers by name, which programs may take as uniforms.
        tile: groups and threads, for kind ``"tile"``.
        middle: steps on the channels of the images, for a tile that calls ``middle_4``.
        targets: number of target textures for kind ``"draw"``; else 1.
        chunk: texels of each target, if there are several.
        epilogue: steps on each value before it is stored; operands broadcast to `shown`.
        shown: the shape for readers.
    """

    __slots__ = (
        "chunk",
        "epilogue",
        "inputs",
        "kind",
        "middle",
        "shown",
        "source",
        "targets",
        "text",
        "tile",
        "to",
        "values",
    )

    def __init__(
        self,
        kind: str,
        to: Spec,
        text: str,
        inputs: Mapping[str, "Source"],
        values: Mapping[str, float] | None = None,
        tile: Tile | None = None,
        middle: Sequence["EpilogueStep"] = (),
        targets: int = 1,
        chunk: int = 0,
    ):
        self.kind, self.to, self.text, self.tile = kind, to, text, tile
        self.targets, self.chunk = targets, chunk
        self.middle = tuple(middle)
        self.epilogue: tuple[EpilogueStep, ...] = ()
        self.inputs, self.values = dict(inputs), dict(values or {})
        self.shown, self.source = to.shape, self

    @property
    def shape(self) -> Shape:
        """Return the shape for readers."""
        return self.shown

    @property
    def dtype(self) -> str:
        """Return the dtype of the values."""
        return self.to.dtype

    @property
    def spec(self) -> Spec:
        """Return the shape for readers, and the dtype."""
        return Spec(self.shown, self.to.dtype)

    def reshaped(self, *shape: int) -> "Dispatch":
        """Return the dispatch with another shape for readers."""
        seen = copy(self)
        seen.shown, seen.source = shape, self.source
        return seen

    def finished(self, epilogue: Sequence["EpilogueStep"]) -> "Dispatch":
        """Return the dispatch with element-wise ops on each value, in the shape for readers."""
        made = copy(self)
        made.epilogue, made.source = (*self.epilogue, *epilogue), made
        return made


#: Inputs that a pass may read.
Source: TypeAlias = Operand | Table | Dispatch


class KernelBuilder:
    """The request to a kernel, and the maker of its dispatches.

    The GLSL of `map` and `each` may use, besides GLSL's own names:

    - ``o0``, ``o1``, ...: coordinates of the computed value; ``o``: its index in row-major order;
      ``out_0``, ... and ``out_size``: lengths of the result's axes and its number of values;
    - of an input ``x``: ``get_x(i0, i1, ...)``: the value at coordinates; ``at_x(i)``: the value
      at an index in row-major order; ``x_0``, ... and ``x_size``;
    - the functions of `core.backends.shader.codegen.library`; ``NAN`` and ``INF``.

    Values have the types float, int, bool and vec2 (complex numbers). A text that contains
    ``return`` is the body of a function, any other text is an expression.

    Attributes:
        to: shape and dtype of the (first) result.
        results: shapes and dtypes of all results.
        limits: limits of the device, for generators of tiles.
        has_tiles: whether there are compute shaders, for `tile`; else use `draw`.
    """

    def __init__(
        self,
        result: Spec | tuple[Spec, ...],
        limits: TileLimits = LEAST_LIMITS,
        has_tiles: bool = True,
    ):
        self.results = (result,) if isinstance(result, Spec) else result
        self.limits, self.has_tiles = limits, has_tiles

    @property
    def to(self) -> Spec:
        """Return the shape and dtype of the (first) result."""
        return self.results[0]

    def map(
        self,
        text: str,
        *,
        to: Spec | None = None,
        values: Mapping[str, float] | None = None,
        **inputs: Source,
    ) -> Dispatch:
        """Compute each value of the result separately, from any values of the inputs.

        Args:
            text: GLSL of the value at coordinates ``o0, o1, ...``.
            to: shape and dtype of the dispatch's result, by default those of the (first) result.
            values: numbers by name. One program serves all their values.
            inputs: inputs by name; at most `MOST_INPUTS`.

        Raises:
            CoreError: there are too many inputs, or a number needs more than 32 bits.
        """
        return Dispatch("map", to or self.to, text, _few(inputs), _small(values))

    def each(
        self,
        text: str,
        *,
        to: Spec | None = None,
        values: Mapping[str, float] | None = None,
        **inputs: Source,
    ) -> Dispatch:
        """Compute each value from the values of the inputs at its position; inputs broadcast.

        Args:
            text: GLSL in which the inputs' names are their values; no coordinates.
            to: shape and dtype of the dispatch's result, by default those of the (first) result.
            values: numbers by name. One program serves all their values.
            inputs: inputs by name.
        """
        return Dispatch("each", to or self.to, text, _few(inputs), _small(values))

    def tile(
        self,
        tile: Tile,
        *,
        to: Spec | None = None,
        middle: Sequence["EpilogueStep"] = (),
        **inputs: Source,
    ) -> Dispatch:
        """Run a compute shader with explicit groups and shared memory.

        Args:
            tile: result of a generator of `core.backends.shader.codegen.tiles`.
            to: shape and dtype of the dispatch's result, by default those of the (first) result.
            middle: element-wise ops of a tile that calls ``middle_4``; their inputs are scalars, or
                vectors with a number for each channel.
            inputs: inputs by the names that the generator uses.
        """
        if not self.has_tiles:
            raise CoreError("there are no compute shaders here: write the kernel with map")
        return Dispatch("tile", to or self.to, tile.text, inputs, tile=tile, middle=middle)

    def draw(
        self,
        drawing: Drawing,
        *,
        to: Spec | None = None,
        values: Mapping[str, float] | None = None,
        **inputs: Source,
    ) -> Dispatch:
        """Run a fragment shader that makes four values at once, for one or several targets.

        Args:
            drawing: result of a generator of `codegen.fragment`. The number of values of the result
                is a multiple of four.
            to: shape and dtype of the dispatch's result, by default those of the (first) result;
                not bool.
            values: numbers by name. One program serves all their values.
            inputs: inputs by the names that the generator uses.
        """
        if self.has_tiles:
            raise CoreError("where there are compute shaders write the kernel with tile or map")
        to = to or self.to
        text, targets, chunk = drawing
        return Dispatch("draw", to, text, inputs, values, targets=targets, chunk=chunk)


def _few(inputs: Mapping[str, Source]) -> Mapping[str, Source]:
    if len(inputs) > MOST_INPUTS:
        raise CoreError(
            f"a pass reads {MOST_INPUTS} values at most, not {len(inputs)}: let one pass read "
            "some of them, and another one its result and the rest"
        )
    return inputs


def _small(values: Mapping[str, float] | None) -> Mapping[str, float] | None:
    for name, value in (values or {}).items():
        if isinstance(value, int) and not -(1 << 31) <= value < 1 << 31:
            raise CoreError(f"{name}={value} takes more than 32 bits: give it as a float")
    return values


class EpilogueStep(NamedTuple):
    """An element-wise op on the result of a dispatch, before it is stored.

    Attributes:
        text: GLSL in which ``here`` is that value and the inputs' names are their values.
        inputs: further inputs, which broadcast to the result.
    """

    text: str
    inputs: Mapping[str, Source]


def reads(made: Dispatch) -> Iterator[Source]:
    """Return the inputs of a dispatch, of its middle and of its epilogue."""
    yield from made.inputs.values()
    for step in (*made.middle, *made.epilogue):
        yield from step.inputs.values()


def all_passes(wanted: tuple[Dispatch, ...]) -> Iterator[Dispatch]:
    """Return dispatches and those that they need, each once, in an order that they can run in."""
    seen: set[int] = set()

    def walk(source: Any) -> Iterator[Dispatch]:
        if not isinstance(source, Dispatch) or id(source.source) in seen:
            return
        seen.add(id(source.source))
        for read in reads(source.source):
            yield from walk(read)
        yield source.source

    for each in wanted:
        yield from walk(each)


def literal(value: Any) -> str:
    """Return a number as GLSL writes it.

    >>> literal(2), literal(2.0), literal(True), literal(float("inf"))
    ('2', '2.0', 'true', 'INF')
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value)) if value != -(2**31) else "(-2147483647 - 1)"
    number = float(value)
    if number != number:
        return "NAN"
    if number in (float("inf"), -float("inf")):
        return "INF" if number > 0 else "(-INF)"
    text = repr(float(np.float32(number)))
    return text if number >= 0 and not text.startswith("-") else f"({text})"
