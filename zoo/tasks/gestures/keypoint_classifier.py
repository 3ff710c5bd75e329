"""A small network that recognizes hand signs from the keypoints of a hand.

By Kazuhito Takahashi (hand-gesture-recognition-using-mediapipe, Apache-2.0): points relative to the
wrist, divided by the largest distance along an axis, as `pre_process_landmark` of its app.py does.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Entry
from zoo.catalog.labels import read_labels
from zoo.catalog.option import OWN
from zoo.images.lists import for_each_image
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import model_verb
from zoo.results.vocabulary import Gesture, Hand
from zoo.tasks.gestures.fingers import POINTS, as_hands, is_hands, points_of, to_gesture

if TYPE_CHECKING:
    from core import Tensor


class KeypointClassifier(Model):
    """A loaded classifier of keypoints, which takes hands, not images."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Number of keypoints of a hand, and of coordinates of each."""
        return POINTS, 2

    @model_verb
    def recognize_gestures(
        self,
        hands: Hand | Sequence[Hand],
        *,
        score_threshold: float = OWN,
        mirror: bool = False,
    ) -> list[Gesture]:
        """Return the sign of each hand, from one batch; see `zoo.recognize_gestures`."""
        self.check_open()  # also without hands
        recognize = partial(self._recognize, least=score_threshold, mirror=mirror)
        if isinstance(hands, (list, tuple)) and not is_hands(hands):
            return for_each_image(hands, recognize)
        return recognize(hands)

    def _recognize(self, hands: Any, *, least: float, mirror: bool) -> list[Gesture]:
        seen = as_hands(hands)
        if not seen:
            return []
        scores = np.asarray(self._run(seen, self.entry.output, mirror)).tolist()
        labels = read_labels(self.entry.labels)
        best = [max(zip(row, labels, strict=True), key=lambda pair: pair[0]) for row in scores]
        return [
            to_gesture(label, score, number, seen[number])
            for number, (score, label) in enumerate(best)
            if score >= least
        ]

    @model_verb
    def infer(  # type: ignore[override]
        self, image: Hand | Sequence[Hand], *, embedding: bool = False, mirror: bool = False
    ) -> "Tensor":
        """Return the network's output for hands, such as to train on it.

        Args:
            image: hands as `zoo.estimate_hands` gives them, at least one; or a list of hands of
                several images.
            embedding: the values before the last layer in place of the scores.
            mirror: the image that the hands were found in is a mirror image.

        Returns:
            float32 [hands, ...].
        """
        node = self.entry.embedding if embedding else self.entry.output

        def infer_one(hands: Any) -> "Tensor":
            if not (seen := as_hands(hands)):
                raise ZooError(f"{self.name} needs one hand at least")
            return self._run(seen, node, mirror)

        if isinstance(image, (list, tuple)) and not is_hands(image):
            return for_each_image(image, infer_one, list)
        return infer_one(image)

    def _run(self, hands: list[Mapping[str, Any]], node: str, mirror: bool) -> "Tensor":
        return self.execute(self._values(hands, mirror), [node])[node]

    def network_input(self, image: Any) -> Any:
        """Return the network's input for hands; None: zeros."""
        return image if image is None else self._values(as_hands(image), mirror=False)

    def _values(self, hands: Iterable[Mapping[str, Any]], mirror: bool) -> np.ndarray:
        return np.stack([relative_points(points_of(hand), mirror=mirror) for hand in hands])


def relative_points(points: np.ndarray, *, mirror: bool) -> np.ndarray:
    """Return the network's input for points [21, 2 or more]: float32 [42], x and y in -1..1.

    The network was trained with mirrored images: points of other images are flipped.

    >>> relative_points(np.array([[4, 4], [6, 5]]), mirror=True).tolist()
    [0.0, 0.0, 1.0, 0.5]
    """
    relative = points[:, :2] - points[0, :2]
    if not mirror:
        relative = relative * [-1, 1]
    return (relative / (np.abs(relative).max() or 1.0)).astype(np.float32).reshape(-1)
