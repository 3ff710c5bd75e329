"""Shapes and dtypes of the results of ops where lengths may be unknown, as of a batch.

They are what the ops' own rules say, for graphs and symbolic tensors. An op without a row here
gives each value from one value of each input.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

from core import ops
from core.layers.layer_call import LayerCall, Lengths, Operand, RunLengths, Value, is_operand

#: A function from a call, inputs (None for an absent one) and attributes to lengths, or to a list
#: of them for an op with several results.
ShapeRule = Callable[..., Any]

_BOOLS = (
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_not", "is_nan", "is_inf", "is_finite"),
)
_DTYPES: Mapping[str, str] = {
    **dict.fromkeys(_BOOLS, "bool"),
    **dict.fromkeys(
        (
            *("argmax", "argmin", "range"),
            *("lower_bound", "string_to_hash_bucket_fast", "vocabulary_index"),
        ),
        "int32",
    ),
    **dict.fromkeys(("dense_bincount", "fill", "one_hot"), "float32"),
    "unicode_encode": "string",
}

#: Dtypes of several results, where they differ; None is that of the first input.
_DTYPES_OF_SEVERAL: Mapping[str, Sequence[str | None]] = {
    "string_n_grams": (None, "int32"),
    "string_split_v2": ("int32", None, "int32"),
    "topk": (None, "int32"),
    "unicode_decode": ("int32", "int32"),
}


class OpsOf:
    """All ops by their Python names, each run by one function.

    Args:
        run: function from the name of an op, its inputs, and its attributes by name to the result.
    """

    def __init__(self, run: Callable[..., Any]):
        self._run = run

    def __getattr__(self, name: str) -> Callable[..., Any]:
        getattr(ops, name)  # an error where there is no such op
        found = self.__dict__[name] = partial(self._run, name)
        return found


def results_of_op(
    call: LayerCall, op: str, inputs: Sequence[Any], attributes: Mapping[str, Any]
) -> Value | list[Value]:
    """Return the result or results of an op without references: their shapes and dtypes.

    Args:
        call: call of the layer, for errors.
        op: name of the op.
        inputs: operands, numbers, or lists of operands.
        attributes: the op's attributes.
    """
    rule = _RULES.get(op)
    found = rule(call, *inputs, **attributes) if rule else _of_all(call, *inputs)
    dtype = attributes.get("dtype") or _DTYPES.get(op) or _dtype_of(op, inputs)
    if not isinstance(found, list):
        return Value(None, found, dtype)
    dtypes = _DTYPES_OF_SEVERAL.get(op, [None] * len(found))
    return [Value(None, shape, each or dtype) for shape, each in zip(found, dtypes, strict=True)]


def _dtype_of(op: str, inputs: Sequence[Any]) -> str:
    flat = [each for x in inputs for each in (x if isinstance(x, list) else [x])]
    known = [each.dtype for each in flat if is_operand(each)]
    found: str = known[1 if op in ("ragged_tensor_to_tensor", "select") else 0]
    return found


def broadcast(call: LayerCall, a: Lengths | None, b: Lengths | None) -> Lengths | None:
    """Return the common shape of two shapes that broadcast to each other."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    result: list[int | None] = []
    for n, m in pairs:
        if n is not None and m is not None and n != m and 1 not in (n, m):
            raise call.error(f"shapes {a} and {b} do not broadcast to each other")
        if 1 in (n, m):
            result.append(m if n == 1 else n)
        else:
            result.append(n if n is not None else m)
    return tuple(result)


def _of_all(call: LayerCall, *inputs: Any) -> Lengths | None:
    """Return the shape that the inputs have after broadcasting."""
    shapes = [x.shape if is_operand(x) else () for x in inputs]
    return reduce(lambda a, b: broadcast(call, a, b), shapes)


def _of_first(call: LayerCall, x: Operand, *_: Any, **__: Any) -> Lengths | None:
    return x.shape


