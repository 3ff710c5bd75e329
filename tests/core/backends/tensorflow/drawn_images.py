"""Random calls of ops on images and volumes, for any backend."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.engine.windows import Window, window

Rng = np.random.Generator
Call = tuple[list[Any], dict[str, Any]]
Draw = Callable[[Rng], Call]

#: Floats that no window may take for the largest, or that spread.
ODD = np.array([np.nan, np.inf, -np.inf, -1e20, 0.0], np.float32)


def one_of(rng: Rng, *choices: Any) -> Any:
    """Return one of several."""
    return choices[rng.integers(len(choices))]


def numbers(rng: Rng, count: int, low: int, high: int) -> tuple[int, ...]:
    """Return integers up to the last one."""
    return tuple(int(n) for n in rng.integers(low, high + 1, count))


def values(rng: Rng, shape: Sequence[int], dtype: str = "float32") -> np.ndarray:
    """Return small values."""
    drawn = rng.normal(size=tuple(shape)) * 3
    return np.asarray(drawn > 0 if dtype == "bool" else drawn, dtype)


def odd(rng: Rng, shape: Sequence[int], dtype: str = "float32") -> np.ndarray:
    """Return values, of floats every fourth time with many infinities and NaN, and with ties."""
    drawn = values(rng, shape, dtype)
    if dtype == "float32" and rng.random() < 0.25:
        drawn = np.where(rng.random(shape) < 0.6, ODD[rng.integers(0, len(ODD), shape)], drawn)
    return np.round(drawn) if rng.random() < 0.5 and dtype == "float32" else drawn


# --- windows --------------------------------------------------------------------------------------


def sides(rng: Rng, axes: int, most: int) -> Any:
    """Return padding of any kind."""
    given = tuple(numbers(rng, 2, 0, most) for _ in range(axes))
    return one_of(rng, "same", "valid", "same", "valid", int(rng.integers(0, most + 1)), given)


def windows(
    rng: Rng, axes: int, *, dilated: bool = False, rounded: bool = True, both: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    """Return sizes of windows and of an input into which one fits, and attributes."""
    size = numbers(rng, axes, 1, 3)
    how: dict[str, Any] = {"pad": sides(rng, axes, 4)}
    how["strides"] = one_of(rng, 1, 2, numbers(rng, axes, 1, 4))
    reach = size
    if dilated and rng.random() < 0.5:
        how["dilations"] = one_of(rng, 2, numbers(rng, axes, 1, 3))
        each = np.broadcast_to(how["dilations"], axes)
        reach = tuple(int((k - 1) * d + 1) for k, d in zip(size, each, strict=True))
        if not both:
            how["strides"] = 1
    if rounded and not isinstance(how["pad"], str):
        how["dim_rounding_mode"] = one_of(rng, None, "floor", "ceil", "round")
    more = numbers(rng, axes, 0, 6 if axes == 2 else 3)
    return size, tuple(r + m for r, m in zip(reach, more, strict=True)), how


def counts(rng: Rng) -> tuple[int, int, int]:
    """Return how many images, channels and results; now and then none."""
    batch, channels, out = numbers(rng, 3, 1, 3)
    return (0 if rng.random() < 0.05 else batch), channels, out


def _convolution(rng: Rng, axes: int, depthwise: bool = False) -> tuple[Any, ...]:
    """Return the shapes of x, filter and result, and the attributes."""
    size, room, how = windows(rng, axes, dilated=True, rounded=axes == 2)
    batch, channels, out = counts(rng)
    if rng.random() < 0.05 and not depthwise:
        channels, out = one_of(rng, (0, out), (channels, 0))
    how["data_format"] = "NDHWC" if axes == 3 else one_of(rng, "NHWC", "NHWC", "NCHW")
    first = how["data_format"] == "NCHW"
    x = (batch, channels, *room) if first else (batch, *room, channels)
    made = window(x, size, **how).out_size
    results = channels * out if depthwise else out
    y = (batch, results, *made) if first else (batch, *made, results)
    return x, (*size, channels, out), y, how


def convolutions(name: str, axes: int, depthwise: bool = False) -> dict[str, Draw]:
    """Return draws of a convolution and of both gradients."""

    def forward(rng: Rng) -> Call:
        x, filter, _, how = _convolution(rng, axes, depthwise)
        dtype = one_of(rng, "float32", "float32", "int32")
        return [values(rng, x, dtype), values(rng, filter, dtype)], how

    def to_x(rng: Rng) -> Call:
        x, filter, y, how = _convolution(rng, axes, depthwise)
        return [values(rng, y), values(rng, filter)], {**how, "input_shape": x}

    def to_filter(rng: Rng) -> Call:
        x, filter, y, how = _convolution(rng, axes, depthwise)
        return [values(rng, x), values(rng, y)], {**how, "filter_shape": filter}

    return {name: forward, f"{name}_backprop_input": to_x, f"{name}_backprop_filter": to_filter}


ACTIVATIONS = ("linear", "relu", "relu6", "elu", "sigmoid", "leakyrelu", "prelu")


def fused(depthwise: bool) -> Draw:
    """Return draws of a convolution with bias and activation."""

    def draw(rng: Rng) -> Call:
        x, filter, y, how = _convolution(rng, 2, depthwise)
        channels = y[1 if how["data_format"] == "NCHW" else 3]
        bias, weights = (values(rng, (one_of(rng, 1, channels),)) for _ in range(2))
        how |= {"activation": one_of(rng, *ACTIVATIONS), "leakyrelu_alpha": float(rng.normal())}
        return [values(rng, x), values(rng, filter), one_of(rng, None, bias), weights], how

    return draw


def _pooled(rng: Rng, axes: int, **rules: bool) -> tuple[tuple[int, ...], dict[str, Any], Window]:
    size, room, how = windows(rng, axes, **rules)
    batch, channels, _ = counts(rng)
    shape = (batch, *room, 0 if rng.random() < 0.03 else channels)
    w = window(shape, size, data_format="NHWC" if axes == 2 else "NDHWC", **how)
    return shape, {**how, "filter_size": size}, w


def pooling(axes: int, dtypes: Sequence[str], **rules: bool) -> Draw:
    """Return draws of a pool of some dtypes."""

    def draw(rng: Rng) -> Call:
        shape, how, _ = _pooled(rng, axes, **rules)
        return [odd(rng, shape, one_of(rng, *dtypes))], how

    return draw


def pooling_back(axes: int, inputs: int) -> Draw:
    """Return draws of a pool's gradient, of dy and one or two more inputs."""

    def draw(rng: Rng) -> Call:
        shape, how, w = _pooled(rng, axes, dilated=axes == 2, both=True)
        dy = values(rng, (shape[0], *w.out_size, shape[-1]))
        return [dy, odd(rng, shape), dy][:inputs], how

    return draw


