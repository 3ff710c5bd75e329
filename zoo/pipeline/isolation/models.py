"""Models that a process of their own reads and runs."""

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core import GraphModel, Limits, PartialSpec, Tensor, run_async
from core.async_run import checked_timeout, within
from core.model.graph_signature import listed
from weights_cache.errors import ZooError
from zoo.classification.teachable import TeachableModel
from zoo.pipeline.isolation.runner import BACKEND, IsolatedRunner
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.network_summary import Card
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import NetworkInput


class IsolatedModel(LoadedModel):
    """A network that a process of its own reads and runs: `predict` and `execute`.

    ``zoo.load(path, isolate=True)`` makes it. Its process has limits of memory, time, open files
    and written bytes; a run that goes beyond them, or crashes, ends the process and raises an error
    here, and the next call starts another one. Threads may share the model: their calls wait for
    each other. A forked process starts a child of its own.
    """

    def __init__(self, name: str, runner: IsolatedRunner, recipe: LoadCall):
        self._name, self._recipe, self._network = name, recipe, None
        self._runner = runner

    @property
    def backend(self) -> str:
        """Name of the backend it runs on: ``"cpu"``."""
        return BACKEND

    @property
    def network(self) -> GraphModel:
        """An isolated model has none in this process.

        Raises:
            ZooError: always.
        """
        assert self._runner.facts  # a closed model says so first
        raise ZooError(
            f"the network of {self.name} is in a process of its own: predict, execute, inputs, "
            "outputs and describe reach it; for plans, profiles and nodes load the model without "
            "isolate=True, if you trust it"
        )

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input of the network, its shape (None: any length) and dtype."""
        return dict(self._runner.facts.inputs)

    @property
    def outputs(self) -> dict[str, PartialSpec]:
        """Name of each output of the network, its shape (None: any length) and dtype."""
        return dict(self._runner.facts.outputs)

    def predict(self, inputs: NetworkInput, *, raw: bool = False) -> dict[str, Tensor]:
        """Run the network on ready-made input.

        Args:
            inputs: as for `LoadedModel.predict`.
            raw: as for `LoadedModel.predict`.

        Returns:
            Every output by name, as the network gives it.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
            LimitError: the run costs more than the limits allow.
            ZooError: the process crashed or was killed, or the model is closed.
        """
        return self._runner.run(inputs, None, raw)

    def predict_async(
        self, inputs: NetworkInput, *, raw: bool = False, timeout: float | None = None
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`predict` to await: the event loop goes on meanwhile.

        If the awaiting task is cancelled, the process is ended; the next call starts another one.

        Args:
            inputs: as for `predict`.
            raw: as for `predict`.
            timeout: as for `LoadedModel.predict_async`.

        Returns:
            To await: every output by name.

        Raises:
            LimitError: (awaited) there is no result after ``timeout`` seconds.
            CoreError: as of `predict`, or ``timeout`` is no such number.
        """
        seconds = checked_timeout(timeout)
        return within(seconds, lambda: run_async(self.predict, inputs, raw=raw))

    def execute(
        self, inputs: NetworkInput, outputs: Sequence[str], *, raw: bool = False
    ) -> dict[str, Tensor]:
        """Run what leads to any nodes of the network, not only to its outputs.

        Args:
            inputs: as for `predict`; a dict may name any node of the network.
            outputs: names of outputs or nodes.
            raw: as for `predict`.

        Returns:
            What was asked for, by the names given.

        Raises:
            ZooError: as of `predict`, or there is no such node.
        """
        return self._runner.run(inputs, listed(outputs), raw)

    def describe(self) -> Card:
        """Inputs, outputs, number of parameters and types of nodes, as a text of a few lines."""
        title = f"{repr(self)[1:-1]} on {BACKEND}, in a process of its own"
        return Card(f"{title}\n{self._runner.facts.text}")

    def close(self) -> None:
        """End the process; the model cannot run after that."""
        self._runner.close()


class IsolatedTeachableModel(IsolatedModel, TeachableModel):
    """A model that was made with Teachable Machine, in a process of its own."""

    def __init__(self, name: str, runner: IsolatedRunner, recipe: LoadCall):
        super().__init__(name, runner, recipe)
        assert runner.facts.bundle is not None
        self.bundle = runner.facts.bundle

    @property
    def features(self) -> str | None:
        """Name of what enters the dense layers or the convolution that lead to the scores."""
        return self._runner.facts.features

    def _scores(self, prepared: np.ndarray) -> np.ndarray:
        (found,) = self.predict(prepared).values()
        expected = (1, len(self.labels))
        if found.shape != expected or found.dtype != "float32":
            raise self._runner.distrusted(f"scores {found.dtype} {found.shape}, not {expected}")
        return found.numpy()[0]


def load_isolated(
    file: str | Path, name: str, limits: Limits | None, recipe: LoadCall
) -> IsolatedModel:
    """Load a model in a process of its own.

    Args:
        file: the file or folder with the model.
        name: the path or URL that was given.
        limits: as for `zoo.load`; what they leave open is as in ``Limits.strict()``.
        recipe: of the model, for pickles.

    Raises:
        ZooError: the model cannot be read, or that takes more than the limits allow.
    """
    runner = IsolatedRunner(str(file), name, limits)
    recipe = recipe._replace(arguments={**recipe.arguments, "isolate": True})
    kind = IsolatedModel if runner.facts.bundle is None else IsolatedTeachableModel
    return kind(name, runner, recipe)
