"""Batches for training, and the split for validation."""

import numpy as np
import pytest

import core
from core.data import Dataset, as_batches, from_arrays, split_validation
from core.errors import CoreError


def test_arrays_in_any_structure():
    x = {"a": np.arange(5), "b": [np.arange(10).reshape(5, 2), core.tensor([0.0] * 5)]}
    batches = as_batches(x, y=[1, 2, 3, 4, 5], sample_weight=np.ones(5), batch_size=2)
    assert len(batches) == batches.length == 3
    found = list(batches)
    assert [b.y.tolist() for b in found] == [[1, 2], [3, 4], [5]]
    assert found[2].x["b"][0].tolist() == [[8, 9]] and found[2].sample_weight.tolist() == [1]
    alone = next(iter(as_batches(np.ones((40, 2)))))
    assert alone.x.shape == (32, 2) and alone.y is None and alone.sample_weight is None


def test_several_inputs_in_a_list_or_tuple():
    for x in ([np.arange(3), np.ones((3, 2))], (np.arange(3), np.ones((3, 2)))):
        (batch,) = as_batches(x, y=np.arange(3))
        assert type(batch.x) is type(x) and batch.x[1].shape == (3, 2)


def test_shuffles_keep_samples_together_and_differ_by_epoch():
    x = np.arange(100)
    one, other = (as_batches(x, 2 * x, shuffle=True, seed=3, batch_size=7) for _ in range(2))
    epochs = [list(one) for _ in range(2)]
    orders = [np.concatenate([b.x for b in epoch]).tolist() for epoch in epochs]
    assert sorted(orders[0]) == sorted(orders[1]) == x.tolist() and orders[0] != orders[1]
    assert all((b.y == 2 * b.x).all() for epoch in epochs for b in epoch)
    assert orders == [np.concatenate([b.x for b in other]).tolist() for _ in range(2)]


def test_datasets_and_iterables_of_batches():
    x, y, w = np.arange(4), np.arange(4) * 2, np.ones(4)
    for data in (
        from_arrays(x, y, w).batch(2),
        [(x[:2], y[:2], w[:2]), (x[2:], y[2:], w[2:])],
        iter([(x[:2], y[:2], w[:2]), (x[2:], y[2:], w[2:])]),
    ):
        assert [b.y.tolist() for b in as_batches(data)] == [[0, 2], [4, 6]]
    assert as_batches(iter([])).length is None
    assert as_batches(from_arrays(x).batch(2).repeat()).length is None
    (batch,) = as_batches(from_arrays({"a": x}).batch(4))
    assert batch.x["a"].tolist() == x.tolist() and batch.y is None


def test_an_exhausted_iterator_is_an_error():
    batches = as_batches((np.ones(2), np.ones(2)) for _ in range(3))
    assert len(list(batches)) == 3
    with pytest.raises(CoreError, match="pass a function"):
        list(batches)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.ones(4), np.ones(3)), "x has 4, y has 3"),
        (({"a": np.ones(4), "b": np.ones(5)}, np.ones(4)), "x['a'] has 4, x['b'] has 5, y has 4"),
        ((np.ones(4), np.ones(4), np.ones(2)), "x has 4, y has 4, sample_weight has 2"),
        ((np.ones(0),), "x has no sample"),
        ((np.float32(1),), "x is a scalar"),
        ((5,), "an iterable, or a function"),
        ((np.ones(4), None, np.ones(4)), "sample_weight needs y"),
        ((from_arrays(np.ones(4)), np.ones(4)), "y is for arrays"),
        ((iter([]), None, None, 8), "batch_size is for arrays"),
        ((np.ones(4), None, None, 0), "batch_size=0 must be"),
    ],
)
def test_invalid_arguments(arguments, message):
    with pytest.raises(CoreError) as found:
        list(as_batches(*arguments))
    assert message in str(found.value)


def test_a_tuple_that_is_not_a_batch():
    with pytest.raises(CoreError, match="got a tuple of 4"):
        list(as_batches([(1, 2, 3, 4)]))


@pytest.mark.parametrize("n, share, last", [(10, 0.25, 3), (100, 0.2, 20), (3, 0.5, 2)])
def test_validation_takes_the_last_samples(n, share, last):
    """As Keras does: training has the integer part of n (1 - share)."""
    x = np.arange(n)
    training, validation = split_validation({"a": x}, x, None, share)
    assert validation.y.tolist() == validation.x["a"].tolist() == x[n - last :].tolist()
    assert training.y.tolist() == x[: n - last].tolist() and training.sample_weight is None


def test_invalid_splits():
    with pytest.raises(CoreError, match="leaves 0 of 1 samples"):
        split_validation(np.ones(1), None, None, 0.5)
    with pytest.raises(CoreError, match="must lie between"):
        split_validation(np.ones(4), None, None, 1)
    with pytest.raises(CoreError, match="is for arrays"):
        split_validation(Dataset.from_arrays(np.ones(4)), None, None, 0.5)
