"""Networks of many layers compute and train as in Keras 3."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import core
from tests.core.models.composites import NETWORKS, batch_of, model_of
from tests.core.models.keras_composites import RATE, STEPS, single, targets_of
from tests.core.models.keras_layers import listed, start, unpacked

#: The largest difference to Keras, as a share of the range of an output.
TOLERANCE = 1e-4


@cache
def recorded() -> dict:
    """What Keras gave for each network."""
    return json.loads(Path(__file__).with_name("keras_composites.json").read_text())["networks"]


def compare(found: list[core.Tensor], expected: list[np.ndarray]) -> None:
    assert len(found) == len(expected)
    for mine, right in zip(found, expected, strict=True):
        limit = TOLERANCE * max(1e-2, float(np.ptp(right)))
        np.testing.assert_allclose(mine.numpy(), right, rtol=0, atol=limit)


@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_and_three_steps(name):
    model = model_of(core, name)
    start(model)
    inputs = single(batch_of(name))
    before = listed(model(inputs))
    compare(before, unpacked(recorded()[name]["before"]))
    targets = targets_of([y.numpy() for y in before])
    losses = ["mse"] * len(targets)
    model.compile(core.optimizers.SGD(RATE), loss=losses)
    for _ in range(STEPS):
        model.train_on_batch(inputs, single(targets))
    compare(listed(model(inputs)), unpacked(recorded()[name]["after"]))