def _reduced(
    call: LayerCall, x: Operand, *, axis: Sequence[int], keep_dims: bool = False, **_: Any
) -> Lengths:
    lengths = enumerate(call.shape(x))
    return tuple(1 if i in axis else n for i, n in lengths if keep_dims or i not in axis)


def _without_axis(call: LayerCall, x: Operand, *, axis: int, **_: Any) -> Lengths:
    return tuple(n for i, n in enumerate(call.shape(x)) if i != axis)


def _given(call: LayerCall, *_: Any, **attributes: Any) -> Lengths:
    """Return the shape that an attribute says; -1 is a length that follows from the others."""
    shape = attributes.get("shape") or attributes.get("input_shape") or ()
    if isinstance(shape, RunLengths):
        return shape.lengths
    return tuple(None if n == -1 else n for n in shape)


def _transposed(call: LayerCall, x: Operand, *, perm: Sequence[int], **_: Any) -> Lengths:
    shape = call.shape(x)
    return tuple(shape[axis] for axis in perm)


def _expanded(call: LayerCall, x: Operand, *, axis: int, **_: Any) -> Lengths:
    shape = call.shape(x)
    return (*shape[:axis], 1, *shape[axis:])


def _squeezed(call: LayerCall, x: Operand, *, axis: Sequence[int], **_: Any) -> Lengths:
    return tuple(n for i, n in enumerate(call.shape(x)) if i not in axis)


def _concatenated(call: LayerCall, values: Sequence[Operand], *, axis: int, **_: Any) -> Lengths:
    shapes = [call.shape(value) for value in values]
    if len({len(s) for s in shapes}) != 1:
        raise call.error(f"cannot concatenate shapes {shapes}")
    result: list[int | None] = []
    for i, lengths in enumerate(zip(*shapes, strict=True)):
        known = {n for n in lengths if n is not None}
        if i == axis:
            result.append(None if None in lengths else sum(n for n in lengths if n is not None))
        elif len(known) > 1:
            raise call.error(f"cannot concatenate shapes {shapes} along axis {axis}")
        else:
            result.append(known.pop() if known else None)
    return tuple(result)


def _stacked(call: LayerCall, values: Sequence[Any], *, axis: int = 0, **_: Any) -> Lengths:
    first = values[0]
    shape = call.shape(first) if is_operand(first) else ()
    return (*shape[:axis], len(values), *shape[axis:])


def _unstacked(call: LayerCall, x: Operand, *, axis: int, **_: Any) -> list[Lengths]:
    shape = call.shape(x)
    return [(*shape[:axis], *shape[axis + 1 :])] * call.length(x, axis)


