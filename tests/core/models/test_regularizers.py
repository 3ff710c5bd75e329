"""Regularizers: penalties and gradients of Keras, names and documents."""

import numpy as np
import pytest

import core
from core.regularizers import NAMED
from tests.core.models.recorded import KERAS

RECORDED = KERAS["regularizers"]


@pytest.mark.parametrize("name", RECORDED)
def test_penalties_and_gradients_are_those_of_keras(name):
    recorded = RECORDED[name]
    made, x = core.regularizers.get(recorded["document"]), core.tensor(recorded["x"])
    assert made.get_config() == pytest.approx(recorded["document"]["config"])
    assert made(x).shape == ()
    assert made(x).item() == pytest.approx(recorded["penalty"], rel=1e-6)
    gradient = core.grad(made)(x).numpy()
    np.testing.assert_allclose(gradient, recorded["gradient"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", RECORDED)
def test_penalties_are_compiled(name):
    made, x = core.regularizers.get(RECORDED[name]["document"]), RECORDED[name]["x"]
    weight = core.variable(x)
    step = core.compile(lambda scale: made(weight) * scale)
    assert step(2.0).item() == pytest.approx(2 * RECORDED[name]["penalty"], rel=1e-6)


def test_no_factor_is_no_penalty():
    assert core.regularizers.L1L2()([1.0, 2.0]).item() == 0.0


@pytest.mark.parametrize(
    "identifier, expected",
    [
        ("l1", "L1(l1=0.01)"),
        ("L2", "L2(l2=0.01)"),
        ("l1_l2", "L1L2(l1=0.01, l2=0.01)"),
        ("l1l2", "L1L2(l1=0.01, l2=0.01)"),
        ("orthogonal_regularizer", "OrthogonalRegularizer(factor=0.01, mode='rows')"),
        (core.regularizers.L1L2, "L1L2(l1=0.0, l2=0.0)"),
        ({"className": "L1L2", "config": {"l1": 0.5, "l2": None}}, "L1L2(l1=0.5, l2=0.0)"),
        ({"class_name": "L1L2", "config": {"l1": 0, "l2": 0}}, "L1L2(l1=0.0, l2=0.0)"),
    ],
)
def test_get(identifier, expected):
    assert repr(core.regularizers.get(identifier)) == expected


def test_get_of_objects_and_functions():
    made = core.regularizers.l2(0.1)
    assert core.regularizers.get(made) is made
    assert core.regularizers.get(core.sum) is core.sum
    assert core.regularizers.get(None) is None
    assert core.regularizers.l1 is NAMED.classes["L1"]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda r: r.get("l3"), "there is no regularizer 'l3'; the names are l1, l1l2, l2, ortho"),
        (lambda r: r.L1(-1), "l1=-1 must be a finite number, 0 or more"),
        (lambda r: r.L2(float("inf")), "l2=inf must be a finite number"),
        (lambda r: r.L2("0.1"), "l2='0.1' must be a finite number"),
        (lambda r: r.OrthogonalRegularizer(mode="x"), "mode must be 'rows' or 'columns', got 'x'"),
        (lambda r: r.OrthogonalRegularizer()([1.0]), r"two rows or more, got the shape \(1,\)"),
        (lambda r: r.OrthogonalRegularizer()([[1.0]]), r"two rows or more, got the shape \(1, 1\)"),
        (lambda r: r.Regularizer()([1.0]), r"Regularizer must define __call__\(x\)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.regularizers)
