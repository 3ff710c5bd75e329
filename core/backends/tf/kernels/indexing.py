"""Kernels that read and write values by index."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.backends.tf.kernels.segment import rounded_once
from core.backends.tf.raw_ops import integer, integers, raw, scalar
from core.engine.registry import kernel
from core.engine.specs import Shape
from core.ops.indexing import gather_axes, scatter_depth

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("gather", "tf")
def gather(x: "TfTensor", indices: "TfTensor", axis: int, batch_dims: int) -> "TfTensor":
    """Return entries by index; the kernel of the CPU checks the indices."""
    at, batch = gather_axes(tuple(x.shape), tuple(indices.shape), axis, batch_dims)
    return raw.GatherV2(params=x, indices=indices, axis=integer(at), batch_dims=batch)


@kernel("gather_nd", "tf")
def gather_nd(params: "TfTensor", indices: "TfTensor") -> "TfTensor":
    """Return entries by index tuples."""
    shape, lists = tuple(params.shape), tuple(indices.shape)
    rest = shape[lists[-1] :]
    if 0 in rest:  # TensorFlow refuses to take rows without values
        return zeros((*lists[:-1], *rest), params.dtype)
    return raw.GatherNd(params=params, indices=indices)


@kernel("scatter_nd", "tf")
def scatter_nd(indices: "TfTensor", updates: "TfTensor", shape: Sequence[int]) -> "TfTensor":
    """Return the sums of the rows with equal indices."""
    whole = tuple(shape)
    depth = scatter_depth(tuple(indices.shape), tuple(updates.shape), whole)
    if 0 in whole[depth:]:
        return zeros(whole, updates.dtype)
    if depth == 0:
        axes = range(len(updates.shape) - len(whole))
        return rounded_once(lambda x: raw.Sum(input=x, axis=integers(*axes)), updates)
    how = {"indices": as_lists(indices), "shape": integers(*whole)}
    return rounded_once(lambda x: raw.ScatterNd(updates=x, **how), updates)


@kernel("tensor_scatter_update", "tf")
def tensor_scatter_update(
    tensor: "TfTensor", indices: "TfTensor", updates: "TfTensor"
) -> "TfTensor":
    """Write updates; of several values with one index the kernel of the CPU keeps the last."""
    shape = tuple(tensor.shape)
    depth = scatter_depth(tuple(indices.shape), tuple(updates.shape), shape)
    if 0 in shape[depth:] or 0 in tuple(indices.shape)[:-1]:
        return raw.Identity(input=tensor)
    if depth == 0:
        rows = raw.Reshape(tensor=updates, shape=integers(-1, *shape))
        return raw.GatherV2(params=rows, indices=integer(rows.shape[0] - 1), axis=integer(0))
    return raw.TensorScatterUpdate(tensor=tensor, indices=as_lists(indices), updates=updates)


def as_lists(indices: "TfTensor") -> "TfTensor":
    """Return indices as [..., depth], also where they are a vector."""
    if len(indices.shape) > 1:
        return indices
    return raw.ExpandDims(input=indices, axis=integer(1))


def zeros(shape: Shape, dtype: "TfTensor") -> "TfTensor":
    """Return zeros of a shape, or empty texts."""
    value = b"" if dtype.name == "string" else 0
    return raw.Fill(dims=integers(*shape), value=scalar(value, dtype.name))
