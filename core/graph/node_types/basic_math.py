"""Functions of each value by itself."""

from core.graph.node_types.rows import NodeType, copied
from core.registry import ops
from core.tensors import Tensor

#: Node types and the ops that compute them, without attributes.
_OPS = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "Ceil": "ceil",
    "ComplexAbs": "complex_abs",
    "Cos": "cos",
    "Cosh": "cosh",
    "Elu": "elu",
    "Erf": "erf",
    "Exp": "exp",
    "Expm1": "expm1",
    "Floor": "floor",
    "Imag": "imag",
    "IsFinite": "is_finite",
    "IsInf": "is_inf",
    "IsNan": "is_nan",
    "Log": "log",
    "Log1p": "log1p",
    "Neg": "neg",
    "Real": "real",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Relu6": "relu6",
    "Round": "round",
    "Rsqrt": "rsqrt",
    "Selu": "selu",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softplus": "softplus",
    "Sqrt": "sqrt",
    "Square": "square",
    "Tan": "tan",
    "Tanh": "tanh",
    # TensorFlow.js does not have these.
    "Inv": "reciprocal",
    "Rint": "round",
}


def _erfc(x: Tensor) -> Tensor:
    return 1.0 - ops.erf(x)


def _softsign(x: Tensor) -> Tensor:
    return x / (1.0 + ops.abs(x))


NODE_TYPES = {
    **{name: NodeType(op, (0,)) for name, op in _OPS.items()},
    "Atan2": NodeType("atan2", (0, 1)),
    "ClipByValue": NodeType("clip_by_value", (0,), {"clip_value_min": 1, "clip_value_max": 2}),
    "Complex": NodeType("complex", (0, 1)),
    "LeakyRelu": NodeType("leaky_relu", (0,), attributes=copied("alpha")),
    "Prelu": NodeType("prelu", (0, 1)),
    # TensorFlow.js does not have these, and Keras's gelu and softsign are made of them.
    "Erfc": NodeType(_erfc, (0,)),
    "Softsign": NodeType(_softsign, (0,)),
}
