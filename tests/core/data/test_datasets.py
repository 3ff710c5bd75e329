"""Datasets: orders, seeds, lengths, batches, and what functions get."""

import asyncio
from collections import namedtuple

import numpy as np
import pytest

import core
from core.data import Dataset, UnknownLengthError, from_arrays, from_generator
from core.data.rows import ArrayTable
from core.engine.generators import restart
from core.errors import CoreError
from core.graph.nodes import PartialSpec


def flat(dataset):
    """The samples of batches in one list."""
    return [int(x) for batch in dataset for x in np.atleast_1d(batch)]


SOURCES = [lambda n: from_arrays(np.arange(n)), lambda n: from_generator(range(n))]
sources = pytest.mark.parametrize("source", SOURCES, ids=["arrays", "generator"])


@sources
@pytest.mark.parametrize("buffer", [None, 5, 100])
def test_shuffles_of_a_seed_are_equal_and_differ_by_pass(source, buffer):
    first, second = (source(40).shuffle(buffer, seed=7).batch(6) for _ in range(2))
    passes = [flat(first) for _ in range(3)]
    assert passes == [flat(second) for _ in range(3)]
    assert all(sorted(p) == list(range(40)) and p != list(range(40)) for p in passes)
    assert passes[0] != passes[1] != passes[2]
    assert flat(source(40).shuffle(buffer, seed=8)) != passes[0]


@sources
def test_a_shuffle_may_keep_its_order(source):
    dataset = source(20).shuffle(seed=7, reshuffle_each_iteration=False)
    assert flat(dataset) == flat(dataset) != list(range(20))


@sources
def test_a_buffer_bounds_how_far_elements_come_forward(source):
    found = flat(source(200).shuffle(10, seed=1))
    assert all(value < place + 10 for place, value in enumerate(found))


def test_arrays_and_generators_shuffle_alike():
    assert flat(SOURCES[0](30).shuffle(7, seed=3)) == flat(SOURCES[1](30).shuffle(7, seed=3))


def test_a_shuffle_without_a_seed_draws_it_from_the_process():
    restart(5)
    orders = [flat(SOURCES[0](50).shuffle()) for _ in range(2)]
    restart(5)
    assert orders == [flat(SOURCES[0](50).shuffle()) for _ in range(2)]
    assert orders[0] != orders[1]


def test_every_position_is_equally_likely():
    """Over 4000 shuffles of five: each number stands at each place 800 times, give or take 5 %."""
    dataset = from_arrays(np.arange(5)).shuffle(seed=2).batch(5)
    counts = np.zeros((5, 5))
    for _ in range(4000):
        for batch in dataset:
            counts[np.arange(5), batch] += 1
    assert abs(counts - 800).max() < 120  # 4.7 standard deviations


@sources
def test_repetitions_are_shuffled_anew(source):
    found = flat(source(12).shuffle(seed=1).repeat(3))
    epochs = [found[i : i + 12] for i in (0, 12, 24)]
    assert all(sorted(epoch) == list(range(12)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]


@sources
def test_batches_go_on_over_repetitions(source):
    dataset = source(5).repeat(2).batch(4)
    assert [b.tolist() for b in dataset] == [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4]]
    assert len(dataset) == 3
    assert [b.tolist() for b in source(5).repeat(2).batch(4, drop_remainder=True)][-1] == [
        4,
        0,
        1,
        2,
    ]
    assert flat(source(3).repeat().batch(2).take(4)) == [0, 1, 2, 0, 1, 2, 0, 1]
    assert flat(source(3).repeat().repeat(2).take(7)) == [0, 1, 2, 0, 1, 2, 0]


@sources
def test_take_and_skip(source):
    assert flat(source(6).skip(2).take(3)) == [2, 3, 4]
    assert flat(source(6).take(-1)) == [*range(6)]
    assert flat(source(6).take(0)) == flat(source(6).skip(9)) == []
    assert flat(source(3).repeat().skip(4).take(2)) == [1, 2]
    assert sorted(flat(source(6).shuffle(seed=1).take(2).concatenate(source(0)))) != [0, 1]


@sources
def test_an_empty_dataset_ends(source):
    assert flat(source(0).repeat()) == flat(source(0).shuffle().batch(2)) == []


