"""Hash tables, and what runs before the first use of a graph."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest

import core
from core.errors import CoreError, KernelNotFound
from core.graph.graph_json_reader import read_graph_document, read_initializer
from core.graph.node_types.strings import HashTable
from core.graph.nodes import DataType, Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
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
def test_invalid_table_operations(act, message):
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


def answers(graph):
    found = graph.predict(np.array([b"no", b"what", b"yes"], object))
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
    text = LOOKUP.replace("unknown", "unknown ^fill").replace("SizeV2 table", "SizeV2 table ^fill")
    text += "given = Placeholder\nfill = InitializeTable table keys given"
    attributes = {**ATTRIBUTES, "given": {"dtype": "int32"}}
    graph = model(text, "found size", CONSTANTS, attributes)
    for values in ([5, 6], [7, 8]):
        feeds = {"words": WORDS, "given": np.int32(values)}
        assert graph.predict(feeds)["found"].numpy().tolist() == values


INITIALIZER = """
    keys = Const
    values = Const
    table = HashTableV2
    fill = InitializeTableV2 table keys values
    handle = Identity table ^fill
"""


def initialized(**changes):
    """A graph whose table the initializer fills, by the name of its node."""
    before = Graph(
        nodes(INITIALIZER, {"table": STRINGS}),
        {name: np.array(CONSTANTS[name]) for name in ("keys", "values")},
        {},
        {"handle": Endpoint("handle", PartialSpec(None, "resource"))},
    )
    constants = {"unknown": CONSTANTS["unknown"]}
    return model(LOOKUP, "found size", constants, ATTRIBUTES, **{"initializer": before, **changes})


def captured():
    """The same through an input that stands for the resource."""
    before = initialized().graph.initializer
    made = nodes(LOOKUP, ATTRIBUTES)
    made = [n._replace(type="Placeholder") if n.name == "table" else n for n in made]
    words = Endpoint("words", PartialSpec(None, "string"))
    outputs = {name: Endpoint(name, PartialSpec(None)) for name in ("found", "size")}
    return GraphModel(
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
    """Its table outlives the scope in which it ran."""
    calls, fill = [], HashTable.fill
    monkeypatch.setattr(HashTable, "fill", lambda *a: (calls.append(a), fill(*a))[1])
    graph = make()
    with core.tidy():
        answers(graph)
    assert answers(graph) == ([0, -1, 1], 2) and len(calls) == 1


def test_concurrent_first_runs_initialize_once(monkeypatch):
    """All of them wait for the one that runs the initializer."""
    calls, fill = [], HashTable.fill

    def slow(*arguments):
        calls.append(arguments)
        sleep(0.05)
        fill(*arguments)

    monkeypatch.setattr(HashTable, "fill", slow)
    graph = captured()
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(answers, graph) for _ in range(16)]
    assert all(f.result() == ([0, -1, 1], 2) for f in found)
    assert len(calls) == 1


def test_an_initializer_that_fails_fails_each_time():
    graph = captured().graph
    before = graph.initializer
    weights = {**before.weights, "values": np.int32([1, 0, 2])}
    broken = GraphModel(graph._replace(initializer=before._replace(weights=weights)))
    for _ in range(2):
        with pytest.raises(CoreError, match="'fill' .* needs a value per key"):
            answers(broken)


def test_an_initializer_with_unknown_types():
    before = initialized().graph.initializer
    odd = [n._replace(type="Magic") if n.name == "fill" else n for n in before.nodes]
    with pytest.raises(KernelNotFound, match=r"Magic \(fill\)"):
        initialized(initializer=before._replace(nodes=odd))


def topology(text, attributes):
    """A GraphDef's document."""
    documents = [
        {"name": n.name, "op": n.type, "input": list(n.inputs), "attr": attributes.get(n.name)}
        for n in nodes(text)
    ]
    return {"node": documents}


def test_initializers_of_model_files():
    """As TensorFlow.js's model.json has them: by number, or by the name of the table's node."""
    made = {"table": {name: {"type": str(dtype)} for name, dtype in STRINGS.items()}}
    before, constants = topology(INITIALIZER, made), "\nunknown = Const"
    signature = {
        "inputs": {
            "words": {"name": "words:0", "dtype": "DT_STRING"},
            "table": {"name": "table:0", "resourceId": 7},
        },
        "outputs": {"found": {"name": "found:0"}, "size": {"name": "size:0"}},
    }
    text = LOOKUP.replace("HashTableV2", "Placeholder") + constants
    graph = read_graph_document(topology(text, {}), signature, CONSTANTS)
    given = {"outputs": {"handle": {"name": "handle:0", "resourceId": 7}}}
    graph = read_initializer(graph, before, given, CONSTANTS)
    assert answers(GraphModel(graph)) == ([0, -1, 1], 2)
    del signature["inputs"]["table"]
    graph = read_graph_document(topology(LOOKUP + constants, made), signature, CONSTANTS)
    graph = read_initializer(graph, before, None, CONSTANTS)
    assert answers(GraphModel(graph)) == ([0, -1, 1], 2)


def test_a_table_in_a_loop():
    """Its handle enters; the keys of each iteration are what the one before found."""
    text = """
        start = Placeholder
        table = HashTable
        fill = InitializeTable table keys values
        inside = Enter table
        first = Enter start
        at = Merge first next
        less = Less at limit
        goes_on = LoopCond less
        side = Switch at goes_on
        found = LookupTableFind inside side:1 unknown
        next = NextIteration found
        end = Exit side
    """
    numbers = {"keys": [0, 3, 5], "values": [3, 5, 9], "unknown": 100, "limit": [8]}
    attributes = {
        "start": {"dtype": "int32"},
        "table": {"key_dtype": DataType("DT_INT32"), "value_dtype": DataType("DT_INT32")},
        "inside": loop(constant=True),
        "first": loop(),
    }
    graph = model(text, "end", {k: np.int32(v) for k, v in numbers.items()}, attributes)

    async def main():
        starts = [np.int32([i]) for i in (0, 3, 4, 8)] * 4
        return await asyncio.gather(*(graph.predict_async(start) for start in starts))

    assert [found["end"].item() for found in asyncio.run(main())] == [9, 9, 100, 8] * 4


def test_a_table_is_no_tensor():
    with pytest.raises(CoreError, match="'table' returns a HashTable, which is not a tensor"):
        captured().execute({}, ["table"])
    with pytest.raises(CoreError, match="needs a hash table, got Tensor"):
        captured().execute({"table": 1.0, "words": WORDS}, ["found"])
