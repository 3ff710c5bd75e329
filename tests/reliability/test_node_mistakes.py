"""Nodes with attributes of every wrong kind, and with references to what is not there.

Whatever is wrong, loading, running and converting raise errors of our family, or go well.
"""

from contextlib import suppress

import numpy as np
import pytest

import core
import zoo
from core.converter.conversion import Request
from core.converter.conversion_inputs import read_original
from core.graph.node_types.rows import find_node_type, node_type_names
from core.graph.nodes import (
    DataType,
    Endpoint,
    Function,
    FunctionName,
    Graph,
    Node,
    PartialShape,
    PartialSpec,
)
from core.graph_model.graph_model import GraphModel
from weights_cache import write_weights

WRONG = [
    *(7, -1, 2.5, float("nan"), True, "text", "", b"\xff", None),
    *([], [1], ["a"], [None], [[1]], [1] * 4, [2.5, "a"]),
    *(PartialShape((1, None)), PartialShape(), [PartialShape((1,))]),
    *(DataType("DT_FLOAT"), DataType("DT_NONE"), [DataType("DT_INT32")], FunctionName("f")),
]

#: Attributes that let a node get as far as it can, so that the next one is read, too.
RIGHT = {
    **{"padding": "SAME", "strides": [1, 1, 1, 1], "ksize": [1, 2, 2, 1], "rates": [1, 1, 1, 1]},
    **{"dtype": DataType("DT_FLOAT"), "DstT": DataType("DT_FLOAT"), "mode": "REFLECT"},
    **{"element_dtype": DataType("DT_FLOAT"), "block_size": 2, "k": 1, "equation": "ab->ba"},
    **{"interpolation": "NEAREST", "pattern": "a", "rewrite": "b", "replace_global": True},
    **{"separator": "", "left_pad": "", "right_pad": "", "pad_width": 0, "ngram_widths": [1]},
    **{"preserve_short_sequences": False, "num_buckets": 3, "row_partition_types": ["ROW_SPLITS"]},
    **{
        "stride": 1,
        "frame_name": "f",
        "key_dtype": DataType("DT_FLOAT"),
        "T": DataType("DT_FLOAT"),
    },
    **{"value_dtype": DataType("DT_FLOAT"), "cond": FunctionName("f"), "body": FunctionName("f")},
    **{"then_branch": FunctionName("f"), "else_branch": FunctionName("f"), "is_constant": False},
    **{f"{side}_scale": 1.0 for side in "hwxy"},
    **{"max_detections": 1, "max_classes_per_detection": 1, "num_classes": 1},
    **{"scale": 0.5, "zero_point": 0, "low": -128, "high": 127},
    **{"nms_iou_threshold": 0.5, "nms_score_threshold": 0.5},
}

#: Of nodes that see their surroundings, which read them themselves.
OF_RUNS = ["cond", "body", "then_branch", "else_branch", "dtype", "key_dtype", "value_dtype"]
OF_LOOPS = ["frame_name", "is_constant"]


class Recorded(dict):
    """Attributes that note what is read."""

    def __init__(self):
        super().__init__(RIGHT)
        self.read = {}

    def __getitem__(self, name):
        self.read[name] = None
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.read[name] = None
        return super().get(name, default)


def attributes_of(kind):
    recorded, found = Recorded(), find_node_type(kind)
    with suppress(core.CoreError):
        found.attributes(recorded)
    more = OF_RUNS if found.in_run else OF_LOOPS if kind == "Enter" else []
    return [*recorded.read, *more]


def graph_of(kind, inputs, attributes, outputs=("y",)):
    weights = {"a": np.ones((1, 2, 2, 1), np.float32), "b": np.ones((2,), np.int32)}
    nodes = [Node("x", "Placeholder"), Node("a", "Const"), Node("b", "Const")]
    function = Function("f", [Node("r", "Identity", ("v",))], ("v",), ("r",))
    return Graph(
        [*nodes, Node("y", kind, inputs, attributes)],
        weights,
        {"x": Endpoint("x", PartialSpec(None))},
        {name: Endpoint(name, PartialSpec(None)) for name in outputs},
        {"f": function},
    )


