"""Hash tables and texts of TFLite files, beside LiteRT."""

import numpy as np
import pytest

from core.converter.tflite.constants import decoded_texts
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.helpers import require
from weights_cache.common.errors import WeightsError

WORDS = ["a", "ä", "猫", "\U0001f642", ""]
TEXT, INTEGER = 5, 4


def table(w, number, keys=TEXT, values=INTEGER):
    """The handle of a table."""
    made = w.tensor(f"table_{len(w.graph.tensors)}", (1,), "RESOURCE")
    how = {"tableId": number, "keyDtype": keys, "valueDtype": values}
    return w.op("HASHTABLE", [], [made], "Hashtable", **how)


def fill(w, handle, keys, values):
    """Fill a table."""
    w.op("HASHTABLE_IMPORT", [handle, keys, values], [], "HashtableImport")


def find(w, handle, x, default, shape, type):
    """The values of keys."""
    found = w.tensor(f"found_{len(w.graph.tensors)}", shape, type)
    return w.op("HASHTABLE_FIND", [handle, x, default], [found], "HashtableFind")


def add_both_ways(w):
    """A table of numbers by text, and one of texts by number."""
    texts, numbers = w.input("texts", (2, 4), "STRING"), w.input("numbers", (3,), "INT64")
    w.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    first, second = table(w, 7), table(w, 8, INTEGER, TEXT)
    unknown = w.constant([-1], "INT64")
    places = find(w, first, texts, unknown, (2, 4), "INT64")
    names = find(w, second, numbers, w.constant(["none"], "STRING"), (3,), "STRING")
    size = w.op("HASHTABLE_SIZE", [first], [w.tensor("size", (1,), "INT64")], "HashtableSize")
    w.graph.outputs = [places, names, size]
    w.subgraph()
    keys, values = w.constant(WORDS, "STRING"), w.constant([5, 0, 3, -2, 9], "INT64")
    fill(w, table(w, 7), keys, values)
    fill(w, table(w, 8, INTEGER, TEXT), values, keys)


@pytest.fixture
def both_ways(writer):
    """A model with both tables."""
    add_both_ways(writer)
    return writer


@pytest.mark.parametrize("plans", [True, False])
def test_values_are_those_of_litert(both_ways, read, plans):
    interpreter = require("ai_edge_litert.interpreter").Interpreter
    lite = interpreter(model_content=both_ways.content())
    lite.allocate_tensors()
    model = GraphModel(read(both_ways), plans=plans)
    texts = np.array([["猫", "", "ox", "ä"], ["\U0001f642", "a", "A", " a"]])
    for numbers in ([3, 4, -2], [9, 5, 0]):
        feeds = {"texts": texts, "numbers": np.array(numbers)}
        for info in lite.get_input_details():
            lite.set_tensor(info["index"], feeds[info["name"]])
        lite.invoke()
        found = model.predict(feeds)
        for info in lite.get_output_details():
            expected = lite.get_tensor(info["index"])
            ours = found[info["name"]].numpy()
            assert ours.shape == expected.shape and ours.tolist() == expected.tolist()


def test_a_table_may_be_filled_where_it_is_used(writer, read):
    x = writer.input("x", (2,), "STRING")
    handle = table(writer, 1)
    words, numbers = writer.constant(["a", "b"], "STRING"), writer.constant([4, 6], "INT64")
    fill(writer, handle, words, numbers)
    y = find(writer, handle, x, writer.constant([0], "INT64"), (2,), "INT64")
    writer.graph.outputs = [y]
    (found,) = GraphModel(read(writer)).predict(np.array(["b", "c"])).values()
    assert found.numpy().tolist() == [6, 0]


def no_table(w, x):
    return find(w, w.constant([1]), x, w.constant([0], "INT64"), (2,), "INT64")


def never_filled(w, x):
    return find(w, table(w, 3), x, w.constant([0], "INT64"), (2,), "INT64")


def other_dtypes(w, x):
    handle = table(w, 3, INTEGER, TEXT)
    fill(w, handle, w.constant(["a"], "STRING"), w.constant([1], "INT64"))
    return find(w, handle, x, w.constant([0], "INT64"), (2,), "INT64")


def used_as_another(w, x):
    table(w, 3, INTEGER, TEXT)
    return find(w, table(w, 3), x, w.constant([0], "INT64"), (2,), "INT64")


@pytest.mark.parametrize(
    "make, message",
    [
        (no_table, "the handle of its variable must come from HASHTABLE"),
        (never_filled, "the variables hash table 3 are read before any assignment"),
        (other_dtypes, "keys of string and values of int32 are not those of its table"),
        (used_as_another, "the hash table 3 is used with different dtypes"),
    ],
)
def test_impossible_tables(writer, read, make, message):
    writer.graph.outputs = [make(writer, writer.input("x", (2,), "STRING"))]
    with pytest.raises(WeightsError, match=message):
        read(writer)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\1\0",
        bytes([9, 0, 0, 0]) + bytes(20),
        bytes([255] * 12),
        bytes([1, 0, 0, 0, 12, 0, 0, 0, 99, 0, 0, 0]) + b"ab",
        bytes([1, 0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0]) + b"ab",
        bytes([2, 0, 0, 0, 18, 0, 0, 0, 17, 0, 0, 0, 18, 0, 0, 0]) + b"ab",
    ],
)
def test_damaged_texts(data):
    with pytest.raises(CoreError, match="texts"):
        decoded_texts(data)
