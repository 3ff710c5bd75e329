"""Ops that resize images, and their gradients."""

from collections.abc import Sequence

from core.errors import CoreError
from core.ops.zero_gradients import zero_gradient
from core.registry import op, ops
from core.specs import Spec, check_dy
from core.windows import new_size


def resized(images: Spec, size: Sequence[int], align_corners: bool, half_pixel: bool) -> Spec:
    """The result of a resize, after checking its arguments."""
    if len(images.shape) not in (3, 4) or 0 in images.shape[-3:-1]:
        raise CoreError(
            f"expected images [batch, height, width, channels], or one without the batch, "
            f"got shape {images.shape}"
        )
    if align_corners and half_pixel:
        raise CoreError("align_corners and half_pixel_centers exclude each other: choose one")
    return Spec((*images.shape[:-3], *new_size(size), images.shape[-1]))


def grad_spec(
    dy: Spec, images: Spec, size: Sequence[int], align_corners: bool, half_pixel: bool
) -> Spec:
    """The result of a resize's gradient, after checking its arguments."""
    check_dy(resized(images, size, align_corners, half_pixel), dy)
    return images


@op(input_dtype="float32", method=True)
def resize_bilinear(
    images: Spec,
    *,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """Resize images, mixing the four nearest pixels.

    Args:
        images: [batch, height, width, channels], or one image without the batch.
        size: new (height, width).
        align_corners: the centres of the corner pixels stay where they are.
        half_pixel_centers: pixel i has its centre at i + 0.5; otherwise at i.

    Returns:
        float32 [batch, new height, new width, channels]

    >>> core.resize_bilinear([[[[0.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """
    return resized(images, size, align_corners, half_pixel_centers)


@resize_bilinear.gradient("images")
def _(g, images, size, align_corners, half_pixel_centers):
    return ops.resize_bilinear_grad(
        g,
        images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


@op(input_dtype="float32")
def resize_bilinear_grad(
    dy: Spec,
    images: Spec,
    *,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """The gradient of `resize_bilinear` for its images: each pixel's share of ``dy``.

    Args:
        dy: [batch, new height, new width, channels].
        images: what was resized; only its shape counts.
        size: as given to the resize, like the rest.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    >>> core.resize_bilinear_grad(core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1)),
    ...                           size=(1, 4)).numpy().ravel()
    array([1.5, 2.5], dtype=float32)
    """
    return grad_spec(dy, images, size, align_corners, half_pixel_centers)


zero_gradient(resize_bilinear_grad, "images")  # only their shape counts


@resize_bilinear_grad.gradient("dy")
def _(g, size, align_corners, half_pixel_centers):
    return ops.resize_bilinear(
        g, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


@op(method=True)
def resize_nearest_neighbor(
    images: Spec,
    *,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """Resize images by repeating or leaving out pixels. Arguments as `resize_bilinear`.

    Args:
        images: [batch, height, width, channels], or one image without the batch; float32 or int32.
        size: new (height, width).
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32 or int32, as the images.

    >>> core.resize_nearest_neighbor([[[[1.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    if images.dtype not in ("float32", "int32"):
        raise CoreError(f"resize_nearest_neighbor needs float32 or int32, got {images.dtype}")
    shape = resized(images, size, align_corners, half_pixel_centers).shape
    return Spec(shape, images.dtype)


@resize_nearest_neighbor.gradient("images")
def _(g, images, size, align_corners, half_pixel_centers):
    return ops.resize_nearest_neighbor_grad(
        g,
        images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


@op(input_dtype="float32")
def resize_nearest_neighbor_grad(
    dy: Spec,
    images: Spec,
    *,
    size: Sequence[int],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Spec:
    """The gradient of `resize_nearest_neighbor` for its images; see `resize_bilinear_grad`.

    Args:
        dy: [batch, new height, new width, channels].
        images: what was resized; only its shape counts.
        size: as given to the resize, like the rest.
        align_corners: see `resize_bilinear`.
        half_pixel_centers: see `resize_bilinear`.

    Returns:
        float32, of the shape of images.

    >>> core.resize_nearest_neighbor_grad(core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1)),
    ...                                   size=(1, 4)).numpy().ravel()
    array([2., 2.], dtype=float32)
    """
    return grad_spec(dy, images, size, align_corners, half_pixel_centers)


zero_gradient(resize_nearest_neighbor_grad, "images")


@resize_nearest_neighbor_grad.gradient("dy")
def _(g, size, align_corners, half_pixel_centers):
    return ops.resize_nearest_neighbor(
        g, size=size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )
