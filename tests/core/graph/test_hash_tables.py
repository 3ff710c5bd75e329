"""Hash tables, and what runs before the first use of a graph."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.graph.hash_tables import HashTable
from core.graph.nodes import DataType, Endpoint, Graph, Node, PartialSpec
from core.graph.topology import read_graph_document, read_initializer
from tests.core.graph.control_graphs import loop, model, nodes

STRINGS = {"key_dtype": DataType("DT_STRING"), "value_dtype": DataType("DT_INT64")}
WORDS = np.array([b"yes", b"no"], object)


def table(keys, values):
    keys, values = core.tensor(keys), core.tensor(values)
    made = HashTable("t", keys.dtype, values.dtype)
    made.fill(keys, values)
    return made


@pytest.mark.parametrize(
    "keys, values, asked, default, expected",
    [
        (["a", "b"], [1, 2], ["b", "c", "a"], 0, [2, 0, 1]),
        ([5, -5], ["five", "minus"], [-5, 0], "?", [b"minus", b"?"]),
        ([0.5, np.nan], [1.0, 2.0], [np.nan, 0.5, 0.1], -1.0, [2, 1, -1]),
        ([1, 1], [3, 4], [1], 0, [4]),
        ([1, 2], [[1, 2], [3, 4]], [2, 9], [0, 0], [[3, 4], [0, 0]]),
        ([[1], [2]], [5, 6], [[2, 1], [7, 2]], 0, [6, 5, 0, 6]),
    ],
)
def test_values_by_key(keys, values, asked, default, expected):
    found = table(keys, values).find(core.tensor(asked), core.tensor(default))
    assert found.numpy().tolist() == expected


def test_tables_of_nothing():
    empty = HashTable("t", "int32", "float32")
    assert empty.find(core.tensor([1, 2]), core.tensor(7.0)).numpy().tolist() == [7, 7]
    assert len(empty) == 0
    assert table([1], [2.0]).find(core.zeros((0,), "int32"), core.tensor(1.0)).shape == (0,)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda t: t.find(core.tensor([1.0]), core.tensor(0)), "'t' has int32 keys, got float32"),
        (lambda t: t.find(core.tensor([1]), core.tensor(0.5)), "int32 values, got float32"),
        (lambda t: t.fill(core.tensor([1]), core.tensor([1, 2])), r"keys of shape \(1,\) and val"),
        (lambda t: t.fill(core.tensor([1]), core.tensor(1)), r"values of shape \(\)"),
    ],
)
def test_what_a_table_refuses(act, message):
    with pytest.raises(CoreError, match=message):
        act(table([1, 2], [3, 4]))


LOOKUP = """
    words = Placeholder
    table = HashTableV2
    found = LookupTableFindV2 table words unknown
    size = LookupTableSizeV2 table
"""
CONSTANTS = {"keys": WORDS, "values": np.int32([1, 0]), "unknown": np.int32(-1)}
ATTRIBUTES = {"words": {"dtype": "string"}, "table": STRINGS}


def answers(graph, **options):
    found = graph.predict(np.array([b"no", b"what", b"yes"], object), **options)
    return found["found"].numpy().tolist(), found["size"].item()


def test_a_table_that_nothing_fills():
    assert answers(model(LOOKUP, "found size", CONSTANTS, ATTRIBUTES)) == ([-1, -1, -1], 0)


@pytest.mark.parametrize("kind", ["InitializeTableV2", "LookupTableImportV2"])
def test_a_table_of_the_graph_itself(kind):
    """What fills it runs whether anything waits for it or not; a group may wait for it."""
    text = LOOKUP + f"fill = {kind} table keys values\nall = NoOp ^fill"
    graph = model(text, "found size", CONSTANTS, ATTRIBUTES)
    assert answers(graph) == ([0, -1, 1], 2)


def test_a_table_that_is_filled_at_each_run():
    text = LOOKUP.replace("words unknown", "words unknown ^fill").replace(
        "2 table\n", "2 table ^fill\n"
    )
    text += "given = Placeholder\nfill = InitializeTable table keys given"
    attributes = {**ATTRIBUTES, "given": {"dtype": "int32"}}
    graph = model(text, "found size", CONSTANTS, attributes)
    for values in ([5, 6], [7, 8]):
        feeds = {"words": WORDS, "given": np.int32(values)}
        assert graph.predict(feeds)["found"].numpy().tolist() == values


def initialized(**changes):
    """A graph whose table the initializer fills, by the name of its node."""
    before = Graph(
        nodes(
            "table = HashTableV2\nfill = InitializeTableV2 table keys values\n"
            "keys = Const\nvalues = Const\nhandle = Identity table ^fill",
            {"table": STRINGS},
        ),
        {name: np.array(CONSTANTS[name]) for name in ("keys", "values")},
        {},
        {"handle": Endpoint("handle", PartialSpec(None, "resource"))},
    )
    parts = {"initializer": before, **changes}
    return model(
        parts.pop("text", LOOKUP),
        "found size",
        {"unknown": CONSTANTS["unknown"]},
        ATTRIBUTES,
        **parts,
    )


CAPTURED = LOOKUP.replace("HashTableV2", "Placeholder2")


def captured():
    """The same through an input that stands for the resource."""
    before = initialized().graph.initializer
    made = nodes(LOOKUP, ATTRIBUTES)
    made = [n._replace(type="Placeholder") if n.name == "table" else n for n in made]
    words = Endpoint("words", PartialSpec(None, "string"))
    outputs = {name: Endpoint(name, PartialSpec(None)) for name in ("found", "size")}
    return core.graph.model.GraphModel(
        Graph(
            [*made, Node("unknown", "Const")],
            {"unknown": CONSTANTS["unknown"]},
            {"words": words},
            outputs,
            initializer=before,
            resources={"table": "handle"},
        )
    )


@pytest.mark.parametrize("make", [initialized, captured])
def test_the_initializer_fills_tables(make):
    assert answers(make()) == ([0, -1, 1], 2)


@pytest.mark.parametrize("make", [initialized, captured])
def test_the_initializer_runs_once(make, monkeypatch):
    """Also if many threads come first at the same time; its table outlives scopes."""
    calls, fill = [], HashTable.fill
    monkeypatch.setattr(HashTable, "fill", lambda *a: (calls.append(a), fill(*a))[1])
    graph = make()
    with core.tidy():
        answers(graph)
    assert answers(graph)[1] == 2 and len(calls) == 2  # the node itself, and what waits for it
