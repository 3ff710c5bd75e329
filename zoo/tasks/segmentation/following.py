"""Masks of people from frame to frame: whether anybody is there is asked from time to time.

A pose may be lost for a moment, such as of a person who turns away. So somebody who was seen counts
as there for a while, and masks do not flicker.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zoo.pipeline.following import Search
from zoo.pipeline.model import Outputs
from zoo.results.vocabulary import Segmentation
from zoo.tasks.segmentation.bodypix import BodyPixModel
from zoo.tasks.segmentation.person_check import CheckedPersonModel, emptied

#: Seconds between two checks: somebody who comes is shown that late at most.
CHECK_INTERVAL = 0.2

#: Seconds for which somebody counts as there after a check has seen them.
PATIENCE = 2.0


class PersonFollower:
    """Finds masks by the options of `zoo.segment_person`."""

    def __init__(self, model: CheckedPersonModel, options: Mapping[str, Any]):
        self._model, self._search = model, Search(CHECK_INTERVAL)
        self._checks: bool = options["person_check"]
        self._of_mask = {name: options[name] for name in ("threshold", "probability")}
        self._find = self.finder_of(model)
        self._seen: float | None = None  # when a check saw somebody last

    def finder_of(self, model: Any) -> Callable[..., Segmentation]:
        """Return the function that makes a mask of the network's outputs."""
        find: Callable[..., Segmentation] = model.person
        return find

    def __call__(self, image: np.ndarray, time: float) -> Segmentation:
        """Return the mask of a frame, as the function of `zoo` does."""
        outputs, placement = self._model.run_on_image(image)
        found = self._model.decode(self._find, image, outputs, placement, **self._of_mask)
        if not self._checks or not found["mask"].any():
            return found
        return found if self._is_there(image, outputs, found["mask"], time) else emptied(found)

    def _is_there(self, image: np.ndarray, outputs: Outputs, mask: np.ndarray, time: float) -> bool:
        """Return whether somebody is seen where the mask is, or was a moment ago."""
        is_due = self._search.is_due(time, 1, None, image)
        if is_due and self._model.shows_somebody(image, outputs, mask):
            self._seen = time
        return self._seen is not None and time - self._seen <= PATIENCE


class PartsFollower(PersonFollower):
    """Finds masks by the options of `zoo.segment_person_parts`."""

    def finder_of(self, model: BodyPixModel) -> Callable[..., Segmentation]:
        """Return the function that makes a mask of the network's outputs."""
        return model.parts
