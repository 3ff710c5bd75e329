"""Dense layers, embeddings, reshaping, and layers that are identities at inference."""

import re
from collections.abc import Sequence
from math import prod
from string import ascii_letters
from typing import Any, NamedTuple

from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.lowering.activation import activated, fused_activation
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_ops import (
    as_float,
    cast,
    channels_last,
    cut,
    expand,
    is_channels_first,
    of_shape,
    padded,
    reduce,
    reshape,
    reshape_like,
    shape_vector,
    transpose,
)
from core.layers.lowering.rows import LayerType, weighted

_DATA_FORMAT = {"data_format": None}
_KERNEL_AND_BIAS = about_weights(kernel="glorot_uniform", bias="zeros")


class _Dense(NamedTuple):
    """Options of a dense layer; ``fused`` is an activation that the op with a bias applies."""

    units: int
    has_bias: bool
    fused: str | None


def _options_of_dense(call: LayerCall) -> _Dense:
    _check_not_quantized(call)
    has_bias = call.options.flag("use_bias", True)
    fused = fused_activation(call) if has_bias else None
    return _Dense(call.options.integer("units"), has_bias, fused)


def _dense(call: LayerCall, x: Operand) -> Any:
    if x.dtype != "float32":  # the usual input is not looked at further
        x = as_float(call, x)
    units, has_bias, fused = call.settings(_options_of_dense)
    kernel = call.weight("kernel", (call.length(x, -1), units))
    bias = call.weight("bias", (units,)) if has_bias else None
    y = matmul(call, x, kernel, bias, fused or "linear")
    return activated(call, y) if fused is None else y


def matmul(
    call: LayerCall,
    x: Operand,
    kernel: Operand,
    bias: Operand | None = None,
    activation: str = "linear",
) -> Any:
    """Return activation(x @ kernel + bias) along the last axis, for any number of axes before it.

    Args:
        call: call of the layer.
        x: float32 [..., inputs].
        kernel: float32 [inputs, units].
        bias: float32 [units].
        activation: one that a fused op applies, where there is a bias.
    """
    shape = call.shape(x)
    if len(shape) != 2:
        inputs, units = call.shape(kernel, 2)
        y = matmul(call, reshape(call, x, (None, inputs)), kernel, bias, activation)
        return reshape_like(call, y, (*shape[:-1], units), x)
    if bias is None:
        return call.ops.matmul(x, kernel)
    return call.ops.fused_matmul(x, kernel, bias, activation=activation)


def _check_not_quantized(call: LayerCall) -> None:
    policy = call.options.get("dtype")
    if "int8" in str(policy) or "float8" in str(policy) or "int4" in str(policy):
        raise call.error(
            f"has the quantised dtype {policy!r:.200}: save the model before quantize()"
        )


