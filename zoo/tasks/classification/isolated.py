"""Classifiers from files that a separate process runs."""

import numpy as np

from core import Tensor
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.isolation.models import IsolatedModel
from zoo.pipeline.isolation.runner import IsolatedRunner
from zoo.pipeline.pickling import LoadCall
from zoo.tasks.classification.file_classifier import FileClassifier
from zoo.tasks.classification.labelled import LabelledModel
from zoo.tasks.classification.teachable import TeachableModel


class IsolatedClassifier(IsolatedModel, FileClassifier):
    """A classifier in a separate process, whose answers are checked."""

    @property
    def features(self) -> str | None:
        """Name of the input of the dense layers or the convolution that compute the scores."""
        return self._runner.facts.features

    def _row(self, found: Tensor) -> np.ndarray:
        expected = (1, len(self.labels))
        if found.shape != expected or found.dtype != "float32":
            raise self._runner.distrusted(f"scores {found.dtype} {found.shape}, not {expected}")
        return found.numpy()[0]


class IsolatedTeachableModel(IsolatedClassifier, TeachableModel):
    """A Teachable Machine model in a separate process."""

    def __init__(self, name: str, runner: IsolatedRunner, recipe: LoadCall):
        super().__init__(name, runner, recipe)
        assert runner.facts.bundle is not None
        self.bundle = runner.facts.bundle


class IsolatedLabelledModel(IsolatedClassifier, LabelledModel):
    """A network with labels in a separate process."""

    def __init__(
        self, name: str, runner: IsolatedRunner, recipe: LoadCall, task: FileTask | None = None
    ):
        super().__init__(name, runner, recipe)
        facts = runner.facts
        self._settle(facts.bundle or facts.classes, facts.integers, task)


def isolated_classifier(
    name: str, runner: IsolatedRunner, recipe: LoadCall, task: FileTask | None
) -> IsolatedClassifier | None:
    """Return a model in a separate process as a classifier; None if it is not known to be one.

    Args:
        name: path or URL of the file.
        runner: the model.
        recipe: call that loads it, for pickles.
        task: what the caller says of it, if anything.
    """
    facts = runner.facts
    if facts.bundle is not None and (task is None or task.adds_nothing):
        return IsolatedTeachableModel(name, runner, recipe)
    if task is None and not facts.has_labels:
        return None
    return IsolatedLabelledModel(name, runner, recipe, task)
