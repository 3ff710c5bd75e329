"""Element types of results, which the engine does not keep: int8 and uint8 are int32 there."""

from collections.abc import Sequence

from core.converter.onnx.content import OnnxNode, OnnxTensor
from core.converter.onnx.tensors import ELEMENT_TYPES

#: Ops whose results have another type than their first input, and the position of the one that
#: has it, or its name.
_OTHER: dict[str, int | str] = {
    **dict.fromkeys(("Shape", "Size", "ArgMax", "ArgMin", "NonZero"), "int64"),
    **dict.fromkeys(("DequantizeLinear",), 1),
    **dict.fromkeys(("QuantizeLinear",), 2),
    **dict.fromkeys(("Where", "CastLike"), 1),
    "OneHot": 2,
    **dict.fromkeys(("QLinearConv", "QLinearMatMul"), 7),
    "DynamicQuantizeLinear": "uint8",
    **dict.fromkeys(("ConvInteger", "MatMulInteger"), "int32"),
    **dict.fromkeys(("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"), "bool"),
}

#: Attributes with the number of the type of a result.
_NUMBERS = ("to", "output_dtype", "dtype")


def result_type(node: OnnxNode, kinds: Sequence[str]) -> str:
    """Return the name of the element type of a node's first result; "" if it is not known."""
    filled = node.attributes.get("value")
    if node.type == "ConstantOfShape":
        return filled.type if isinstance(filled, OnnxTensor) else "float32"
    number = next((node.attributes[n] for n in _NUMBERS if node.attributes.get(n)), None)
    if isinstance(number, int) and number in ELEMENT_TYPES:
        return ELEMENT_TYPES[number].name
    source = _OTHER.get(node.type, 0)
    if isinstance(source, str):
        return source
    return kinds[source] if source < len(kinds) else ""
