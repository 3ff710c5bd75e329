"""Faces made unrecognizable: `blur_faces`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.model_names import BackendName, DetectFacesModelName
from zoo.effects.application import Effect, apply_effect, checked_number
from zoo.images.opencv import cv2
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.tasks.faces import MODELS
from zoo.tasks.faces.verbs import detect_faces

if TYPE_CHECKING:
    from PIL import Image

Shape = Literal["ellipse", "box"]
_SHAPES = ("ellipse", "box")

_CELLS = 6.0  # colours across a face that are left of it, at strength 1
_ABOVE = 1.6  # margin above a box, which ends below the hair, in margins
_SOFT = 0.06  # width of the soft edge, outside of the region, in its sides
_GROWTH = 1.0  # of a face that is not found any more: margins added, in its sides per second
_SAME = 0.2  # least intersection over union of one face in two frames


class _Region(NamedTuple):
    """A rectangle to hide, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def grown(self, sides: float, above: float | None = None) -> _Region:
        """Return the region with margins, in its sides."""
        across, down = sides * self.width, sides * self.height
        up = down if above is None else above * self.height
        return _Region(self.left - across, self.top - up, self.right + across, self.bottom + down)

    def overlap(self, other: _Region) -> float:
        """Return the intersection over union."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / (self.width * self.height + other.width * other.height - shared)

    def holds(self, other: _Region) -> bool:
        """Return whether another region lies in this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom


