"""The content of a TFLite file as plain values, checked against the file, not translated."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.converter.tflite.flatbuffer import Table, root
from core.converter.tflite.schema import (
    BUILTIN_NAMES,
    DTYPES,
    IDENTIFIER,
    choice,
    read_builtin_options,
)
from core.engine.specs import Shape
from core.errors import CoreError

#: The most values of a tensor; more do not fit into a supported file.
MOST_VALUES = 2**31

#: The most axes of a tensor.
MOST_AXES = 32

#: The index of an absent input of an op.
ABSENT = -1


class QuantizationParameters(NamedTuple):
    """Quantisation parameters: a real value is ``(quantised - zero_point) * scale``.

    There is one scale, or one per index of an axis; one zero point, or as many. With a scale of 0
    all values are 0.
    """

    scales: np.ndarray
    zero_points: np.ndarray
    axis: int


class Dimension(NamedTuple):
    """A level of a sparse tensor: dense with a length, or compressed with segments and indices."""

    length: int
    segments: np.ndarray | None = None
    indices: np.ndarray | None = None


class Sparsity(NamedTuple):
    """The order of a sparse tensor's axes and blocks, and its levels."""

    order: Shape
    block_axes: Shape
    dimensions: Sequence[Dimension]


class TensorInfo(NamedTuple):
    """A tensor of a subgraph.

    ``shape`` is the shape with which the file was made. ``signature`` has None for open lengths,
    such as a dynamic batch, and is None if even the rank is unknown.
    """

    name: str
    shape: Shape
    signature: tuple[int | None, ...] | None
    dtype: str
    buffer: int
    quantization: QuantizationParameters | None = None
    sparsity: Sparsity | None = None
    is_variable: bool = False


class Operator(NamedTuple):
    """An op: name, indices of tensors, options, and the options of a custom op as bytes."""

    name: str
    inputs: Shape
    outputs: Shape
    options: dict[str, Any]
    custom: bool = False
    custom_options: bytes = b""


class Subgraph(NamedTuple):
    """Tensors, and the ops between them in execution order."""

    tensors: Sequence[TensorInfo]
    inputs: Shape
    outputs: Shape
    operators: Sequence[Operator]


class Document(NamedTuple):
    """A file: its bytes, its subgraphs, and offset and size of the buffers of constants."""

    data: bytes
    subgraphs: Sequence[Subgraph]
    buffers: Sequence[tuple[int, int]]


#: The name of an op, and whether it is a custom op.
_Code = tuple[str, bool]


def read_document(data: bytes) -> Document:
    """Return the content of a TFLite file.

    Raises:
        CoreError: the file is damaged, or not of TFLite.
    """
    model = root(data, IDENTIFIER)
    version = model.integer(0, "<I")
    if version != 3:
        raise CoreError(f"version {version} of TFLite is not supported: expected version 3")
    codes = [_code(table) for table in model.tables(1)]
    buffers = [_buffer(table, len(data)) for table in model.tables(4)]
    subgraphs = [_subgraph(table, codes, len(buffers)) for table in model.tables(2)]
    if not subgraphs:
        raise CoreError("the file has no subgraph")
    return Document(data, subgraphs, buffers)


def _code(table: Table) -> _Code:
    """Return the code of an op; numbers above 127 are in the newer field only."""
    number = max(table.integer(0, "<b"), table.integer(3))
    name = choice(BUILTIN_NAMES, number, "the op")
    return (table.text(1) or name, True) if name == "CUSTOM" else (name, False)


def _buffer(table: Table, size: int) -> tuple[int, int]:
    """Return offset and size of a constant in the FlatBuffer, or behind it in large models."""
    start, count = table.integer(1, "<Q"), table.integer(2, "<Q")
    if start <= 1:
        return table.bytes_of(0)
    if start + count > size:
        raise CoreError(f"a buffer of {count} bytes at {start} is outside of the file")
    return start, count


def _subgraph(table: Table, codes: Sequence[_Code], buffers: int) -> Subgraph:
    tensors = [_tensor(t, buffers) for t in table.tables(0)]
    inputs, outputs = (_numbers(table, field, len(tensors)) for field in (1, 2))
    operators = [_operator(t, codes, len(tensors)) for t in table.tables(3)]
    return Subgraph(tensors, inputs, outputs, operators)


def _numbers(table: Table, field: int, count: int, lowest: int = 0) -> Shape:
    """Return a vector of indices of tensors."""
    numbers = table.integers(field) or ()
    wrong = [n for n in numbers if not lowest <= n < count]
    if wrong:
        raise CoreError(f"the index {wrong[0]} of a tensor is outside of 0 to {count - 1}")
    return numbers


def _tensor(table: Table, buffers: int) -> TensorInfo:
    name = table.text(3)
    shape = table.integers(0) or ()
    if len(shape) > MOST_AXES or min(shape, default=0) < 0 or prod(shape) > MOST_VALUES:
        raise CoreError(f"the tensor {name!r:.80} has the invalid shape {shape[:8]}")
    buffer = table.integer(2, "<I")
    if buffer >= max(buffers, 1):
        raise CoreError(f"the tensor {name!r:.80} has buffer {buffer} of {buffers}")
    quantization, sparsity = table.table(4), table.table(6)
    return TensorInfo(
        name,
        shape,
        _signature(table, shape),
        choice(DTYPES, table.integer(1, "<b"), f"the dtype of {name!r:.80}"),
        buffer,
        _quantization(quantization, shape) if quantization else None,
        _sparsity(sparsity, shape) if sparsity else None,
        bool(table.integer(5, "<?")),
    )


def _signature(table: Table, shape: Shape) -> tuple[int | None, ...] | None:
    """Return the lengths that a tensor may have, None if open."""
    signature = table.integers(7)
    if signature is None:
        return shape if shape or table.integer(8, "<?") else None
    if len(signature) > MOST_AXES:
        raise CoreError(f"a tensor has {len(signature)} axes, more than {MOST_AXES}")
    return tuple(None if length < 0 else length for length in signature)


def _quantization(table: Table, shape: Shape) -> QuantizationParameters | None:
    scales = table.array(2, "<f4")
    if scales is None or not len(scales):
        return None
    zero_points, axis = table.array(3, "<i8"), table.integer(6)
    if zero_points is None or not len(zero_points):
        zero_points = np.zeros(1, np.int64)
    if not 0 <= scales.min() <= scales.max() < np.inf:
        raise CoreError("quantisation scales must be finite, and not negative")
    fit = zero_points.min() >= -(2**31) and zero_points.max() <= 2**31
    if len(zero_points) not in (1, len(scales)) or not fit:
        raise CoreError(f"{len(zero_points)} zero points do not fit {len(scales)} scales")
    if len(scales) > 1 and not (0 <= axis < len(shape) and shape[axis] == len(scales)):
        raise CoreError(f"{len(scales)} scales do not fit axis {axis} of {shape}")
    return QuantizationParameters(scales, zero_points, axis)


def _sparsity(table: Table, shape: Shape) -> Sparsity:
    order, block_axes = table.integers(0) or (), table.integers(1) or ()
    dimensions = [_dimension(t) for t in table.tables(2)]
    if (
        sorted(order) != list(range(len(shape) + len(block_axes)))
        or len(dimensions) != len(order)
        or any(not 0 <= axis < len(shape) for axis in block_axes)
    ):
        raise CoreError(f"order {order[:8]} and blocks {block_axes[:8]} do not fit {shape}")
    return Sparsity(order, block_axes, dimensions)


def _dimension(table: Table) -> Dimension:
    if table.integer(0, "<b") == 0:
        length = table.integer(1)
        if length <= 0:
            raise CoreError(f"a dense dimension has length {length}")
        return Dimension(length)
    segments, indices = _index_vector(table, 2), _index_vector(table, 4)
    if segments is None or indices is None:
        raise CoreError("a sparse dimension lacks segments or indices")
    return Dimension(0, segments, indices)


def _index_vector(table: Table, field: int) -> np.ndarray | None:
    """Return a vector of integers of one of three widths."""
    kind, vector = table.integer(field, "<B"), table.table(field + 1)
    if vector is None or kind not in (1, 2, 3):
        return None
    return vector.array(0, ("<i4", "<u2", "u1")[kind - 1])


def _operator(table: Table, codes: Sequence[_Code], tensors: int) -> Operator:
    number = table.integer(0, "<I")
    if number >= len(codes):
        raise CoreError(f"the op code {number} is outside of 0 to {len(codes) - 1}")
    name, custom = codes[number]
    inputs = _numbers(table, 1, tensors, lowest=ABSENT)
    outputs = _numbers(table, 2, tensors)
    if custom:
        return Operator(name, inputs, outputs, {}, True, _custom_options(table))
    options = read_builtin_options(name, table.integer(3, "<B"), table.table(4))
    return Operator(name, inputs, outputs, options)


def _custom_options(table: Table) -> bytes:
    """Return the bytes of a custom op's options, which large models have behind the FlatBuffer."""
    start, size = table.integer(9, "<Q"), table.integer(10, "<Q")
    if start <= 1:
        options = table.array(5, "u1")
        return b"" if options is None else options.tobytes()
    table.source.take(start, size)
    return table.source.data[start : start + size]
