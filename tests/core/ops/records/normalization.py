"""Normalisation, one value at a time."""

import numpy as np

from tests.core.ops.records.case import Case, floats, ints


def _batch_norm(x, mean, variance, offset=0.0, scale=1.0, variance_epsilon=0.001):
    return (x - mean) / np.sqrt(variance + variance_epsilon) * scale + offset


def _only_scale(x, mean, variance, scale, **how):
    return _batch_norm(x, mean, variance, 0.0, scale, **how)


def _batch_norm_cases() -> list[Case]:
    x, one = floats(2, 3, 2, 4), (floats(4), floats(4, domain=(0.2, 3)))
    small = floats(5, 3), floats(5, 3), floats(5, 3, domain=(0.2, 3)), floats(5, 3), floats(5, 3)
    middle = (1, 3, 1, 4)
    between = floats(*middle), floats(*middle, domain=(0.2, 3)), floats(*middle), floats(1, 1, 1, 1)
    epsilon = {"variance_epsilon": 0.5}
    return [
        Case("batch_norm", (x, *one, None, None), _batch_norm, {}, "mean and variance"),
        Case("batch_norm", (x, *one, floats(4), None), _batch_norm, epsilon, "offset"),
        Case("batch_norm", (x, *one, None, floats(4)), _only_scale, epsilon, "scale"),
        Case("batch_norm", small, _batch_norm, {}, "one of each"),
        Case("batch_norm", (x, *between), _batch_norm, {}, "between"),
        Case("batch_norm", (floats(), floats(), floats(domain=(1, 2)), None, None), _batch_norm),
        Case("batch_norm", (floats(0, 4), *one, floats(4), floats(4)), _batch_norm, {}, "empty"),
        Case("batch_norm", (ints(3, 4), *one, None, None), _batch_norm, {}, "int32"),
    ]


def _sums_of_squares(x, radius):
    channels = np.arange(x.shape[-1])
    near = abs(channels[:, None] - channels) <= radius
    return np.einsum("...i,ij->...j", x**2, near.astype(float))


def _lrn(x, depth_radius=5, bias=1, alpha=1, beta=0.5):
    return x / (bias + alpha * _sums_of_squares(x, depth_radius)) ** beta


def _lrn_grad(x, dy, y, depth_radius=5, bias=1, alpha=1, beta=0.5):
    total = bias + alpha * _sums_of_squares(x, depth_radius)
    dx = dy * total**-beta
    for i in range(x.shape[-1]):
        for j in range(max(0, i - depth_radius), min(x.shape[-1], i + depth_radius + 1)):
            own = dy[..., i] * y[..., i] / total[..., i]
            dx[..., j] -= 2 * alpha * beta * x[..., j] * own
    return dx


def _lrn_cases() -> list[Case]:
    cases = []
    for how in [
        {},
        {"depth_radius": 1, "bias": 2.0, "alpha": 0.3, "beta": 0.75},
        {"depth_radius": 0},
    ]:
        for shape in [(2, 2, 3, 5), (2, 1, 7)]:
            x = floats(*shape)
            label = f"{shape} {how}"
            cases += [
                Case("local_response_normalization", (x,), _lrn, how, label),
                Case("local_response_normalization_grad", (x, x, x), _lrn_grad, how, label),
            ]
    empty = floats(0, 2, 2, 3)
    return [
        *cases,
        Case("local_response_normalization", (empty,), _lrn, {}, "empty"),
        Case("local_response_normalization_grad", (empty, empty, empty), _lrn_grad, {}, "empty"),
    ]


def _instance_norm(x, scale=1.0, offset=0.0, epsilon=1e-5):
    pixels = tuple(range(1, x.ndim - 1))
    variance = x.var(pixels, keepdims=True)
    return (x - x.mean(pixels, keepdims=True)) / np.sqrt(variance + epsilon) * scale + offset


def _only_offset(x, offset, **how):
    return _instance_norm(x, 1.0, offset, **how)


def _instance_norm_cases() -> list[Case]:
    x, one, epsilon = floats(2, 3, 4, 3), floats(3), {"epsilon": 0.5}
    return [
        Case("instance_norm", (x, None, None), _instance_norm, {}, "plain"),
        Case("instance_norm", (x, one, None), _instance_norm, epsilon, "scale"),
        Case("instance_norm", (x, None, one), _only_offset, epsilon, "offset"),
        Case("instance_norm", (x, one, one), _instance_norm, {}, "both"),
        Case("instance_norm", (floats(2, 7, 3), one, one), _instance_norm, {}, "rows"),
        Case("instance_norm", (floats(2, 2, 3, 2, 3), one, one), _instance_norm, {}, "volumes"),
        Case("instance_norm", (floats(2, 1, 1, 3), one, one), _instance_norm, {}, "one pixel"),
        Case("instance_norm", (ints(1, 3, 3, 2), None, None), _instance_norm, {}, "int32"),
        Case("instance_norm", (floats(0, 2, 3), one, one), _instance_norm, {}, "no images"),
        Case("instance_norm", (floats(2, 0, 3), one, None), _no_pixels, {}, "no pixels"),
    ]


def _no_pixels(x, scale):
    return x


CASES = [*_batch_norm_cases(), *_lrn_cases(), *_instance_norm_cases()]
