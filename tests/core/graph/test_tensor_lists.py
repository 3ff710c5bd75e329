"""Lists and arrays of tensors."""

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.graph.bound_nodes import read
from core.graph.element_shapes import defined, element_shape, merged
from core.graph.node_types.arrays import TensorArray
from core.graph.node_types.lists import CHUNK, MOST_ELEMENTS, TensorList, list_of, split
from core.graph.node_types.rows import find_node_type
from core.graph.nodes import DataType, PartialShape
from core.graph_model.graph_model import GraphModel
from tests.core.graph.control_graphs import model


def row(value, length=2):
    return core.fill(shape=(length,), value=float(value))


def values(items):
    return [None if item is None else item.numpy().tolist() for item in items]


def test_a_list_never_changes():
    empty = TensorList("float32", (None,))
    one = empty.with_last(row(1))
    two = one.with_item(1, row(2))
    other = two.with_item(0, row(7))
    shorter = two.without_last()
    assert [len(x) for x in (empty, one, two, other, shorter)] == [0, 1, 2, 2, 1]
    assert values(two) == [[1, 1], [2, 2]]
    assert values(other) == [[7, 7], [2, 2]]
    assert values(shorter.with_last(row(5))) == [[1, 1], [5, 5]]
    assert values(one) == values(shorter) == [[1, 1]]


def test_long_lists_against_those_of_python(rng):
    """Elements lie together in chunks; every length around those must do."""
    ours, theirs = TensorList("float32", ()), []
    numbers = [core.tensor(float(i)) for i in range(8)]
    for length in (CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3, 2 * CHUNK + 1, 0, 2):
        ours, theirs = ours.resized(length), (theirs + [None] * length)[:length]
        for step in range(12):
            value = numbers[rng.integers(8)]
            index = int(rng.integers(len(theirs) + 2))
            if step % 3 == 0:
                ours, theirs = ours.with_last(value), [*theirs, value]
            elif step % 3 == 1:
                ours = ours.with_item(index, value)
                theirs += [None] * (index + 1 - len(theirs))
                theirs[index] = value
            else:
                ours, theirs = ours.without_last(), theirs[:-1]
        assert len(ours) == len(theirs)
        for i, expected in enumerate(theirs):
            if expected is None:
                with pytest.raises(CoreError, match=f"of {len(theirs)} tensors has nothing at"):
                    ours.item(i)
            else:
                assert ours.item(i) is expected


def test_a_list_is_cheap_to_change():
    """Setting one of many elements copies few references."""
    many = list_of([core.tensor(0.0)] * 100 * CHUNK, "float32", ())
    changed = many.with_item(5, core.tensor(1.0))
    shared = sum(a is b for a, b in zip(many._chunks, changed._chunks, strict=True))
    assert (shared, len(changed._chunks)) == (99, 100)


def test_results_of_lists_are_tensors():
    """Stacked, gathered and joined; no more indices count than there are elements."""
    two = list_of([row(1), row(2)], "float32", None)
    assert two.stack().numpy().tolist() == [[1, 1], [2, 2]]
    assert two.stack((2, 1)).shape == (2, 2, 1)
    assert two.gather([1, 1, 0]).numpy().tolist() == [[2, 2], [2, 2]]
    joined, lengths = two.with_last(row(3, 1)).concat()
    assert (joined.numpy().tolist(), lengths.numpy().tolist()) == ([1, 1, 2, 2, 3], [2, 2, 1])
    nothing = TensorList("int32", (3,))
    assert (nothing.stack().shape, nothing.stack().dtype) == ((0, 3), "int32")
    assert [t.shape for t in nothing.concat()] == [(0,), (0,)]
    assert TensorList("string", (2,)).gather([1]).shape == (0, 2)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda x: x.item(1), "no index 1 in a list of 1 tensors"),
        (lambda x: x.item(-1), "no index -1 in a list of 1"),
        (lambda x: x.with_item(3, row(1)), "cannot set index 3 of a list of 1 tensors, .* have 3"),
        (lambda x: x.with_item(-1, row(1)), "cannot set index -1"),
        (lambda x: x.with_item(0, core.tensor([1])), "list of float32 tensors cannot have Tensor"),
        (lambda x: x.with_last(row(1, 3)), r"shapes \(2,\) and \(3,\) do not match"),
        (lambda x: x.with_item(2, row(1)).with_last(row(1)), "list of 3 tensors: it is full"),
        (lambda x: x.resized(4), "cannot make 4 tensors of a list of 1, which may have 3"),
        (lambda x: x.resized(-1), "cannot make -1 tensors"),
        (lambda x: x.without_last().without_last(), "last element of a list of 0"),
        (lambda x: x.stack((3,)), r"\(2,\) and \(3,\) do not match"),
        (lambda x: TensorList("float32", None).stack(), "shape of any rank is not known"),
        (lambda x: TensorList("float32", (None, 2)).stack(), r"\(None, 2\) is not known"),
        (lambda x: list_of([core.tensor(1.0)], "float32", ()).concat(), "single numbers: stack"),
        (lambda x: TensorList("float32", ()).resized(MOST_ELEMENTS + 1), "may have 16777216"),
    ],
)
def test_invalid_list_operations(act, message):
    with pytest.raises(CoreError, match=message):
        act(TensorList("float32", (2,), 3).with_last(row(1)))