def attempt(graph):
    """Load, run both ways, and convert, as far as it goes."""
    x = np.ones((1, 2, 2, 1), np.float32)
    for plans in (True, False):
        with suppress(zoo.ZooError):
            GraphModel(graph, plans=plans, limits=core.Limits.strict()).predict(x)
    with suppress(zoo.ZooError):
        Request(optimise=True).written(read_original(graph)).check()


#: Inputs of a node: a fed one, constants, none, several, and what is not there.
INPUTS = [(), ("x",), ("x", "b"), ("x", "a", "b"), ("b", "x", "b", "b"), ("a", "a", "b", "b", "b")]
DANGLING = [("gone",), ("x:1",), ("a:1", "x"), ("x", "b:7"), ("^gone", "x"), ("^a:3", "x"), ("y",)]
DANGLING += [("x:-1",), ("x:a:b",), (":", "x"), ("^",), ("x", "^y"), ("",), ("a:\ud800", "x")]


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("kind", node_type_names())
def test_attributes_of_every_wrong_kind(kind):
    names = attributes_of(kind)
    right = {name: RIGHT[name] for name in names if name in RIGHT}
    for inputs in INPUTS[1:4]:
        attempt(graph_of(kind, inputs, right))
    for name in names:
        for wrong in WRONG:
            attempt(graph_of(kind, ("x", "a", "b"), {**right, name: wrong}))


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("kind", node_type_names())
def test_inputs_that_are_missing_or_not_there(kind):
    right = {name: RIGHT[name] for name in attributes_of(kind) if name in RIGHT}
    for inputs in INPUTS + DANGLING:
        attempt(graph_of(kind, inputs, right))
    attempt(graph_of(kind, ("x", "b"), right, ["y:1", "y:70", "a:1", "gone", "^y", ""]))


def loop_of(entering):
    """A loop of TensorFlow 1 whose first value is a reference."""
    frame = {"frame_name": "f"}
    nodes = [
        Node("x", "Placeholder"),
        *(Node("k", "Const"), Node("e", "Enter", (entering,), frame)),
        *(Node("m", "Merge", ("e", "i")), Node("z", "Enter", ("k",), frame)),
        *(Node("l", "Less", ("m", "z")), Node("c", "LoopCond", ("l",))),
        *(Node("s", "Switch", ("m", "c")), Node("a", "Abs", ("s:1",))),
        *(Node("i", "NextIteration", ("a",)), Node("y", "Exit", ("s",))),
    ]
    ends = [Endpoint(name, PartialSpec(None)) for name in "xy"]
    return Graph(nodes, {"k": np.float32(9)}, {"x": ends[0]}, {"y": ends[1]})


def test_a_loop_that_begins_with_another_output_of_a_constant():
    with pytest.raises(core.CoreError, match="'e' refers to 'k:7', but a constant has one output"):
        GraphModel(loop_of("k:7"))
    for entering in ("^k", "x:1", "gone", "^k:7", "e", "s:1", "y"):
        attempt(loop_of(entering))


def test_padding_that_is_no_text(tmp_path):
    entry = lambda name, kind, *inputs, **attributes: {  # noqa: E731
        **{"name": name, "op": kind, "input": list(inputs)},
        "attr": attributes,
    }
    shape = {"shape": {"dim": [{"size": "1"}]}}
    strides, padding = {"list": {"i": ["1"] * 4}}, {"shape": {"unknownRank": True}}
    nodes = [
        entry("x", "Placeholder", dtype={"type": "DT_FLOAT"}, shape=shape),
        *(entry("h", "Const"), entry("w", "Const"), entry("r", "Reshape", "x", "h")),
        entry("y", "Conv2D", "r", "w", strides=strides, padding=padding),
    ]
    weights = {"h": np.int32([1] * 4), "w": np.zeros((1, 1, 1, 1), np.float32)}
    path = str(write_weights(tmp_path, weights, topology={"node": nodes}))
    with pytest.raises(
        zoo.WeightsError, match=r"'y' \(Conv2D\): .*'padding' must be text, got None"
    ):
        zoo.load(path)


def test_strides_that_are_nothing_convert_or_say_so():
    attributes = {"strides": None, "padding": "SAME"}
    attempt(graph_of("Conv2D", ("x", "a"), attributes))