def _split(
    call: LayerCall, x: Operand, *, num_or_size_splits: int | Sequence[int], axis: int, **_: Any
) -> list[Lengths]:
    shape, sizes = call.shape(x), num_or_size_splits
    axis %= len(shape)
    if isinstance(sizes, int):
        sizes = [call.length(x, axis) // sizes] * sizes
    return [(*shape[:axis], n, *shape[axis + 1 :]) for n in sizes]


def _tiled(call: LayerCall, x: Operand, *, reps: Sequence[int], **_: Any) -> Lengths:
    pairs = zip(call.shape(x), reps, strict=True)
    return tuple(None if n is None else n * count for n, count in pairs)


def _padded(
    call: LayerCall, x: Operand, *, paddings: Sequence[tuple[int, int]], **_: Any
) -> Lengths:
    pairs = zip(call.shape(x), paddings, strict=True)
    return tuple(None if n is None else n + a + b for n, (a, b) in pairs)


def _sliced(
    call: LayerCall, x: Operand, *, begin: Sequence[int], size: Sequence[int], **_: Any
) -> Lengths:
    trios = zip(call.shape(x), begin, size, strict=True)
    return tuple(
        size if size != -1 else None if n is None else n - first for n, first, size in trios
    )


def _strided(
    call: LayerCall,
    x: Operand,
    *,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int = 0,
    end_mask: int = 0,
    shrink_axis_mask: int = 0,
    new_axis_mask: int = 0,
    **_: Any,
) -> Lengths:
    rest, lengths = list(call.shape(x)), list[int | None]()
    for i, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if new_axis_mask & bit:
            lengths.append(1)
            continue
        n = rest.pop(0)
        if shrink_axis_mask & bit:
            continue
        start = None if begin_mask & bit else first
        stop = None if end_mask & bit else last
        lengths.append(None if n is None else len(range(n)[start:stop:step]))
    return (*lengths, *rest)


def _gathered(
    call: LayerCall, x: Operand, indices: Operand, *, axis: int = 0, batch_dims: int = 0, **_: Any
) -> Lengths | None:
    if indices.shape is None:
        return None
    shape = call.shape(x)
    return (*shape[:axis], *indices.shape, *shape[axis + 1 :])


def _one_hot(call: LayerCall, indices: Operand, *, depth: int, **_: Any) -> Lengths:
    return (*call.shape(indices), depth)


def _top(call: LayerCall, x: Operand, *, k: int, **_: Any) -> list[Lengths]:
    return [(*call.shape(x)[:-1], k)] * 2


def _range(call: LayerCall, *, start: Any, stop: Any, step: Any, **_: Any) -> Lengths:
    return (stop if isinstance(stop, int) else None,)


def _product(call: LayerCall, a: Operand, b: Operand, *_: Any, **__: Any) -> Lengths:
    x, y = call.shape(a), call.shape(b)
    batch = broadcast(call, x[:-2], y[:-2])
    assert batch is not None
    return (*batch, x[-2], y[-1])


def _contracted(call: LayerCall, values: Sequence[Operand], *, equation: str, **_: Any) -> Lengths:
    left, result = equation.split("->")
    lengths: dict[str, int | None] = {}
    for term, value in zip(left.split(","), values, strict=True):
        for letter, n in zip(term, call.shape(value), strict=True):
            known = lengths.get(letter)
            lengths[letter] = n if known in (None, 1) and n is not None else known
    return tuple(lengths[letter] for letter in result)


def _convolved(call: LayerCall, x: Operand, filter: Operand, *_: Any, **how: Any) -> Lengths:
    return _of_windows(call, x, filter, call.length(filter, -1), **how)


def _convolved_depthwise(
    call: LayerCall, x: Operand, filter: Operand, *_: Any, **how: Any
) -> Lengths:
    channels = call.length(filter, -2) * call.length(filter, -1)
    return _of_windows(call, x, filter, channels, **how)


def _of_windows(
    call: LayerCall,
    x: Operand,
    filter: Operand,
    channels: int,
    *,
    strides: Sequence[int],
    dilations: Sequence[int],
    pad: str,
    **_: Any,
) -> Lengths:
    shape, sizes = call.shape(x), call.shape(filter)[: len(strides)]
    return (shape[0], *windows(call, shape[1:-1], sizes, strides, dilations, pad), channels)


def windows(
    call: LayerCall,
    lengths: Lengths,
    sizes: Lengths,
    strides: Sequence[int],
    dilations: Sequence[int],
    pad: str,
) -> Lengths:
    """Return the number of windows along each axis of space.

    Raises:
        CoreError: a window is larger than the input.
    """
    found: list[int | None] = []
    for n, size, stride, dilation in zip(lengths, sizes, strides, dilations, strict=True):
        if n is None or size is None:
            found.append(None)
            continue
        rest = n if pad == "same" else n - (size - 1) * dilation
        if rest < 1:
            raise call.error(f"its window of {size} (dilation {dilation}) is larger than {n}")
        found.append(-(-rest // stride))
    return tuple(found)


def _pooled(
    call: LayerCall,
    x: Operand,
    *,
    filter_size: Sequence[int],
    strides: Sequence[int],
    pad: str,
    **_: Any,
) -> Lengths:
    shape = call.shape(x)
    pixels = [
        None if n is None else -(-(n if pad == "same" else n - k + 1) // s)
        for n, k, s in zip(shape[1:-1], filter_size, strides, strict=True)
    ]
    return (shape[0], *pixels, shape[-1])


def _resized(call: LayerCall, images: Operand, *, size: Any, **_: Any) -> Lengths:
    shape = call.shape(images)
    lengths = size.lengths if isinstance(size, RunLengths) else size
    return (shape[0], *lengths, shape[3])


def _counted(call: LayerCall, x: Operand, *_: Any, size: int, **__: Any) -> Lengths:
    return (*call.shape(x)[:-1], size)


def _sought(call: LayerCall, _: Operand, values: Operand) -> Lengths:
    return call.shape(values)


def _joined(call: LayerCall, values: Sequence[Operand], **_: Any) -> Lengths | None:
    return _of_all(call, *values)


def _split_text(call: LayerCall, *_: Any, **__: Any) -> list[Lengths]:
    return [(None, 2), (None,), (2,)]


def _characters(call: LayerCall, x: Operand, **_: Any) -> list[Lengths]:
    (count,) = call.shape(x, 1)
    return [(None if count is None else count + 1,), (None,)]


def _encoded(call: LayerCall, _: Operand, splits: Operand, **__: Any) -> Lengths:
    (count,) = call.shape(splits, 1)
    return (None if count is None else count - 1,)


def _as_dense(call: LayerCall, shape: Operand, *_: Any, **__: Any) -> Lengths:
    return (None,) * call.length(shape, 0)


def _n_grams(call: LayerCall, _: Operand, splits: Operand, **__: Any) -> list[Lengths]:
    return [(None,), call.shape(splits)]


_KEEP_SHAPE = (
    *("band_part", "batch_norm", "cast", "clip_by_value", "cumprod", "cumsum", "leaky_relu"),
    *("log_softmax", "prelu", "reverse", "softmax", "vocabulary_index"),
)
_OF_A_SHAPE = (
    *("broadcast_to", "fill", "reshape"),
    *("conv2d_backprop_input", "conv3d_backprop_input"),
)

_RULES: dict[str, ShapeRule] = {
    **dict.fromkeys(_KEEP_SHAPE, _of_first),
    **dict.fromkeys(_OF_A_SHAPE, _given),
    **dict.fromkeys(("sum", "mean", "max", "min", "prod", "any", "all"), _reduced),
    **dict.fromkeys(("argmax", "argmin"), _without_axis),
    **dict.fromkeys(("conv2d", "fused_conv2d", "conv3d"), _convolved),
    **dict.fromkeys(("depthwise_conv2d", "fused_depthwise_conv2d"), _convolved_depthwise),
    **dict.fromkeys(("max_pool", "avg_pool", "max_pool3d", "avg_pool3d"), _pooled),
    **dict.fromkeys(("resize_bilinear", "resize_nearest_neighbor"), _resized),
    **dict.fromkeys(("pad", "mirror_pad"), _padded),
    **dict.fromkeys(("matmul", "fused_matmul"), _product),
    "dense_bincount": _counted,
    "ragged_tensor_to_tensor": _as_dense,
    "string_join": _joined,
    "string_n_grams": _n_grams,
    "string_split_v2": _split_text,
    "transpose": _transposed,
    "unicode_decode": _characters,
    "unicode_encode": _encoded,
    "lower_bound": _sought,
    "expand_dims": _expanded,
    "squeeze": _squeezed,
    "concat": _concatenated,
    "stack": _stacked,
    "unstack": _unstacked,
    "split": _split,
    "tile": _tiled,
    "slice": _sliced,
    "strided_slice": _strided,
    "gather": _gathered,
    "one_hot": _one_hot,
    "topk": _top,
    "range": _range,
    "contract": _contracted,
}