def test_shapes_of_elements():
    assert element_shape(()) == ()
    assert element_shape(PartialShape((None, 2))) == (None, 2)
    assert merged((None, 2), (1, None), "") == (1, 2)
    assert merged(None, (1,), "") == merged((1,), None, "") == (1,)
    assert defined((None, 2), [(3, 2)], "") == (3, 2)
    with pytest.raises(CoreError, match=r"the list: the shapes \(1,\) and \(1, 2\) do not"):
        merged((1,), (1, 2), "the list")


def run(kind, *inputs, **attributes):
    """One node, through a table's row, with constants as inputs."""
    found = find_node_type(kind)
    given = [core.tensor(x) if isinstance(x, (list, int, float)) else x for x in inputs]
    reads = {name: read(given[at]) for name, at in found.reads.items() if at < len(given)}
    tensors = [given[at] for at in found.tensors]
    return found.run(*tensors, **reads, **found.attributes(attributes))


FLOAT = {"element_dtype": DataType("DT_FLOAT")}
PAIRS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_nodes_of_lists():
    three = run("TensorListFromTensor", PAIRS, [2], **FLOAT)
    assert run("TensorListLength", three).item() == 3
    assert run("TensorListGetItem", three, 1, -1, **FLOAT).numpy().tolist() == [3, 4]
    assert run("TensorListGetItem", three, [2], [-1], **FLOAT).numpy().tolist() == [5, 6]
    assert run("TensorListStack", three, [-1], num_elements=3, **FLOAT).shape == (3, 2)
    assert run("TensorListGather", three, [2, 0], [2], **FLOAT).numpy()[0].tolist() == [5, 6]
    assert run("TensorListConcatV2", three, element_shape=None)[0].shape == (6,)
    changed = run("TensorListSetItem", three, 0, row(9))
    assert values(changed)[0] == [9, 9] and values(three)[0] == [1, 2]
    shorter, last = run("TensorListPopBack", changed, [2], **FLOAT)
    assert (len(shorter), last.numpy().tolist()) == (2, [5, 6])
    assert len(run("TensorListPushBack", shorter, row(1))) == 3
    assert len(run("TensorListResize", shorter, 1)) == 1


def test_nodes_that_make_lists():
    """As in TensorFlow.js a reserved list is empty, and grows."""
    assert len(run("TensorListReserve", [-1], 5, **FLOAT)) == 0
    assert len(run("EmptyTensorList", -1, -1, **FLOAT).with_item(2, row(1))) == 3
    with pytest.raises(CoreError, match="full"):
        run("TensorListPushBack", run("EmptyTensorList", -1, 0, **FLOAT), row(1))
    spread = run("TensorListScatterV2", PAIRS, [2, 0, 1], [2], 3)
    assert values(spread) == [[3, 4], [5, 6], [1, 2]]
    with pytest.raises(CoreError, match="cannot set index 2 of a list of 0 tensors"):
        run("TensorListScatterV2", PAIRS, [2, 0, 1], [2], 2)
    parts = run("TensorListSplit", PAIRS, [-1, 2], [1, 2])
    assert values(parts) == [[[1, 2]], [[3, 4], [5, 6]]]
    assert values(run("TensorListSplit", PAIRS, [2], [1, 1, 1])) == PAIRS


@pytest.mark.parametrize(
    "kind, inputs, attributes, message",
    [
        ("TensorListFromTensor", (1.0, -1), FLOAT, "no first axis"),
        ("TensorListFromTensor", ([1], -1), FLOAT, "list of float32 tensors cannot have"),
        ("TensorListFromTensor", (PAIRS, [3]), FLOAT, r"\(3,\) and \(2,\) do not match"),
        ("TensorListLength", (1.0,), {}, "takes a list of tensors got Tensor"),
        ("TensorListScatter", (PAIRS, [1], -1), {}, r"1 indices need as many tensors.*\(3, 2\)"),
        ("TensorListScatter", (PAIRS, 1, -1), {}, "numbers along one axis, got 1"),
        ("TensorListSplit", (PAIRS, -1, [1, 1]), {}, r"\(3, 2\) into lengths \(1, 1\)"),
        ("TensorListSplit", (PAIRS, -1, [4, -1]), {}, "into lengths"),
        ("TensorListReserve", (-1, 1), {"element_dtype": "DT_VARIANT"}, "no tensor dtype"),
    ],
)
def test_invalid_list_nodes(kind, inputs, attributes, message):
    with pytest.raises(CoreError, match=message):
        run(kind, *inputs, **attributes)


