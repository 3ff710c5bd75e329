"""predict_async and execute_async: time-outs and cancelled runs, and what comes after them."""

import asyncio
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import core
from core.engine.run_guard import Guard, RunCancelledError, active_guard
from core.graph_model.graph_model import GraphModel
from tests.core.graph.control_graphs import calls, function, model
from tests.helpers import PATIENCE, eventually
from tests.reliability.activities import convolutions, numbers

#: No test waits so long unless it fails.
MOST_SECONDS = PATIENCE


class Held:
    """A kernel that waits until it may go on, and the graph that it is a node of."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.ended: list[BaseException | None] = []
        self.guard: Guard | None = None
        self.later = 0
        kernels = {"Hold": self._hold, "Later": self._come_later}
        text = "x = Placeholder\nh = Hold x\ny = Later h"
        self.graph: GraphModel = model(text, "y", kernels=kernels)

    def _hold(self, x: core.Tensor) -> core.Tensor:
        self.guard = active_guard()
        self.begun.set()
        assert self.go_on.wait(MOST_SECONDS)
        return x

    def go_on_once_cancelled(self) -> None:
        """However late that is; without an end of the run, the step after this one comes."""
        guard = self.guard
        assert guard is not None
        try:
            eventually(lambda: has_ended(guard), "the run is cancelled")
        finally:
            self.go_on.set()

    def _come_later(self, x: core.Tensor) -> core.Tensor:
        self.later += 1
        return core.neg(x)


def has_ended(guard: Guard) -> bool:
    try:
        guard.check()
    except core.CoreError:
        return True
    return False


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    yield made
    made.go_on.set()


def is_right(graph: GraphModel) -> bool:
    found: np.ndarray = asyncio.run(graph.predict_async([1.0, 2.0]))["y"].numpy()
    return found.tolist() == [-1, -2]


@pytest.mark.parametrize("method", ["predict", "execute"])
def test_a_timeout_comes_while_the_worker_sits_in_a_long_kernel(held, method):
    more = {} if method == "predict" else {"outputs": ["y"]}

    async def main():
        run = getattr(held.graph, f"{method}_async")
        with pytest.raises(core.LimitError, match=r"longer than timeout=0\.05 seconds") as caught:
            await run([1.0, 2.0], timeout=0.05, **more)
        held.go_on.set()
        return caught.value

    error = asyncio.run(main())
    assert (error.name, error.most) == ("seconds", 0.05)
    assert held.later == 0  # the run ended at its next step
    assert is_right(held.graph)


def test_a_run_in_time_gives_its_result(held):
    held.go_on.set()
    found = asyncio.run(held.graph.predict_async([1.0], timeout=MOST_SECONDS))
    assert found["y"].numpy().tolist() == [-1]


def test_errors_of_the_run_are_not_wrapped(held):
    for given in ("text", {"z": 1.0}):
        with pytest.raises(core.CoreError) as alone:
            held.graph.predict(given)
        with pytest.raises(core.CoreError) as caught:
            asyncio.run(held.graph.predict_async(given, timeout=MOST_SECONDS))
        assert str(caught.value) == str(alone.value)


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan"), "1", True])
def test_invalid_timeouts(held, timeout):
    with pytest.raises(core.CoreError, match="must be a number of seconds above 0, or None"):
        held.graph.predict_async([1.0], timeout=timeout)


@pytest.mark.parametrize("how", ["cancel", "wait_for", "end of the loop", "outer timeout"])
def test_a_cancelled_run_ends_at_its_next_step(held, how):
    async def main():
        timeout = MOST_SECONDS if how == "outer timeout" else None
        run = held.graph.predict_async([1.0, 2.0], timeout=timeout)
        task = asyncio.create_task(run)
        await asyncio.to_thread(held.begun.wait, MOST_SECONDS)
        if how in ("wait_for", "outer timeout"):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(task, 0.05)
        elif how == "cancel":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        # At the end of the loop, tasks are cancelled before its threads are waited for.
        threading.Thread(target=held.go_on_once_cancelled).start()

    asyncio.run(main())
    assert held.later == 0
    assert is_right(held.graph)


def test_a_plan_ends_between_its_works_and_keeps_its_workspace():
    graph, x = convolutions(), numbers(1, 48, 48, 16)
    expected = graph.predict(x)["r3"].numpy()
    plan = graph.plan(x)
    (workspace,) = plan._executable._workspaces._waiting
    usual, last = workspace.works[0], workspace.works[-1]
    go_on, seen = threading.Event(), []

    def hold():
        assert go_on.wait(MOST_SECONDS)
        usual()

    workspace.works[0], workspace.works[-1] = hold, lambda: seen.append(last())

    async def main():
        with pytest.raises(core.LimitError):
            await graph.predict_async(x, timeout=0.05)
        go_on.set()

    asyncio.run(main())
    assert not seen
    assert plan.workspaces_made == plan.workspaces_idle == 1
    np.testing.assert_array_equal(graph.predict(x)["r3"].numpy(), expected)
    assert len(seen) == 1


def test_a_loop_without_end_ends():
    """TensorFlow's While: its steps are those of the run."""
    functions = [
        function("again", "yes = Less y limit", "y limit", "yes:z:0"),
        function("step", "same = Identity y", "y limit", "same:z:0 limit"),
    ]
    graph = model(
        "x = Placeholder\nloop = While x one\ny = Identity loop:0",
        "y",
        {"one": np.float32(1)},
        {"loop": calls(cond="again", body="step")},
        functions,
    )

    async def main():
        with pytest.raises(core.LimitError, match="timeout"):
            await graph.predict_async(0.0, timeout=0.05)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(core.run_async(graph.predict, 0.0), 0.05)

    asyncio.run(main())  # which waits for the threads
    assert graph.predict(2.0)["y"].item() == 2


def test_a_hundred_runs_half_of_which_are_cancelled():
    graph, x = convolutions(), numbers(1, 24, 24, 16)
    expected = graph.predict(x)["r3"].numpy()

    async def main():
        tasks = [asyncio.create_task(graph.predict_async(x)) for _ in range(100)]
        await asyncio.sleep(0.005)
        for task in tasks[::2]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(main())
    for one in found:
        if isinstance(one, BaseException):
            assert isinstance(one, asyncio.CancelledError)
        else:
            np.testing.assert_array_equal(one["r3"].numpy(), expected)
    assert not any(isinstance(one, BaseException) for one in found[1::2])
    np.testing.assert_array_equal(graph.predict(x)["r3"].numpy(), expected)


def test_a_run_that_was_cancelled_says_so(held):
    """To whoever runs the function, such as a callback of the user's."""
    seen: list[type] = []

    def run() -> None:
        try:
            held.graph.predict([1.0])
        except RunCancelledError as error:
            seen.append(type(error))
            raise

    async def main():
        task = asyncio.create_task(core.run_async(run))
        await asyncio.to_thread(held.begun.wait, MOST_SECONDS)
        task.cancel()
        await asyncio.wait([task])  # by now the run knows
        held.go_on.set()

    asyncio.run(main())
    assert seen == [RunCancelledError]
