"""Teachable Machine's models that a separate process runs."""

import numpy as np

from zoo.pipeline.isolation.models import IsolatedModel
from zoo.pipeline.isolation.runner import IsolatedRunner
from zoo.pipeline.pickling import LoadCall
from zoo.tasks.classification.teachable import TeachableModel


class IsolatedTeachableModel(IsolatedModel, TeachableModel):
    """A Teachable Machine model in a separate process."""

    def __init__(self, name: str, runner: IsolatedRunner, recipe: LoadCall):
        super().__init__(name, runner, recipe)
        assert runner.facts.bundle is not None
        self.bundle = runner.facts.bundle

    @property
    def features(self) -> str | None:
        """Name of the input of the dense layers or the convolution that compute the scores."""
        return self._runner.facts.features

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        (found,) = self.predict(prepared).values()
        expected = (1, len(self.labels))
        if found.shape != expected or found.dtype != "float32":
            raise self._runner.distrusted(f"scores {found.dtype} {found.shape}, not {expected}")
        return found.numpy()[0]
