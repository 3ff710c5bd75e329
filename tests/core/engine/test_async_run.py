"""run_async and what is built on it: the loop goes on, the context goes along, tasks do not mix."""

import asyncio
import gc
import threading
import time

import numpy as np
import pytest

import core
from core.backends.cpu import CpuBackend
from core.engine.observers import active_observers
from core.engine.run_guard import RunCancelledError, active_guard
from tests.helpers import PATIENCE, garbage_stays

#: Turns of a loop that show that it goes on, and how many seconds they may take: a loop that is
#: blocked takes none at all.
TURNS, MOST_SECONDS = 10, PATIENCE


class Loop:
    """An event loop that has its turns while something is awaited."""

    def __init__(self):
        self.turned = threading.Event()

    def turns(self) -> bool:
        """Whether it does: called while it must, by another thread."""
        return self.turned.wait(MOST_SECONDS)

    def run(self, start):
        """What the awaitable that a function makes gives."""
        return asyncio.run(self._beside(start))

    async def _beside(self, start):
        turning = asyncio.create_task(self._turn())
        result = await start()
        turning.cancel()
        return result

    async def _turn(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0.001)
        self.turned.set()


@pytest.fixture
def same_memory():
    """Nothing is left of what a test makes."""
    with garbage_stays():
        before = core.memory()
        yield
        gc.collect()
        assert core.memory() == before


def test_the_loop_turns_while_an_op_runs(monkeypatch):
    """As one on large tensors does; NumPy holds no lock meanwhile."""
    loop, seen, run = Loop(), [], core.engine.registry.find_kernel("matmul", "cpu")

    def kernel(*inputs, **attributes):
        seen.append(loop.turns())
        return run(*inputs, **attributes)

    monkeypatch.setitem(core.engine.registry.READY, ("matmul", "cpu"), kernel)
    x = core.ones((2, 2))
    assert loop.run(lambda: core.run_async(core.matmul, x, x)).numpy().tolist() == [[2, 2], [2, 2]]
    assert seen == [True]


def test_the_loop_turns_while_python_computes():
    """Not just where NumPy gives its lock away: NMS of many boxes is a loop in Python."""
    loop = Loop()

    def busy():
        end = time.monotonic() + MOST_SECONDS
        while not loop.turned.is_set() and time.monotonic() < end:
            core.add(1.0, 2.0)
        return loop.turned.is_set()

    assert loop.run(lambda: core.run_async(busy))


def test_the_loop_turns_while_data_are_read(monkeypatch):
    x, loop, seen, read = core.tensor([1.0, 2.0]), Loop(), [], CpuBackend.download
    monkeypatch.setattr(CpuBackend, "download", lambda *a: (seen.append(loop.turns()), read(*a))[1])
    assert loop.run(lambda: x.data()).tolist() == [1, 2]
    assert seen == [True]


@pytest.mark.parametrize("make", [core.tensor, core.variable])
def test_data_are_those_of_the_call(make):
    """Whatever happens to the tensor before they are awaited."""

    async def main():
        with core.tidy():
            x = make([1.0, 2.0])
            pending = [x.data(), x.data()]
        if isinstance(x, core.Variable):
            x.assign([5.0, 6.0])
            x.update(lambda array: np.negative(array, out=array))
        core.dispose(x)
        held = core.memory()["num_bytes"]
        values = await asyncio.gather(*pending)
        return [v.tolist() for v in values], held

    with garbage_stays():
        before = core.memory()
        values, held = asyncio.run(main())
        assert values == [[1, 2], [1, 2]]
        gc.collect()
        assert held == before["num_bytes"] + 8 and core.memory() == before


def test_data_of_a_disposed_tensor_are_refused_at_the_call():
    for make in (core.tensor, core.variable):
        x = make([1.0])
        x.dispose()
        with pytest.raises(core.CoreError, match="was disposed"):
            x.data()


def test_arguments_and_result():
    async def main():
        return await core.run_async(core.sum, [[1.0, 2.0]], axis=1, keep_dims=True)

    assert asyncio.run(main()).numpy().tolist() == [[3]]
    assert asyncio.run(core.tensor([1.0]).data()).tolist() == [1]


def test_it_runs_in_another_thread_with_the_callers_context(monkeypatch):
    class Other(CpuBackend):
        name = "other"

    monkeypatch.setitem(core.engine.backends.BACKENDS, "other", Other())

    def look():
        return threading.get_ident(), active_observers(), core.get_backend()

    async def main():
        with core.backend("other"), core.tidy():
            return look(), await core.run_async(look)

    here, there = asyncio.run(main())
    assert here[0] != there[0] and here[1:] == there[1:]
    assert len(here[1]) == 1 and here[2] == "other"


@pytest.mark.parametrize("error", [ValueError, core.KernelNotFound, ZeroDivisionError])
def test_exceptions_come_through(error):
    def fails():
        raise error("for a reason")

    with pytest.raises(error, match="for a reason"):
        asyncio.run(core.run_async(fails))
    with pytest.raises(core.CoreError, match="inner lengths"):
        asyncio.run(core.run_async(core.matmul, core.ones((2, 3)), core.ones((2, 3))))


def test_the_end_of_an_iterator_is_no_endless_wait():
    with pytest.raises(core.CoreError, match="StopIteration"):
        asyncio.run(asyncio.wait_for(core.run_async(next, iter([])), MOST_SECONDS))
    assert asyncio.run(core.run_async(next, iter([]), None)) is None


