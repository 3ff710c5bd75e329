"""Slicing and joining kernels."""

from typing import TYPE_CHECKING, Any

from core.backends.tf.raw_ops import integer, integers, raw
from core.engine.registry import kernel
from core.ops.slicing import block_at, split_sizes

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

_INT32 = 2**31 - 1


@kernel("slice", "tf")
def block(x: "TfTensor", begin: Any, size: Any) -> "TfTensor":
    """Return a block of a tensor."""
    begins, sizes = block_at(tuple(x.shape), begin, size)
    return raw.Slice(input=x, begin=integers(*begins), size=integers(*sizes))


@kernel("strided_slice", "tf")
def strided_slice(
    x: "TfTensor", begin: Any, end: Any, strides: Any, begin_mask: int, end_mask: int,
    ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> "TfTensor":  # fmt: skip
    """Slice by TensorFlow's masks, which the op has its own from."""
    return raw.StridedSlice(
        input=x,
        begin=_bounded(begin),
        end=_bounded(end),
        strides=integers(*[1] * len(begin)) if strides is None else _bounded(strides),
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )


def _bounded(values: Any) -> "TfTensor":
    """Return indices as int32: beyond that they are beyond every axis."""
    return integers(*(max(-_INT32, min(int(n), _INT32)) for n in values))


@kernel("concat", "tf")
def concat(inputs: "list[TfTensor]", axis: int) -> "TfTensor":
    """Join along an axis; TensorFlow's op needs two tensors."""
    if len(inputs) == 1:
        return raw.Identity(input=inputs[0])
    return raw.ConcatV2(values=inputs, axis=integer(axis))


@kernel("split", "tf")
def split(x: "TfTensor", num_or_size_splits: Any, axis: int) -> "tuple[TfTensor, ...]":
    """Cut along an axis."""
    sizes = split_sizes(x.shape[axis], num_or_size_splits)
    if not sizes:
        return ()
    parts = raw.SplitV(
        value=x, size_splits=integers(*sizes), axis=integer(axis), num_split=len(sizes)
    )
    return tuple(parts)


@kernel("stack", "tf")
def stack(inputs: "list[TfTensor]", axis: int) -> "TfTensor":
    """Join along a new axis."""
    return raw.Pack(values=inputs, axis=axis)


@kernel("unstack", "tf")
def unstack(value: "TfTensor", axis: int) -> "tuple[TfTensor, ...]":
    """Return one tensor for each index."""
    return tuple(raw.Unpack(value=value, num=value.shape[axis], axis=axis))
