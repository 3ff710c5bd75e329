"""Tensors made of a shape, a value or random numbers."""

from typing import Any

from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType, Translation, copied
from core.graph.nodes import Attributes


def _with_dtype(name: str, **renamed: str) -> Translation:
    """The dtype that an attribute says, if it is there, and others as `copied` takes them."""
    others = copied(**renamed)

    def translated(attributes: Attributes) -> dict[str, Any]:
        data_type = attributes.get(name)
        dtype = {} if data_type is None else {"dtype": dtype_of_type(data_type)}
        return {**dtype, **others(attributes)}

    return translated


def _seeded(others: Translation) -> Translation:
    """Return the other inputs and the seed; 0 stands for no seed."""
    return lambda attributes: {**others(attributes), "seed": attributes.get("seed") or None}


def _one_hot(attributes: Attributes) -> dict[str, Any]:
    if attributes.get("axis", -1) != -1:
        raise CoreError(f"axis {attributes['axis']} is not supported, only -1, the last")
    return _with_dtype("T")(attributes)


_SHAPE = {"shape": 0}

NODE_TYPES = {
    "Fill": NodeType("fill", (), {"shape": 0, "value": 1}, _with_dtype("T")),
    "LinSpace": NodeType("linspace", (), {"start": 0, "stop": 1, "num": 2}),
    "Multinomial": NodeType("multinomial", (0,), {"num_samples": 1}, _seeded(copied())),
    "OneHot": NodeType("one_hot", (0,), {"depth": 1, "on_value": 2, "off_value": 3}, _one_hot),
    "Ones": NodeType("ones", (), _SHAPE, _with_dtype("T")),
    "RandomStandardNormal": NodeType(
        "random_standard_normal", (), _SHAPE, _seeded(_with_dtype("dtype"))
    ),
    # As in TensorFlow.js without the seed: a layer that drops values out does so anew each time.
    "RandomUniform": NodeType(
        "random_uniform", (), _SHAPE, _with_dtype("dtype", minval="minval", maxval="maxval")
    ),
    # The bounds are inputs in TensorFlow, attributes in TensorFlow.js.
    "RandomUniformInt": NodeType(
        "random_uniform_int",
        (),
        {"shape": 0, "minval": 1, "maxval": 2},
        _seeded(copied("minval", "maxval")),
    ),
    "Range": NodeType("range", (), {"start": 0, "stop": 1, "step": 2}, _with_dtype("Tidx")),
    "TruncatedNormal": NodeType(
        "truncated_normal",
        (),
        _SHAPE,
        _seeded(_with_dtype("dtype", mean="means", std_dev="stddev")),
    ),
    "Zeros": NodeType("zeros", (), _SHAPE, _with_dtype("T")),
}
