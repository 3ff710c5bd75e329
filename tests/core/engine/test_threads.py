"""Many threads at once, each with tapes, scopes, profiles and shapes of its own: exact counts."""

import asyncio
import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
import pytest

import core
from core.backends.cpu import CpuBackend
from core.engine.observers import active_observers
from tests.helpers import PATIENCE, garbage_stays

THREADS = 8


@pytest.fixture(autouse=True)
def _provoked_races():
    """Let threads take turns as often as they can; nothing is left of what they made."""
    core.exp(core.ones((1,)))  # whatever is loaded once
    with garbage_stays():
        before, interval = core.memory(), sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        yield
        sys.setswitchinterval(interval)
        gc.collect()
        assert core.memory() == before
    assert active_observers() == ()


def in_threads(work, count=THREADS):
    """What a function of a number gives in threads that begin together."""
    together = threading.Barrier(count)

    def begin(number):
        together.wait(PATIENCE)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def shapes(rng):
    return tuple(int(n) for n in rng.integers(1, 9, 3))


def a_gradient(rng):
    batch, width, classes = shapes(rng)
    x, w = rng.normal(size=(batch, width)), rng.normal(size=(width, classes))
    gradient = core.grads(lambda x, w: core.sum(core.square(core.matmul(x, w))))
    dx, dw = gradient(x, w)
    np.testing.assert_allclose(dx.numpy(), 2 * x @ w @ w.T, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(dw.numpy(), 2 * x.T @ x @ w, rtol=1e-3, atol=1e-4)


def a_second_gradient(rng):
    x = rng.uniform(0.5, 2, shapes(rng))
    slope = core.grad(lambda x: core.sum(core.grad(lambda x: core.sum(x * x * x))(x)))(x)
    np.testing.assert_allclose(slope.numpy(), 6 * x, rtol=1e-5)


def a_scope(rng):
    x = rng.normal(size=shapes(rng))
    seen = []

    def inner():
        t = core.tensor(x)
        seen.extend([t, t * 2.0, core.exp(t)])
        return core.sum(seen[1] + seen[0]), core.keep(core.neg(t))

    total, negative = core.tidy(inner)
    assert all(t.is_disposed for t in seen)
    assert total.item() == pytest.approx(3 * x.sum(), rel=1e-3, abs=1e-4)
    np.testing.assert_allclose(negative.numpy(), -x, rtol=1e-6)


def a_gradient_in_a_scope_in_a_gradient(rng):
    x = rng.uniform(0.5, 2, shapes(rng))

    def loss(x):
        return core.tidy(lambda: core.sum(core.exp(core.square(x))))

    with core.tidy():
        slope = core.keep(core.grad(loss)(x))
    np.testing.assert_allclose(slope.numpy(), 2 * x * np.exp(x * x), rtol=1e-4)


def a_profile(rng):
    shape = shapes(rng)
    x = core.ones(shape)
    found = core.profile(lambda: core.sum(core.relu(x)))
    size = 4 * int(np.prod(shape))
    rows = [(r["op"], r["input_shapes"], r["bytes_added"]) for r in found.kernels]
    assert rows == [("relu", [shape], size), ("sum", [shape], 4)]


def a_variable(rng):
    w = core.variable(rng.normal(size=shapes(rng)), name="w")
    before = w.numpy()
    found = core.variable_grads(lambda: core.sum(w * w))
    w.assign(w - 0.25 * found.grads["w"])
    np.testing.assert_allclose(w.numpy(), before / 2, rtol=1e-5, atol=1e-6)


def an_exception(rng):
    held = []
    with pytest.raises(core.CoreError), core.tidy():
        held.append(core.ones(shapes(rng)))
        core.matmul(core.ones((2, 3)), core.ones((2, 3)))
    assert held[0].is_disposed


WORK = [
    a_gradient,
    a_second_gradient,
    a_scope,
    a_gradient_in_a_scope_in_a_gradient,
    a_profile,
    a_variable,
    an_exception,
]


@pytest.mark.parametrize("rounds", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_eight_threads_do_everything_at_once(rounds, rng):
    """While a ninth asks for the counts all the time."""
    seeds = rng.integers(0, 2**31, THREADS)
    done, counts = threading.Event(), []

    def ask():
        while not done.is_set():
            found = core.memory()
            assert min(found.values()) >= 0
            counts.append(found["num_bytes"])

    def work(number):
        own = np.random.default_rng(seeds[number])
        for _ in range(rounds):
            for task in own.permutation(len(WORK)):
                WORK[task](own)
        return own.random()

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            results = in_threads(work)
        finally:
            done.set()
        asking.result(PATIENCE)
    assert len(set(results)) == THREADS and len(set(counts)) > 10


def test_a_scope_that_threads_share():
    """Each adds to it while others do, and while it forgets what is gone."""
    kept = []
    with core.tidy() as scope:
        context = copy_context()

        def work(number):
            def inside():
                held = [core.tensor(float(i)) for i in range(50)]
                for _ in range(700):
                    core.neg(held[0])  # goes at once
                kept.append(core.keep(held[1] + number))
                return held

            return context.copy().run(inside)

        held = in_threads(work)
        assert len(scope._made) < THREADS * 2000
        assert not any(t.is_disposed for several in held for t in several)
    assert all(t.is_disposed for several in held for t in several)
    assert sorted(t.item() for t in kept) == [1.0 + n for n in range(THREADS)]


def test_a_scope_that_ends_while_threads_still_use_it():
    """They get a clear error, or go on with tensors that nobody disposes."""
    begun, ended = threading.Barrier(THREADS + 1), threading.Event()

    def work(_):
        held = [core.tensor([1.0])]
        begun.wait(PATIENCE)
        try:
            while not ended.is_set():
                held.append(core.neg(held[-1]))
        except core.CoreError as error:
            assert "was disposed" in str(error)
        return core.tensor([2.0])

    with ThreadPoolExecutor(THREADS) as pool:
        with core.tidy():
            context = copy_context()
            futures = [pool.submit(context.copy().run, work, n) for n in range(THREADS)]
            begun.wait(PATIENCE)
        ended.set()
        later = [f.result(PATIENCE) for f in futures]
    assert [t.item() for t in later] == [2] * THREADS


def test_tensors_that_die_in_another_thread():
    """Those of a scope, and a scope's own end there."""
    with core.tidy():
        several = [core.ones((5,)) * float(i) for i in range(100)]
        aliases = [t.reshape(5, 1) for t in several]
        halves = [several[n::2] for n in range(2)] + [aliases[n::2] for n in range(2)]
        del several, aliases
        in_threads(lambda n: halves[n].clear(), 4)
        assert core.memory()["num_data_containers"] >= 0
        left = core.ones((1,))
    assert left.is_disposed

    scope = core.tidy()
    opened = copy_context()
    opened.run(scope.__enter__)
    x = opened.run(core.tensor, [1.0])
    in_threads(lambda n: scope.__exit__(None, None, None), 1)
    assert x.is_disposed
    y = opened.run(core.tensor, [1.0])  # the context still knows the scope, which is closed
    assert y.item() == 1 and not scope._made


def test_threads_dispose_the_same_tensors():
    several = [core.ones((3,)) for _ in range(200)]
    in_threads(lambda n: core.dispose(several if n % 2 else several[::-1]))
    assert all(t.is_disposed for t in several)
    assert not {id(t.container) for t in several} - {id(several[0].container)}


def test_gathered_tasks_share_a_scope():
    def work(number):
        x = core.tensor([float(number)])
        for _ in range(100):
            x = x + 1.0
        return x

    async def main():
        with core.tidy():
            made = await asyncio.gather(*(core.run_async(work, n) for n in range(16)))
            values = [t.item() for t in made]
        assert all(t.is_disposed for t in made)
        return values

    assert asyncio.run(main()) == [100.0 + n for n in range(16)]


def test_a_variable_that_all_read_while_one_writes():
    w = core.variable(np.zeros(64), name="w")
    done = threading.Event()

    def work(number):
        if number == 0:
            for i in range(300):
                w.assign(np.full(64, float(i)))
            done.set()
            return 0
        seen = 0
        while not done.is_set():
            values = (w * 1.0).numpy()
            assert (values == values[0]).all() and values[0] >= seen
            seen = values[0]
        return seen

    in_threads(work)
    assert w.numpy()[0] == 299


def a_loss(rng):
    """A quadratic one of two variables, which every thread names alike; its slopes by hand."""
    rows, columns, _ = shapes(rng)
    w = core.variable(rng.normal(size=(columns, 1)), name="w")
    b = core.variable(rng.normal(size=()), name="b")
    x, wanted = rng.normal(size=(rows, columns)), rng.normal(size=(rows, 1))

    def loss():
        return core.sum(core.square(core.matmul(x, w) + b - wanted))

    def slopes():
        error = 2 * (x @ w.numpy() + b.numpy() - wanted)
        return x.T @ error, error.sum()

    return w, b, loss, slopes


def test_gradients_of_variables_in_eight_threads(rng):
    seeds = rng.integers(0, 2**31, THREADS)

    def work(number):
        w, b, loss, slopes = a_loss(np.random.default_rng(seeds[number]))
        for _ in range(30):
            found = core.variable_grads(loss)
            dw, db = slopes()
            assert found.grads.variables == {"w": w, "b": b}
            np.testing.assert_allclose(found.grads["w"].numpy(), dw, rtol=1e-3, atol=1e-3)
            np.testing.assert_allclose(found.grads["b"].numpy(), db, rtol=1e-3, atol=1e-3)
            w.assign(w - 0.001 * found.grads["w"])
        return True

    assert in_threads(work) == [True] * THREADS


OPTIMIZERS = [
    lambda: core.train.sgd(0.01),
    lambda: core.train.momentum(0.01, 0.9, use_nesterov=True),
    lambda: core.train.rmsprop(0.01, centered=True),
    lambda: core.train.adam(0.01),
    lambda: core.train.adadelta(0.1),
    lambda: core.train.adamax(0.01),
    lambda: core.train.adagrad(0.1),
    lambda: core.train.adam(0.1),
]


def test_optimizers_in_eight_threads(rng):
    """They arrive where they do alone, bit by bit."""
    seeds = rng.integers(0, 2**31, THREADS)

    def work(number):
        w, b, loss, _ = a_loss(np.random.default_rng(seeds[number]))
        optimizer = OPTIMIZERS[number]()
        losses = [optimizer.minimize(loss, return_cost=True).item() for _ in range(40)]
        state = {name: a.tolist() for name, a in optimizer.get_weights().items()}
        return [losses, w.tolist(), b.item(), state]

    together, alone = in_threads(work), [work(n) for n in range(THREADS)]
    assert together == alone
    assert all(losses[-1] < losses[0] for losses, *_ in alone)


def test_backends_of_threads_do_not_mix(monkeypatch):
    class Other(CpuBackend):
        name = "other"

    monkeypatch.setitem(core.engine.backends.BACKENDS, "other", Other())

    def work(number):
        name = "other" if number % 2 else "cpu"
        for _ in range(100):
            with core.backend(name):
                assert core.get_backend() == core.tensor([1.0]).backend == name
            assert core.get_backend() == "cpu"
        return True

    assert all(in_threads(work))
