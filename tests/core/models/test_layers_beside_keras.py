"""Layers beside recorded values of Keras: results, gradients, and weights after training steps."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import core
from tests.core.models.keras_layers import (
    OPTIMIZERS,
    STEPS,
    listed,
    projections,
    start,
    target_of,
    unpacked,
)
from tests.core.models.layer_cases import CASES, classes_in, models_of, values_of
from tests.core.models.test_names_beside_keras import NOT_IN_KERAS
from tests.core.models.test_random_layers import RANDOM

#: Largest difference, as a share of the range of the numbers that Keras gave.
TOLERANCE = 1e-4

#: Cases whose compiled steps are compared with those that run op by op.
COMPILED = (
    "Conv2D: regularized",
    "BatchNormalization: images",
    "Embedding: masked",
    "LSTM: masked sequence",
    "MultiHeadAttention: options",
    "Bidirectional: masked",
    "PReLU: shared",
)


@cache
def recorded():
    """What Keras gave for each case."""
    return json.loads(Path(__file__).with_name("keras_layers.json").read_text())["cases"]


def compare(found, expected, what):
    """Each array is equal to 1e-4 of the range of its numbers, or of 1 if that is smaller."""
    assert len(found) == len(expected), what
    for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert mine.shape == theirs.shape, f"{what} {i}"
        span = max(1e-2, float(np.ptp(theirs)) if theirs.size > 1 else abs(float(theirs.sum())))
        worst = float(np.abs(mine - theirs).max(initial=0)) / span
        assert worst <= TOLERANCE, f"{what} {i} of shape {mine.shape} differs by {worst:.1e}"


def test_every_class_has_a_case():
    classes = {getattr(core.layers, name).__name__ for name in core.layers.class_names().values()}
    covered = {name for case in CASES.values() for name in classes_in(case)}
    # Of texts: tests/core/converter/layer_files_oracle.
    covered |= {"StringLookup", "TextVectorization"}
    assert classes - covered - set(RANDOM) == set(NOT_IN_KERAS) - set(RANDOM)
    assert set(recorded()) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name):
    case, expected = CASES[name], recorded()[name]
    model, _ = models_of(core, case)
    assert len(model.weights) == expected["weights"]
    start(model)
    inputs = [values_of(data, i) for i, data in enumerate(case.inputs)]
    compare(arrays(model(given(inputs))), unpacked(expected["output"]), "result")
    fed = [core.variable(x) if x.dtype == np.float32 else core.tensor(x) for x in inputs]
    seen = []

    def total():
        read = [x.read() if isinstance(x, core.Variable) else x for x in fed]
        seen[:] = outputs = listed(model(given(read), training=True))
        pairs = zip(projections(outputs), outputs, strict=True)
        return sum(core.sum(o * p) for p, o in pairs)

    sources = [*model.trainable_variables, *(x for x in fed if isinstance(x, core.Variable))]
    gradients = {}
    if sources and case.differentiable:
        gradients = core.variable_grads(total, sources).grads
    else:
        total()
    compare(arrays(seen), unpacked(expected["training"]), "result in training")
    if case.differentiable:
        found = [gradients.get(v.name) for v in sources]
        found = [
            np.zeros(v.shape) if g is None else g.numpy()
            for g, v in zip(found, sources, strict=True)
        ]
        compare(found, unpacked(expected["gradients"]), "gradient")


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", CASES)
def test_three_steps(name):
    case, expected = CASES[name], recorded()[name]
    _, model = models_of(core, case)
    inputs = [values_of(data, i) for i, data in enumerate(case.inputs)]
    for optimizer, config in OPTIMIZERS.items():
        start(model)
        model.compile(getattr(core.optimizers, optimizer)(**config), "mse", run_eagerly=True)
        target = target_of(model, inputs)
        losses = [model.train_on_batch(given(inputs), target) for _ in range(STEPS)]
        weights = unpacked(expected[optimizer])
        compare(
            [np.array(losses), *model.get_weights()], weights, f"{optimizer}: losses and weights"
        )


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_steps(name):
    case, expected = CASES[name], recorded()[name]
    _, model = models_of(core, case)
    inputs = [values_of(data, i) for i, data in enumerate(case.inputs)]
    start(model)
    model.compile(core.optimizers.Adam(**OPTIMIZERS["Adam"]), "mse")
    losses = [model.train_on_batch(given(inputs), target_of(model, inputs)) for _ in range(STEPS)]
    compare([np.array(losses), *model.get_weights()], unpacked(expected["Adam"]), "losses, weights")


def given(inputs):
    return inputs[0] if len(inputs) == 1 else inputs


def arrays(tensors):
    return [x.numpy() for x in listed(tensors)]
