"""Normalisation kernels."""

from math import prod

import numpy as np

from core.backends.shader.codegen.kernel_language import (
    Dispatch,
    KernelBuilder,
    Operand,
    Source,
    Table,
)
from core.backends.shader.codegen.library.pairs import pair_of
from core.backends.shader.codegen.reductions import reduced
from core.engine.registry import kernel
from core.engine.specs import Spec, broadcast_shapes


@kernel("batch_norm", "shader")
def batch_norm(
    call: KernelBuilder,
    x: Operand,
    mean: Operand,
    variance: Operand,
    offset: Operand | None,
    scale: Operand | None,
    *,
    variance_epsilon: float,
) -> Dispatch:
    """Normalize; the factors, one for each channel, are computed in a separate pass."""
    return _normalised(call, x, mean, variance, offset, scale, variance_epsilon)


def _normalised(
    call: KernelBuilder,
    x: Source,
    mean: Source,
    variance: Source,
    offset: Source | None,
    scale: Source | None,
    epsilon: float,
) -> Dispatch:
    factor = _factor(call, variance, scale, epsilon)
    if offset is None:
        return call.each("(x - mean) * factor", x=x, mean=mean, factor=factor)
    text = "(x - mean) * factor + offset"
    return call.each(text, x=x, mean=mean, factor=factor, offset=offset)


def _factor(call: KernelBuilder, variance: Source, scale: Source | None, epsilon: float) -> Source:
    """Return the factor of differences from the mean, rounded once; a table if it is constant."""
    known = [getattr(v, "array", None) for v in (variance, scale) if v is not None]
    arrays = [array for array in known if array is not None]
    if len(arrays) == len(known):
        with np.errstate(all="ignore"):
            factor = 1 / np.sqrt(arrays[0].astype(np.float64) + epsilon)
            return Table(np.asarray(prod(arrays[1:], start=factor), np.float32))
    times = "1.0" if scale is None else "scale"
    text = f"""int o = floatBitsToInt(variance * variance);  // not negative
vec2 sum = pair_add(vec2(variance, 0.0), vec2(epsilon_first, epsilon_rest), o);
if (sum.x == 0.0) return INF * {times};
if (!is_finite(sum.x)) return {times} / sqrt(sum.x);
vec2 factor = pair_times(pair_rsqrt(sum, o), vec2({times}, 0.0), o);
return factor.x + factor.y;"""
    values = pair_of("epsilon", epsilon)
    if scale is None:
        return call.each(text, to=Spec(variance.shape), values=values, variance=variance)
    to = Spec(broadcast_shapes(variance.shape, scale.shape))
    return call.each(text, to=to, values=values, variance=variance, scale=scale)


@kernel("instance_norm", "shader")
def instance_norm(
    call: KernelBuilder,
    x: Operand,
    scale: Operand | None,
    offset: Operand | None,
    *,
    epsilon: float,
) -> Dispatch:
    """Normalize; a second subtraction of the mean removes its rounding error in float32."""
    if not call.to.size:
        return call.each("x", x=x)
    batch, channels = x.shape[0], x.shape[-1]
    of_all = Spec((batch, prod(x.shape[1:-1]), channels))
    of_images = Spec((batch, 1, channels))
    pixels = x.reshaped(*of_all.shape)
    mean = reduced(call, pixels, (1,), "mean", of_images)
    centred = call.each("x - mean", to=of_all, x=pixels, mean=mean)
    rest = reduced(call, centred, (1,), "mean", of_images)
    square = "float d = x - mean;\nreturn d * d;"
    squares = call.each(square, to=of_all, x=centred, mean=rest)
    variance = reduced(call, squares, (1,), "mean", of_images)
    shown = KernelBuilder(of_all, call.limits, call.has_tiles)
    made = _normalised(shown, centred, rest, variance, offset, scale, epsilon)
    return made.reshaped(*call.to.shape)


#: Sums over the channels around one, of images as [pixels, channels].
_NEAR = """float total = 0.0;
int last = min(o1 + radius, out_1 - 1);
for (int c = max(o1 - radius, 0); c <= last; c++) {{
    {}
}}
"""
_SQUARES = (
    _NEAR.format("float v = get_x(o0, c);\ntotal += v * v;") + "total = bias + alpha * total;"
)


def _rows(call: KernelBuilder, radius: int, **numbers: float) -> tuple[Spec, dict[str, float]]:
    """Return the result's shape as [pixels, channels], and the values of its programs."""
    channels = call.to.shape[-1]
    values = {"radius": min(radius, channels), **{n: float(v) for n, v in numbers.items()}}
    return Spec((call.to.size // max(channels, 1), channels)), values


@kernel("local_response_normalization", "shader")
def local_response_normalization(
    call: KernelBuilder, x: Operand, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Dispatch:
    """Divide each value by a power of the squares around it."""
    rows, values = _rows(call, depth_radius, bias=bias, alpha=alpha)
    text = f"{_SQUARES}\nreturn get_x(o0, o1) * pow_(total, -beta);"
    made = call.map(text, to=rows, values=values | {"beta": float(beta)}, x=x.reshaped(*rows.shape))
    return made.reshaped(*call.to.shape)


@kernel("local_response_normalization_grad", "shader")
def local_response_normalization_grad(
    call: KernelBuilder,
    x: Operand,
    dy: Operand,
    y: Operand,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> Dispatch:
    """Return the gradient: a value affects its own result and the sums of neighbouring channels."""
    rows, values = _rows(call, depth_radius, bias=bias, alpha=alpha)
    x, dy, y = (v.reshaped(*rows.shape) for v in (x, dy, y))
    totals = call.map(f"{_SQUARES}\nreturn total;", to=rows, values=values, x=x)
    shares = call.each("dy * (y / total)", to=rows, dy=dy, y=y, total=totals)
    near = _NEAR.format("total += get_shares(o0, c);").replace("total", "shared_sum")
    text = f"""{near}float total = totals_at(o);
return dy_at(o) * pow_(total, -beta) - 2.0 * alpha * beta * shared_sum * x_at(o);"""
    values = values | {"beta": float(beta)}
    made = call.map(text, to=rows, values=values, x=x, dy=dy, shares=shares, totals=totals)
    return made.reshaped(*call.to.shape)
