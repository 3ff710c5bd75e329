"""Updates of variables in place: nobody sees a value change that he has read, nor half of one."""

import sys
import threading
from time import monotonic, sleep

import numpy as np
import pytest

import core
from tests.helpers import PATIENCE


def address(w):
    return np.asarray(w).__array_interface__["data"][0]


def add_one(array):
    array += 1


def test_an_update_changes_the_data_in_place():
    w = core.variable(np.zeros(3, np.float32))
    place = address(w)
    for _ in range(20):
        w.update(add_one)
    assert address(w) == place and w.tolist() == [20] * 3
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(w)[0] = 1


HOLDERS = {
    "a reading": lambda w: w.read(),
    "core.tensor": lambda w: core.tensor(w),
    "an alias": core.identity,
    "a reshape": lambda w: core.reshape(w, (3, 1)),
    "a cast to the same": lambda w: w.cast("float32"),
    "another variable": core.variable,
    "an array": np.asarray,
    "part of an array": lambda w: np.asarray(w)[1:],
    "part of a reshape's array": lambda w: np.asarray(core.reshape(w, (3, 1)))[1:],
    "an array of a reading": lambda w: np.asarray(w.read()).reshape(1, 3),
    "a memoryview": lambda w: memoryview(np.asarray(w)),
    "an iterator": lambda w: np.nditer(np.asarray(w)),
    "the data themselves": lambda w: w.handle,
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_data_that_somebody_sees_are_copied_before_an_update(holder):
    w = core.variable([1.0, 1.0, 1.0])
    held, place = holder(w), address(w)
    for _ in range(2):
        w.update(add_one)
    seen = held.value if isinstance(held, np.nditer) else held
    assert np.asarray(seen).ravel()[-1] == 1 and w.tolist() == [3, 3, 3]
    assert address(w) != place
    del held, seen
    place = address(w)
    w.update(add_one)
    assert address(w) == place and w.tolist() == [4, 4, 4]


def test_data_that_were_seen_in_another_shape_are_copied_before_an_update():
    x = core.tensor([1.0, 2.0])
    array, w = np.asarray(x), core.variable(core.reshape(x, (2, 1)))
    del x
    data = w.handle
    w.update(add_one)
    assert array.tolist() == [1, 2] and data.tolist() == [[1], [2]] and w.tolist() == [[2], [3]]


def test_values_that_a_tape_keeps_stay_during_an_update():
    w = core.variable([3.0], name="w")

    def loss():
        y = core.sum(core.square(w))
        w.update(add_one)
        return y

    value, grads = core.variable_grads(loss)
    assert (value.item(), grads["w"].item(), w.item()) == (9, 6, 4)


def test_an_update_that_fails_leaves_the_variable_usable():
    w = core.variable([1.0], name="w")

    def fails(array):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        w.update(fails)
    w.update(add_one)
    assert w.tolist() == [2]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(w)[0] = 1


@pytest.mark.parametrize(
    "use",
    [
        lambda w: w.numpy(),
        lambda w: w + 1.0,
        lambda w: w.assign([1.0]),
        lambda w: w.update(add_one),
    ],
)
def test_an_update_must_not_read_its_variable(use):
    w = core.variable([1.0], name="w")
    with pytest.raises(core.CoreError, match="variable 'w' is read by its own update"):
        w.update(lambda array: use(w))
    assert w.tolist() == [1]


@pytest.fixture
def often_switched():
    """Let threads take turns a thousand times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(
    "read",
    [lambda w: w.numpy(), lambda w: w.read().numpy(), lambda w: (w * 1.0).numpy(), np.asarray],
    ids=["numpy", "read", "op", "asarray"],
)
@pytest.mark.parametrize("updates", [400, pytest.param(5000, marks=pytest.mark.long)])
def test_a_thread_that_reads_while_another_updates(updates, read, often_switched):
    w = core.variable(np.zeros(5000, np.float32))
    torn, seen, done = [], set(), threading.Event()

    def by_halves(array):
        array[:2500] += 1
        sleep(0)  # the other thread's turn, in the middle of it
        array[2500:] += 1

    def watch():
        while not done.is_set():
            values = read(w)
            first = values[0]
            if not (values == first).all() or values[0] != first:
                torn.append(values)
            seen.add(float(first))

    read(w)  # so that the thread need not import the kernel first
    thread = threading.Thread(target=watch)
    thread.start()
    made, end = 0, monotonic() + PATIENCE
    while made < updates or (len(seen) < 2 and monotonic() < end):  # a busy machine may be late
        w.update(by_halves)
        made += 1
    done.set()
    thread.join()
    assert not torn and len(seen) > 1 and w.tolist() == [made] * 5000


def test_updates_from_several_threads_all_count(often_switched):
    w = core.variable(np.zeros(64, np.float32))

    def work():
        for _ in range(250):
            w.update(add_one)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert w.tolist() == [1000.0] * 64


def test_a_reader_waits_for_an_update_of_another_thread():
    w, begun, go_on, seen = core.variable([1.0]), threading.Event(), threading.Event(), []

    def slowly(array):
        array += 1
        begun.set()
        go_on.wait(PATIENCE)
        array += 1

    updating = threading.Thread(target=lambda: w.update(slowly))
    updating.start()
    assert begun.wait(PATIENCE)
    reading = threading.Thread(target=lambda: seen.append(w.item()))
    reading.start()
    go_on.set()
    updating.join()
    reading.join()
    assert seen == [3]
