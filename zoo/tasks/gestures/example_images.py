"""Hands of the images that a user gives as examples of a gesture."""

import os
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.system_files import is_of_system
from zoo.catalog.entries import choices
from zoo.images.files import image_endings
from zoo.images.lists import as_sequence, at_index, is_several
from zoo.pipeline.binding import bind_model
from zoo.tasks.gestures.examples import shape_of
from zoo.tasks.gestures.fingers import as_hands, is_hands, points_of

_NAMED = 5  # images that a message names at most


def shape_of_hand(hand: Any, mirror: bool) -> np.ndarray | None:
    """Return the shape of a hand as `zoo.tasks.gestures.examples.shape_of` does.

    In a mirror image a right hand looks like a left one. A hand without handedness counts as a
    right one.
    """
    points = points_of(hand)
    return shape_of(points, left=(hand.get("handedness") == "left") != mirror)


def shapes_of_images(
    label: str, images: Any, hands_model: Any, mirror: bool
) -> list[list[np.ndarray]]:
    """Return the shapes of the hands in each image that has one; a warning names the others.

    Args:
        label: the gesture, for messages.
        images: images in any form that verbs take, a folder, or hands: a list of hands, each by
            itself, or of the lists that `zoo.estimate_hands` returns for several images.
        hands_model: the model that finds hands; None: the default of `zoo.estimate_hands`.
        mirror: the images are mirror images.

    Raises:
        ImageError: an image cannot be read.
        ZooError: no image shows a hand.
    """
    groups, missing = [], []
    for name, hands in _named_hands(images, hands_model, mirror):
        shapes = [shape_of_hand(hand, mirror) for hand in hands]
        known = [shape for shape in shapes if shape is not None]
        groups += [known] if known else []
        missing += [] if known else [name]
    if missing or not groups:
        _report(label, missing, len(groups) + len(missing))
    return groups


def _report(label: str, missing: list[str], total: int) -> None:
    """Warn of images without a hand; raise an error if no image has one."""
    named = ", ".join(missing[:_NAMED]) + (", .." if len(missing) > _NAMED else "")
    if len(missing) < total:
        text = f"{len(missing)} of {total} images of {label!r} show no hand and were left out"
        warnings.warn(f"{text}: {named}", stacklevel=4)
        return
    found = f"no hand in {total} images ({named})" if total else "there are no images"
    raise ZooError(
        f"gesture {label!r} gets no example: {found}; give images where the hand is sharp and "
        "at least a tenth of the height, or another hands_model="
    )


def _named_hands(
    images: Any, hands_model: Any, mirror: bool
) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the name of each image, and its hands."""
    finder = choices()["estimate_hands"].default if hands_model is None else hands_model
    images = _files_in(images) if _is_folder(images) else images

    def find(image: Any) -> list[Mapping[str, Any]]:
        if is_hands(image):
            return as_hands(image)
        bound = bind_model("estimate_hands", model=finder, mirror=mirror)
        return list(bound.model.estimate_hands(image, **bound.options))

    several = is_several(images)
    for index, image in enumerate(as_sequence(images) if several else [images]):
        yield _name_of(image, index), at_index(index, find, image) if several else find(image)


def _is_folder(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and os.path.isdir(source)


def _files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the images in a folder by name, but not in the folders in it.

    Raises:
        ZooError: the folder has no images.
    """
    endings = image_endings()
    files = sorted(
        path
        for path in Path(folder).iterdir()
        if path.suffix.lower() in endings and not is_of_system(path.name) and path.is_file()
    )
    if not files:
        raise ZooError(f"there are no images in the folder {os.fspath(folder)!r}")
    return files


def _name_of(image: Any, index: int) -> str:
    """Return how messages name an image."""
    if isinstance(image, (str, os.PathLike)):
        return os.path.basename(os.fspath(image))
    return f"index {index}"
