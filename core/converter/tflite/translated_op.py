"""An op that is being translated, and what its translation makes of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from core.converter.tflite.constants import FLOATS, QUANTISED, WHOLE, quanta_of
from core.converter.tflite.file_content import ABSENT, Operator, QuantizationParameters, TensorInfo
from core.converter.tflite.schema import ACTIVATIONS, choice
from core.errors import CoreError
from core.graph.nodes import DataType, Node, Quantization

if TYPE_CHECKING:
    from core.converter.tflite.translation import Translation

#: Activations by their name in TFLite: the node that computes one, and its attributes.
ACTIVATION_NODES: dict[str, tuple[str, dict[str, Any]]] = {
    "RELU": ("Relu", {}),
    "RELU6": ("Relu6", {}),
    "RELU_N1_TO_1": ("ClipByValue", {"limits": (-1.0, 1.0)}),
    "TANH": ("Tanh", {}),
}

#: Where they clamp.
ACTIVATION_LIMITS = {
    "": (-np.inf, np.inf),
    "RELU": (0.0, np.inf),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


class TranslatedOp:
    """An op that is being translated: its tensors, its options, and the nodes that it becomes."""

    def __init__(self, translation: "Translation", operator: Operator):
        self.graph, self.operator, self.options = translation, operator, operator.options
        self.nodes: list[Node] = []
        outputs = operator.outputs
        self._name = translation.named[outputs[0]] if outputs else operator.name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; its name is the op's with the type behind it."""
        name = f"{self._name}/{kind.replace(':', '_')}#{len(self.nodes)}"
        self.nodes.append(Node(name, kind, inputs, attributes))
        return name

    def value(self, array: Any, dtype: type = np.float32) -> str:
        """Add a constant of a few values."""
        name = self.graph.names.unique(f"{self._name}/value")
        return self.graph.const(name, np.asarray(array, dtype))

    def integers(self, array: Any) -> str:
        """Add a constant of a few whole numbers."""
        return self.value(array, np.int32)

    def has(self, index: int) -> bool:
        """Whether an optional input is there."""
        inputs = self.operator.inputs
        return index < len(inputs) and inputs[index] != ABSENT

    def tensor(self, index: int) -> int:
        """The number of an input's tensor."""
        if not self.has(index):
            raise CoreError(f"its input {index} is missing")
        return self.operator.inputs[index]

    def input(self, index: int) -> str:
        """What gives an input."""
        return self.graph.reference(self.tensor(index))

    def inputs(self) -> list[str]:
        """What gives the inputs that are there."""
        return [self.input(i) for i in range(len(self.operator.inputs)) if self.has(i)]

    def info(self, index: int) -> TensorInfo:
        """What the file says of an input."""
        return self.graph.subgraph.tensors[self.tensor(index)]

    def output(self, index: int = 0) -> TensorInfo:
        """What the file says of an output."""
        return self.graph.subgraph.tensors[self.operator.outputs[index]]

    def is_constant(self, index: int) -> bool:
        """Whether an input is a constant."""
        return self.graph.is_constant(self.tensor(index))

    def constant(self, index: int) -> np.ndarray:
        """The values of an input that must be a constant."""
        return self.graph.constant(self.tensor(index))

    def number(self, index: int) -> str:
        """What gives an input that is one number, also where the file has a list of one."""
        if self.is_constant(index):
            values = self.constant(index)
            return self.value(values.reshape(()), values.dtype.type)
        return self.node("Reshape", self.input(index), self.integers([]))

    def cast(self, reference: str, dtype: str) -> str:
        """A value as another of our dtypes."""
        return self.node("Cast", reference, DstT=DataType(_DATA_TYPES[dtype]))

    def output_dtype(self, quanta: bool = False) -> str:
        """Our dtype of the output: quanta are real values, unless they are asked for."""
        info = self.output()
        return "int32" if quanta and quanta_of(info) is not None else dtype_of(info)

    def shape(self, index: int) -> tuple[int | None, ...]:
        """The lengths of an input, None for those of what is computed that may be any.

        Raises:
            CoreError: not even the rank is known.
        """
        info = self.info(index)
        if self.is_constant(index):
            return info.shape
        if info.signature is None:
            raise CoreError(f"the rank of {info.name!r:.80} must be known")
        return info.signature

    def weight(
        self,
        index: int,
        layout: str,
        change: Callable[[np.ndarray], np.ndarray],
        quanta: QuantizationParameters | None = None,
    ) -> str:
        """An input that is a constant, in another layout."""
        return self.graph.weight(self.tensor(index), layout, change, quanta)

    def outputs_of(self, node: str) -> list[str]:
        """References to as many outputs of a node as the op has."""
        return [f"{node}:{i}" if i else node for i in range(len(self.operator.outputs))]

    def activated(self, reference: str) -> str:
        """With the activation that the options name; rounding to quanta clamps to it instead."""
        name = self.activation()
        if not name or quanta_of(self.output()) is not None:
            return reference
        return self.applied(name, reference)

    def activation(self) -> str:
        """The activation that the options name; "" if there is none."""
        name = choice(ACTIVATIONS, self.options.get("activation", 0), "the activation")
        if name and name not in ACTIVATION_NODES:
            raise CoreError(f"the activation {name} is not supported")
        return name

    def applied(self, activation: str, reference: str) -> str:
        """An activation of a value."""
        kind, attributes = ACTIVATION_NODES[activation]
        limits = [self.value(limit) for limit in attributes.get("limits", ())]
        return self.node(kind, reference, *limits)

    def rounded(self, reference: str, index: int, moved: bool) -> str:
        """An output on its quanta: the nearest ones, of two the one away from 0.

        LiteRT's kernels compute with quanta, and may give neighbours of these. What
        an op has ``moved`` is as it was where no input has other quanta.
        """
        info = self.output(index)
        quanta = quanta_of(info)
        if quanta is None or (moved and self._has_quanta(quanta)):
            return reference
        if not quanta.scales.any():
            return self.node("ZerosLike", reference)
        quantization = quantization_of(info)
        assert quantization is not None, info
        activation = "" if index else self.activation()
        if activation not in ACTIVATION_LIMITS:
            raise CoreError(f"the activation {activation} of quanta is not supported")
        low, high = _limits(quantization, *ACTIVATION_LIMITS[activation])
        return self.node(
            "QuantiseRound",
            reference,
            scale=quantization.scale,
            zero_point=quantization.zero_point,
            low=low,
            high=high,
            nudge=self.operator.name not in _SUMS,
        )

    def _has_quanta(self, quanta: QuantizationParameters) -> bool:
        """Whether all inputs that have quanta have those of an output."""
        for tensor in self.operator.inputs:
            found = None if tensor == ABSENT else quanta_of(self.graph.subgraph.tensors[tensor])
            if found and (
                not np.array_equal(found.scales, quanta.scales)
                or not np.array_equal(found.zero_points, quanta.zero_points)
            ):
                return False
        return True


