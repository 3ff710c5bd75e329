"""Random layers of images, which are identities at inference.

`core.data.augmentation` computes most of them, on the host.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from core import ops
from core.data import augmentation
from core.data.random_transform import RandomTransform
from core.engine.tensors import Tensor
from core.engine.trace_hook import active_trace
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import as_float
from core.layers.layer_call import LayerCall, Operand

if TYPE_CHECKING:
    from numpy.random import Generator


class _Augmented(OneResult, is_base=True):
    """An augmentation of images that `core.data.augmentation` computes."""

    #: The class that computes.
    transform: ClassVar[type[RandomTransform]]

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        if not call.training:
            return x
        known = {
            name: value for name, value in call.options.values.items() if name in cls.arguments
        }
        # The layer's generator draws, not that of the object.
        made = cls.transform.from_config({**known, "seed": 0})
        source = call.generator(call.options.get("seed"))

        def transformed(tensor: Tensor) -> Tensor:
            return ops.numpy_function(tensor, function=partial(_transformed, made, source))

        return call.called(transformed, x)


class RandomBrightness(_Augmented):
    """Change the brightness of images, each by an amount of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomBrightness(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float]
    value_range: tuple[float, float] = (0.0, 255.0)
    seed: int | None = None

    transform = augmentation.RandomBrightness


class RandomColorJitter(_Augmented):
    """Change brightness, contrast, saturation and hue of images, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        value_range: values of black and white.
        brightness_factor: range of brightness.
        contrast_factor: range of contrast.
        saturation_factor: range of saturation.
        hue_factor: range of hue.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomColorJitter(brightness_factor=0.2, hue_factor=0.1, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    value_range: tuple[float, float] = (0.0, 255.0)
    brightness_factor: float | tuple[float, float] | None = None
    contrast_factor: float | tuple[float, float] | None = None
    saturation_factor: float | tuple[float, float] | None = None
    hue_factor: float | tuple[float, float] | None = None
    seed: int | None = None

    transform = augmentation.RandomColorJitter


class RandomContrast(_Augmented):
    """Change the contrast of images, each by a factor of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomContrast(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float]
    value_range: tuple[float, float] = (0.0, 255.0)
    seed: int | None = None

    transform = augmentation.RandomContrast


class RandomErasing(_Augmented):
    """Erase a rectangle of each image, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end.
        scale: range of the erased share.
        fill_value: value of erased pixels, by default noise.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomErasing(0.5, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float] = 1.0
    scale: float | tuple[float, float] = (0.02, 0.33)
    fill_value: float | tuple[float, float, float] | None = None
    value_range: tuple[float, float] = (0, 255)
    seed: int | None = None

    transform = augmentation.RandomErasing


class RandomFlip(_Augmented):
    """Turn over images, left to right or upside down, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        mode: axes along which images may be turned over.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomFlip("horizontal", seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    mode: Literal["horizontal", "vertical", "horizontal_and_vertical"] = "horizontal_and_vertical"
    seed: int | None = None

    transform = augmentation.RandomFlip


class RandomHue(_Augmented):
    """Shift the colours of images along the circle of hues, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomHue(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float]
    value_range: tuple[float, float] = (0.0, 255.0)
    seed: int | None = None

    transform = augmentation.RandomHue


class RandomRotation(_Augmented):
    """Turn images about their centres, by a factor of a full turn, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomRotation(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float]
    fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = "reflect"
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    seed: int | None = None
    fill_value: float = 0.0

    transform = augmentation.RandomRotation


class RandomSaturation(_Augmented):
    """Change the saturation of images, each by a factor of its own, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        value_range: values of black and white.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomSaturation(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    factor: float | tuple[float, float]
    value_range: tuple[float, float] = (0.0, 255.0)
    seed: int | None = None

    transform = augmentation.RandomSaturation


class RandomTranslation(_Augmented):
    """Move images by factors of their heights and widths, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        height_factor: range of the factors of the height; needed.
        width_factor: range of the factors of the width; None where a zoom keeps the proportions;
            needed.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomTranslation(0.1, 0.1, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    height_factor: float | tuple[float, float]
    width_factor: float | tuple[float, float] | None
    fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = "reflect"
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    seed: int | None = None
    fill_value: float = 0.0

    transform = augmentation.RandomTranslation


class RandomZoom(_Augmented):
    """Enlarge or shrink images about their centres, in training alone.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is. `core.data.augmentation` has a class of this name, too.

    Args:
        height_factor: range of the factors of the height; needed.
        width_factor: range of the factors of the width; None where a zoom keeps the proportions.
        fill_mode: values outside of the image.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        fill_value: value outside of the image for fill_mode="constant".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomZoom(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    height_factor: float | tuple[float, float]
    width_factor: float | tuple[float, float] | None = None
    fill_mode: Literal["constant", "nearest", "reflect", "wrap"] = "reflect"
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    seed: int | None = None
    fill_value: float = 0.0

    transform = augmentation.RandomZoom


def _transformed(
    made: RandomTransform, source: "Callable[[], Generator]", images: np.ndarray
) -> np.ndarray:
    return made.transform(images, source())


class RandomSharpness(OneResult):
    """A random layer of Keras that only inference knows; others are its other names."""

    only_in_files = True
    other_names = (
        "RandomColorDegeneration",
        "RandomElasticTransform",
        "RandomGaussianBlur",
        "RandomGrayscale",
        "RandomInvert",
        "RandomPerspective",
        "RandomPosterization",
        "RandomShear",
    )

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        if call.training:
            raise call.error("does not train: map a dataset by core.data.augmentation instead")
        return as_float(call, x)


class _Stretched(OneResult, is_base=True):
    """Images stretched along an axis, by one factor per batch."""

    axis: ClassVar[int]

    factor: float | tuple[float, float]
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    seed: int | None = None

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
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
            length = size[cls.axis - 1] * (1 + source().uniform(low, high))
            size[cls.axis - 1] = max(1, round(length))
            return resize(tensor, size=tuple(size))

        return call.called(stretched, x)


class RandomHeight(_Stretched):
    """Stretch images in height, all of a batch by one factor, in training alone.

    Called on `[batch, rows, columns, channels]`, returns images of another size; in inference the
    input as it is. Compiled steps have fixed shapes: compile the model with `run_eagerly=True`.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomHeight(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    axis = 1


class RandomWidth(_Stretched):
    """Stretch images in width, all of a batch by one factor, in training alone.

    Called on `[batch, rows, columns, channels]`, returns images of another size; in inference the
    input as it is. Compiled steps have fixed shapes: compile the model with `run_eagerly=True`.

    Args:
        factor: range of the random factors: the largest, or the lower and upper end; needed.
        interpolation: how values between pixels are made.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.RandomWidth(0.2, seed=1)
    >>> layer(core.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 3)
    """

    axis = 2
