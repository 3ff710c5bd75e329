"""Backgrounds blurred, or made transparent: `blur_background` and `cut_out`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.model_names import BackendName, SegmentPersonModelName
from zoo.effects.application import Effect, apply_effect, checked_number
from zoo.effects.mattes import PersonMatte, blended, spread_colours
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.tasks.segmentation import MODELS

if TYPE_CHECKING:
    from PIL import Image

_MODEL = MODELS["segment_person"].default
_BLUR = 0.02  # sigma at strength 1, in sides of the image
_REACH = 0.012  # how far colours of a person spread over an edge, in sides of the image
_VISIBLE = 0.02  # least alpha that is not cropped


@public_verb
def blur_background(
    image: ImageSource,
    *,
    strength: float = 1.0,
    model: SegmentPersonModelName | OwnModel = _MODEL,
    backend: BackendName | None = None,
    person_check: bool | None = None,
) -> Image.Image:
    """Blur everything but the people in an image.

    The colours of the people do not run into the background, as they would if the image were
    blurred as it is.

    >>> import zoo
    >>> zoo.blur_background("gallery/one_line_pose/astronaut.jpg").size  # doctest: +SKIP
    (512, 512)

    Args:
        image: see `segment_person`. A list of images gives a list, an iterator an iterator.
            Frames of `zoo.frames` are a stream, whose masks are steadied over time.
        strength: of the blur, more than 0 and up to 5; at 1 its standard deviation is 2 % of the
            image's side.
        model: see `segment_person`: the default is for people near the camera,
            ``"bodypix.mobilenet_075"`` for whole bodies.
        backend: see `segment_person`.
        person_check: see `segment_person`.

    Returns:
        An RGB image of Pillow. Where nobody is found all of it is blurred, and a UserWarning says
        so (for a stream once, at its end, if no frame showed anybody).

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    wide = checked_number("strength", strength, 0.05, 5)
    effect = _BlurredBackground(
        wide, {"model": model, "backend": backend, "person_check": person_check}
    )
    blurred: Image.Image = apply_effect(image, effect)
    return blurred


@public_verb
def cut_out(
    image: ImageSource,
    *,
    crop: bool = False,
    model: SegmentPersonModelName | OwnModel = _MODEL,
    backend: BackendName | None = None,
    person_check: bool | None = None,
) -> Image.Image:
    """Cut the people out of an image: everything else becomes transparent.

    Pixels at their edges are partly transparent, and lose the colours of the background.

    >>> import zoo
    >>> person = zoo.cut_out("gallery/one_line_pose/astronaut.jpg")  # doctest: +SKIP
    >>> person.mode, person.save("astronaut.png")  # doctest: +SKIP
    ('RGBA', None)

    Args:
        image: see `segment_person`. A list of images gives a list, an iterator an iterator.
            Frames of `zoo.frames` are a stream, whose masks are steadied over time.
        crop: whether to cut the image down to what is visible.
        model: see `blur_background`.
        backend: see `segment_person`.
        person_check: see `segment_person`.

    Returns:
        An RGBA image of Pillow; save it as PNG or WebP. Where nobody is found it is transparent
        everywhere, and not cropped, and a UserWarning says so (for a stream once, at its end, if no
        frame showed anybody).

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    if not isinstance(crop, bool):
        raise ZooError(f"crop={crop!r:.80} must be True or False")
    effect = _CutOut(crop, {"model": model, "backend": backend, "person_check": person_check})
    figure: Image.Image = apply_effect(image, effect)
    return figure


_MORE = (
    "for people who are far from the camera pass model='bodypix.mobilenet_075' or "
    "model='deeplab.v3', for a hand alone person_check=False"
)


class _OfPeople(Effect):
    """An effect on the people in an image."""

    def __init__(self, options: Mapping[str, Any]):
        super().__init__()
        self._matte = PersonMatte(options)

    def forget(self) -> None:
        """Forget the masks of the frames before."""
        self._matte.forget()


class _BlurredBackground(_OfPeople):
    missing = f"nobody was found{{where}}, so all of the image is blurred: {_MORE}"

    def __init__(self, strength: float, options: Mapping[str, Any]):
        super().__init__(options)
        self._strength = strength

    def apply(self, pixels: np.ndarray, time: float | None) -> tuple[np.ndarray, bool]:
        """Return the image with a blurred background, and whether it has a foreground."""
        matte = self._matte(pixels, time)
        sigma = _BLUR * self._strength * float(np.sqrt(pixels.shape[0] * pixels.shape[1]))
        behind = np.ones(pixels.shape[:2], np.float32) if matte is None else 1 - matte
        blurred = spread_colours(pixels, behind, sigma)
        if matte is None:
            return blurred, False
        return blended(pixels, blurred, matte), True


class _CutOut(_OfPeople):
    missing = f"nobody was found{{where}}, so all of the image is transparent: {_MORE}"

    def __init__(self, crop: bool, options: Mapping[str, Any]):
        super().__init__(options)
        self._crop = crop

    def apply(self, pixels: np.ndarray, time: float | None) -> tuple[np.ndarray, bool]:
        """Return the image with alpha, and whether anything is visible."""
        matte = self._matte(pixels, time)
        if matte is None:
            return np.dstack([pixels, np.zeros(pixels.shape[:2], np.uint8)]), False
        sigma = max(1.0, _REACH * float(np.sqrt(matte.size)))
        own = spread_colours(pixels, np.clip(4 * matte - 3, 0, 1), sigma)
        alpha = np.rint(255 * matte).astype(np.uint8)
        figure = np.dstack([blended(pixels, own, matte), alpha])
        return (_cropped(figure) if self._crop else figure), True


def _cropped(figure: np.ndarray) -> np.ndarray:
    """Return the part of an RGBA image that is visible; all of it where nothing is."""
    visible = figure[..., 3] > 255 * _VISIBLE
    rows, columns = np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0))
    if not rows.size:
        return figure
    return np.ascontiguousarray(figure[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