def test_what_is_no_function():
    async def coroutine():
        return 1

    with pytest.raises(core.CoreError, match="run_async takes a function"):
        core.run_async(core.square(2.0))
    with pytest.raises(core.CoreError, match="await it directly"):
        asyncio.run(core.run_async(coroutine))


def test_a_cancelled_task_ends_its_function_at_the_next_op(same_memory):
    started, go_on, done = threading.Event(), threading.Event(), threading.Event()
    after: list[object] = []

    def work():
        started.set()
        go_on.wait(MOST_SECONDS)
        try:
            after.append(core.sum(core.ones((100,))))
        except RunCancelledError:
            done.set()
            raise

    async def main():
        with core.tidy():
            task = asyncio.create_task(core.run_async(work))
            while not started.is_set():
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert not done.is_set()  # the worker goes on after the scope has ended
        go_on.set()

    asyncio.run(main())
    assert done.is_set() and not after


def test_functions_that_are_not_cancelled_know_nothing_of_it():
    async def main():
        task = asyncio.create_task(core.run_async(time.sleep, 0.01))
        await asyncio.sleep(0)
        task.cancel()
        return await asyncio.gather(*(core.run_async(core.add, 1.0, float(n)) for n in range(4)))

    assert [x.item() for x in asyncio.run(main())] == [1, 2, 3, 4]


def test_a_cancelled_function_ends_what_it_awaits_in_turn():
    """Its own run_async, in the loop of its thread."""
    started, seen = threading.Event(), []

    def inner():
        started.set()
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end:
            core.add(1.0, 2.0)

    def outer():
        try:
            asyncio.run(core.run_async(inner))
        except RunCancelledError as error:
            seen.append(error)
            raise

    async def main():
        task = asyncio.create_task(core.run_async(outer))
        await asyncio.to_thread(started.wait, MOST_SECONDS)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())
    assert len(seen) == 1


def test_functions_in_workers_hold_no_record_of_their_ops():
    """As in an hour of training: limits of a run are none of theirs."""

    def work():
        guard = active_guard()
        for _ in range(100):
            core.add(1.0, 2.0)
        return len(guard._held)

    assert asyncio.run(core.run_async(work)) == 0


def test_tidy_scopes_of_tasks_do_not_mix(same_memory):
    async def task(number, other, results):
        with core.tidy():
            x = core.tensor([float(number)])
            other.set()
            await asyncio.sleep(0.001 * number)
            y = await core.run_async(core.add, x, 1.0)
            results.append((x, y, core.keep(y * 2.0)))
            await asyncio.sleep(0.001 * (5 - number))
            assert y.item() == number + 1

    async def main():
        results, started = [], asyncio.Event()
        first = asyncio.create_task(task(1, started, results))
        await started.wait()
        free = core.tensor([7.0])  # belongs to no scope
        await asyncio.gather(first, *(task(n, started, results) for n in range(2, 5)))
        assert free.item() == 7
        return results

    results = asyncio.run(main())
    assert [z.item() for *_, z in sorted(results, key=lambda r: r[2].item())] == [4, 6, 8, 10]
    assert all(x.is_disposed and y.is_disposed for x, y, _ in results)


def test_one_scope_for_tasks_and_threads(same_memory):
    """What gather's tasks make in worker threads belongs to the scope around them."""

    def work(n):
        made = (core.ones((n, i + 1)) * 2.0 for i in range(20))
        return [core.tidy(lambda x=x: core.sum(x)) for x in made]

    async def main():
        with core.tidy():
            made = await asyncio.gather(*(core.run_async(work, n) for n in range(1, 9)))
            totals = [sum(t.item() for t in several) for several in made]
            kept = core.keep(made[0][0])
        assert all(t.is_disposed for several in made for t in several if t is not kept)
        return totals, kept.item()

    totals, kept = asyncio.run(main())
    assert totals == [n * 420 for n in range(1, 9)] and kept == 2


def test_gradients_of_tasks_do_not_mix():
    def cube(x):
        time.sleep(0.001)
        return x * x * core.square(x) / x

    async def main():
        slopes = (core.run_async(core.grad(cube), float(n)) for n in range(1, 9))
        return [g.item() for g in await asyncio.gather(*slopes)]

    assert asyncio.run(main()) == pytest.approx([3 * n * n for n in range(1, 9)])


def test_profiles_of_tasks_do_not_mix():
    async def work(name):
        x = core.tensor([1.0])
        await asyncio.sleep(0.001)
        for _ in range(3):
            x = await core.run_async(getattr(core, name), x)
        return x

    async def main():
        names = ("exp", "sin", "relu")
        return names, await asyncio.gather(*(core.profile(lambda n=n: work(n)) for n in names))

    names, profiles = asyncio.run(main())
    for name, found in zip(names, profiles, strict=True):
        assert [row["op"] for row in found.kernels] == [name] * 3
        assert isinstance(found.result, core.Tensor)


def test_backends_and_scopes_in_asynchronous_generators():
    async def numbers(count):
        for i in range(count):
            with core.tidy():
                x = core.tensor([float(i)])
                y = core.keep(await core.run_async(core.square, x))
            yield y

    async def main():
        return [y.item() async for y in numbers(4)]

    assert asyncio.run(main()) == [0, 1, 4, 9]
    assert active_observers() == ()


def test_many_at_once():
    async def main():
        x = core.tensor(np.arange(100.0))
        sums = await asyncio.gather(*(core.run_async(core.sum, x[: n + 1]) for n in range(50)))
        return [s.item() for s in sums]

    assert asyncio.run(main()) == [n * (n + 1) / 2 for n in range(50)]