def _einsum_dense(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    left, right, result = _einsum_terms(call, len(call.shape(x)))
    lengths = _einsum_lengths(call, ((left, x),)) | _einsum_results(call, left, result)
    kernel = call.weight("kernel", [lengths.get(letter) for letter in right])
    lengths = _einsum_lengths(call, ((left, x), (right, kernel)))
    if not set(result) <= set(lengths):
        raise call.options.error(
            "equation", "an equation whose result has letters of its left side only"
        )
    y = call.ops.contract([x, kernel], equation=f"{left},{right}->{result}")
    axes = str(call.options.get("bias_axes", ""))
    if axes:
        first = min(result.find(letter) for letter in axes)
        own = [lengths[n] if n in axes else 1 for n in result[max(first, 0) :]]
        y = call.ops.add(y, call.weight("bias", own))
    return activated(call, y)


def _einsum_terms(call: LayerCall, rank: int) -> tuple[str, str, str]:
    """Return the three terms of an equation, with letters for the dots."""
    equation = str(call.options.get("equation")).replace(" ", "")
    match = re.fullmatch(r"((?:\.\.\.)?[a-zA-Z]*),([a-zA-Z]+)->((?:\.\.\.)?[a-zA-Z]*)", equation)
    if match is None:
        raise call.options.error("equation", "as in 'ab,bc->ac' or '...a,ab->...b'")
    unused = [letter for letter in ascii_letters if letter not in equation]
    dots = "".join(unused[: max(0, rank - len(match[1].replace("...", "")))])
    left, right, result = (term.replace("...", dots) for term in match.groups())
    if len(left) != rank:
        raise call.error(f"the equation is for {len(left)} axes, got {rank}")
    return left, right, result


def _einsum_results(call: LayerCall, left: str, result: str) -> dict[str, int | None]:
    """Return the lengths of the result's letters that the input lacks, from ``output_shape``."""
    given = call.options.get("output_shape")
    lengths = [given] if isinstance(given, int) else list(given or ())
    pairs = zip(reversed(result), reversed(lengths), strict=False)
    return {letter: n for letter, n in pairs if letter not in left and isinstance(n, int)}


def _einsum_lengths(call: LayerCall, terms: Sequence[tuple[str, Operand]]) -> dict[str, int | None]:
    """Return the length of each letter."""
    lengths: dict[str, int | None] = {}
    for letters, value in terms:
        for letter, n in zip(letters, call.shape(value), strict=True):
            known = lengths.setdefault(letter, n)
            if known is None:
                lengths[letter] = n
            elif n not in (None, known):
                raise call.error(f"the length of {letter!r} is {known} and {n}")
    return lengths


def _embedding(call: LayerCall, x: Operand) -> Any:
    options = call.options
    units = options.integer("output_dim")
    table = call.weight("embeddings", (options.integer("input_dim"), units))
    indices = cast(call, x, "int32")
    y = call.ops.gather(table, indices, axis=0)
    if not options.flag("mask_zero", False):
        return y
    return Masked(y, call.ops.not_equal(indices, 0))


def _masking(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    differs = call.ops.not_equal(x, call.options.number("mask_value", 0.0))
    kept = reduce(call, "any", differs, [-1], keep=True)
    mask = reduce(call, "any", differs, [-1])
    return Masked(call.ops.mul(x, cast(call, kept, "float32")), mask)


def _flatten(call: LayerCall, x: Operand) -> Any:
    if is_channels_first(call) and len(call.shape(x)) > 2:
        x = channels_last(call, x)
    size = prod(call.length(x, axis) for axis in range(1, len(call.shape(x))))
    return reshape(call, x, (None, size))


def _reshape(call: LayerCall, x: Operand) -> Any:
    target = call.options.get("target_shape", [])
    if not isinstance(target, (list, tuple)):
        raise call.options.error("target_shape", "a list of lengths")
    lengths = call.options.integers("target_shape", len(target), (), least=-1) if target else ()
    if None not in call.shape(x)[1:]:
        lengths = _all_lengths(
            call, [call.length(x, i) for i in range(1, len(call.shape(x)))], lengths
        )
    shape = (call.shape(x)[0], *(None if n == -1 else n for n in lengths))
    return reshape_like(call, x, shape, x)


def _all_lengths(call: LayerCall, known: Sequence[int], target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the target shape with the length that follows from the others in place of -1."""
    size, others = prod(known), prod(n for n in target if n != -1)
    fits = size % others == 0 if others and target.count(-1) == 1 else size == others
    if not fits or target.count(-1) > 1:
        raise call.error(f"cannot reshape {tuple(known)} to {target}")
    return tuple(size // others if n == -1 else n for n in target)


def _permute(call: LayerCall, x: Operand) -> Any:
    rank = len(call.shape(x))
    order = call.options.integers("dims", rank - 1)
    if sorted(order) != list(range(1, rank)):
        raise call.options.error("dims", f"the axes from 1 to {rank - 1} in some order")
    return transpose(call, x, (0, *order))


def _repeat_vector(call: LayerCall, x: Operand) -> Any:
    count = call.options.integer("n")
    call.shape(x, 2)
    return call.ops.tile(expand(call, x, 1), reps=(1, count, 1))


def _spatial(
    call: LayerCall, x: Operand, edges: tuple[tuple[int, int], ...]
) -> list[tuple[int, int]]:
    """Return the edges of all axes from those of the spatial axes."""
    call.shape(x, len(edges) + 2)
    if is_channels_first(call):
        return [(0, 0), (0, 0), *edges]
    return [(0, 0), *edges, (0, 0)]


def _padding_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        return padded(call, x, _spatial(call, x, call.options.edges("padding", rank, 1)))

    given = arguments(padding=1, **_DATA_FORMAT)
    return LayerType(lower, keeps_mask=False, arguments=given)


def _cropping_of_rank(rank: int) -> LayerType:
    default = 1 if rank != 2 else 0

    def lower(call: LayerCall, x: Operand) -> Any:
        return cut(call, x, _spatial(call, x, call.options.edges("cropping", rank, default)))

    given = arguments(cropping=default, **({} if rank == 1 else _DATA_FORMAT))
    return LayerType(lower, keeps_mask=False, arguments=given)


def _tiled(call: LayerCall, x: Operand, axis: int, count: int) -> Any:
    """Repeat each row along an axis ``count`` times."""
    shape = call.shape(x)
    rows = expand(call, x, axis + 1)
    counts = [1] * len(call.shape(rows))
    counts[axis + 1] = count
    tiles = call.ops.tile(rows, reps=tuple(counts))
    n = shape[axis]
    result = (*shape[:axis], None if n is None else n * count, *shape[axis + 1 :])
    if result.count(None) <= 1:
        return reshape(call, tiles, result)
    marked = tuple(-1 if i == axis else n for i, n in enumerate(result))
    return of_shape(call, call.ops.reshape(tiles, shape=shape_vector(call, marked, x)), result)


def _up_sampling_of_rank(rank: int) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        call.shape(x, rank + 2)
        first = 2 if is_channels_first(call) else 1
        for i, count in enumerate(call.options.integers("size", rank, 2)):
            x = _tiled(call, x, first + i, count) if count > 1 else x
        return x

    given = arguments(size=2, **({} if rank == 1 else _DATA_FORMAT))
    return LayerType(lower, keeps_mask=False, arguments=given)


LAYER_TYPES = {
    "Dense": LayerType(
        _dense,
        weighted("kernel", use_bias="bias"),
        arguments=arguments("units", activation=None, use_bias=True, **_KERNEL_AND_BIAS),
    ),
    "EinsumDense": LayerType(
        _einsum_dense,
        lambda options: ("kernel", "bias") if options.get("bias_axes") else ("kernel",),
        arguments=arguments(
            "equation", "output_shape", activation=None, bias_axes=None, **_KERNEL_AND_BIAS
        ),
    ),
    "Embedding": LayerType(
        _embedding,
        weighted("embeddings"),
        arguments=arguments(
            "input_dim",
            "output_dim",
            **about_weights(embeddings="uniform", has_activity=False),
            mask_zero=False,
        ),
    ),
    "Masking": LayerType(_masking, arguments=arguments(mask_value=0.0)),
    "Flatten": LayerType(_flatten, keeps_mask=False, arguments=arguments(**_DATA_FORMAT)),
    "Reshape": LayerType(_reshape, keeps_mask=False, arguments=arguments("target_shape")),
    "Permute": LayerType(_permute, keeps_mask=False, arguments=arguments("dims")),
    "RepeatVector": LayerType(_repeat_vector, keeps_mask=False, arguments=arguments("n")),
    **{f"ZeroPadding{rank}D": _padding_of_rank(rank) for rank in (1, 2, 3)},
    **{f"Cropping{rank}D": _cropping_of_rank(rank) for rank in (1, 2, 3)},
    **{f"UpSampling{rank}D": _up_sampling_of_rank(rank) for rank in (1, 3)},
}
