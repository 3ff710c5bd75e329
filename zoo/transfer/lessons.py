"""Lessons of taught models: examples, the head that learnt from them, and its scores."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text
from zoo.transfer.distances import Familiarity
from zoo.transfer.examples import Examples
from zoo.transfer.heads import Head, checked_penalty
from zoo.transfer.learning import FOLDS
from zoo.transfer.scores.scores import AnyScores
from zoo.transfer.targets import Kind


class Skipped(NamedTuple):
    """An image that was left out.

    Attributes:
        name: such as its path in the folder.
        reason: why, such as that it cannot be read, or shows no hand.
        is_fault: whether its file is at fault.
    """

    name: str
    reason: str
    is_fault: bool


class Settings(NamedTuple):
    """Options of learning a head.

    Attributes:
        folds: number of parts of the examples, of which each is held out once for the scores.
        penalty: see `zoo.transfer.heads.Head`; None: the best one by cross-validation.
        seed: integer, 0 or more, that deals the examples to folds.
    """

    folds: int = FOLDS
    penalty: float | None = None
    seed: int = 0

    def checked(self) -> "Settings":
        """Return the settings.

        Raises:
            ZooError: one is out of range.
        """
        for name, least in (("folds", 2), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ZooError(f"{name}={value!r:.80} must be an integer of at least {least}")
        if self.penalty is not None:
            checked_penalty(self.penalty)
        return self


class Lesson(NamedTuple):
    """The state of a taught model, without the networks of its features.

    Attributes:
        kind: "classification", "multi_label" or "regression".
        labels: of the head's outputs.
        settings: how the head learns.
        examples: features and targets.
        head: learnt from all examples.
        familiarity: how like the examples an image is.
        scores: of images of the examples that were held out.
        validation: of the images for validation, which the head never saw; None without such.
        skipped: images that were left out.
        source: of the images, as it was given.
        history: losses of each epoch of a network that was fine-tuned.
    """

    kind: Kind
    labels: tuple[str, ...]
    settings: Settings
    examples: Examples
    head: Head
    familiarity: Familiarity
    scores: AnyScores
    validation: AnyScores | None
    skipped: tuple[Skipped, ...]
    source: str = ""
    history: Mapping[str, Sequence[float]] = {}

    @property
    def count_text(self) -> str:
        """Numbers of examples and labels."""
        return (
            f"{count_text(len(self.examples), 'example')}, {count_text(len(self.labels), 'label')}"
        )
