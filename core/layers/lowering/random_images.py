"""Random layers of images, which are identities at inference.

`core.data.augmentation` computes most of them, on the host.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.data import augmentation
from core.data.random_transform import RandomTransform
from core.engine.tensors import Tensor
from core.engine.trace_hook import active_trace
from core.layers.layer_call import LayerCall, Operand
from core.layers.lowering.arguments import REQUIRED, Arguments, arguments
from core.layers.lowering.common_ops import as_float
from core.layers.lowering.rows import LayerType

if TYPE_CHECKING:
    from numpy.random import Generator

#: Classes of `core.data.augmentation` whose results have the shapes of the images.
_KINDS: tuple[type[RandomTransform], ...] = (
    augmentation.RandomBrightness,
    augmentation.RandomColorJitter,
    augmentation.RandomContrast,
    augmentation.RandomErasing,
    augmentation.RandomFlip,
    augmentation.RandomHue,
    augmentation.RandomRotation,
    augmentation.RandomSaturation,
    augmentation.RandomTranslation,
    augmentation.RandomZoom,
)

#: Layers that only inference knows, of files of Keras.
_INFERENCE_ONLY = (
    "ColorDegeneration ElasticTransform GaussianBlur Grayscale Invert Perspective Posterization "
    "Sharpness Shear"
)


def _arguments_of(kind: type[RandomTransform]) -> Arguments:
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: REQUIRED if p.default is p.empty else p.default for p in parameters}


def _augmented(kind: type[RandomTransform]) -> LayerType:
    """Return the row of a layer that a class of augmentations computes in training."""
    given = _arguments_of(kind)

    def lower(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        if not call.training:
            return x
        known = {name: value for name, value in call.options.values.items() if name in given}
        made = kind.from_config({**known, "seed": 0})  # the layer's generator draws, not its own
        source = call.generator(call.options.get("seed"))

        def transformed(tensor: Tensor) -> Tensor:
            return ops.numpy_function(tensor, function=partial(_transformed, made, source))

        return call.called(transformed, x)

    return LayerType(lower, arguments=given)


def _transformed(
    made: RandomTransform, source: "Callable[[], Generator]", images: np.ndarray
) -> np.ndarray:
    return made.transform(images, source())


def _inference_only(call: LayerCall, x: Operand) -> Any:
    if call.training:
        raise call.error("does not train: map a dataset by core.data.augmentation instead")
    return as_float(call, x)


def _resized(axis: int) -> LayerType:
    """Return the row of a layer that stretches images along an axis, by one factor per batch."""

    def lower(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        if not call.training:
            return x
        given = call.options.get("factor")
        low, high = given if isinstance(given, (list, tuple)) else (-given, given)
        source = call.generator(call.options.get("seed"))
        method = call.options.choice("interpolation", ("bilinear", "nearest"), "bilinear")
        resize = ops.resize_bilinear if method == "bilinear" else ops.resize_nearest_neighbor

        def stretched(tensor: Tensor) -> Tensor:
            trace = active_trace()
            if trace is not None:
                trace.refuse("draws the size of its result")
            size = list(tensor.shape[1:3])
            size[axis - 1] = max(1, round(size[axis - 1] * (1 + source().uniform(low, high))))
            return resize(tensor, size=tuple(size))

        return call.called(stretched, x)

    given = arguments("factor", interpolation="bilinear", seed=None)
    return LayerType(lower, keeps_mask=False, arguments=given)


LAYER_TYPES = {
    **{kind.__name__: _augmented(kind) for kind in _KINDS},
    **{f"Random{name}": LayerType(_inference_only) for name in _INFERENCE_ONLY.split()},
    "RandomHeight": _resized(1),
    "RandomWidth": _resized(2),
}