def test_lists_of_another_dtype():
    ints = TensorList("int32", ())
    for kind in ("TensorListStack", "TensorListGetItem", "TensorListPopBack", "TensorListGather"):
        with pytest.raises(CoreError, match="a list of float32 tensors got TensorList"):
            inputs = [ints, [0], -1] if kind.endswith(("Item", "Gather")) else [ints, -1]
            run(kind, *inputs, **FLOAT)


def test_an_array_is_written_and_read():
    array = TensorArray("a", "float32", 3)
    array.write(1, row(1))
    array.write(0, row(0))
    assert len(array) == 2 and array.shape == (2,)
    assert array.gather([1, 0, 1]).numpy().tolist() == [[1, 1], [0, 0]]
    assert array.concat()[0].numpy().tolist() == [0, 0, 1, 1]
    array = TensorArray("a", "float32", 3)
    array.scatter([2, 0, 1], core.tensor(PAIRS))
    assert values(array.elements) == [[3, 4], [5, 6], [1, 2]]
    array = TensorArray("a", "float32", 2, grows=True)
    array.split([0, 1, 2], core.tensor([1.0, 2.0, 3.0]))
    assert array.concat()[1].numpy().tolist() == [0, 1, 2]
    assert TensorArray("a", "int32", 0, (4,)).gather([]).shape == (0, 4)
    assert values(split(core.tensor(PAIRS), [1, 1, 1], (2,))) == PAIRS


def test_elements_read_once_are_freed():
    array = TensorArray("a", "float32", 1, clears=True)
    array.write(0, row(1))
    before = core.memory()["num_tensors"]
    assert array.read(0).shape == (2,)
    assert core.memory()["num_tensors"] == before - 1
    with pytest.raises(CoreError, match="'a' of 1: index 0 was read already, and cleared"):
        array.read(0)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda x: x.read(1), "'a' of 1: there is nothing to read at index 1"),
        (lambda x: x.write(2, row(1)), "'a' of 1 of at most 2 has no index 2 to write"),
        (lambda x: x.write(-1, row(1)), "no index -1 to write"),
        (lambda x: x.write(0, row(1)), "index 0 was written already"),
        (lambda x: x.write(1, row(1, 3)), r"\(2,\) and \(3,\) do not match"),
        (lambda x: x.write(1, core.tensor(1)), "has float32 elements, not Tensor"),
        (lambda x: x.scatter([1], core.tensor(PAIRS)), "1 indices need a tensor of as many"),
        (lambda x: x.split([1, 1, 1], core.tensor(PAIRS)), "it has 2 elements, not 3"),
        (lambda x: (x.close(), x.read(0)), "'a' of 0 was closed already"),
        (lambda x: TensorArray("b", "float32", 1).gather([]), "'b' of 0 is empty"),
    ],
)
def test_invalid_array_operations(act, message):
    array = TensorArray("a", "float32", 2)
    array.write(0, row(1))
    with pytest.raises(CoreError, match=message):
        act(array)


def arrays() -> GraphModel:
    """The nodes of arrays that loops made by TensorFlow have not."""
    text = """
        x = Placeholder
        a = TensorArrayV3 two
        flow = TensorArraySplitV3 a x lengths a:1
        joined = TensorArrayConcatV3 a flow
        size = TensorArraySizeV3 a flow
        closed = TensorArrayCloseV3 a ^joined ^size
        late = Identity x ^closed
        again = TensorArrayReadV3 a zero flow ^closed
    """
    constants = {"two": np.int32(2), "lengths": np.int32([1, 2]), "zero": np.int32(0)}
    attributes = {"a": {"dtype": DataType("DT_FLOAT")}}
    return model(text, "joined joined:1 size late", constants, attributes)


def test_nodes_of_arrays():
    found = arrays().predict(np.ones((3, 2)))
    assert [t.shape for t in found.values()] == [(3, 2), (2,), (), (3, 2)]
    assert found["size"].item() == 2
    with pytest.raises(CoreError, match="closed already"):
        arrays().execute(np.ones((3, 2)), ["again"])
    with pytest.raises(CoreError, match="'a' returns a TensorArray, which is not a tensor"):
        arrays().execute(np.ones((3, 2)), ["a"])
    with pytest.raises(CoreError, match="takes a tensor array got Tensor"):
        arrays().execute({"a": 1.0, "flow": 1.0}, ["size"])


def test_every_type_of_the_category_is_there():
    """TensorFlow.js's category "control"."""
    names = """EmptyTensorList LoopCond Switch Merge Enter Exit NextIteration TensorArrayV3
        TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3 TensorArrayScatterV3
        TensorArrayConcatV3 TensorArraySplitV3 TensorArraySizeV3 TensorArrayCloseV3 StatelessIf If
        StatelessWhile While TensorListScatter TensorListScatterV2 TensorListGather
        TensorListGetItem TensorListSetItem TensorListReserve TensorListFromTensor TensorListStack
        TensorListSplit TensorListConcat TensorListConcatV2 TensorListPopBack TensorListPushBack
        TensorListLength TensorListResize"""
    assert [name for name in names.split() if not find_node_type(name)] == []
