"""Ops that resize images, and their gradients."""

from collections.abc import Sequence
from typing import Any

from core.engine.operation import Op
from core.engine.registry import op, register
from core.engine.specs import Spec, check_dy
from core.engine.windows import new_size
from core.errors import CoreError
from core.ops.declaring import zero_gradient


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
        half_pixel_centers: pixel i has its centre at i + 0.5, else at i.

    Returns:
        float32 [batch, new height, new width, channels]

    >>> core.resize_bilinear([[[[0.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """
    if len(images.shape) not in (3, 4) or 0 in images.shape[-3:-1]:
        raise CoreError(
            f"expected images [batch, height, width, channels], or one without the batch, "
            f"got shape {images.shape}"
        )
    if align_corners and half_pixel_centers:
        raise CoreError("align_corners and half_pixel_centers exclude each other: choose one")
    return Spec((*images.shape[:-3], *new_size(size), images.shape[-1]))


@op(method=True, attributes_of=resize_bilinear)
def resize_nearest_neighbor(images: Spec, **how: Any) -> Spec:
    """Resize images by the nearest pixel.

    Args:
        images: [batch, height, width, channels], or one image without the batch; float32 or int32.
        **how: see `resize_bilinear`.

    Returns:
        float32 or int32, as the images.

    >>> core.resize_nearest_neighbor([[[[1.0], [2.0]]]], size=(1, 4)).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    if images.dtype not in ("float32", "int32"):
        raise CoreError(f"resize_nearest_neighbor needs float32 or int32, got {images.dtype}")
    return Spec(resize_bilinear.rule(images, **how).shape, images.dtype)


def _declare_gradient(resize: Op, example: str) -> None:
    """Declare the gradient of a resize, and the gradients of both."""

    def rule(dy: Spec, images: Spec, **how: Any) -> Spec:
        check_dy(resize.rule(images, **how), dy)
        return images

    text = f"""The gradient of `{resize.name}` for its images: each pixel's share of ``dy``.

Args:
    dy: [batch, new height, new width, channels], the gradient of the result.
    images: the images that were resized; only their shape counts.
    **how: see `{resize.name}`.

Returns:
    float32, of the shape of images.

>>> dy, images = core.ones((1, 1, 4, 1)), core.ones((1, 1, 2, 1))
>>> core.{resize.name}_grad(dy, images, size=(1, 4)).numpy().ravel()
array([{example}], dtype=float32)
"""
    options: dict[str, Any] = {"input_dtype": "float32", "attributes_of": resize}
    backward = register(Op(rule, name=f"{resize.name}_grad", doc=text, **options))
    resize.gradient("images")(lambda g, images, **how: backward(g, images, **how))
    backward.gradient("dy")(lambda g, **how: resize(g, **how))
    zero_gradient(backward, "images")


_declare_gradient(resize_bilinear, "1.5, 2.5")
_declare_gradient(resize_nearest_neighbor, "2., 2.")
