"""Reader of the constants of a TFLite file as arrays, within a budget of memory."""

from math import prod

import numpy as np

from core.converter.tflite.file_content import (
    Document,
    QuantizationParameters,
    Sparsity,
    TensorInfo,
)
from core.engine.specs import Shape
from core.errors import CoreError
from weights_cache.reading_budgets import spend

#: Constants take at most this multiple of the bytes of the file: quantised values of 4 bits become
#: float32, and some constants are used in several layouts.
MOST_EXPANSION = 32
FREE_BYTES = 2**20

#: A view of the file's bytes keeps all of them in memory: a constant of less than one part in this
#: many is copied.
KEPT_SHARE = 4

#: A sparse constant takes at most this multiple of its stored bytes, and is counted for less.
MOST_SPARSE_EXPANSION = 1000
_SPARSE_DISCOUNT = MOST_SPARSE_EXPANSION // MOST_EXPANSION

#: Dtypes of quantised values.
QUANTISED = ("int8", "uint8", "int16", "int4")

#: Dtypes of weights and biases whose integers plans may compute with.
WITH_INTEGERS = ("int8", "uint8", "int32")

INTEGERS = (*QUANTISED, "int32", "int64", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float16", "float64", "bfloat16")

#: Memory of a text beside its bytes.
_TEXT_BYTES = 41

#: Dtypes of numbers that constants keep.
KEPT = ("bool", "complex64")


class ConstantReader:
    """Reader of the constants of a document, on demand."""

    def __init__(self, document: Document):
        self._document = document
        self._left = MOST_EXPANSION * len(document.data) + FREE_BYTES

    def stored(self, info: TensorInfo) -> bool:
        """Whether the file has values for a tensor."""
        size = self._document.buffers[info.buffer][1] if self._document.buffers else 0
        return size > 0

    def take(self, size: int, what: str = "constants") -> None:
        """Count bytes before they are allocated."""
        self._left -= size
        if self._left < 0:
            raise CoreError(f"{what} need more than {MOST_EXPANSION} times the file")
        spend(size, what)

    def kept(self, values: np.ndarray) -> np.ndarray:
        """Return a contiguous, read-only array for the graph; copy small views of the file."""
        data = self._document.data
        array = np.require(values, requirements=("C", "A"))
        view = np.may_share_memory(array, np.frombuffer(data, np.uint8))
        if view and KEPT_SHARE * array.nbytes < len(data):
            array = array.copy()
        array.setflags(write=False)
        return array

    def real(
        self, info: TensorInfo, parameters: QuantizationParameters | None = None
    ) -> np.ndarray:
        """Return the values of a constant: float32 for quantised values and floats, else int32.

        Those of `KEPT` keep their dtype.

        Args:
            info: the tensor; a tensor that is not stored is all zeros.
            parameters: quantisation parameters, if not those of the tensor.
        """
        if info.dtype == "string":
            return self._texts(info)
        parameters = parameters or parameters_of(info)
        size = (8 if info.dtype == "complex64" else 4) * prod(info.shape)
        self._check_sparse(info, size)
        self.take(size // _SPARSE_DISCOUNT if info.sparsity else size)
        if info.sparsity:
            spend(size, f"the sparse constant {info.name!r:.80}")
        values = self._values(info)
        if parameters is not None:
            return dequantised(values, parameters)
        if info.dtype in FLOATS:
            return values.astype(np.float32, copy=False)
        return values if info.dtype in KEPT else _as_int32(values)

    def integers(self, info: TensorInfo) -> np.ndarray | None:
        """Return the stored integers of a quantised constant; None for others, and sparse ones."""
        is_plain = info.dtype in WITH_INTEGERS and not info.sparsity and self.stored(info)
        return self.kept(self._values(info)) if is_plain and info.quantization else None

    def _texts(self, info: TensorInfo) -> np.ndarray:
        """Return the texts of a constant as bytes."""
        start, size = self._document.buffers[info.buffer] if self.stored(info) else (0, 0)
        self.take(size + _TEXT_BYTES * prod(info.shape))
        data = bytes(self._document.data[start : start + size])
        texts = decoded_texts(data) if data else []
        if len(texts) != prod(info.shape):
            raise CoreError(f"{info.name!r:.80} {info.shape} has {len(texts)} texts")
        found = np.empty(len(texts), object)
        found[:] = texts
        return found.reshape(info.shape)

    def _check_sparse(self, info: TensorInfo, size: int) -> None:
        stored = self._document.buffers[info.buffer][1] if self.stored(info) else 0
        limit = MOST_SPARSE_EXPANSION * stored + FREE_BYTES
        if info.sparsity and size > limit:
            raise CoreError(f"{info.name!r:.80} takes {size} bytes, its {stored} allow {limit}")

    def _values(self, info: TensorInfo) -> np.ndarray:
        """Return the stored numbers of a constant."""
        if not self.stored(info):
            kept = info.dtype if info.dtype in KEPT else np.int32
            return np.zeros(info.shape, np.float32 if info.dtype in FLOATS else kept)
        start, size = self._document.buffers[info.buffer]
        numbers = decoded(memoryview(self._document.data)[start : start + size], info)
        if info.sparsity is not None:
            return densified(numbers, info.shape, info.sparsity)
        count = prod(info.shape)
        if len(numbers) != count + (info.dtype == "int4" and count % 2):
            raise CoreError(f"{info.name!r:.80} {info.shape} has {len(numbers)} values")
        return numbers[:count].reshape(info.shape)


def decoded_texts(data: bytes) -> list[bytes]:
    """Return the texts of a buffer: their number, where they begin and end, and their bytes.

    >>> decoded_texts(bytes([2, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 19, 0, 0, 0]) + b"abc")
    [b'a', b'bc']
    """
    count = int.from_bytes(data[:4], "little")
    first = 4 * (count + 2)
    if len(data) < first:
        raise CoreError(f"a buffer of {len(data)} bytes is too short for {count} texts")
    ends = np.frombuffer(data, "<i4", count + 1, 4).tolist()
    if ends[0] < first or ends[-1] > len(data) or ends != sorted(ends):
        raise CoreError("the ends of texts are outside of their buffer, or fall")
    return [data[start:end] for start, end in zip(ends[:-1], ends[1:], strict=True)]


def parameters_of(info: TensorInfo) -> QuantizationParameters | None:
    """Return the quantisation parameters of a tensor, or None if it is not quantised."""
    return info.quantization if info.dtype in QUANTISED else None


def decoded(data: bytes | memoryview, info: TensorInfo) -> np.ndarray:
    """Return numbers from bytes: a view, or a wider dtype where NumPy lacks the dtype."""
    if info.dtype == "int4":
        pairs = np.frombuffer(data, np.int8)
        return np.stack([pairs << 4 >> 4, pairs >> 4], -1).ravel()
    if info.dtype == "bfloat16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    if info.dtype not in (*INTEGERS, *FLOATS, *KEPT):
        raise CoreError(
            f"{info.name!r:.80} is a constant of dtype {info.dtype}, which is not supported"
        )
    dtype = np.dtype(info.dtype).newbyteorder("<")
    if len(data) % dtype.itemsize:
        raise CoreError(f"{len(data)} bytes are not a multiple of the size of {info.dtype}")
    return np.frombuffer(data, dtype)


def dequantised(values: np.ndarray, parameters: QuantizationParameters) -> np.ndarray:
    """Return the real values of quantised values.

    >>> dequantised(np.int8([2, 4]), QuantizationParameters(np.float32([0.5]), np.array([4]), 0))
    array([-1.,  0.], dtype=float32)
    """
    count = len(parameters.scales)
    if count > 1 and values.shape[parameters.axis] != count:
        raise CoreError(f"{count} scales do not fit axis {parameters.axis} of {values.shape}")
    real = values.astype(np.float32)  # 24 bits hold quantised values; biases have no zero point
    if np.any(parameters.zero_points):
        real -= _along(parameters.zero_points, values.ndim, parameters.axis)
    real *= _along(parameters.scales, values.ndim, parameters.axis)
    return real


def _along(numbers: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """Return numbers of an axis, or a single number, in a shape that broadcasts with values."""
    lengths = [1] * rank
    if len(numbers) > 1:
        lengths[axis] = len(numbers)
    return numbers.astype(np.float32).reshape(lengths)


def densified(values: np.ndarray, shape: Shape, sparsity: Sparsity) -> np.ndarray:
    """Return a dense tensor from a sparse one in the format of the tensor algebra compiler (TACO).

    Every level multiplies the positions of the previous level: a dense level by its length, a
    compressed level by the counts of its segments.
    """
    rank = len(shape)
    segments = [len(d.segments) for d in sparsity.dimensions if d.segments is not None]
    most = max([len(values), *segments])
    lengths, strides = _levels(shape, sparsity)
    positions = np.zeros(1, np.int64)
    for axis, level in zip(sparsity.order, sparsity.dimensions, strict=True):
        length, stride = lengths[axis], strides[axis]
        if level.segments is None or level.indices is None:
            if level.length != length or len(positions) * length > most:
                raise CoreError(f"a dense level of {level.length} does not fit {length} or {most}")
            positions = np.add.outer(positions, np.arange(length) * stride).ravel()
        else:
            counts = _counts(level.segments.astype(np.int64), level.indices, len(positions))
            indices = level.indices.astype(np.int64)
            if len(indices) and not 0 <= indices.min() <= indices.max() < length:
                raise CoreError(f"indices of a sparse axis are outside of 0 to {length - 1}")
            positions = np.repeat(positions, counts) + indices * stride
    if len(positions) != len(values) or rank == 0:
        raise CoreError(f"a sparse tensor has {len(positions)} positions for {len(values)} values")
    dense = np.zeros(prod(shape), values.dtype)
    dense[positions] = values
    return dense.reshape(shape)


def _levels(shape: Shape, sparsity: Sparsity) -> tuple[list[int], list[int]]:
    """Return length and stride of each axis, then of each block."""
    rank = len(shape)
    lengths, strides = list(shape), [prod(shape[i + 1 :]) for i in range(rank)]
    levels = dict(zip(sparsity.order, sparsity.dimensions, strict=True))
    for block, axis in enumerate(sparsity.block_axes, rank):
        length = levels[block].length
        if length == 0 or lengths[axis] % length:
            raise CoreError(f"blocks of {length} do not divide an axis of {lengths[axis]}")
        lengths.append(length)
        strides.append(strides[axis])
        lengths[axis] //= length
        strides[axis] *= length
    return lengths, strides


def _counts(segments: np.ndarray, indices: np.ndarray, positions: int) -> np.ndarray:
    """Return the number of indices at each position."""
    counts = np.diff(segments)
    if len(counts) != positions or segments[0] or segments[-1] != len(indices) or counts.min() < 0:
        raise CoreError(f"{len(segments)} segments do not fit {positions} positions")
    return counts


def _as_int32(values: np.ndarray) -> np.ndarray:
    if values.size and values.dtype.itemsize >= 4 and values.dtype != np.int32:
        limits = np.iinfo(np.int32)
        if values.min() < limits.min or values.max() > limits.max:
            raise CoreError(f"integers from {values.min()} to {values.max()} do not fit into int32")
    return values.astype(np.int32, copy=False)
