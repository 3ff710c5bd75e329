"""Normalisation kernels."""

from typing import TYPE_CHECKING

from core.backends.tf.kernels.reduce import mean as mean_over
from core.backends.tf.raw_ops import dtypes, integers, number, pairs, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _factor(variance: "TfTensor", scale: "TfTensor | None", epsilon: float) -> "TfTensor":
    """Return scale / sqrt(variance + epsilon), computed in float64 and rounded once."""
    wide = raw.AddV2(x=_wide(variance), y=number(epsilon, "float64"))
    factor = raw.Rsqrt(x=wide)
    if scale is not None:
        factor = raw.Mul(x=factor, y=_wide(scale))
    return _narrow(factor)


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.float64)


def _narrow(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.float32)


@kernel("batch_norm", "tf")
def batch_norm(
    x: "TfTensor",
    mean: "TfTensor",
    variance: "TfTensor",
    offset: "TfTensor | None",
    scale: "TfTensor | None",
    variance_epsilon: float,
) -> "TfTensor":
    """Normalize; TensorFlow's own op rounds the factors of channels several times."""
    factor = _factor(variance, scale, variance_epsilon)
    result = raw.Mul(x=raw.Sub(x=x, y=mean), y=factor)
    return result if offset is None else raw.AddV2(x=result, y=offset)


@kernel("instance_norm", "tf")
def instance_norm(
    x: "TfTensor", scale: "TfTensor | None", offset: "TfTensor | None", epsilon: float
) -> "TfTensor":
    """Normalize; a second subtraction of the mean removes its rounding error in float32."""
    pixels = tuple(range(1, x.shape.rank - 1))
    centred = raw.Sub(x=x, y=mean_over(x, pixels, True))
    rest = mean_over(centred, pixels, True)
    variance = mean_over(raw.Square(x=raw.Sub(x=centred, y=rest)), pixels, True)
    return batch_norm(centred, rest, variance, offset, scale, epsilon)


def _near_sum(values: "TfTensor", radius: int) -> "TfTensor":
    """For each channel, sum the channels at most ``radius`` away.

    They are summed by average pooling along the channels: by a product with a matrix of ones, as
    TensorFlow's own op has it, one infinity would make all other sums NaN.
    """
    shape = tuple(values.shape)
    radius = min(radius, max(shape[-1] - 1, 0))
    if 0 in shape or radius == 0:
        return values
    width = 2 * radius + 1
    rows = raw.Reshape(tensor=values, shape=integers(-1, shape[-1], 1, 1))
    rows = raw.Pad(input=rows, paddings=pairs(((0, 0), (radius, radius), (0, 0), (0, 0))))
    means = raw.AvgPool(value=rows, ksize=[1, width, 1, 1], strides=[1, 1, 1, 1], padding="VALID")
    sums = raw.Mul(x=means, y=number(float(width), "float64"))
    return raw.Reshape(tensor=sums, shape=integers(*shape))


def _total(x: "TfTensor", depth_radius: int, bias: float, alpha: float) -> "TfTensor":
    """Return bias + alpha * sum of squares, for float64 values."""
    near = _near_sum(raw.Square(x=x), depth_radius)
    weighted = raw.Mul(x=near, y=number(alpha, "float64"))
    return raw.AddV2(x=weighted, y=number(bias, "float64"))


@kernel("local_response_normalization", "tf")
def local_response_normalization(
    x: "TfTensor", depth_radius: int, bias: float, alpha: float, beta: float
) -> "TfTensor":
    """Normalize over neighbouring channels, in float64, rounded once."""
    x = _wide(x)
    power = raw.Pow(x=_total(x, depth_radius, bias, alpha), y=number(-beta, "float64"))
    return _narrow(raw.Mul(x=x, y=power))


@kernel("local_response_normalization_grad", "tf")
def local_response_normalization_grad(
    x: "TfTensor",
    dy: "TfTensor",
    y: "TfTensor",
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> "TfTensor":
    """Return the gradient: a value affects its own result and the sums of neighbouring channels."""
    x, dy, y = _wide(x), _wide(dy), _wide(y)
    total = _total(x, depth_radius, bias, alpha)
    shared = _near_sum(raw.Mul(x=dy, y=raw.RealDiv(x=y, y=total)), depth_radius)
    own = raw.Mul(x=dy, y=raw.Pow(x=total, y=number(-beta, "float64")))
    others = raw.Mul(x=raw.Mul(x=shared, y=number(2.0 * alpha * beta, "float64")), y=x)
    return _narrow(raw.Sub(x=own, y=others))
