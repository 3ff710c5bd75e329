"""Runs of a graph to await."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, TypeVar

from core.engine.async_run import checked_timeout, run_async, within
from core.engine.backends import load_backend
from core.engine.tensors import Tensor
from core.graph.nodes import Graph

Result = TypeVar("Result")


class AsyncRuns(ABC):
    """The methods to await of a model, beside those that they run in a worker thread."""

    backend: str
    graph: Graph

    @abstractmethod
    def predict(self, inputs: Any, *, raw: bool = False) -> dict[str, Tensor]:
        """Run the graph."""

    @abstractmethod
    def execute(
        self, inputs: Any, outputs: Iterable[str], *, raw: bool = False
    ) -> dict[str, Tensor]:
        """Run the nodes that some outputs need."""

    def predict_async(
        self, inputs: Any, *, raw: bool = False, timeout: float | None = None
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`predict` to await: the event loop goes on while a worker thread runs the graph.

        If the awaiting task is cancelled, the run ends at its next step.

        Args:
            inputs: as for `predict`.
            raw: as for `predict`.
            timeout: seconds from the first ``await`` on, above 0; None: any time.

        Raises:
            LimitError: (awaited) there is no result after ``timeout`` seconds; the run is
                cancelled then.
            CoreError: as of `predict`, or ``timeout`` is not such a number.

        >>> import asyncio, core
        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> x = Endpoint("x", PartialSpec((None,)))
        >>> model = core.GraphModel(Graph([Node("x", "Placeholder")], {}, {"x": x}, {"y": x}))
        >>> asyncio.run(model.predict_async([-1.0, 2.0], timeout=60))["y"].numpy()
        array([-1.,  2.], dtype=float32)
        """
        return self._until_done(partial(self.predict, inputs, raw=raw), timeout)

    def execute_async(
        self,
        inputs: Any,
        outputs: Iterable[str],
        *,
        raw: bool = False,
        timeout: float | None = None,
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`execute` to await, as `predict_async`: ``await model.execute_async(x, ["relu_3"])``."""
        return self._until_done(partial(self.execute, inputs, outputs, raw=raw), timeout)

    def _until_done(
        self, run: Callable[[], Result], timeout: float | None
    ) -> Coroutine[Any, Any, Result]:
        """Return the result of a run in a worker thread, after the device has finished."""

        async def done() -> Result:
            found = await run_async(run)
            for name in self._running_on():
                await load_backend(name).finished()
            return found

        return within(checked_timeout(timeout), done)

    def _running_on(self) -> list[str]:
        """Return the names of the backends that may be at work."""
        return [self.backend]
