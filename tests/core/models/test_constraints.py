"""Constraints: weights as Keras projects them, names and documents."""

import numpy as np
import pytest

import core
from core.constraints import NAMED
from tests.core.models.recorded import KERAS

RECORDED = KERAS["constraints"]


@pytest.mark.parametrize("name", RECORDED)
def test_results_are_those_of_keras(name):
    recorded = RECORDED[name]
    made = core.constraints.get(recorded["document"])
    assert made.get_config() == recorded["document"]["config"]
    found = made(core.tensor(recorded["w"]))
    np.testing.assert_allclose(found.numpy(), recorded["result"], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", RECORDED)
def test_projections_of_variables_are_compiled(name):
    made, weight = (
        core.constraints.get(RECORDED[name]["document"]),
        core.variable(RECORDED[name]["w"]),
    )

    @core.compile
    def project(rate):
        weight.assign(made(weight))
        return core.sum(weight) * rate

    project(1.0)
    np.testing.assert_allclose(weight.numpy(), RECORDED[name]["result"], rtol=1e-6, atol=1e-7)


def test_norms_are_in_the_range():
    w = np.random.default_rng(3).normal(size=(5, 7)).astype("float32")
    norms = np.linalg.norm(core.constraints.min_max_norm(1.5, 2.0)(w).numpy(), axis=0)
    assert (norms > 1.4999).all() and (norms < 2.0001).all() and norms.std() > 0.01


@pytest.mark.parametrize(
    "identifier, expected",
    [
        ("MaxNorm", "MaxNorm(max_value=2, axis=0)"),
        ("minMaxNorm", "MinMaxNorm(min_value=0.0, max_value=1.0, rate=1.0, axis=0)"),
        ("non_neg", "NonNeg()"),
        (core.constraints.UnitNorm, "UnitNorm(axis=0)"),
        (
            {"className": "MinMaxNorm", "config": {"minValue": 0.5, "maxValue": 2, "axis": [0, 1]}},
            "MinMaxNorm(min_value=0.5, max_value=2, rate=1.0, axis=[0, 1])",
        ),
    ],
)
def test_get(identifier, expected):
    assert repr(core.constraints.get(identifier)) == expected


def test_get_of_objects_and_functions():
    made = core.constraints.max_norm(1)
    assert core.constraints.get(made) is made
    assert core.constraints.get(core.relu) is core.relu
    assert core.constraints.get(None) is None
    assert core.constraints.non_neg is NAMED.classes["NonNeg"]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda c: c.get("norm"), "there is no constraint 'norm'; the names are max_norm, min_max"),
        (lambda c: c.MaxNorm(-1), "max_value=-1 must be 0 or more"),
        (lambda c: c.MinMaxNorm(2, 1), "min_value=2 must be 0 or more, and max_value=1 not below"),
        (lambda c: c.MinMaxNorm(rate=2), "rate=2 must be from 0 to 1"),
        (lambda c: c.UnitNorm("rows"), "axis='rows' must be an integer or a list of integers"),
        (lambda c: c.UnitNorm([0, 1.5]), "must be an integer or a list of integers"),
        (lambda c: c.Constraint()([1.0]), r"Constraint must define __call__\(w\)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.constraints)