@sources
def test_lengths(source):
    dataset = source(7)
    assert (
        len(dataset) == len(dataset.map(abs)) == len(dataset.shuffle()) == len(dataset.cache()) == 7
    )
    assert len(dataset.batch(3)) == 3 and len(dataset.batch(3, drop_remainder=True)) == 2
    assert len(dataset.take(5)) == 5 and len(dataset.take(9)) == 7 and len(dataset.skip(9)) == 0
    assert len(dataset.repeat(3)) == 21 and len(dataset.concatenate(dataset)) == 14
    assert len(core.data.zip(dataset, dataset.take(2))) == len(dataset.take(2).prefetch()) == 2
    assert len(dataset.repeat().take(4).enumerate()) == 4


def test_unknown_lengths_raise_and_lists_work():
    for dataset in (
        from_generator(lambda: iter("ab")),
        from_arrays(np.arange(4)).filter(lambda x: x < 2),
    ):
        with pytest.raises(UnknownLengthError, match="unknown before"):
            len(dataset)
        assert len(list(dataset)) == 2 and dataset
        assert repr(dataset) == "<dataset of an unknown number of elements>"
    with pytest.raises(TypeError, match="endless"):
        len(from_arrays(np.arange(4)).repeat())
    assert "endlessly many" in repr(from_arrays(np.arange(4)).repeat())
    with pytest.raises(CoreError, match="buffer_size"):
        from_arrays(np.arange(4)).repeat().shuffle()


def test_functions_get_the_parts_of_tuples():
    pairs = from_arrays(np.arange(4), np.arange(4) * 10)
    assert pairs.map(lambda x, y: int(x + y)).to_list() == [0, 11, 22, 33]
    assert len(pairs.filter(lambda x, y: y > 15).to_array()) == 2
    seen = []
    pairs.for_each(lambda x, y: seen.append(int(y)))
    assert seen == [0, 10, 20, 30]
    whole = from_arrays({"a": np.arange(2)}).map(lambda row: int(row["a"]) + 1)
    assert whole.to_list() == [1, 2]
    assert [n for n, _ in pairs.enumerate(5)] == [5, 6, 7, 8]


def test_structures_are_kept_in_batches():
    Point = namedtuple("Point", "x y")
    data = {"image": np.zeros((5, 2, 2)), "box": (np.arange(5), np.ones((5, 4)))}
    batch = next(iter(from_arrays(data).batch(3)))
    assert batch["image"].shape == (3, 2, 2) and batch["box"][1].shape == (3, 4)
    slow = next(iter(from_arrays(data).map(lambda e: e).batch(3)))
    assert slow["box"][0].tolist() == batch["box"][0].tolist() == [0, 1, 2]
    points = from_generator([Point(1, 2), Point(3, 4)]).batch(2).to_list()[0]
    assert isinstance(points, Point) and points.y.tolist() == [2, 4]
    tensors = from_generator([core.tensor([1.0]), core.tensor([2.0])]).batch(2).to_list()[0]
    assert isinstance(tensors, core.Tensor) and tensors.shape == (2, 1)


def test_batches_of_arrays_are_gathered_and_are_copies(monkeypatch):
    monkeypatch.setattr(ArrayTable, "samples", lambda *a: pytest.fail("sample by sample"))
    x = np.arange(20.0).reshape(10, 2)
    for dataset in (
        from_arrays(x).batch(4),
        from_arrays(x).shuffle(seed=1).batch(4),
        from_arrays(x).shuffle(3, seed=1).skip(1).take(8).repeat(2).batch(4),
    ):
        for batch in dataset:
            batch[...] = -1
    assert x.tolist() == np.arange(20.0).reshape(10, 2).tolist()


def test_unbatch_undoes_batch():
    pairs = from_arrays(np.arange(7), np.arange(14).reshape(7, 2))
    again = pairs.batch(3).unbatch().to_list()
    assert [(int(x), y.tolist()) for x, y in again] == [(n, [2 * n, 2 * n + 1]) for n in range(7)]


