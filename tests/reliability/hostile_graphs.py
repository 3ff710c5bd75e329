"""Graphs of a few nodes that ask for endless time or memory: large results, loops, calls, texts.

Each is a `Hostile`: a graph, which writers of model files take, too, and what to feed it with.
"""

from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from core.graph.nodes import (
    DataType,
    Endpoint,
    Function,
    FunctionName,
    Graph,
    Node,
    PartialSpec,
)

_FLOAT, _INT, _VARIANT = DataType("DT_FLOAT"), DataType("DT_INT32"), DataType("DT_VARIANT")
_X = Endpoint("x", PartialSpec((None,)))

Arrays = Mapping[str, Any]

_NONE: Arrays = MappingProxyType({})


class Hostile(NamedTuple):
    """A graph that costs more than it should, and the inputs of a run."""

    graph: Graph
    feeds: Mapping[str, np.ndarray] = {"x": np.float32([1.0])}


def graph_of(
    nodes: Sequence[Node],
    weights: Arrays,
    output: str = "y",
    functions: Sequence[Function] = (),
) -> Hostile:
    """A graph that takes x, a vector, and gives one output."""
    arrays = {name: _array(value) for name, value in weights.items()}
    constants = [Node(name, "Const") for name in arrays]
    return Hostile(
        Graph(
            [Node("x", "Placeholder"), *constants, *nodes],
            arrays,
            {"x": _X},
            {output: Endpoint(output, PartialSpec(None))},
            {function.name: function for function in functions},
        )
    )


def _array(value: Any) -> np.ndarray:
    if isinstance(value, (str, bytes)) or (
        isinstance(value, list) and value and isinstance(value[0], (str, bytes))
    ):
        return np.array(value, object)
    array = np.asarray(value)
    return array.astype(np.float32 if array.dtype.kind == "f" else np.int32)


def _single(
    kind: str, weights: Arrays, *inputs: str, reads: str = "y", **attributes: Any
) -> Hostile:
    """One node that reads constants, or x."""
    nodes = [Node("y", kind, inputs or tuple(weights), attributes)]
    return graph_of(nodes, weights, reads)


# --- results whose size constants decide ------------------------------------------------------


def large_graphs(count: float) -> dict[str, Hostile]:
    """Nodes whose result has about so many values, by name."""
    side = ceil(sqrt(count))  # as an int32 cannot be larger
    return {
        **_made(side),
        **_repeated(side),
        **_padded(side),
        **_scattered(side),
        **_of_images(side),
        **_of_lists(side),
    }


