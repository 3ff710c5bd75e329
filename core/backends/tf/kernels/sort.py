"""Kernels that sort values, or search in sorted values."""

from math import prod
from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import integer, integers, number, raw
from core.engine.registry import kernel
from core.engine.specs import normal_axis

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

_LEAST, _GREATEST = -(2**31), 2**31 - 1


@kernel("topk", "tf")
def topk(x: "TfTensor", k: int, sorted: bool) -> "tuple[TfTensor, TfTensor]":
    """Find the largest ranks, of which the first of equal ones leads, and gather their values."""
    indices = raw.TopKV2(input=_ranks(x), k=integer(k), sorted=True).indices
    at = len(x.shape) - 1
    values = raw.GatherV2(params=x, indices=indices, axis=integer(at), batch_dims=at)
    return values, indices


def _ranks(x: "TfTensor") -> "TfTensor":
    """Return int32 numbers in the order of the values; -0 is 0, and all NaN are the greatest."""
    if x.dtype.name == "int32":
        return x
    if x.dtype.name == "bool":
        return raw.Cast(x=x, DstT="int32")
    bits = raw.Bitcast(input=x, type="int32")
    negative = raw.Less(x=bits, y=integer(0))
    mirrored = raw.Sub(x=integer(_LEAST), y=bits)
    ranks = raw.SelectV2(condition=negative, t=mirrored, e=bits)
    return raw.SelectV2(condition=raw.IsNan(x=x), t=integer(_GREATEST), e=ranks)


@kernel("unique", "tf")
def unique(x: "TfTensor", axis: int) -> "tuple[TfTensor, TfTensor]":
    """Compare floats by their ranks, for which all NaN are one, and gather the first of each."""
    at = normal_axis(axis, len(x.shape))
    if x.dtype.name in ("int32", "bool", "string"):
        found = raw.UniqueV2(x=x, axis=integers(at))
        return found.y, found.idx
    parts = _parts(x) if x.dtype.name == "complex64" else x
    kinds = raw.UniqueV2(x=_ranks(parts), axis=integers(at))
    count = raw.Shape(input=kinds.y, out_type="int32")
    groups = raw.GatherV2(params=count, indices=integer(at), axis=integer(0))
    positions = raw.Range(start=integer(0), limit=integer(x.shape[at]), delta=integer(1))
    first = raw.UnsortedSegmentMin(data=positions, segment_ids=kinds.idx, num_segments=groups)
    return raw.GatherV2(params=x, indices=first, axis=integer(at)), kinds.idx


def _parts(x: "TfTensor") -> "TfTensor":
    """Return the parts of complex numbers on one more axis; both are NaN where one is."""
    parts = raw.Bitcast(input=x, type="float32")
    is_nan = raw.Any(input=raw.IsNan(x=parts), axis=integer(-1), keep_dims=True)
    return raw.SelectV2(condition=is_nan, t=number(float("nan")), e=parts)


@kernel("search_sorted", "tf")
def search_sorted(sorted_sequence: "TfTensor", values: "TfTensor", side: str) -> "TfTensor":
    """Search rows; NaN belongs to the start."""
    return (lower_bound if side == "left" else upper_bound)(sorted_sequence, values)


@kernel("lower_bound", "tf")
def lower_bound(sorted_sequence: "TfTensor", values: "TfTensor") -> "TfTensor":
    """Search rows, flattened to a matrix, by the ranks of values; NaN is before all."""
    rows, wanted = _ranks(_rows(sorted_sequence)), _ranks(_rows(values))
    return _shaped_like(raw.LowerBound(sorted_inputs=rows, values=wanted, out_type="int32"), values)


@kernel("upper_bound", "tf")
def upper_bound(sorted_sequence: "TfTensor", values: "TfTensor") -> "TfTensor":
    """Search rows, flattened to a matrix, by the ranks of values; NaN is before all."""
    rows, wanted = _ranks(_rows(sorted_sequence)), _ranks(_rows(values))
    return _shaped_like(raw.UpperBound(sorted_inputs=rows, values=wanted, out_type="int32"), values)


def _shaped_like(found: "TfTensor", values: "TfTensor") -> "TfTensor":
    """Return positions in the shape of the values; those of NaN are 0."""
    found = raw.Reshape(tensor=found, shape=integers(*values.shape))
    if values.dtype.name != "float32":
        return found
    return raw.SelectV2(condition=raw.IsNan(x=values), t=integer(0), e=found)


def _rows(x: "TfTensor") -> "TfTensor":
    """Return rows as a matrix."""
    *lead, length = x.shape
    return x if len(lead) == 1 else raw.Reshape(tensor=x, shape=integers(prod(lead), length))