#: Ops whose results are sums of many products; see `core.quantise_round`.
_SUMS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"})

_DATA_TYPES = {"float32": "DT_FLOAT", "int32": "DT_INT32", "bool": "DT_BOOL"}


def dtype_of(info: TensorInfo) -> str:
    """Our dtype of a tensor.

    Raises:
        CoreError: there is none, as of texts and resources.
    """
    if info.dtype == "bool":
        return "bool"
    if info.dtype in FLOATS or quanta_of(info) is not None:
        return "float32"
    if info.dtype not in WHOLE:
        raise CoreError(f"{info.name!r:.80} has dtype {info.dtype}, which is not supported")
    return "int32"


def quantization_of(info: TensorInfo) -> Quantization | None:
    """The quanta of a value that is computed: with one scale above 0, or none.

    Raises:
        CoreError: it has other quanta.
    """
    quanta = quanta_of(info)
    if quanta is None:
        return None
    if info.dtype not in QUANTISED[:3] or len(quanta.scales) != 1 or quanta.scales[0] <= 0:
        raise CoreError(f"{info.name!r:.80} of {info.dtype} needs one scale above 0")
    return Quantization(float(quanta.scales[0]), int(quanta.zero_points[0]), info.dtype)


def _limits(quantization: Quantization, low: float, high: float) -> tuple[int, int]:
    """The quanta between two values."""
    smallest, largest = quantization.limits
    scale, zero_point = np.float32(quantization.scale), quantization.zero_point
    if np.isfinite(low):
        smallest = max(smallest, zero_point + _nearest(low / scale))
    if np.isfinite(high):
        largest = min(largest, zero_point + _nearest(high / scale))
    if smallest > largest:
        raise CoreError(f"no quantum lies between {low} and {high}")
    return smallest, largest


def _nearest(value: float) -> int:
    """The nearest whole number; of two the one away from 0."""
    return int(np.sign(value) * np.floor(abs(float(value)) + 0.5))
