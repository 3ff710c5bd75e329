"""Ops that crop, rotate and warp images."""

from collections.abc import Sequence

from core.engine.argument_types import TensorLike
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_choice
from core.engine.windows import check_images, new_size
from core.errors import CoreError

METHODS = ("bilinear", "nearest")
FILL_MODES = ("constant", "reflect", "wrap", "nearest")


@op(input_dtype={"image": "float32", "boxes": "float32", "box_ind": "int32"})
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: Sequence[int],
    method: str = "bilinear",
    extrapolation_value: float = 0,
) -> Spec:
    """Crop boxes of images and resize all of them to one size.

    Args:
        image: [batch, height, width, channels].
        boxes: [boxes, 4]: y1, x1, y2, x2, where 0 is the centre of the first pixel and 1 that of
            the last. Upside down (y1 > y2) mirrors.
        box_ind: int32 [boxes]: for each box the index of its image in the batch.
        crop_size: (height, width) of the crops.
        method: ``"bilinear"`` or ``"nearest"``.
        extrapolation_value: of pixels outside of the image.

    Returns:
        float32 [boxes, crop height, crop width, channels]

    Raises:
        CoreError: there is no image of such an index.

    >>> image = core.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> core.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], crop_size=(1, 3)).numpy().ravel()
    array([2. , 2.5, 3. ], dtype=float32)
    """
    image, boxes, box_ind = spec_of(image), spec_of(boxes), spec_of(box_ind)
    check_images(image)
    if len(boxes.shape) != 2 or boxes.shape[1] != 4 or box_ind.shape != boxes.shape[:1]:
        raise CoreError(
            f"boxes {boxes.shape} must be [boxes, 4] and box_ind {box_ind.shape} [boxes]"
        )
    if 0 in image.shape[1:3]:
        raise CoreError(f"nothing can be cut out of images of shape {image.shape}")
    check_choice(method, "method", METHODS)
    return Spec((boxes.shape[0], *new_size(crop_size, "crop_size"), image.shape[3]))


@op(input_dtype="float32")
def rotate_with_offset(
    image: TensorLike,
    radians: float,
    fill_value: float | Sequence[float] = 0,
    center: float | Sequence[float] = 0.5,
) -> Spec:
    """Rotate images counter-clockwise; each pixel takes the nearest source pixel.

    Args:
        image: [batch, height, width, channels].
        radians: by how much.
        fill_value: of pixels from outside of the image: a number, or one for each of red,
            green and blue; a fourth channel (opacity) is then filled with 255.
        center: the fixed point, as a share of width and height: a number or (x, y).

    >>> image = core.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> core.rotate_with_offset(image, radians=3.14159, fill_value=9.0).numpy().ravel()
    array([9., 9., 9., 4.], dtype=float32)
    """
    image = spec_of(image)
    check_images(image)
    if isinstance(fill_value, tuple) and (len(fill_value) != 3 or image.shape[3] > 4):
        raise CoreError(
            f"fill_value={fill_value} must be one number, or three for images of up to four "
            f"channels, not {image.shape[3]}"
        )
    if isinstance(center, tuple) and len(center) != 2:
        raise CoreError(f"center={center} must be one number or (x, y)")
    return image


@op(input_dtype="float32")
def transform(
    image: TensorLike,
    transforms: TensorLike,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    fill_value: float = 0,
    output_shape: Sequence[int] | None = None,
) -> Spec:
    """Warp images by projective maps.

    Args:
        image: [batch, height, width, channels].
        transforms: [batch, 8], or [1, 8] for all. A row a0 a1 a2 b0 b1 b2 c0 c1 takes pixel (x, y)
            of the result from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image,
            where k = c0 x + c1 y + 1.
        interpolation: ``"nearest"`` or ``"bilinear"``.
        fill_mode: values outside of the image: ``"constant"`` (the fill value), ``"reflect"``
            (d c b a | a b c d | d c b a), ``"wrap"`` (a b c d | a b c d) or ``"nearest"``
            (a a a a | a b c d | d d d d).
        fill_value: for the constant mode, and where k is 0.
        output_shape: (height, width) of the result, by default that of the image.

    >>> image = core.tensor([[[[1.0], [2.0], [3.0]]]])
    >>> core.transform(image, [[1, 0, 1, 0, 1, 0, 0, 0]]).numpy().ravel()
    array([2., 3., 0.], dtype=float32)
    """
    image, transforms = spec_of(image), spec_of(transforms)
    check_images(image)
    if transforms.shape not in ((1, 8), (image.shape[0], 8)):
        raise CoreError(
            f"transforms of shape {transforms.shape} must be (1, 8) or {(image.shape[0], 8)}"
        )
    check_choice(interpolation, "interpolation", METHODS)
    check_choice(fill_mode, "fill_mode", FILL_MODES)
    size = image.shape[1:3] if output_shape is None else new_size(output_shape, "output_shape")
    if 0 in image.shape[1:3] and fill_mode != "constant":
        raise CoreError(f"there is nothing to repeat in images of shape {image.shape}")
    return Spec((image.shape[0], *size, image.shape[3]))
