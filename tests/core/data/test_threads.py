"""Prefetching and maps in threads: errors, early ends, bounds, and no thread is left."""

import gc
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import core
from core.data import from_arrays, from_generator, iterators
from core.data.augmentation import RandomFlip
from tests.helpers import PATIENCE, eventually


def workers():
    return [t for t in threading.enumerate() if t.name.startswith("core-data")]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    eventually(lambda: not workers(), "the threads of the data end")


def failing(x):
    if x == 3:
        raise ValueError("three")
    return x


WAYS = {
    "prefetch": lambda d: d.map(failing).prefetch(2),
    "threads": lambda d: d.map(failing, threads=3),
    "both": lambda d: d.map(failing, threads=2).prefetch(3).prefetch(1),
}


@pytest.mark.parametrize("way", WAYS)
def test_errors_keep_their_order_and_traceback(way):
    found = []
    with pytest.raises(ValueError, match="three") as caught:
        for x in WAYS[way](from_generator(range(9))):
            found.append(x)
    assert found == [0, 1, 2]
    assert "failing" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_a_generator_that_raises():
    def numbers():
        yield 1
        raise OSError("no more")

    iterator = iter(from_generator(numbers).prefetch())
    assert next(iterator) == 1
    with pytest.raises(OSError, match="no more"):
        next(iterator)
    assert next(iterator, None) is None


def test_a_time_limit_that_strikes_the_end_of_a_pass_leaves_no_thread(monkeypatch):
    def struck(_):
        raise TimeoutError

    monkeypatch.setattr(iterators, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(iterators._Shelf, "stop", struck)
    iterator = iter(from_generator(range(9)).prefetch(2))
    assert next(iterator) == 0 and workers()
    with pytest.raises(TimeoutError):
        iterator.close()  # the fixture waits for the thread


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_order_stays(threads):
    def slow(x):
        time.sleep(0.002 * (x % 3))
        return x

    dataset = from_generator(range(30)).map(slow, threads=threads).prefetch(4)
    assert list(dataset) == list(dataset) == [*range(30)]


@pytest.mark.parametrize("make", [lambda d: d.prefetch(2), lambda d: d.map(abs, threads=2)])
def test_consumers_may_stop_early(make):
    closed = []

    def endless():
        try:
            n = 0
            while True:
                yield n
                n += 1
        finally:
            closed.append(True)

    for x in make(from_generator(endless)):
        if x == 5:
            break
    assert list(make(from_generator(endless)).take(3)) == [0, 1, 2]
    iterator = iter(make(from_generator(endless)))
    next(iterator)
    del iterator
    eventually(lambda: len(closed) == 3, "all generators are closed")


@pytest.mark.parametrize("size", [1, 2, 5])
def test_prefetching_holds_no_more_than_its_size(size):
    made = 0

    def numbers():
        nonlocal made
        for n in range(60):
            made += 1
            yield n

    most = 0
    for used, _ in enumerate(from_generator(numbers).prefetch(size), 1):
        if used % 20 == 0:
            time.sleep(0.02)  # time for the thread to run ahead
        most = max(most, made - used)
    assert 0 <= most <= size


def test_maps_compute_as_many_elements_at_a_time_as_there_are_threads():
    running, most, lock = 0, 0, threading.Lock()
    all_of_them = threading.Barrier(3)

    def counted(x):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        all_of_them.wait(PATIENCE)
        with lock:
            running -= 1
        return x

    assert list(from_generator(range(39)).map(counted, threads=3)) == [*range(39)]
    assert most == 3


def test_dropped_elements_are_freed():
    class Big:
        pass

    made = []

    def numbers():
        for _ in range(10):
            one = Big()
            made.append(weakref.ref(one))
            yield one
            del one

    iterator = iter(from_generator(numbers).prefetch(2))
    next(iterator)
    iterator.close()
    eventually(lambda: not workers(), "the threads of the data end")
    gc.collect()
    assert not any(ref() for ref in made)


def test_threads_see_the_backend_of_the_consumer():
    seen = []
    dataset = from_generator(range(3)).map(
        lambda x: seen.append(core.get_backend()) or x, threads=2
    )
    with core.backend("cpu"):
        list(dataset.prefetch())
    assert seen == ["cpu"] * 3


def test_augmentation_does_not_depend_on_threads():
    images = np.random.default_rng(0).random((64, 4, 4, 1)).astype(np.float32)
    plain, threaded = (
        from_arrays(images).shuffle(seed=1).batch(8).map(RandomFlip(seed=5), threads=threads)
        for threads in (None, 4)
    )
    passes = [[np.concatenate(list(d)) for _ in range(3)] for d in (plain, threaded.prefetch(3))]
    np.testing.assert_array_equal(*passes)
    assert not (passes[0][0] == passes[0][1]).all()


def test_several_iterations_at_the_same_time():
    dataset = from_arrays(np.arange(50)).shuffle(seed=1).batch(5).prefetch(2)
    pairs = list(zip(dataset, dataset, strict=True))
    first, second = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    assert sorted(first) == sorted(second) == [*range(50)]
    assert first.tolist() != second.tolist()
