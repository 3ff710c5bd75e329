"""Recurrent ops of networks as converters write them, and in ways that are refused."""

import numpy as np
import pytest

from core.converter.tflite import read_tflite
from tests.core.converter.tflite.fixtures.converted import FOLDER, ran
from tests.core.converter.tflite.fixtures.models import load, lstm_inputs, state
from weights_cache.common.errors import WeightsError


def test_an_lstm_of_floats_is_that_of_litert():
    _, found, expected = ran("lstm")
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-7)


def test_weights_of_8_bits_among_floats():
    """LiteRT rounds what it multiplies them with, which we do not: as with products elsewhere."""
    _, found, expected = ran("lstm_dynamic_range")
    assert 1e-4 < np.abs(found - expected).max() < 0.01 * np.ptp(expected)


def test_quantised_lstm_is_within_one_quantum_of_litert():
    _, found, expected = ran("lstm_int8")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1 / 256)


def test_each_run_begins_with_zeros():
    """As a new interpreter of LiteRT does, which goes on with the last state until it is reset."""
    model, found, _ = ran("lstm")
    (given,) = (v for k, v in load("lstm", FOLDER).items() if k.startswith("in"))
    model.predict(given + 1)
    (again,) = model.predict(given).values()
    assert np.array_equal(again.numpy(), found)


def test_few_steps_are_unrolled_and_many_are_a_loop():
    graph = read_tflite(FOLDER.parent / "recurrent.tflite")
    kinds = [n.type for n in graph.nodes]
    assert kinds.count("StatelessWhile") == 2  # of the outputs "lstm_long" and "long_rnn"
    assert len(graph.functions) == 4


def lstm_of(change):
    """An LSTM with some other inputs or options."""

    def build(writer):
        rng = np.random.default_rng(0)
        x = writer.input("x", (1, 4, 4))
        inputs, options = [x, *lstm_inputs(writer, rng, 1, 3)], {"fusedActivationFunction": 4}
        change(writer, inputs, options)
        output, kind = writer.tensor("y", (1, 4, 3)), "UnidirectionalSequenceLSTM"
        writer.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [output], kind, **options)
        return writer

    return build


def set_input(index, make):
    def change(writer, inputs, options):
        inputs[index] = make(writer)

    return change


def set_option(name, value):
    return lambda writer, inputs, options: options.update({name: value})


@pytest.mark.parametrize(
    "change, message",
    [
        (set_option("fusedActivationFunction", 0), "the activation NONE of this op is not"),
        (set_option("fusedActivationFunction", 9), "the activation 9 is unknown"),
        (set_option("diagonalRecurrentTensors", True), "recurrent weights that are diagonal"),
        (
            set_input(2, lambda w: w.constant(np.ones((3, 5)), "FLOAT32")),
            r"its input 2 must have shape \(3, 4\), not \(3, 5\)",
        ),
        (
            set_input(13, lambda w: w.constant(np.ones(4), "FLOAT32")),
            r"its input 13 must have shape \(3,\), not \(4,\)",
        ),
        (set_input(2, lambda w: w.input("weights", (3, 4))), "'weights' must be a constant"),
        (set_input(6, lambda _: -1), "input 6 is missing"),
        (set_input(18, lambda w: w.tensor("h", (1, 3))), "its state 'h' must be a variable tensor"),
    ],
)
def test_an_lstm_that_makes_no_sense_is_refused(change, message, writer, read):
    with pytest.raises(WeightsError, match=message):
        read(lstm_of(change)(writer))


def test_parts_of_a_quantised_lstm_that_are_not_supported_are_named(writer, read):
    x = writer.input("x", (1, 4, 4), "INT8", (0.02, 0))
    rng = np.random.default_rng(0)
    inputs = lstm_inputs(writer, rng, 1, 3, parts=("peepholes", "norms"))
    output, how = writer.tensor("y", (1, 4, 3), "INT8", (0.01, 0)), {"fusedActivationFunction": 4}
    kind = "UnidirectionalSequenceLSTM"
    writer.op("UNIDIRECTIONAL_SEQUENCE_LSTM", [x, *inputs], [output], kind, **how)
    with pytest.raises(WeightsError, match="peepholes and layer normalisation of quantised values"):
        read(writer)


def test_weights_for_the_further_input_are_refused(writer, read):
    x = writer.input("x", (1, 4, 4))
    made = [writer.constant(np.ones(s), "FLOAT32") for s in ((3, 4), (3, 3), (3,))]
    inputs = [x, *made, state(writer, (1, 3)), *made, state(writer, (1, 3)), x, made[0], made[0]]
    outputs = [writer.tensor(name, (1, 4, 3)) for name in ("ahead", "back")]
    kind = "BidirectionalSequenceRNN"
    writer.op("BIDIRECTIONAL_SEQUENCE_RNN", inputs, outputs, kind, fusedActivationFunction=4)
    with pytest.raises(WeightsError, match="weights for its further input 9 are not supported"):
        read(writer)
