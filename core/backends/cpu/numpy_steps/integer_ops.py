"""Steps that compute with integers, by NumPy: what generated kernels must give, to the bit.

Sums are exact: those of float64 hold integers up to 2**53.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.backends.cpu.kernels.quantisation import quanta_of
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.engine.windows import Window, window
from core.plan.integer_ops import POSITION_BITS
from core.plan.integer_rounding import rounded, rounded_pair

#: Attributes of convolutions that say how windows lie.
_WINDOW = ("strides", "pad", "data_format", "dilations", "dim_rounding_mode")


def _lowered(call: NumpyCall, compute: Callable[..., np.ndarray]) -> Lowered:
    """Return the call that computes the result of a step from its inputs."""

    def run(out: np.ndarray, arrays: list[np.ndarray]) -> None:
        out[...] = compute(*arrays).reshape(out.shape)

    def bind(views: Views) -> list[Work]:
        return [partial(run, views[call.step.name], [views[r] for r in call.step.inputs])]

    return Lowered("integers", bind)


def _taps(x: np.ndarray, filter: np.ndarray, how: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return windows [n, height, width, channels, rows, columns], and the filter; both float64."""
    names = {name: how[name] for name in _WINDOW}
    w: Window = window(x.shape, filter.shape[:2], **names)
    around = [(max(before, 0), max(after, 0)) for before, after in w.padding]
    skipped = [max(-before, 0) for before, _ in w.padding]
    x = np.pad(x, ((0, 0), *around, (0, 0)), constant_values=how["x_zero"])
    x = x[:, skipped[0] :, skipped[1] :].astype(np.float64) - how["x_zero"]
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(w.size, w.dilations, strict=True)]
    found = sliding_window_view(x, reach, (1, 2))
    found = found[:, :: w.strides[0], :: w.strides[1], :, :: w.dilations[0], :: w.dilations[1]]
    found = found[:, : w.out_size[0], : w.out_size[1]]
    return found, filter.astype(np.float64) - how["filter_zero"]


@lowers("integer_conv2d")
def lower_integer_conv2d(call: NumpyCall) -> Lowered:
    """Multiply windows of bytes by the filter."""
    how = call.step.attributes

    def compute(
        x: np.ndarray, filter: np.ndarray, bias: np.ndarray, multiplier: np.ndarray, shift: Any
    ) -> np.ndarray:
        windows, taps = _taps(x if x.ndim == 4 else x[None, None], filter, how)
        sums = np.tensordot(windows, taps, ([3, 4, 5], [2, 0, 1])) + bias
        found = rounded(sums.astype(np.int64), multiplier, shift, how)
        return found if x.ndim == 4 else found[0, 0]

    return _lowered(call, compute)


@lowers("integer_depthwise_conv2d")
def lower_integer_depthwise(call: NumpyCall) -> Lowered:
    """Multiply windows of bytes by the filter, channel by channel."""
    how = call.step.attributes

    def compute(
        x: np.ndarray, filter: np.ndarray, bias: np.ndarray, multiplier: np.ndarray, shift: Any
    ) -> np.ndarray:
        windows, taps = _taps(x, filter, how)
        sums = np.einsum("nhwcij,ijc->nhwc", windows, taps[..., 0]) + bias
        return rounded(sums.astype(np.int64), multiplier, shift, how)

    return _lowered(call, compute)


@lowers("integer_binary")
def lower_integer_binary(call: NumpyCall) -> Lowered:
    """Add, subtract or multiply bytes of two scales."""
    how = call.step.attributes

    def compute(a: np.ndarray, b: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        return rounded_pair(a, b, numbers.tolist(), how)

    return _lowered(call, compute)


@lowers("integer_resize_bilinear")
def lower_integer_resize(call: NumpyCall) -> Lowered:
    """Mix the four pixels around each new one."""
    base = call.step.attributes["base"]

    def compute(x: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        (top, bottom, down), (left, right, across) = rows.T, columns.T
        one, half = 1 << POSITION_BITS, 1 << 2 * POSITION_BITS - 1
        down, across = down[:, None, None].astype(np.int64), across[:, None]
        values = x.astype(np.int64)
        lines = [
            values[:, line][:, :, left] * (one - across) + values[:, line][:, :, right] * across
            for line in (top, bottom)
        ]
        total = lines[0] * (one - down) + lines[1] * down
        return (total + half - (total <= base << 2 * POSITION_BITS)) >> 2 * POSITION_BITS

    return _lowered(call, compute)


@lowers("to_bytes")
def lower_to_bytes(call: NumpyCall) -> Lowered:
    """Round floats to bytes."""
    how = dict(call.step.attributes)
    return _lowered(call, lambda x: quanta_of(x, **how) + how["zero_point"])


@lowers("from_bytes")
def lower_from_bytes(call: NumpyCall) -> Lowered:
    """Return the real values of bytes."""
    scale, zero = np.float32(call.step.attributes["scale"]), call.step.attributes["zero_point"]
    return _lowered(call, lambda x: (x.astype(np.float32) - zero) * scale)
