"""Masks of people from frame to frame.

Whether anybody is there is asked from time to time. A pose may be lost for a moment, such as of a
person who turns away, so that somebody who was seen counts as there for a while.

Masks are steadied as cells of the network, of which there are few, and enlarged once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from zoo.pipeline.following import Search
from zoo.pipeline.model import Outputs
from zoo.results.vocabulary import Segmentation
from zoo.shared.mask_blending import MaskBlender
from zoo.tasks.segmentation.person_check import emptied

#: Seconds for which somebody counts as there after a check has seen them.
PATIENCE = 2.0

#: Seconds between checks while somebody counts as there: one in vain is repeated before they do not
#: any more. A check takes as long as ten masks.
CHECK_INTERVAL = 1.0


class PersonFollower:
    """Finds masks by the options of `zoo.segment_person`.

    Args:
        model: the model.
        options: of its verb.
        smooth: whether to steady the masks.
    """

    def __init__(self, model: Any, options: Mapping[str, Any], *, smooth: bool = False):
        self._model, self._search = model, Search(CHECK_INTERVAL)
        self._checks: bool = options.get("person_check", False)
        self._of_mask = {name: options[name] for name in ("threshold", "probability")}
        self._blend = MaskBlender() if smooth else None
        self._seen: float | None = None  # when a check saw somebody last

    def finder(self, time: float) -> Callable[..., Segmentation]:
        """Return the function that makes the mask of a frame of the network's outputs."""
        return partial(self._model.person, steadied=partial(self._steadied, time=time))

    def _steadied(self, likely: np.ndarray, *, time: float) -> np.ndarray:
        return likely if self._blend is None else self._blend(likely, time)

    def __call__(self, image: np.ndarray, time: float) -> Segmentation:
        """Return the mask of a frame, as the function of `zoo` does."""
        outputs, placement = self._model.run_on_image(image)
        found = self._model.decode(self.finder(time), image, outputs, placement, **self._of_mask)
        if not self._checks or not found["mask"].any():
            return found
        return found if self._is_there(image, outputs, found["mask"], time) else emptied(found)

    def _is_there(self, image: np.ndarray, outputs: Outputs, mask: np.ndarray, time: float) -> bool:
        """Return whether somebody is seen where the mask is, or was a moment ago."""
        was_there = self._seen is not None and time - self._seen <= PATIENCE
        is_due = self._search.is_due(time, int(was_there), None, image)
        if is_due and self._model.shows_somebody(image, outputs, mask):
            self._seen = time
            return True
        return was_there


class PartsFollower(PersonFollower):
    """Finds masks by the options of `zoo.segment_person_parts`."""

    def finder(self, time: float) -> Callable[..., Segmentation]:
        """Return the function that makes the mask of a frame of the network's outputs."""
        find: Callable[..., Segmentation] = self._model.parts
        return find
