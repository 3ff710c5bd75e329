"""Element types of results, which the engine does not keep: int8 and uint8 are int32 there."""

from collections.abc import Sequence

from core.converter.onnx.content import OnnxNode, OnnxTensor
from core.graph.node_types.onnx.type_table import NAMES

#: The sources of the types of results: the position of an input, or a name.
_Sources = tuple[int | str, ...]

_COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
_TESTS = ("IsInf", "IsNaN", "Not", "OptionalHasElement", "RegexFullMatch")

#: Ops whose results have other types than their first input; the last type is of all that follow.
_RESULTS: dict[str, _Sources] = {
    **dict.fromkeys(("ArgMax", "ArgMin", "NonMaxSuppression", "NonZero"), ("int64",)),
    **dict.fromkeys(("SequenceLength", "Shape", "Size"), ("int64",)),
    **dict.fromkeys(("MaxPool", "TopK", "Unique"), (0, "int64")),
    **dict.fromkeys((*_COMPARISONS, *_TESTS), ("bool",)),
    **dict.fromkeys(("ConvInteger", "MatMulInteger"), ("int32",)),
    **dict.fromkeys(("CastLike", "DequantizeLinear", "SequenceInsert", "Where"), (1,)),
    **dict.fromkeys(("QLinearConv", "QLinearMatMul"), (7,)),
    "Dropout": (0, "bool"),
    "DynamicQuantizeLinear": ("uint8", "float32", "uint8"),
    "OneHot": (2,),
    "QuantizeLinear": (2,),
    "StringSplit": ("string", "int64"),
    "TfIdfVectorizer": ("float32",),
}

#: Types of results that an attribute or input would tell which the node lacks.
_DEFAULTS = {"QuantizeLinear": "uint8", "SequenceEmpty": "float32"}

#: Attributes with the number of the type of a result.
_NUMBERS = ("to", "output_dtype", "dtype")


def result_types(node: OnnxNode, kinds: Sequence[str]) -> list[str]:
    """Return the names of the element types of a node's results; "" where it is not known.

    Args:
        node: with an op of the standard.
        kinds: element types of its inputs.
    """
    number = next((node.attributes[n] for n in _NUMBERS if node.attributes.get(n)), None)
    if isinstance(number, int) and number in NAMES:
        sources: _Sources = (NAMES[number],)
    elif node.type == "ConstantOfShape":
        filled = node.attributes.get("value")
        sources = (filled.type if isinstance(filled, OnnxTensor) else "float32",)
    else:
        sources = _RESULTS.get(node.type, (0,))
    given = dict(enumerate(kinds))
    default = _DEFAULTS.get(node.type, "")
    found = [s if isinstance(s, str) else given.get(s) or default for s in sources]
    return found + found[-1:] * (len(node.outputs) - len(found))