@public_verb
def blur_faces(
    image: ImageSource,
    *,
    strength: float = 1.0,
    shape: Shape = "ellipse",
    margin: float = 0.25,
    model: DetectFacesModelName | OwnModel | None = None,
    backend: BackendName | None = None,
    score_threshold: float = 0.5,
    thorough: bool | None = None,
    hold: float = 0.5,
) -> Image.Image:
    """Make the faces in an image unrecognizable.

    Of each face 6 x 6 averages of its colours remain, smoothly joined, from which nothing can be
    computed back. No detector finds every face: look at the result before you publish it. In a
    stream a face shows until the first frame in which it is found.

    >>> import zoo
    >>> zoo.blur_faces("people.jpg").save("hidden.png")  # doctest: +SKIP
    >>> for image in zoo.blur_faces(zoo.frames("street.mp4")):  # doctest: +SKIP
    ...     image.show()

    Args:
        image: see `detect_faces`. A list of images gives a list, an iterator an iterator.
            Frames of `zoo.frames` are a stream: a face stays hidden while it is lost for a moment.
        strength: of the blur, 0.5..3, for 12 to 2 colours across a face.
        shape: ``"ellipse"`` or ``"box"``.
        margin: what is hidden around the box of a face, in its sides, 0..2; more of it above.
        model: see `detect_faces`; by default ``thorough`` chooses.
        backend: see `detect_faces`.
        score_threshold: minimum score of a face, 0..1. It is lower than that of `detect_faces`, as
            a face that shows is worse than something else that is blurred: `zoo/docs/models.md` has
            what is found and what is blurred at this threshold and at others.
        thorough: whether to take ``"blazeface.thorough"``, which finds small and half hidden faces,
            or else ``"blazeface.refined"``; by default for images, but not for the frames of a
            stream, as it takes five times as long.
        hold: for how many seconds a face of a stream stays hidden after it was last found, 0..10.

    Returns:
        An RGB image of Pillow. Where no face is found it is a plain copy, and a UserWarning says so
        (for a stream once, at its end, if no frame showed one).

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    if shape not in _SHAPES:
        raise ZooError(f"shape={shape!r:.80} must be one of {list(_SHAPES)}")
    if thorough not in (None, True, False):
        raise ZooError(f"thorough={thorough!r:.80} must be True, False or None")
    if model is not None and thorough is not None:
        raise ZooError(
            f"thorough={thorough} chooses between two models, but model={model!r:.80} is given: "
            "leave out one of them"
        )
    few = ": weaker ones leave faces recognizable"
    least = checked_number("score_threshold", score_threshold, 0, 1)
    effect = _HiddenFaces(
        checked_number("strength", strength, 0.5, 3, few),
        shape,
        checked_number("margin", margin, 0, 2),
        _models(model, thorough),
        {"backend": backend, "least": least},
        checked_number("hold", hold, 0, 10),
    )
    hidden: Image.Image = apply_effect(image, effect)
    return hidden


def _models(model: Any, thorough: bool | None) -> tuple[Any, Any]:
    """Return what finds the faces of an image, and what those of a frame of a stream."""
    if model is not None:
        return model, model
    choices = MODELS["detect_faces"]
    names = {True: choices.best, False: choices.default}
    return names[thorough is not False], names[thorough is True]


class _HiddenFaces(Effect):
    """Hides the faces of images; in a stream also those that were seen a moment ago."""

    missing = (
        "no face was found{where}, so nothing was blurred: look at the image, and if it shows a "
        "face pass a lower score_threshold, or hide it by hand"
    )

    def __init__(
        self,
        strength: float,
        shape: Shape,
        margin: float,
        models: tuple[Any, Any],
        options: Mapping[str, Any],
        hold: float,
    ):
        super().__init__()
        self._cells, self._shape, self._margin = _CELLS / strength, shape, margin
        self._of_image, self._of_frame = models
        self._options, self._hold = options, hold
        self._seen: list[tuple[_Region, float]] = []  # faces, and when each was last found

    def forget(self) -> None:
        """Forget the faces of the frames before."""
        self._seen = []

    def apply(self, pixels: np.ndarray, time: float | None) -> tuple[np.ndarray, bool]:
        """Return the image with its faces hidden, and whether there were any."""
        model = self._of_image if time is None else self._of_frame
        faces = list(_found_in(pixels, model, **self._options))
        if time is not None:
            faces += self._remembered(faces, time)
        hidden = pixels.copy()
        for region in _distinct(faces):
            area = region.grown(self._margin, _ABOVE * self._margin)
            _hide(hidden, pixels, area, self._cells, self._shape)
        return hidden, bool(faces)

    def _remembered(self, faces: Sequence[_Region], time: float) -> list[_Region]:
        """Return the faces that were seen a moment ago and are lost, larger as they may move."""
        lost = [
            (region, seen)
            for region, seen in self._seen
            if time - seen <= self._hold and all(region.overlap(f) < _SAME for f in faces)
        ]
        self._seen = [*((face, time) for face in faces), *lost]
        return [region.grown(_GROWTH * (time - seen)) for region, seen in lost]


def _found_in(
    pixels: np.ndarray, model: Any, backend: BackendName | None, least: float
) -> Iterator[_Region]:
    """Yield the boxes of the faces in an image."""
    for face in detect_faces(pixels, model=model, backend=backend, score_threshold=least):
        x, y, width, height = (face["box"][side] for side in ("x", "y", "width", "height"))
        if width > 0 and height > 0:
            yield _Region(x, y, x + width, y + height)


def _distinct(regions: Sequence[_Region]) -> list[_Region]:
    """Return the regions, the largest first, without those that lie in others."""
    kept: list[_Region] = []
    for region in sorted(regions, key=lambda r: -r.width * r.height):
        if not any(other.holds(region) for other in kept):
            kept.append(region)
    return kept


def _hide(
    hidden: np.ndarray, pixels: np.ndarray, area: _Region, cells: float, shape: Shape
) -> None:
    """Replace an area by averages of its colours."""
    height, width = pixels.shape[:2]
    outer = area.grown(_SOFT)
    left, top = max(0, int(outer.left)), max(0, int(outer.top))
    right, bottom = min(width, int(outer.right) + 2), min(height, int(outer.bottom) + 2)
    if left >= right or top >= bottom:
        return
    part = pixels[top:bottom, left:right]
    cell = max(1.0, max(area.width, area.height) / cells)
    few = tuple(max(1, round(side / cell)) for side in (right - left, bottom - top))
    colours = cv2.resize(part, few, interpolation=cv2.INTER_AREA)
    size = (right - left, bottom - top)
    smooth = cv2.resize(colours, size, interpolation=cv2.INTER_LINEAR)
    cover = _cover(area, left, top, size, shape)[..., np.newaxis]
    under = hidden[top:bottom, left:right]
    under[:] = np.rint(under + cover * (smooth.astype(np.float32) - under)).astype(np.uint8)


def _cover(area: _Region, left: int, top: int, size: tuple[int, int], shape: Shape) -> np.ndarray:
    """Return the coverage float32 [height, width]: 1 in the shape, falling to 0 outside of it."""
    x = (np.arange(size[0], dtype=np.float32) + (left + 0.5)) - (area.left + area.right) / 2
    y = (np.arange(size[1], dtype=np.float32) + (top + 0.5)) - (area.top + area.bottom) / 2
    across, down = np.abs(x) / (area.width / 2), np.abs(y)[:, np.newaxis] / (area.height / 2)
    distance = np.hypot(across, down) if shape == "ellipse" else np.maximum(across, down)
    cover: np.ndarray = np.clip(1 - (distance - 1) / (2 * _SOFT), 0, 1)
    return cover
