"""Loss curves of five small models, beside those that Keras recorded."""

import json
from pathlib import Path

import numpy as np
import pytest

import core
from tests.core.models.curve_models import MODELS, STEPS, curve

RECORDED = json.loads(Path(__file__).with_name("keras_curves.json").read_text())["curves"]


@pytest.mark.parametrize("name", MODELS)
def test_curve_is_that_of_keras(name):
    found, expected = np.array(curve(core, name)), np.array(RECORDED[name])
    assert len(found) == len(expected) == STEPS
    assert expected[-20:].mean() < 0.8 * expected[:20].mean()
    np.testing.assert_allclose(found, expected, rtol=0.01, atol=0.01 * float(expected.mean()) / 10)
