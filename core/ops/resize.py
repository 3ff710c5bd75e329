"""Ops that resize images, and their gradients."""

from collections.abc import Sequence

from core.engine.argument_types import TensorLike
from core.engine.declaring import zero_gradient
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_dy
from core.engine.windows import new_size
from core.errors import CoreError


@op(input_dtype="float32", method=True)
def resize_bilinear(
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """Resize images, mixing the four nearest pixels.

    Args:
        images: [batch, height, width, channels], or one image without the batch.
        size: new (height, width).
        align_corners: the centres of the corner pixels stay where they are.
        half_pixel_centers: pixel i has its centre at i + 0.5, else at i.

    Returns:
        float32 [batch, new height, new width, channels]

    >>> core.resize_bilinear([[[[0.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """
    images = spec_of(images)
    if len(images.shape) not in (3, 4) or 0 in images.shape[-3:-1]:
        raise CoreError(
            f"expected images [batch, height, width, channels], or one without the batch, "
            f"got shape {images.shape}"
        )
    if align_corners and half_pixel_centers:
        raise CoreError("align_corners and half_pixel_centers exclude each other: choose one")
    return Spec((*images.shape[:-3], *new_size(size), images.shape[-1]))


@op(method=True)
def resize_nearest_neighbor(
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """Resize images by the nearest pixel.

    Args:
        images: [batch, height, width, channels], or one image without the batch; float32 or int32.
        size: see `resize_bilinear`.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32 or int32, as the images.

    >>> core.resize_nearest_neighbor([[[[1.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    images = spec_of(images)
    if images.dtype not in ("float32", "int32"):
        raise CoreError(f"resize_nearest_neighbor needs float32 or int32, got {images.dtype}")
    return Spec(
        resize_bilinear.rule(images, size, align_corners, half_pixel_centers).shape, images.dtype
    )


@op(input_dtype="float32")
def resize_bilinear_grad(
    dy: TensorLike,
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """The gradient of `resize_bilinear` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        images: the images that were resized; only their shape counts.
        size: see `resize_bilinear`.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32, of the shape of images.

    >>> dy, images = core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1))
    >>> core.resize_bilinear_grad(dy, images, size=(1, 4)).numpy().ravel()
    array([1.5, 2.5], dtype=float32)
    """
    check_dy(resize_bilinear.rule(images, size, align_corners, half_pixel_centers), spec_of(dy))
    return spec_of(images)


resize_bilinear.gradient("images")(lambda g, images, **how: resize_bilinear_grad(g, images, **how))
resize_bilinear_grad.gradient("dy")(lambda g, **how: resize_bilinear(g, **how))
zero_gradient(resize_bilinear_grad, "images")


@op(input_dtype="float32")
def resize_nearest_neighbor_grad(
    dy: TensorLike,
    images: TensorLike,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """The gradient of `resize_nearest_neighbor` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        images: the images that were resized; only their shape counts.
        size: see `resize_nearest_neighbor`.
        align_corners: see `resize_nearest_neighbor`.
        half_pixel_centers: see `resize_nearest_neighbor`.

    Returns:
        float32, of the shape of images.

    >>> dy, images = core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1))
    >>> core.resize_nearest_neighbor_grad(dy, images, size=(1, 4)).numpy().ravel()
    array([2., 2.], dtype=float32)
    """
    check_dy(
        resize_nearest_neighbor.rule(images, size, align_corners, half_pixel_centers), spec_of(dy)
    )
    return spec_of(images)


resize_nearest_neighbor.gradient("images")(
    lambda g, images, **how: resize_nearest_neighbor_grad(g, images, **how)
)
resize_nearest_neighbor_grad.gradient("dy")(lambda g, **how: resize_nearest_neighbor(g, **how))
zero_gradient(resize_nearest_neighbor_grad, "images")
