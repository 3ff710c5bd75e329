"""Recurrent ops: LSTM and simple cells over the steps of a sequence, one way or both ways.

LiteRT keeps their states from one run to the next, until its user resets them. Here each run begins
with zeros, as a new interpreter of LiteRT does: a run is one sequence, as in Keras, whose converter
writes these ops for layers that are not stateful.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.converter.tflite.recurrent_cells import LstmInputs, lstm_cell, outputs_over_time, rnn_cell
from core.converter.tflite.translated_op import TranslatedOp
from core.converter.tflite.translation import Rule
from core.errors import CoreError

if TYPE_CHECKING:
    from core.converter.tflite.recurrent_cells import CellMaker

#: The further input of ops that go both ways, behind which are weights for it.
_LSTM_FURTHER, _RNN_FURTHER = 39, 9


def _lstm(op: TranslatedOp) -> str:
    if op.options.get("diagonal_recurrent") or op.options.get("kernel_type"):
        raise CoreError("recurrent weights that are diagonal, or joined with others, are refused")
    return _over_time(op, lstm_cell(LstmInputs()))


def _rnn(op: TranslatedOp) -> str:
    return _over_time(op, rnn_cell(1))


def _lstm_both_ways(op: TranslatedOp) -> Sequence[str]:
    ahead = lstm_cell(LstmInputs(states=35, norms=None))
    back = lstm_cell(LstmInputs(18, 22, 26, 29, 33, states=37, norms=None))
    _refuse_weights(op, _LSTM_FURTHER + 1)
    source = _LSTM_FURTHER if op.has(_LSTM_FURTHER) else 0  # that of the way back
    return _both_ways(op, ahead, back, source)


def _rnn_both_ways(op: TranslatedOp) -> Sequence[str]:
    # LiteRT does not read the further input of this op unless there are weights for it.
    _refuse_weights(op, _RNN_FURTHER + 1)
    return _both_ways(op, rnn_cell(1), rnn_cell(5))


def _refuse_weights(op: TranslatedOp, first: int) -> None:
    if any(op.has(i) for i in range(first, len(op.operator.inputs))):
        raise CoreError(f"weights for its further input {first - 1} are not supported")


def _both_ways(
    op: TranslatedOp, ahead: "CellMaker", back: "CellMaker", source: int = 0
) -> Sequence[str]:
    """Return the outputs ahead and back, or one that joins them."""
    made = [_over_time(op, ahead), _over_time(op, back, source, backwards=True)]
    if not op.options["merge_outputs"]:
        return made
    return [op.node("ConcatV2", *made, op.integers(2), N=2)]


def _over_time(
    op: TranslatedOp, make: "CellMaker", source: int = 0, backwards: bool = False
) -> str:
    return outputs_over_time(op, make, source, backwards)


RULES = {
    "BIDIRECTIONAL_SEQUENCE_LSTM": Rule(_lstm_both_ways),
    "BIDIRECTIONAL_SEQUENCE_RNN": Rule(_rnn_both_ways),
    "LSTM": Rule(_lstm),
    "RNN": Rule(_rnn),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Rule(_lstm),
    "UNIDIRECTIONAL_SEQUENCE_RNN": Rule(_rnn),
}