def pool(rng: Rng) -> Call:
    """Draw averages and maxima, dilated or not."""
    shape, how, _ = _pooled(rng, 2, dilated=True)
    how["window_shape"] = how.pop("filter_size")
    how["pooling_type"] = one_of(rng, "avg", "max")
    return [odd(rng, shape, one_of(rng, "float32", "int32", "bool"))], how


def with_argmax(rng: Rng) -> Call:
    """Draw images of numbers and bools."""
    shape, how, _ = _pooled(rng, 2, rounded=False)
    how["include_batch_in_index"] = bool(rng.integers(2))
    return [odd(rng, shape, one_of(rng, "float32", "int32", "bool"))], how


# --- images ---------------------------------------------------------------------------------------


def resizing(back: bool, *dtypes: str) -> Draw:
    """Return draws of a resize, or of its gradient."""

    def draw(rng: Rng) -> Call:
        batch, channels, _ = counts(rng)
        shape = (batch, *numbers(rng, 2, 1, 12), channels)[rng.integers(2) :]
        size = one_of(rng, numbers(rng, 2, 1, 40), shape[-3:-1], numbers(rng, 2, 1, 4))
        corners, half = one_of(rng, (False, False), (True, False), (False, True))
        how = {"size": size, "align_corners": corners, "half_pixel_centers": half}
        images = odd(rng, shape, one_of(rng, *dtypes))
        dy = values(rng, (*shape[:-3], *size, shape[-1]))
        return ([dy, values(rng, shape)] if back else [images]), how

    return draw


def batch_norm(rng: Rng) -> Call:
    """Draw factors of every kind of shape."""
    shape = numbers(rng, int(rng.integers(1, 6)), 0 if rng.random() < 0.1 else 1, 4)
    part = one_of(rng, shape[-1:], shape, tuple(one_of(rng, 1, n) for n in shape))
    mean, variance, offset, scale = (values(rng, part) for _ in range(4))
    inputs = [odd(rng, shape), mean, abs(variance), one_of(rng, None, offset)]
    return [*inputs, one_of(rng, None, scale)], {"variance_epsilon": one_of(rng, 0.001, 0.5)}


def response(back: bool) -> Draw:
    """Return draws of local response normalization, or of its gradient."""

    def draw(rng: Rng) -> Call:
        shape = numbers(rng, int(rng.integers(3, 5)), 0 if rng.random() < 0.1 else 1, 6)
        how = {"depth_radius": one_of(rng, 0, 1, 2, 5, 1000), "bias": float(rng.uniform(0.5, 2))}
        how |= {"alpha": float(rng.uniform(0, 2)), "beta": float(rng.uniform(0.1, 2))}
        inputs = [values(rng, shape) for _ in range(3)]
        return (inputs if back else [odd(rng, shape)]), how

    return draw


#: By the name of the op, what draws a call of it.
DRAWS: dict[str, Draw] = {
    **convolutions("conv2d", 2),
    **convolutions("depthwise_conv2d", 2, depthwise=True),
    **convolutions("conv3d", 3),
    "fused_conv2d": fused(False),
    "fused_depthwise_conv2d": fused(True),
    "avg_pool": pooling(2, ["float32", "int32"]),
    "avg_pool_grad": pooling_back(2, 2),
    "max_pool": pooling(2, ["float32", "float32", "int32", "bool"]),
    "max_pool_grad": pooling_back(2, 3),
    "max_pool_with_argmax": with_argmax,
    "pool": pool,
    "avg_pool3d": pooling(3, ["float32"]),
    "avg_pool3d_grad": pooling_back(3, 2),
    "max_pool3d": pooling(3, ["float32"]),
    "max_pool3d_grad": pooling_back(3, 3),
    "resize_bilinear": resizing(False, "float32", "int32"),
    "resize_bilinear_grad": resizing(True, "float32"),
    "resize_nearest_neighbor": resizing(False, "float32", "int32"),
    "resize_nearest_neighbor_grad": resizing(True, "float32"),
    "batch_norm": batch_norm,
    "local_response_normalization": response(False),
    "local_response_normalization_grad": response(True),
}
