"""The op being translated, with functions that add the nodes of its translation."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from core.converter.tflite.constants import FLOATS, INTEGERS, KEPT, QUANTISED, parameters_of
from core.converter.tflite.file_content import ABSENT, Operator, QuantizationParameters, TensorInfo
from core.converter.tflite.schema import ACTIVATIONS, choice
from core.errors import CoreError
from core.graph.graph_json_writer import data_type
from core.graph.nodes import Node, Quantization

if TYPE_CHECKING:
    from core.converter.tflite.translation import Translation

#: Activations by name in TFLite: the type of the node that computes one, and limits as inputs.
ACTIVATION_NODES: dict[str, tuple[str, tuple[float, ...]]] = {
    "RELU": ("Relu", ()),
    "RELU6": ("Relu6", ()),
    "RELU_0_TO_1": ("ClipByValue", (0.0, 1.0)),
    "RELU_N1_TO_1": ("ClipByValue", (-1.0, 1.0)),
    "TANH": ("Tanh", ()),
}

#: Limits of the activations.
ACTIVATION_LIMITS = {
    "": (-np.inf, np.inf),
    "RELU": (0.0, np.inf),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


class TranslatedOp:
    """An op being translated: its tensors, its options, and the nodes added so far."""

    def __init__(self, translation: "Translation", operator: Operator):
        self.graph, self.operator, self.options = translation, operator, operator.options
        self.nodes: list[Node] = []
        outputs = operator.outputs
        self._name = translation.named[outputs[0]] if outputs else operator.name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, named by the op and the node's type, and return the name."""
        name = f"{self._name}/{kind.replace(':', '_')}#{len(self.nodes)}"
        self.nodes.append(Node(name, kind, inputs, attributes))
        return name

    def value(self, array: Any, dtype: type = np.float32) -> str:
        """Add a constant of a few values, and return its reference."""
        name = self.graph.unique(f"{self._name}/value")
        return self.graph.const(name, np.asarray(array, dtype))

    def integers(self, array: Any) -> str:
        """Add a constant of a few integers, and return its reference."""
        return self.value(array, np.int32)

    def has(self, index: int) -> bool:
        """Whether an optional input is present."""
        inputs = self.operator.inputs
        return index < len(inputs) and inputs[index] != ABSENT

    def tensor(self, index: int) -> int:
        """Return the index of an input's tensor."""
        if not self.has(index):
            raise CoreError(f"its input {index} is missing")
        return self.operator.inputs[index]

    def input(self, index: int) -> str:
        """Return the reference to an input."""
        return self.graph.reference(self.tensor(index))

    def inputs(self) -> list[str]:
        """Return the references to the inputs that are present."""
        return [self.input(i) for i in range(len(self.operator.inputs)) if self.has(i)]

    def info(self, index: int) -> TensorInfo:
        """Return the tensor of an input in the file."""
        return self.graph.subgraph.tensors[self.tensor(index)]

    def output(self, index: int = 0) -> TensorInfo:
        """Return the tensor of an output in the file."""
        return self.graph.subgraph.tensors[self.operator.outputs[index]]

    def is_constant(self, index: int) -> bool:
        """Whether an input is a constant."""
        return self.graph.is_constant(self.tensor(index))

    def constant(self, index: int) -> np.ndarray:
        """Return the values of an input; raise a CoreError unless it is a constant."""
        return self.graph.constant(self.tensor(index))

    def number(self, index: int) -> str:
        """Return the reference to an input that is one number, also from a list of one."""
        if self.is_constant(index):
            values = self.constant(index)
            return self.value(values.reshape(()), values.dtype.type)
        return self.node("Reshape", self.input(index), self.integers([]))

    def cast(self, reference: str, dtype: str) -> str:
        """Add a cast of a value to another engine dtype."""
        return self.node("Cast", reference, DstT=data_type(dtype))

    def stored(self, reference: str, quantization: Quantization) -> str:
        """Add the integers of the file for real values, as floats, without limits."""
        steps = self.node("RealDiv", reference, self.value(quantization.scale))
        return self.node("Round", self.node("AddV2", steps, self.value(quantization.zero_point)))

    def real(self, reference: str, quantization: Quantization) -> str:
        """Add the real values of the integers of the file."""
        steps = self.cast(reference, "float32")
        shifted = self.node("Sub", steps, self.value(quantization.zero_point))
        return self.node("Mul", shifted, self.value(quantization.scale))

    def output_dtype(self, as_stored: bool = False) -> str:
        """Return the engine dtype of the output: of real values, or of the stored integers."""
        info = self.output()
        return "int32" if as_stored and parameters_of(info) is not None else dtype_of(info)

    def shape(self, index: int) -> tuple[int | None, ...]:
        """Return the lengths of an input, None for open lengths of computed values.

        Raises:
            CoreError: the rank is unknown.
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
        parameters: QuantizationParameters | None = None,
    ) -> str:
        """Add a constant input in another layout."""
        return self.graph.weight(self.tensor(index), layout, change, parameters)

    def bias_parameters(
        self, index: int, values: int, weights: int
    ) -> QuantizationParameters | None:
        """Return the quantisation of a bias: its scale is the product of two; None for floats."""
        given, kernel = parameters_of(self.info(values)), self.info(weights).quantization
        if self.info(index).dtype == "float32" or given is None or kernel is None:
            return None
        scales = given.scales.astype(np.float64) * kernel.scales
        return QuantizationParameters(scales.astype(np.float32), np.zeros(1, np.int64), 0)

    def outputs_of(self, node: str) -> list[str]:
        """Return references to as many outputs of a node as the op has."""
        return [f"{node}:{i}" if i else node for i in range(len(self.operator.outputs))]

    def activated(self, reference: str) -> str:
        """Apply the activation of the options, unless a quantised output is clamped to it."""
        name = self.activation()
        if not name or parameters_of(self.output()) is not None:
            return reference
        return self.applied(name, reference)

    def activation(self) -> str:
        """Return the activation of the options, or ""."""
        name = choice(ACTIVATIONS, self.options.get("activation", 0), "the activation")
        if name and name not in ACTIVATION_NODES:
            raise CoreError(f"the activation {name} is not supported")
        return name

    def applied(self, activation: str, reference: str) -> str:
        """Add an activation of a value."""
        kind, limits = ACTIVATION_NODES[activation]
        return self.node(kind, reference, *map(self.value, limits))

    def rounded(self, reference: str, index: int, moved: bool) -> str:
        """Add rounding of an output to its nearest quantised values, halves away from 0.

        LiteRT's kernels compute with quantised values, and may return neighbouring ones. Values
        that an op only ``moved`` are unchanged if all inputs have the output's quantisation.
        """
        info = self.output(index)
        parameters = parameters_of(info)
        if parameters is None or (moved and self._is_quantised_by(parameters)):
            return reference
        if not parameters.scales.any():
            return self.node("ZerosLike", reference)
        quantization = quantization_of(info)
        assert quantization is not None, info
        activation = "" if index else self.activation()
        if activation not in ACTIVATION_LIMITS:
            raise CoreError(f"the activation {activation} of a quantised output is not supported")
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

    def _is_quantised_by(self, parameters: QuantizationParameters) -> bool:
        """Whether all quantised inputs have the parameters of an output."""
        for tensor in self.operator.inputs:
            found = None if tensor == ABSENT else parameters_of(self.graph.subgraph.tensors[tensor])
            if found and (
                not np.array_equal(found.scales, parameters.scales)
                or not np.array_equal(found.zero_points, parameters.zero_points)
            ):
                return False
        return True


#: Ops whose results are sums of many products; see `core.quantise_round`.
_SUMS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"})


def dtype_of(info: TensorInfo) -> str:
    """Return the engine dtype of a tensor.

    Raises:
        CoreError: the engine has no such dtype, as for resources.
    """
    if info.dtype in KEPT or info.dtype == "string":
        return info.dtype
    if info.dtype in FLOATS or parameters_of(info) is not None:
        return "float32"
    if info.dtype not in INTEGERS:
        raise CoreError(f"{info.name!r:.80} has dtype {info.dtype}, which is not supported")
    return "int32"


def quantization_of(info: TensorInfo) -> Quantization | None:
    """Return the quantisation of a computed value, or None if it is not quantised.

    Raises:
        CoreError: the quantisation has several scales, or a scale of 0.
    """
    quantization = single_quantization(info)
    if quantization is None and parameters_of(info) is not None:
        raise CoreError(f"{info.name!r:.80} of {info.dtype} needs one scale above 0")
    return quantization


def single_quantization(info: TensorInfo) -> Quantization | None:
    """Return the quantisation of a tensor, or None without a single scale above 0."""
    return quantization_with_one_scale(info) if info.dtype in QUANTISED[:3] else None


def quantization_with_one_scale(info: TensorInfo) -> Quantization | None:
    """Return the scale and zero point of a tensor of any dtype, or None unless they are single."""
    found = info.quantization
    if found is None or len(found.scales) != 1 or found.scales[0] <= 0:
        return None
    return Quantization(float(found.scales[0]), int(found.zero_points[0]), info.dtype)


def _limits(quantization: Quantization, low: float, high: float) -> tuple[int, int]:
    """Return the smallest and largest quantised value between two real values."""
    smallest, largest = quantization.limits
    scale, zero_point = np.float32(quantization.scale), quantization.zero_point
    if np.isfinite(low):
        smallest = max(smallest, zero_point + _nearest(low / scale))
    if np.isfinite(high):
        largest = min(largest, zero_point + _nearest(high / scale))
    if smallest > largest:
        raise CoreError(
            f"the activation range [{low}, {high}] contains no quantised value "
            f"for scale={quantization.scale:g}, zero_point={quantization.zero_point}"
        )
    return smallest, largest


def _nearest(value: float) -> int:
    """Return the nearest integer, halves away from 0."""
    return int(np.sign(value) * np.floor(abs(float(value)) + 0.5))
