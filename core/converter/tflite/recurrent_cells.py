"""Cells whose weights are the inputs of an op, run over time by the rules of Keras's layers.

Source: TensorFlow Lite's kernels ``lstm_eval.cc``, ``unidirectional_sequence_lstm.cc``,
``bidirectional_sequence_lstm.cc`` and ``basic_rnn.cc``, for the meaning and order of the inputs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.converter.tflite.constants import parameters_of
from core.converter.tflite.schema import ACTIVATIONS, choice
from core.converter.tflite.translated_op import TranslatedOp, single_quantization
from core.errors import CoreError
from core.layers.builder import Builder
from core.layers.built_in.basic import matmul
from core.layers.built_in.cells import Cell
from core.layers.built_in.recurrent import over_time
from core.layers.common_ops import expand, filled, reduce, split, transpose
from core.layers.graph_calls import GraphCall
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import Lengths, Operand, Value

#: Makes the cell of an op for inputs of some length at each step.
CellMaker = Callable[[TranslatedOp, GraphCall, int], Cell]

#: Added to the variance of a gate before its root is taken.
_NORM_EPSILON = 1e-8

_OP_OF_ACTIVATION = {"RELU": "relu", "RELU6": "relu6", "TANH": "tanh"}

#: The gates in the order of their inputs: input, forget, cell, output.
_GATES = "ifco"


class LstmInputs(NamedTuple):
    """Positions of an LSTM's inputs, of the first where there are several.

    Attributes:
        weights: of a step's values, for each gate.
        recurrent: of the output before, for each gate.
        peepholes: of the cell's state, for all gates but that of the cell.
        biases: for each gate.
        projection: weights and bias of the output's projection.
        states: the output and the state of the cell before the first step.
        norms: factors after layer normalisation, for each gate; None if the op has none.
    """

    weights: int = 1
    recurrent: int = 5
    peepholes: int = 9
    biases: int = 12
    projection: int = 16
    states: int = 18
    norms: int | None = 20


def outputs_over_time(op: TranslatedOp, make: CellMaker, source: int, backwards: bool) -> str:
    """Add the steps of a recurrent op, and return the reference to the outputs of all steps.

    Args:
        op: the op; a sequence is [batch, time, inputs] or, as its options say, [time, batch,
            inputs], and a single step [batch, inputs].
        make: makes the cell.
        source: position of the values.
        backwards: go from the last step to the first.

    Raises:
        CoreError: weights do not fit each other, are no constants, or are not supported.
    """
    name, shape = op.output().name or op.operator.name, op.shape(source)
    if len(shape) not in (2, 3) or shape[-1] is None:
        raise CoreError(f"it takes sequences of a known number of values, got {shape}")
    builder = Builder({}, op.graph.unique)
    spec = LayerSpec(op.operator.name, name, {"return_sequences": True}, "keras3")
    call = GraphCall(builder, spec, (name,), name)
    x: Any = Value(op.input(source), shape)
    is_step, time_first = len(shape) == 2, bool(op.options.get("time_major"))
    if is_step:
        x = expand(call, x, 1)
    elif time_first:
        x = transpose(call, x, (1, 0, 2))
    x = call.ops.reverse(x, axis=(1,)) if backwards else x
    cell = make(op, call, shape[-1])
    states = [filled(call, (call.shape(x)[0], *lengths), x) for lengths in cell.states]
    y: Any = over_time(call, cell, x, None, states)[0]
    y = call.ops.reverse(y, axis=(1,)) if backwards else y
    if is_step:
        y = call.ops.squeeze(y, axis=(1,))
    elif time_first:
        y = transpose(call, y, (1, 0, 2))
    op.graph.extend(builder)
    reference: str = y.reference
    return reference


def lstm_cell(at: LstmInputs) -> CellMaker:
    """Return the maker of an LSTM's cell.

    Without weights of the input gate it is one minus the forget gate. Quantised values are rounded
    where the op has a tensor for them: the output and the cell's state of each step.
    """
    return lambda op, call, inputs: _Lstm(op, call, inputs, at).cell()


class _Lstm:
    """The weights of an LSTM, and its step."""

    def __init__(self, op: TranslatedOp, call: GraphCall, inputs: int, at: LstmInputs):
        self._call, self._op = call, op
        self._gates = _GATES if op.has(at.weights) else _GATES[1:]
        units = op.shape(at.recurrent + 1)[0] or 0
        width = op.shape(at.projection)[0] or 0 if op.has(at.projection) else units
        self._states: list[Lengths] = [(width,), (units,)]
        # LiteRT has no defined results for an LSTM without an activation.
        self._activation = _activation(op, _OP_OF_ACTIVATION)
        self._round = [_rounding(op, call, at.states + i) for i in range(2)]
        self._read(at, inputs, units, width)
        self._check_quantised(at)

    def _read(self, at: LstmInputs, inputs: int, units: int, width: int) -> None:
        op, gates = self._op, self._gates
        places = [_GATES.index(gate) for gate in gates]

        def of_gates(first: int, *shape: int) -> dict[str, np.ndarray]:
            found = [_weight(op, first + i, shape) for i in places]
            return dict(zip(gates, found, strict=True))

        biases = [_bias(op, at.biases + i, at.weights + i, units) for i in places]
        self._kernel = self._joined(of_gates(at.weights, units, inputs).values(), "kernel")
        recurrent = of_gates(at.recurrent, units, width).values()
        self._recurrent = self._joined(recurrent, "recurrent_kernel")
        self._norms: dict[str, Value] = {}
        self._biases: dict[str, Value] = {}
        self._bias = None
        if at.norms is not None and op.has(at.norms + 1):
            norms = of_gates(at.norms, units)
            self._norms = {gate: self._constant(norms[gate], f"norm_{gate}") for gate in gates}
            pairs = zip(gates, biases, strict=True)
            self._biases = {gate: self._constant(bias, f"bias_{gate}") for gate, bias in pairs}
        else:
            self._bias = self._constant(np.concatenate(biases), "bias")
        self._peepholes = {
            gate: self._constant(_weight(op, at.peepholes + i, (units,)), f"peephole_{gate}")
            for i, gate in enumerate("ifo")
            if gate in gates and op.has(at.peepholes + 1)
        }
        self._projection: Value | None = None
        self._projection_bias: Value | None = None
        if op.has(at.projection):
            weights = _weight(op, at.projection, (width, units))
            self._projection = self._constant(weights.T, "projection")
        if op.has(at.projection + 1):
            bias = _weight(op, at.projection + 1, (width,))
            self._projection_bias = self._constant(bias, "projection_bias")

    def _check_quantised(self, at: LstmInputs) -> None:
        found = {
            "a projection": self._projection,
            "peepholes": self._peepholes,
            "layer normalisation": self._norms,
        }
        extra = [name for name, value in found.items() if value]
        if extra and parameters_of(self._op.info(0)) is not None:
            raise CoreError(f"{' and '.join(extra)} of quantised values are not supported")

    def _joined(self, weights: Any, name: str) -> Value:
        return self._constant(np.concatenate([*weights]).T, name)

    def _constant(self, array: np.ndarray, name: str) -> Value:
        return self._call.constant(np.ascontiguousarray(array), name)

    def cell(self) -> Cell:
        """Return the cell; its states are the output and the state of the cell."""
        return Cell(self._states, self._project, self._step)

    def _project(self, x: Operand) -> Any:
        return matmul(self._call, x, self._kernel, self._bias)

    def _step(self, x: Operand, states: Sequence[Operand]) -> tuple[Any, list[Any]]:
        call, (before, state) = self._call, states
        sums = call.ops.add(x, matmul(call, before, self._recurrent))
        sums = dict(zip(self._gates, split(call, sums, len(self._gates), -1), strict=True))
        forget = self._gate("f", sums, state)
        enter = self._gate("i", sums, state) if "i" in sums else call.ops.sub(1.0, forget)
        new = self._activation(call, self._normalised("c", sums["c"]))
        state = call.ops.add(call.ops.mul(forget, state), call.ops.mul(enter, new))
        state = self._round[1](self._clipped(state, "cell_clip"))
        leave = self._gate("o", sums, state)
        y = call.ops.mul(leave, self._activation(call, state))
        if self._projection is not None:
            y = matmul(call, y, self._projection, self._projection_bias)
            y = self._clipped(y, "proj_clip")
        y = self._round[0](y)
        return y, [y, state]

    def _gate(self, gate: str, sums: dict[str, Any], state: Operand) -> Any:
        ops, x = self._call.ops, sums[gate]
        if gate in self._peepholes:
            x = ops.add(x, ops.mul(state, self._peepholes[gate]))
        return ops.sigmoid(self._normalised(gate, x))

    def _normalised(self, gate: str, x: Operand) -> Any:
        """Return the sums of a gate with a mean of 0 and a variance of 1, scaled and shifted."""
        if gate not in self._norms:
            return x
        call, ops = self._call, self._call.ops
        centred = ops.sub(x, reduce(call, "mean", x, [-1], keep=True))
        variance = reduce(call, "mean", ops.square(centred), [-1], keep=True)
        normal = ops.mul(centred, ops.rsqrt(ops.add(variance, _NORM_EPSILON)))
        return ops.add(ops.mul(normal, self._norms[gate]), self._biases[gate])

    def _clipped(self, x: Operand, option: str) -> Any:
        most = self._op.options[option]
        if not most > 0:
            return x
        return self._call.ops.clip_by_value(x, clip_value_min=-most, clip_value_max=most)


def rnn_cell(weights: int) -> CellMaker:
    """Return the maker of a simple cell, whose output is its state.

    Args:
        weights: position of the weights, behind which are the recurrent ones, bias and state.
    """

    def make(op: TranslatedOp, call: GraphCall, inputs: int) -> Cell:
        units = op.shape(weights)[0] or 0
        kernel = call.constant(_weight(op, weights, (units, inputs)).T, "kernel")
        recurrent = call.constant(_weight(op, weights + 1, (units, units)).T, "recurrent_kernel")
        bias = call.constant(_weight(op, weights + 2, (units,)), "bias")
        _check_state(op, weights + 3)
        activation = _activation(op, _OP_OF_ACTIVATION | {"": ""})

        def step(x: Operand, states: Sequence[Operand]) -> tuple[Any, list[Any]]:
            y = activation(call, call.ops.add(x, matmul(call, states[0], recurrent)))
            return y, [y]

        return Cell([(units,)], lambda x: matmul(call, x, kernel, bias), step)

    return make


def _weight(op: TranslatedOp, index: int, shape: Sequence[int]) -> np.ndarray:
    """Return the values of a constant of some shape."""
    if op.shape(index) != tuple(shape):
        raise CoreError(f"its input {index} must have shape {tuple(shape)}, not {op.shape(index)}")
    return op.constant(index)


def _bias(op: TranslatedOp, index: int, weights: int, units: int) -> np.ndarray:
    """Return a bias, whose scale among quantised values is that of the products it is added to."""
    if op.shape(index) != (units,):
        raise CoreError(f"its input {index} must have shape {(units,)}, not {op.shape(index)}")
    return op.graph.constant(op.tensor(index), op.bias_parameters(index, 0, weights))


def _check_state(op: TranslatedOp, index: int) -> None:
    if not op.info(index).is_variable:
        raise CoreError(f"its state {op.info(index).name!r:.80} must be a variable tensor")


def _rounding(op: TranslatedOp, call: GraphCall, index: int) -> Callable[[Operand], Any]:
    """Return the rounding of a state to its quantised values, if it has some."""
    _check_state(op, index)
    quantization = single_quantization(op.info(index))
    if quantization is None:
        return lambda x: x
    scale, zero_point, (low, high) = *quantization[:2], quantization.limits
    return lambda x: call.ops.quantise_round(
        x, scale=scale, zero_point=zero_point, low=low, high=high, nudge=False
    )


def _activation(op: TranslatedOp, known: Mapping[str, str]) -> Callable[[GraphCall, Operand], Any]:
    """Return the activation of the cell, one of those known."""
    name = choice(ACTIVATIONS, op.options["cell_activation"], "the activation")
    if name not in known:
        raise CoreError(f"the activation {name or 'NONE'} of this op is not supported")
    return lambda call, x: getattr(call.ops, known[name])(x) if name else x
