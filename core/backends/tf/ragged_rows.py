"""Rows of ragged tensors, found from the values upwards, with every partition checked."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import integer, integers, raw, scalar
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


class RowPartition:
    """Partition of the entries of an axis into rows: row splits, or the row of each entry.

    Args:
        tensor: int32 vector.
        by_splits: whether it holds row splits, else row ids.
    """

    def __init__(self, tensor: "TfTensor", by_splits: bool):
        self._tensor, self._by_splits = tensor, by_splits
        self._length = tensor.shape[0]

    def entries(self) -> "TfTensor":
        """Return the number of entries, a scalar."""
        if not self._by_splits:
            return integer(self._length)
        return _item(self._tensor, self._length - 1) if self._length else integer(0)

    def rows(self) -> "TfTensor":
        """Return the number of rows that it needs, a scalar."""
        if self._by_splits:
            return integer(max(self._length - 1, 0))
        if not self._length:
            return integer(0)
        return raw.AddV2(x=_item(self._tensor, self._length - 1), y=integer(1))

    def longest(self) -> "TfTensor":
        """Return the length of the longest row, a scalar."""
        if self._length <= int(self._by_splits):
            return integer(0)
        if self._by_splits:
            lengths = raw.Sub(x=self._from(1), y=self._from(0))
            return raw.Maximum(x=raw.Max(input=lengths, axis=integer(0)), y=integer(0))
        _, columns = self.positions(_numbers(self._length))
        return raw.AddV2(x=raw.Max(input=columns, axis=integer(0)), y=integer(1))

    def positions(self, entries: "TfTensor") -> "tuple[TfTensor, TfTensor]":
        """Return the row of each entry, and its position in the row."""
        if self._by_splits:
            after = raw.UpperBound(**_searched(self._tensor, entries))
            rows = raw.Sub(x=raw.Reshape(tensor=after, shape=integers(-1)), y=integer(1))
            starts = _taken(self._tensor, rows)
        else:
            rows = _taken(self._tensor, entries)
            first = raw.LowerBound(**_searched(self._tensor, rows))
            starts = raw.Reshape(tensor=first, shape=integers(-1))
        return rows, raw.Sub(x=entries, y=starts)

    def needs(self) -> "Iterator[tuple[str, TfTensor]]":
        """Yield conditions that must hold, as text and as a bool scalar."""
        if self._length:
            first = _item(self._tensor, 0)
            if self._by_splits:
                yield "row splits must begin with 0", raw.Equal(x=first, y=integer(0))
            else:
                yield "row ids must not be negative", raw.GreaterEqual(x=first, y=integer(0))
        if self._length > 1:
            rises = raw.LessEqual(x=self._from(0), y=self._from(1))
            yield "row splits and row ids must not fall", raw.All(input=rises, axis=integer(0))

    def _from(self, first: int) -> "TfTensor":
        """Return all values but the first one or the last one."""
        size = integers(self._length - 1)
        return raw.Slice(input=self._tensor, begin=integers(first), size=size)


def partitions_of(
    tensors: "Sequence[TfTensor]", types: Sequence[str]
) -> "tuple[TfTensor, list[RowPartition]]":
    """Return the number of rows and the partitions of all axes after the first."""
    if types[0] == "FIRST_DIM_SIZE":
        rows, tensors, types = tensors[0], tensors[1:], types[1:]
    elif tensors[0].shape[0]:
        rows = integer(tensors[0].shape[0] - 1)
    else:
        raise CoreError("row splits of no rows are [0], not empty")
    pairs = zip(tensors, types, strict=True)
    return rows, [RowPartition(tensor, kind == "ROW_SPLITS") for tensor, kind in pairs]


def checked_count(rows: "TfTensor", partitions: list[RowPartition], count: int) -> "TfTensor":
    """Return how many values the partitions use: a scalar, which is never above their count.

    Raises unless partitions fit to one another, to the rows and to the values.
    """
    check("the number of rows must not be negative", raw.GreaterEqual(x=rows, y=integer(0)))
    entries = rows
    for partition in partitions:
        for text, is_met in partition.needs():
            check(text, is_met)
        enough = raw.LessEqual(x=partition.rows(), y=entries)
        check("a partition needs more rows than the axis above has", enough)
        entries = partition.entries()
    check("the partitions need more values", raw.LessEqual(x=entries, y=integer(count)))
    return raw.Minimum(x=entries, y=integer(count))


def positions_of(count: "TfTensor", partitions: list[RowPartition], size: "TfTensor") -> "TfTensor":
    """Return the row of a result for each value, int64; -1 for values that are cut off.

    Args:
        count: how many values, a scalar.
        partitions: of the axes after the first.
        size: int64 [1 + partitions], the lengths of these axes and the first.
    """
    entries = raw.Range(start=integer(0), limit=count, delta=integer(1))
    used = raw.GreaterEqual(x=entries, y=integer(0))
    lengths = raw.Unpack(value=size, num=1 + len(partitions), axis=0)
    position, stride = raw.ZerosLike(x=_wide(entries)), scalar(1, "int64")
    for partition, length in zip(partitions[::-1], lengths[:0:-1], strict=True):
        entries, columns = partition.positions(entries)
        columns = _wide(columns)
        used = raw.LogicalAnd(x=used, y=raw.Less(x=columns, y=length))
        position = raw.AddV2(x=position, y=raw.Mul(x=columns, y=stride))
        stride = raw.Mul(x=stride, y=length)
    entries = _wide(entries)
    used = raw.LogicalAnd(x=used, y=raw.Less(x=entries, y=lengths[0]))
    position = raw.AddV2(x=position, y=raw.Mul(x=entries, y=stride))
    return raw.SelectV2(condition=used, t=position, e=scalar(-1, "int64"))


def check(text: str, is_met: "TfTensor") -> None:
    """Raise an error with this text unless a bool scalar is true."""
    raw.Assert(condition=is_met, data=[scalar(text, "string")])


def _numbers(count: int) -> "TfTensor":
    return raw.Range(start=integer(0), limit=integer(count), delta=integer(1))


def _item(x: "TfTensor", index: int) -> "TfTensor":
    return raw.GatherV2(params=x, indices=integer(index), axis=integer(0))


def _taken(x: "TfTensor", indices: "TfTensor") -> "TfTensor":
    return raw.GatherV2(params=x, indices=indices, axis=integer(0))


def _searched(x: "TfTensor", values: "TfTensor") -> "dict[str, TfTensor | str]":
    """Return the arguments of a search of values in a vector."""
    row = integers(1, -1)
    return {
        "sorted_inputs": raw.Reshape(tensor=x, shape=row),
        "values": raw.Reshape(tensor=values, shape=row),
        "out_type": "int32",
    }


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT="int64")
