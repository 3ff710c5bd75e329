"""Batch normalisation and local response normalisation."""

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape, values

Rng = np.random.Generator
Case = tuple[Named, Named]


def _drawn_batch_norm(rng: Rng, dtype: str) -> Case:
    """x, and a mean and a variance for each channel; sometimes an offset or a scale."""
    x = values(rng, dtype, shape(rng, 4, 4, empty=False))
    channels = x.shape[-1:]
    inputs = {
        "x": x,
        "mean": values(rng, dtype, channels),
        "variance": values(rng, dtype, channels, 0.1, 3),
    }
    if flag(rng):
        inputs["offset"] = values(rng, dtype, channels)
    if flag(rng):
        inputs["scale"] = values(rng, dtype, channels)
    return inputs, {"varianceEpsilon": float(rng.choice([1e-3, 1e-2, 0.5]))}


def _batch_normed(inputs: Named, a: Named) -> list[tf.Tensor]:
    """TensorFlow's fused op, which takes every input."""
    channels = inputs["x"].shape[-1:]
    op = tf.raw_ops.FusedBatchNormV3
    results = op(
        x=inputs["x"],
        scale=inputs.get("scale", np.ones(channels, np.float32)),
        offset=inputs.get("offset", np.zeros(channels, np.float32)),
        mean=inputs["mean"],
        variance=inputs["variance"],
        epsilon=a["varianceEpsilon"],
        is_training=False,
    )
    return [results.y]


def _batch_normed_by_formula(inputs: Named, a: Named) -> list[tf.Tensor]:
    """The formula, for gradients that the fused op lacks: of the mean and the variance."""
    y = (inputs["x"] - inputs["mean"]) / tf.sqrt(inputs["variance"] + a["varianceEpsilon"])
    return [y * inputs.get("scale", 1.0) + inputs.get("offset", 0.0)]


def _drawn_lrn(rng: Rng, dtype: str) -> Case:
    """More and fewer channels than the depth of the window."""
    size = (*shape(rng, 3, 3, empty=False), int(rng.integers(1, 13)))
    attributes = {
        "depthRadius": int(rng.integers(0, 7)),
        "bias": float(rng.choice([0.5, 1.0, 2.0])),
        "alpha": float(rng.choice([0.0625, 0.5, 1.0])),
        "beta": float(rng.choice([0.25, 0.5, 0.75, 1.0])),
    }
    return {"x": values(rng, dtype, size)}, attributes


def _window(a: Named) -> Named:
    rest = {name: a[name] for name in ("bias", "alpha", "beta")}
    return {"depth_radius": a["depthRadius"], **rest}


def _responses(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.raw_ops.LRN(input=inputs["x"], **_window(a))]


def _drawn_lrn_gradient(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn_lrn(rng, dtype)
    y = _responses(inputs, attributes)[0].numpy()
    return {**inputs, "y": y, "dy": values(rng, dtype, y.shape)}, attributes


def _response_gradient(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.LRNGrad(
            input_grads=inputs["dy"],
            input_image=inputs["x"],
            output_image=inputs["y"],
            **_window(a),
        )
    ]


COMPARISONS = [
    Comparison("FusedBatchNorm", _drawn_batch_norm, _batch_normed),
    Comparison(
        "FusedBatchNorm",
        _drawn_batch_norm,
        _batch_normed_by_formula,
        label="with gradients",
        gradient=True,
    ),
    Comparison("LRN", _drawn_lrn, _responses, gradient=True),
    Comparison("LRNGrad", _drawn_lrn_gradient, _response_gradient),
]
