"""Images: resizing, cropping, moving, and what to keep of overlapping boxes."""

from collections.abc import Callable
from functools import partial

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import flag, shape, values

Rng = np.random.Generator
Case = tuple[Named, Named]

# TensorFlow works out positions in float32: half an ulp of 64 pixels, a few times over, is 1e-5
# pixels, and from one pixel to the next values change by up to twice the largest.
_POSITIONS = 1e-5


def _resizing(rng: Rng) -> Named:
    corners, half = [(False, False), (True, False), (False, True)][rng.integers(3)]
    size = [int(n) for n in rng.integers(1, 11, 2)]
    return {"alignCorners": corners, "halfPixelCenters": half, "size": size}


def _drawn_resize(rng: Rng, dtype: str) -> Case:
    return {"images": values(rng, dtype, shape(rng, 4, 4, empty=False), -9, 9)}, _resizing(rng)


def _sampling(a: Named) -> Named:
    return {"align_corners": a["alignCorners"], "half_pixel_centers": a["halfPixelCenters"]}


def _resized(inputs: Named, a: Named, *, op: Callable) -> list[tf.Tensor]:
    return [op(images=inputs["images"], size=a["size"], **_sampling(a))]


def _drawn_resize_gradient(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn_resize(rng, dtype)
    batch, _, _, channels = inputs["images"].shape
    dy = values(rng, dtype, (batch, *attributes["size"], channels))
    return {"dy": dy, **inputs}, attributes


def _bilinear_gradient(inputs: Named, a: Named) -> list[tf.Tensor]:
    images = inputs["images"]
    op = tf.raw_ops.ResizeBilinearGrad
    return [op(grads=inputs["dy"], original_image=images, **_sampling(a))]


def _nearest_gradient(inputs: Named, a: Named) -> list[tf.Tensor]:
    size = inputs["images"].shape[1:3]
    return [tf.raw_ops.ResizeNearestNeighborGrad(grads=inputs["dy"], size=size, **_sampling(a))]


def _drawn_crop(rng: Rng, dtype: str) -> Case:
    """Boxes inside, partly outside, and upside down."""
    count = int(rng.integers(0, 5))
    image = values(rng, dtype, shape(rng, 4, 4, empty=False), -9, 9)
    inputs = {
        "image": image,
        "boxes": values(rng, "float32", (count, 4), -0.3, 1.3),
        "boxInd": np.asarray(rng.integers(0, image.shape[0], count), np.int32),
    }
    attributes = {
        "cropSize": [int(n) for n in rng.integers(1, 8, 2)],
        "method": str(rng.choice(["bilinear", "nearest"])),
        "extrapolationValue": float(rng.integers(-3, 4)),
    }
    return inputs, attributes


def _cropped(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.CropAndResize(
            image=inputs["image"],
            boxes=inputs["boxes"],
            box_ind=inputs["boxInd"],
            crop_size=a["cropSize"],
            method=a["method"],
            extrapolation_value=a["extrapolationValue"],
        )
    ]


def _read(transforms: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Where transforms read an image, in pixels."""
    row, column = np.mgrid[: size[0], : size[1]].astype(np.float64)
    t = transforms.astype(np.float64)[:, :, None, None]
    scale = t[:, 6] * column + t[:, 7] * row + 1
    x = (t[:, 0] * column + t[:, 1] * row + t[:, 2]) / scale
    return np.stack([x, (t[:, 3] * column + t[:, 4] * row + t[:, 5]) / scale])


def _is_clear(transforms: np.ndarray, size: tuple[int, int]) -> bool:
    """Whether no position lies where rounding decides between two pixels."""
    doubled = _read(transforms, size) * 2
    return bool(np.all(np.abs(doubled - np.round(doubled)) > 1e-3))


def _drawn_transforms(rng: Rng, count: int, size: tuple[int, int]) -> np.ndarray:
    """Turns, stretches, shears and shifts, some with perspective."""
    while True:
        t = np.zeros((count, 8))
        t[:, [0, 4]] = 1
        t += rng.uniform(-1, 1, t.shape) * [1, 1, 9, 1, 1, 9, 0, 0]
        if flag(rng):
            t[:, 6:] = rng.uniform(-0.03, 0.05, (count, 2))
        transforms = t.astype(np.float32)
        if _is_clear(transforms, size):
            return transforms


def _drawn_transform(rng: Rng, dtype: str) -> Case:
    image = values(rng, dtype, shape(rng, 4, 4, empty=False), -9, 9)
    attributes: Named = {
        "interpolation": str(rng.choice(["bilinear", "nearest"])),
        "fillMode": str(rng.choice(["nearest", "reflect", "constant", "wrap"])),
        "fillValue": float(rng.integers(-3, 4)),
    }
    if flag(rng):
        attributes["outputShape"] = [int(n) for n in rng.integers(1, 8, 2)]
    batch, *size, _ = image.shape
    size = attributes.get("outputShape", size)
    transforms = _drawn_transforms(rng, batch if flag(rng) else 1, size)
    return {"image": image, "transforms": transforms}, attributes


def _transformed(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.ImageProjectiveTransformV3(
            images=inputs["image"],
            transforms=inputs["transforms"],
            output_shape=a.get("outputShape", inputs["image"].shape[1:3]),
            fill_value=a["fillValue"],
            interpolation=a["interpolation"].upper(),
            fill_mode=a["fillMode"].upper(),
        )
    ]


def _turn(radians: float, center: tuple[float, float], size: tuple[int, int]) -> np.ndarray:
    """The transform that reads an image turned around a centre (x, y in parts of its size)."""
    x, y = center[0] * size[1], center[1] * size[0]
    cos, sin = np.cos(radians), np.sin(radians)
    shift = x - cos * x + sin * y, y - sin * x - cos * y
    return np.array([[cos, -sin, shift[0], sin, cos, shift[1], 0, 0]], np.float32)


def _both(center: float | list[float]) -> tuple[float, float]:
    return tuple(center) if isinstance(center, list) else (center, center)


def _drawn_turn(rng: Rng, dtype: str) -> Case:
    image = values(rng, dtype, (*shape(rng, 3, 3, empty=False), int(rng.integers(1, 5))), 0, 256)
    while True:
        centers = [float(c) for c in rng.uniform(-0.2, 1.2, 2)]
        fills = [float(c) for c in rng.integers(0, 256, 3)]
        attributes = {
            "radians": float(rng.uniform(-7, 7)),
            "fillValue": fills if flag(rng) else fills[0],
            "center": centers if flag(rng) else centers[0],
        }
        size = image.shape[1:3]
        if _is_clear(_turn(attributes["radians"], _both(attributes["center"]), size), size):
            return {"image": image}, attributes


def _turned(inputs: Named, a: Named) -> list[tf.Tensor]:
    """A transform of each channel by itself, since each may be filled with another value."""
    image, fill = inputs["image"], a["fillValue"]
    fills = [*fill, 255.0] if isinstance(fill, list) else [fill] * 4
    transform = _turn(a["radians"], _both(a["center"]), image.shape[1:3])
    channels = [
        tf.raw_ops.ImageProjectiveTransformV3(
            images=image[..., i : i + 1],
            transforms=transform,
            output_shape=image.shape[1:3],
            fill_value=fills[i],
            interpolation="NEAREST",
        )
        for i in range(image.shape[3])
    ]
    return [tf.concat(channels, 3)]


def _drawn_flip(rng: Rng, dtype: str) -> Case:
    return {"image": values(rng, dtype, shape(rng, 4, 4))}, {}


def _flipped(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.reverse(inputs["image"], [2])]


def _drawn_boxes(rng: Rng, dtype: str) -> Case:
    """Boxes of which many overlap, some with their corners the other way round."""
    count = int(rng.integers(0, 25))
    corner = rng.uniform(0, 2, (count, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(-1, 1.5, (count, 2))], 1)
    inputs = {
        "boxes": boxes.astype(dtype),
        "scores": rng.permutation(np.linspace(-0.2, 1, count)).astype(dtype),
    }
    attributes = {
        "maxOutputSize": int(rng.integers(0, count + 4)),
        "iouThreshold": float(rng.uniform(0, 1)),
        "scoreThreshold": float(rng.choice([-np.inf, rng.uniform(0, 0.6)])),
    }
    return inputs, attributes


def _drawn_padded_boxes(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn_boxes(rng, dtype)
    return inputs, {**attributes, "padToMaxOutputSize": flag(rng)}


def _drawn_soft_boxes(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn_boxes(rng, dtype)
    if flag(rng):
        sigma = float(rng.uniform(0.05, 1))
        return inputs, {**attributes, "iouThreshold": 1.0, "softNmsSigma": sigma}
    return inputs, {**attributes, "softNmsSigma": 0.0}


def _limits(inputs: Named, a: Named) -> Named:
    return {
        **inputs,
        "max_output_size": a["maxOutputSize"],
        "iou_threshold": a["iouThreshold"],
        "score_threshold": a["scoreThreshold"],
    }


def _kept(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.raw_ops.NonMaxSuppressionV3(**_limits(inputs, a))]


def _kept_padded(inputs: Named, a: Named) -> list[tf.Tensor]:
    pad = a["padToMaxOutputSize"]
    op = tf.raw_ops.NonMaxSuppressionV4
    return list(op(**_limits(inputs, a), pad_to_max_output_size=pad))


def _kept_with_scores(inputs: Named, a: Named) -> list[tf.Tensor]:
    sigma = a["softNmsSigma"]
    return list(tf.raw_ops.NonMaxSuppressionV5(**_limits(inputs, a), soft_nms_sigma=sigma))[:2]


_bilinear = partial(_resized, op=tf.raw_ops.ResizeBilinear)
_nearest = partial(_resized, op=tf.raw_ops.ResizeNearestNeighbor)
_both_dtypes = ("float32", "int32")

COMPARISONS = [
    Comparison("ResizeBilinear", _drawn_resize, _bilinear, _both_dtypes, gradient=True),
    Comparison("ResizeBilinearGrad", _drawn_resize_gradient, _bilinear_gradient),
    Comparison("ResizeNearestNeighbor", _drawn_resize, _nearest, _both_dtypes, gradient=True),
    Comparison("ResizeNearestNeighborGrad", _drawn_resize_gradient, _nearest_gradient),
    Comparison("CropAndResize", _drawn_crop, _cropped, _both_dtypes),
    Comparison(
        "Transform",
        _drawn_transform,
        _transformed,
        tolerance=_POSITIONS,
        differs="a position half-way between pixels is rounded up, TensorFlow rounds -0.5 down",
    ),
    Comparison("RotateWithOffset", _drawn_turn, _turned),
    Comparison("FlipLeftRight", _drawn_flip, _flipped, gradient=True),
    Comparison("NonMaxSuppressionV3", _drawn_boxes, _kept),
    Comparison("NonMaxSuppressionV4", _drawn_padded_boxes, _kept_padded),
    Comparison(
        "NonMaxSuppressionV5",
        _drawn_soft_boxes,
        _kept_with_scores,
        differs="the threshold of overlap drops boxes, where scores soften too: there TensorFlow "
        "ignores it",
    ),
]