def test_specs():
    pairs = from_arrays(np.zeros((6, 3), np.float32), np.array(list("abcdef")))
    assert pairs.element_spec == (PartialSpec((3,)), PartialSpec((), "string"))
    assert pairs.batch(2).element_spec[0] == PartialSpec((2, 3))
    assert pairs.batch(4).element_spec[0] == PartialSpec((None, 3))
    assert pairs.batch(4, True).shuffle().prefetch().element_spec[0] == PartialSpec((4, 3))
    assert pairs.map(lambda x, y: x[:2]).element_spec == PartialSpec((2,))
    with pytest.raises(CoreError, match="empty"):
        _ = from_generator([]).element_spec


def test_a_spec_takes_nothing_from_an_iterator():
    dataset = from_generator(iter([1, 2, 3]))
    assert dataset.element_spec == dataset.element_spec == PartialSpec((), "int64")
    assert list(dataset) == [1, 2, 3]


def test_an_iterator_is_for_one_pass():
    dataset = from_generator(i for i in range(3))
    assert list(dataset) == [0, 1, 2]
    with pytest.raises(CoreError, match="pass a function"):
        list(dataset)


def test_caches_are_filled_by_whole_passes():
    calls = []
    dataset = from_generator(range(4)).map(lambda x: calls.append(x) or x).cache()
    assert list(dataset.take(2)) == [0, 1] and calls == [0, 1]
    assert dataset.element_spec.shape == ()
    calls.clear()
    assert list(dataset) == list(dataset) == list(dataset.batch(4).unbatch()) == [*range(4)]
    assert calls == [0, 1, 2, 3]


def test_zips_end_with_the_shortest():
    numbers = from_generator(range(5))
    assert core.data.zip(numbers, numbers.skip(3)).to_list() == [(0, 3), (1, 4)]
    assert core.data.concatenate(numbers.take(1), numbers.skip(4)).to_list() == [0, 4]


def test_asynchronous_functions():
    async def doubled(x):
        await asyncio.sleep(0)
        return 2 * x

    seen = []

    async def see(x):
        seen.append(x)

    dataset = from_generator(range(5)).map_async(doubled)
    assert list(dataset) == [0, 2, 4, 6, 8]
    asyncio.run(dataset.for_each_async(see))
    asyncio.run(dataset.take(1).for_each_async(seen.append))
    assert seen == [0, 2, 4, 6, 8, 0]


def test_names_of_tensorflow_js_are_there():
    """But for the microphone and the webcam, which is `zoo.frames(0)`."""
    for name in ("array", "csv", "func", "generator", "zip", "text_lines"):
        assert callable(getattr(core.data, name)), name
    methods = (
        "batch concatenate filter for_each_async map map_async prefetch repeat shuffle skip take"
    )
    for name in (*methods.split(), "to_array"):
        assert callable(getattr(Dataset, name)), name


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda d: d.batch(0), "batch_size=0 must be an integer, 1 or more"),
        (lambda d: d.map(3), "a function of elements is needed, got 3"),
        (lambda d: d.shuffle(seed=-1), "seed=-1 must be an integer, 0 or more"),
        (lambda d: d.prefetch(0), "buffer_size=0 must be"),
        (lambda d: d.concatenate([1]), "is not a Dataset"),
        (
            lambda d: from_generator(5),
            "an iterable, or a function that returns one, is needed, got 5",
        ),
        (lambda d: list(from_generator(lambda: 5)), "an iterable, or a function"),
        (lambda d: from_arrays(np.ones(3), np.ones(4)), "data[0] has 3, data[1] has 4"),
        (lambda d: from_arrays(np.float32(3)), "data is a scalar"),
        (lambda d: from_arrays(), "needs an array"),
        (lambda d: core.data.zip(), "needs a dataset"),
        (lambda d: Dataset(), "is made by"),
        (
            lambda d: from_generator([np.ones(2), np.ones(3)]).batch(2).to_list(),
            "the first is (2,), number 1 is (3,)",
        ),
        (
            lambda d: from_generator([{"a": 1}, {"b": 1}]).batch(2).to_list(),
            "the first is a dict of ['a'], number 1 is a dict of ['b']",
        ),
        (lambda d: from_generator([(1, 2), 3]).batch(2).to_list(), "number 1 is an array"),
    ],
)
def test_invalid_arguments(make, message):
    with pytest.raises(CoreError) as found:
        make(from_arrays(np.arange(4)))
    assert message in str(found.value)
