"""Tensors of TensorFlow's files: every dtype and form, and what is refused."""

import numpy as np
import pytest

import core
from core.converter import tensor_protos
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.graph_parts import (
    FLOAT,
    constant,
    node,
    read,
    tensor_of,
)
from weights_cache.common.errors import WeightsError

INT64 = 9


@pytest.mark.parametrize(
    "dtype, lengths, rest, expected",
    [
        (FLOAT, [2], field(4, np.array([1, 2.5], "<f4").tobytes()), [1, 2.5]),
        (FLOAT, [3], field(5, np.array([1, 2.5], "<f4").tobytes()), [1, 2.5, 2.5]),
        (FLOAT, [2], b"", [0, 0]),
        (FLOAT, [0], b"", []),
        (2, [2], field(6, np.array([0.5], "<f8").tobytes()), [0.5, 0.5]),
        (3, [], field(7, 7), 7),
        (4, [2], field(7, b"\x07\xc8\x01"), [7, 200]),
        (6, [1], field(7, b"\xfd" + b"\xff" * 8 + b"\x01"), [-3]),
        (8, [1], field(9, np.array([1, -2], "<f4").tobytes()), [1 - 2j]),
        (INT64, [2], field(10, b"\x05\x06"), [5, 6]),
        (10, [3], field(11, b"\x01\x00"), [True, False, False]),
        (19, [2], field(13, b"\x80\x78"), [1, 1]),  # the bits of 1.0 in half precision
        (14, [1], field(13, b"\x80\x7f"), [1]),  # and in bfloat16
        (14, [1], field(4, b"\x80\x3f"), [1]),
        (7, [2], field(8, b"owl"), [b"owl", b"owl"]),
        (7, [1], b"", [b""]),
    ],
)
def test_tensors(dtype, lengths, rest, expected):
    found = read_tensor(Message(tensor_of(dtype, lengths, rest)), Budget(0))
    assert found.shape == np.shape(expected) and found.tolist() == expected


@pytest.mark.parametrize(
    "proto, message",
    [
        (tensor_of(FLOAT, [2], field(4, bytes(4))), r"shape \(2,\) \(DT_FLOAT\) has 4 bytes"),
        (tensor_of(FLOAT, [1], field(5, bytes(8))), "lists 2 values"),
        (tensor_of(FLOAT, [2**40, 2**40], b""), "more than 67108864 bytes"),
        (tensor_of(FLOAT, [2**62, 0, 2**62], b""), "an axis of 4611686018427387904, longer than"),
        (tensor_of(FLOAT, [0, 2**40 + 1], b""), "an axis of 1099511627777, longer than"),
        (tensor_of(FLOAT, [1] * 255, b""), "has 255 axes, more than 254"),
        (tensor_of(7, [2**24], field(8, b"owl")), "more than 67108864 bytes"),
        (field(1, FLOAT) + field(2, field(3, 1)), "no definite shape"),
        (tensor_of(FLOAT, [-5], b""), "no definite shape"),
        (tensor_of(20, [1], b""), "DT_RESOURCE are not supported"),
        (tensor_of(99, [1], b""), "DT_99 are not supported"),
        (tensor_of(8, [1], field(9, bytes(12))), "divisor|multiple"),
    ],
)
def test_damaged_tensors_are_refused_before_memory_is_taken(proto, message, tmp_path):
    with pytest.raises(WeightsError, match=message):
        read(tmp_path, constant("c", proto), node("y", "Relu", "c"))


def test_a_file_may_not_spread_many_constants(tmp_path, monkeypatch):
    monkeypatch.setattr(tensor_protos, "SPREAD_FLOOR", 1000)
    monkeypatch.setattr(tensor_protos, "MOST_SPREAD", 2)
    parts = [constant(f"c{i}", tensor_of(FLOAT, [100], b"")) for i in range(9)]
    with pytest.raises(WeightsError, match="its constants take more than"):
        read(tmp_path, *parts, node("y", "AddN", *(f"c{i}" for i in range(9))))


def test_large_files_do_not_spread_much_further(monkeypatch):
    """A thousand times the file is too much, once that are gigabytes."""
    monkeypatch.setattr(tensor_protos, "MOST_BEYOND", 5000)
    monkeypatch.setattr(tensor_protos, "SPREAD_FLOOR", 100)
    Budget(3).take(3000)
    Budget(400).take(5400)
    with pytest.raises(core.CoreError, match="more than 5400 bytes"):
        Budget(400).take(5401)


def test_integers_are_narrowed():
    limits = np.iinfo(np.int64)
    assert narrowed(np.array([limits.max, limits.min, -5])).tolist() == [2**31 - 1, -(2**31), -5]
    assert narrowed(np.array([7], np.uint8)).dtype == np.int32
    assert narrowed(np.array([1e300, 0.5])).tolist() == [np.inf, 0.5]
    for array in (np.array([2**40]), np.array([2**32 - 1], np.uint32)):
        with pytest.raises(core.CoreError, match="does not fit into int32"):
            narrowed(array)