def _made(side: int) -> dict[str, Hostile]:
    shape = [side, side]
    random = {"dtype": _FLOAT, "seed": 1}
    return {
        "Fill": _single("Fill", {"s": shape, "v": 1.0}),
        "Fill of texts": _single("Fill", {"s": shape, "v": "text"}),
        "Ones": _single("Ones", {"s": shape}, T=_FLOAT),
        "Zeros": _single("Zeros", {"s": shape}, T=_FLOAT),
        "RandomUniform": _single("RandomUniform", {"s": shape}, **random),
        "RandomStandardNormal": _single("RandomStandardNormal", {"s": shape}, **random),
        "TruncatedNormal": _single("TruncatedNormal", {"s": shape}, **random),
        "RandomUniformInt": _single("RandomUniformInt", {"s": shape, "a": 0, "b": 9}, seed=1),
        "Multinomial": _single("Multinomial", {"p": np.ones((side, 2), "f4"), "n": side}, seed=1)
        if side <= 2**16
        else _single("Multinomial", {"p": np.ones((2, 2), "f4"), "n": 2**31 - 1}, seed=1),
        "LinSpace": _single("LinSpace", {"a": 0.0, "b": 1.0, "n": min(side * side, 2**31 - 1)}),
        "Range": _single("Range", {"a": 0.0, "b": float(side) * side, "d": 1.0}, Tidx=_FLOAT),
        "OneHot": _single(
            "OneHot",
            {"i": np.zeros(1000, "i4"), "n": side * side // 1000 % 2**31, "on": 1.0, "off": 0.0},
        ),
        "RaggedRange": _single(
            "RaggedRange",
            {"a": [0] * 1000, "b": [side * side // 1000 % 2**31] * 1000, "d": [1] * 1000},
            reads="y:1",
        ),
    }


def _repeated(side: int) -> dict[str, Hostile]:
    shape = [side, side]
    return {
        "BroadcastTo": _single("BroadcastTo", {"s": shape}, "x", "s"),
        "Tile": _single("Tile", {"v": [[1.0]], "s": shape}),
        "Tile of x": _single("Tile", {"s": [side * side % 2**31]}, "x", "s"),
        "Add": _single("AddV2", {"a": np.zeros((1, 10**6), "f4"), "b": np.zeros((10**6, 1), "f4")})
        if side >= 10**6
        else _single("AddV2", {"a": np.zeros((1, side), "f4"), "b": np.zeros((side, 1), "f4")}),
        "MatMul": _single(
            "MatMul", {"a": np.zeros((side, 1), "f4"), "b": np.zeros((1, side), "f4")}
        ),
        "Pack of x": graph_of(
            [
                Node("t", "Tile", ("x", "s")),
                Node("y", "Pack", ("t",) * max(2, side // 1000), {"axis": 0}),
            ]
            if side < 10**5
            else [Node("t", "Tile", ("x", "s")), Node("y", "Pack", ("t",) * 1000, {"axis": 0})],
            {"s": [min(side * 1000, 2**31 - 1)]},
        ),
        "Gather": _single(
            "GatherV2",
            {"a": np.zeros((1, side), "f4"), "i": np.zeros(side, "i4"), "axis": 0},
        ),
    }


def _padded(side: int) -> dict[str, Hostile]:
    half = side // 2
    return {
        "Pad": _single("Pad", {"v": [[1.0]], "p": [[half, half], [half, half]]}),
        "PadV2": _single("PadV2", {"v": [[1.0]], "p": [[half, half], [half, half]], "c": 2.0}),
        "MirrorPad": graph_of(
            [
                Node("a", "Pad", ("v", "p")),
                Node("b", "MirrorPad", ("a", "q"), {"mode": "SYMMETRIC"}),
                Node("y", "MirrorPad", ("b", "r"), {"mode": "SYMMETRIC"}),
            ],
            {
                "v": [[1.0]],
                "p": [[0, 999], [0, 999]],
                "q": [[1000, 1000], [1000, 1000]],
                "r": [[min(half, 3000), 0], [min(half, 3000), 0]],
            },
        ),
        "SpaceToBatchND": _single(
            "SpaceToBatchND",
            {"v": np.zeros((1, 1, 1, 1), "f4"), "b": [1, 1], "p": [[half, half], [half, half]]},
        ),
    }


def _scattered(side: int) -> dict[str, Hostile]:
    shape = [side, side]
    return {
        "ScatterNd": _single("ScatterNd", {"i": [[0, 0]], "v": [1.0], "s": shape}),
        "SparseToDense": _single(
            "SparseToDense", {"i": [[0, 0]], "s": shape, "v": [1.0], "d": 0.0}
        ),
        "Bincount": _single("Bincount", {"v": [1], "n": min(side * side, 2**31 - 1), "w": [1.0]}),
        "DenseBincount": _single(
            "DenseBincount",
            {
                "v": np.zeros((1000, 1), "i4"),
                "n": side * side // 1000 % 2**31,
                "w": np.ones((1000, 1), "f4"),
            },
        ),
        "RaggedTensorToTensor": _single(
            "RaggedTensorToTensor",
            {"s": shape, "v": [1.0], "d": 0.0, "r": [0, 1]},
            row_partition_types=["ROW_SPLITS"],
            num_row_partition_tensors=1,
        ),
        "SparseFillEmptyRows": _single(
            "SparseFillEmptyRows",
            {"i": [[0, 0]], "v": [1.0], "s": [min(side * side, 2**31 - 1), 1], "d": 0.0},
        ),
        "SparseSegmentSum": _single(
            "SparseSegmentSum", {"a": [[1.0]], "i": [0], "s": [min(side * side, 2**31 - 2)]}
        ),
    }


def _of_images(side: int) -> dict[str, Hostile]:
    pixel = np.ones((1, 1, 1, 1), "f4")
    return {
        "ResizeBilinear": _single("ResizeBilinear", {"v": pixel, "s": [side, side]}),
        "ResizeNearestNeighbor": _single("ResizeNearestNeighbor", {"v": pixel, "s": [side, side]}),
        "CropAndResize": _single(
            "CropAndResize",
            {"v": pixel, "b": [[0.0, 0.0, 1.0, 1.0]], "i": [0], "s": [side, side]},
            method="bilinear",
            extrapolation_value=0.0,
        ),
        "ImageProjectiveTransformV3": _single(
            "ImageProjectiveTransformV3",
            {"v": pixel, "t": [[1.0, 0, 0, 0, 1, 0, 0, 0]], "s": [side, side], "f": 0.0},
            interpolation="BILINEAR",
            fill_mode="CONSTANT",
        ),
        "Conv2DBackpropInput": _single(
            "Conv2DBackpropInput",
            {"s": [1, side, side, 1], "w": np.ones((1, 1, 1, 1), "f4"), "v": pixel},
            strides=[1, side, side, 1],
            padding="SAME",
        ),
        "Conv2D with pads": _single(
            "Conv2D",
            {"v": pixel, "w": pixel},
            strides=[1, 1, 1, 1],
            padding="EXPLICIT",
            explicit_paddings=[0, 0, side // 2, side // 2, side // 2, side // 2, 0, 0],
        ),
    }


def _of_lists(side: int) -> dict[str, Hostile]:
    def reserved(*more: Node, size: int, read: str = "y") -> Hostile:
        attributes = {"element_dtype": _FLOAT}
        nodes = [Node("l", "TensorListReserve", ("s", "n"), attributes), *more]
        return graph_of(
            nodes, {"s": [side], "n": size, "i": size - 1, "z": np.zeros(1, "f4")}, read
        )

    length = min(side * side, 2**31 - 1)
    return {
        "TensorListReserve": reserved(Node("y", "TensorListLength", ("l",)), size=length),
        "TensorListResize": graph_of(
            [
                Node("l", "TensorListReserve", ("s", "one"), {"element_dtype": _FLOAT}),
                Node("m", "TensorListResize", ("l", "n")),
                Node("y", "TensorListLength", ("m",)),
            ],
            {"s": [1], "one": 1, "n": length},
        ),
        "TensorListSetItem": graph_of(
            [
                Node("l", "TensorListReserve", ("s", "n"), {"element_dtype": _FLOAT}),
                Node("m", "TensorListSetItem", ("l", "i", "x"), {"element_dtype": _FLOAT}),
                Node("y", "TensorListLength", ("m",)),
            ],
            {"s": [1], "n": length, "i": length - 1},
        ),
        "TensorListStack": graph_of(
            [
                Node("l", "TensorListReserve", ("s", "n"), {"element_dtype": _FLOAT}),
                Node(
                    "y",
                    "TensorListStack",
                    ("l", "s"),
                    {"element_dtype": _FLOAT, "num_elements": -1},
                ),
            ],
            {"s": [side], "n": side},
        ),
        "TensorArrayScatterV3": graph_of(
            [
                Node("a", "TensorArrayV3", ("n",), {"dtype": _FLOAT, "dynamic_size": True}),
                Node("w", "TensorArrayWriteV3", ("a", "i", "x", "a:1")),
                Node("y", "TensorArraySizeV3", ("a", "w")),
            ],
            {"n": length, "i": length - 1},
        ),
    }


# --- loops, calls and texts -------------------------------------------------------------------


def endless_graphs() -> dict[str, Hostile]:
    """Graphs that go on for ever, or whose values grow while they run, by name."""
    return {**_loops(), **_calls(), **_texts(), **_chains(), **_arithmetic()}


def _while(body: Sequence[Node], result: str, weights: Arrays = _NONE) -> Hostile:
    """While true: one value goes in and out of the body's nodes, which take ``v``."""
    functions = [
        Function("cond", [Node("t", "GreaterEqual", ("zero", "zero"))], ("v",), ("t",)),
        Function("body", body, ("v",), (result,)),
    ]
    attributes = {"cond": FunctionName("cond"), "body": FunctionName("body")}
    loop = Node("y", "StatelessWhile", ("x",), attributes)
    return graph_of([loop], {"zero": 0.0, "axis": 0, **weights}, functions=functions)


def _frame(body: Sequence[Node], result: str, weights: Arrays = _NONE) -> Hostile:
    """The same in TensorFlow 1: the body takes ``s:1``."""
    frame = {"frame_name": "loop"}
    nodes = [
        Node("e", "Enter", ("x",), frame),
        Node("m", "Merge", ("e", "n")),
        Node("z", "Enter", ("zero",), {**frame, "is_constant": True}),
        Node("axis_in", "Enter", ("axis",), {**frame, "is_constant": True}),
        Node("t", "GreaterEqual", ("z", "z")),
        Node("c", "LoopCond", ("t",)),
        Node("s", "Switch", ("m", "c")),
        *body,
        Node("n", "NextIteration", (result,)),
        Node("y", "Exit", ("s",)),
    ]
    return graph_of(nodes, {"zero": 0.0, "axis": 0, **weights})


def _loops() -> dict[str, Hostile]:
    again = [Node("a", "AddV2", ("v", "zero"))]
    nested = Node(
        "a", "StatelessWhile", ("v",), {"cond": FunctionName("cond"), "body": FunctionName("inner")}
    )
    inner = Function("inner", again, ("v",), ("a",))
    of_loops = _while([nested], "a").graph
    growing_list = graph_of(
        [
            Node("l", "EmptyTensorList", ("shape", "most"), {"element_dtype": _FLOAT}),
            Node(
                "w",
                "StatelessWhile",
                ("l", "x"),
                {"cond": FunctionName("cond"), "body": FunctionName("body")},
            ),
            Node("y", "TensorListLength", ("w",)),
        ],
        {"shape": -1, "most": -1, "zero": 0.0, "size": [10**6]},
        functions=[
            Function("cond", [Node("t", "GreaterEqual", ("zero", "zero"))], ("l", "v"), ("t",)),
            Function(
                "body",
                [Node("b", "Tile", ("v", "size")), Node("p", "TensorListPushBack", ("l", "b"))],
                ("l", "v"),
                ("p", "v"),
            ),
        ],
    )
    return {
        "While": _while(again, "a"),
        "While in While": Hostile(
            of_loops._replace(functions={**of_loops.functions, "inner": inner})
        ),
        "While that doubles": _while([Node("a", "ConcatV2", ("v", "v", "axis"))], "a"),
        "While that fills a list": growing_list,
        "Enter": _frame([Node("a", "Abs", ("s:1",))], "a"),
        "Enter that doubles": _frame([Node("a", "ConcatV2", ("s:1", "s:1", "axis_in"))], "a"),
    }


def _calls() -> dict[str, Hostile]:
    """Each function calls the next one twice."""

    def doubling(kind: str, deepest: Sequence[Node], depth: int = 40) -> Hostile:
        def call(name: str, value: str, callee: int) -> Node:
            branch = FunctionName(f"f{callee}")
            branches = {"then_branch": branch, "else_branch": branch}
            return Node(name, kind, ("true", value), branches)

        functions = [
            Function(f"f{i}", [call("a", "v", i + 1), call("b", "a", i + 1)], ("v",), ("b",))
            for i in range(depth)
        ]
        functions.append(Function(f"f{depth}", deepest, ("v",), ("b",)))
        return graph_of([call("y", "x", 0)], {"true": 1, "axis": 0}, functions=functions)

    itself = FunctionName("f")
    endless = Node("b", "If", ("true", "v"), {"then_branch": itself, "else_branch": itself})
    return {
        "If": doubling("If", [Node("b", "Abs", ("v",))]),
        "StatelessIf": doubling("StatelessIf", [Node("b", "Abs", ("v",))]),
        "StatelessIf that doubles": doubling(
            "StatelessIf", [Node("b", "ConcatV2", ("v", "v", "axis"))]
        ),
        "If that calls itself": graph_of(
            [endless._replace(name="y", inputs=("true", "x"))],
            {"true": 1},
            functions=[Function("f", [endless], ("v",), ("b",))],
        ),
    }


def _replace(text: str, pattern: str, rewrite: str, times: int = 1) -> Hostile:
    names = ["text", *(f"r{i}" for i in range(times - 1)), "y"]
    attributes = {"pattern": pattern, "rewrite": rewrite, "replace_global": True}
    nodes = [
        Node(name, "StaticRegexReplace", (before,), attributes)
        for before, name in zip(names, names[1:], strict=False)
    ]
    return graph_of(nodes, {"text": [text]})


def _texts() -> dict[str, Hostile]:
    grams = {"left_pad": "l" * 1000, "right_pad": "r", "separator": "s" * 1000}
    return {
        "regex, nested repeats": _replace("a" * 40 + "!", "(a+)+$", "b"),
        "regex, overlapping choices": _replace("a" * 60 + "!", "(a|a)*$", "b"),
        "regex, neighbouring repeats": _replace("a" * 20_000 + "!", "a*a*a*a*$", "b"),
        "regex, rewrite grows": _replace("a" * 10, "a", "a" * 1000, times=4),
        "regex, group grows": _replace("a" * 1000, "(a*)", r"\1" * 100, times=6),
        "regex, repeats of repeats": _replace("a", "((((a{1,99}){1,99}){1,99}){1,99})$", "b"),
        "StringNGrams, wide": _single(
            "StringNGrams",
            {"v": ["ab"] * 10, "s": [0, 10]},
            ngram_widths=[2_000_000, 3_000_000],
            pad_width=-1,
            preserve_short_sequences=False,
            **grams,
        ),
        "StringNGrams, many": _single(
            "StringNGrams",
            {"v": ["ab"] * 3000, "s": [0, 3000]},
            ngram_widths=list(range(1, 3000)),
            pad_width=0,
            preserve_short_sequences=True,
            **grams,
        ),
        "StringSplit": _single(
            "StringSplit", {"v": ["a" * 30_000_000], "d": ""}, reads="y:1", skip_empty=False
        ),
        "StringSplit at each letter": _single(
            "StringSplit", {"v": ["," * 30_000_000], "d": ","}, reads="y:1", skip_empty=False
        ),
    }


def _arithmetic() -> dict[str, Hostile]:
    """Little data, and much to do with it."""
    image, window = np.zeros((1, 1500, 1500, 1), "f4"), np.zeros((700, 700, 1, 1), "f4")
    conv = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    matrix = np.zeros((4000, 4000), "f4")
    return {
        "Conv2D of large windows": _single("Conv2D", {"v": image, "w": window}, **conv),
        "DepthwiseConv2dNative": _single(
            "DepthwiseConv2dNative", {"v": image, "w": window}, **conv
        ),
        "Conv2DBackpropInput of large windows": _single(
            "Conv2DBackpropInput", {"s": [1, 1500, 1500, 1], "w": window, "v": image}, **conv
        ),
        "MaxPool of large windows": _single(
            "MaxPool", {"v": image}, ksize=[1, 700, 700, 1], strides=[1, 1, 1, 1], padding="SAME"
        ),
        "Dilation2D": _single(
            "Dilation2D", {"v": image, "w": window[..., 0]}, rates=[1, 1, 1, 1], **conv
        ),
        "MatMul again and again": graph_of(
            [
                Node(f"m{i}" if i < 99 else "y", "MatMul", (f"m{i - 1}" if i else "a", "a"))
                for i in range(100)
            ],
            {"a": matrix},
        ),
    }


def _chains() -> dict[str, Hostile]:
    def chain(count: int, kind: str, twice: bool, weights: Arrays) -> Hostile:
        names = ["x", *(f"n{i}" for i in range(count - 1)), "y"]
        pairs = zip(names, names[1:], strict=False)
        nodes = [Node(n, kind, (b, b) if twice else (b,)) for b, n in pairs]
        return graph_of(nodes, weights)

    long_chain = chain(60_000, "Abs", False, {})
    folded = [Node(f"f{i}", "Fill", ("s", "v")) for i in range(2000)]
    return {
        "60,000 nodes": long_chain,
        "9,000 nodes": chain(9_000, "Abs", False, {}),
        "2,000 constants that are computed": graph_of(
            [*folded, Node("y", "AddN", tuple(node.name for node in folded))],
            {"s": [1000, 1000], "v": 1.0},
        ),
        "many values at once": graph_of(
            [
                *(Node(f"t{i}", "Tile", ("x", "s")) for i in range(100)),
                Node("y", "AddN", tuple(f"t{i}" for i in range(100))),
            ],
            {"s": [10_000_000]},
        ),
    }
