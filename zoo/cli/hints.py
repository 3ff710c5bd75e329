"""Hints on stderr beside results: options that would find more, and people who were left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from weights_cache import status
from zoo.catalog.entries import choices, chosen_name, find_entry, is_entry, with_parts
from zoo.cli.terminal import complain
from zoo.pipeline.binding import bind_model

if TYPE_CHECKING:
    import numpy as np

    from zoo.cli.task_commands import Task

#: A person with at least this score is mentioned where only one was asked for.
SECOND_SCORE = 0.3

_SHOWN = 3  # names of images in one line

#: The advice where a model was named, whose options may be other ones than the default's.
_OF_ANY_MODEL = "a lower threshold or another --model may find more"


class Hints:
    """Collects facts about the results of a command, and prints hints at the end.

    Args:
        task: of the command.
        switch: of the task's functions, ``""`` for the default one.
        model: the model that was named, or None.
    """

    def __init__(self, task: Task, switch: str, model: str | None):
        self._task, self._switch, self._model = task, switch, model
        self._empty: list[str] = []
        self._without_result: list[str] = []
        self._images = 0

    def add(self, image: str, pixels: np.ndarray, result: Any, drawn: Any) -> None:
        """Take note of the result of an image, and of what is drawn of it."""
        self._images += 1
        if is_empty(drawn):
            self._empty.append(image)
        elif is_empty(result):
            self._without_result.append(image)
        elif self._switch == "single":
            self._mention_others(image, pixels)

    def close(self) -> None:
        """Print the hints, in a line each."""
        if self._empty:
            advice = _OF_ANY_MODEL if self._model else self._task.see_more[self._switch]
            complain(f"nothing was found in {self._named(self._empty)}: {advice}")
        if self._without_result:
            complain(f"{self._task.nothing_else} in {self._named(self._without_result)}")

    def _named(self, images: list[str]) -> str:
        if self._images == 1:
            return images[0]
        more = ", ..." if len(images) > _SHOWN else ""
        return f"{len(images)} of {self._images} images ({', '.join(images[:_SHOWN])}{more})"

    def _mention_others(self, image: str, pixels: np.ndarray) -> None:
        """Mention other people, where the model finds several with networks that are bundled."""
        verb = self._task.verbs["single"][0]
        model = chosen_name(self._model, verb) or choices()[verb].default
        if not is_entry(model):
            return
        if any(status(part.weights) != "bundled" for part in with_parts(find_entry(model))):
            return
        bound = bind_model("estimate_multiple_poses", model=model, score_threshold=SECOND_SCORE)
        people = bound.model.estimate_multiple_poses(pixels, **bound.options)
        if len(people) > 1:
            complain(
                f"{image} shows at least {len(people)} people, and one pose is given: "
                "leave --single out for all of them"
            )


def is_empty(result: Any) -> bool:
    """Whether nothing was found: no item, no keypoint, or a mask of background alone.

    >>> is_empty([]), is_empty({"score": 0.0, "keypoints": []}), is_empty([{"label": "cat"}])
    (True, True, False)
    """
    if isinstance(result, Mapping):
        if "mask" in result:
            return not result["mask"].any()
        return "keypoints" in result and not result["keypoints"]
    return not result
