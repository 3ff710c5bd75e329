"""Models that a separate process reads and runs."""

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from core import GraphModel, Limits, PartialSpec, Tensor, run_async
from core.engine.async_run import checked_timeout, within
from core.graph_model.graph_signature import listed
from weights_cache.common.errors import ZooError
from weights_cache.common.providers import provided
from zoo.pipeline.file_options import NO_OPTIONS, FileOptions
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.isolation.runner import BACKEND, IsolatedRunner
from zoo.pipeline.licences import warn_of_licence
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.network_summary import Card
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import NetworkInput


class IsolatedModel(LoadedModel):
    """A network that a separate process reads and runs: `predict` and `execute`.

    ``zoo.load(path, isolate=True)`` makes such a model. Its process has limits of memory, time,
    open files and written bytes; a run that exceeds them, or crashes, ends the process and raises
    an error, and the next call starts another process. Threads may share the model: their calls
    run one after another. A forked process starts its own child.
    """

    def __init__(self, name: str, runner: IsolatedRunner, recipe: LoadCall):
        self._name, self._recipe, self._network = name, recipe, None
        self._runner = runner

    @property
    def backend(self) -> str:
        """Name of the backend of the model: ``"cpu"``."""
        return BACKEND

    @property
    def network(self) -> GraphModel:
        """Not available: the network is in another process.

        Raises:
            ZooError: always.
        """
        assert self._runner.facts  # a closed model raises its own error first
        raise ZooError(
            f"the network of {self.name} is in a separate process: predict, execute, inputs, "
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
        """Run the network on prepared input.

        Args:
            inputs: as for `LoadedModel.predict`.
            raw: as for `LoadedModel.predict`.

        Returns:
            The raw outputs of the network by name.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
            LimitError: the run exceeds a limit.
            ZooError: the process crashed or was killed, or the model is closed.
        """
        return self._runner.run(inputs, None, raw)

    def predict_async(
        self, inputs: NetworkInput, *, raw: bool = False, timeout: float | None = None
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """Run `predict` in a thread, to be awaited; the event loop is not blocked.

        Cancelling the awaiting task ends the process; the next call starts another process.

        Args:
            inputs: as for `predict`.
            raw: as for `predict`.
            timeout: as for `LoadedModel.predict_async`.

        Returns:
            An awaitable of the outputs by name.

        Raises:
            LimitError: (awaited) the run takes more than ``timeout`` seconds.
            CoreError: as for `predict`, or ``timeout`` is invalid.
        """
        seconds = checked_timeout(timeout)
        return within(seconds, lambda: run_async(self.predict, inputs, raw=raw))

    def execute(
        self, inputs: NetworkInput, outputs: Sequence[str], *, raw: bool = False
    ) -> dict[str, Tensor]:
        """Run the part of the network that some nodes need, not only its outputs.

        Args:
            inputs: as for `predict`; a dict may name any node of the network.
            outputs: names of outputs or nodes.
            raw: as for `predict`.

        Returns:
            The values of the requested nodes by name.

        Raises:
            ZooError: as for `predict`, or a node does not exist.
        """
        return self._runner.run(inputs, listed(outputs), raw)

    def describe(self) -> Card:
        """Return a short text with inputs, outputs, number of parameters and types of nodes."""
        title = f"{repr(self)[1:-1]} on {BACKEND}, in a separate process"
        return Card(f"{title}\n{self._runner.facts.text}")

    def close(self) -> None:
        """End the process; the model cannot run any more."""
        self._runner.close()


def load_isolated(
    file: str | Path,
    name: str,
    limits: Limits | None,
    recipe: LoadCall,
    task: FileTask | None = None,
    options: FileOptions = NO_OPTIONS,
) -> IsolatedModel:
    """Load a model in a separate process.

    Args:
        file: the file or folder with the model.
        name: the path or URL of the caller.
        limits: as for `zoo.load`; unset limits are those of ``Limits.strict()``.
        recipe: call that loads the model, for pickles.
        task: what the caller says of the model, if anything.
        options: of how the file is read.

    Raises:
        ZooError: the model cannot be read, reading exceeds a limit, or it does not fit the task.
    """
    if task is not None and task.task is None:
        raise ZooError(
            "preprocessing= alone is for models of this process: give labels=, too, or leave out "
            "isolate=True"
        )
    runner = IsolatedRunner(str(file), name, limits, options)
    warn_of_licence(name, runner.facts.licence, stacklevel=5)
    recipe = recipe._replace(arguments={**recipe.arguments, "isolate": True})
    try:
        found: IsolatedModel | None = provided("isolated_classifier")(name, runner, recipe, task)
    except ZooError:
        runner.close()
        raise
    return found or IsolatedModel(name, runner, recipe)
