"""Logs of `fit` and results of `evaluate` beside those that Keras recorded."""

import json
from pathlib import Path

import pytest

import core
from tests.core.models.fit_runs import RUNS, run

RECORDED = json.loads(Path(__file__).with_name("keras_names.json").read_text())["runs"]


@pytest.mark.parametrize("name", RUNS)
def test_logs_are_those_of_keras(name):
    found, expected = run(core, name), RECORDED[name]
    assert found["epochs"] == expected["epochs"]
    assert set(found["logs"]) == set(expected["logs"])
    for key, values in expected["logs"].items():
        assert found["logs"][key] == pytest.approx(values, abs=1e-4), key
    assert found["evaluated"] == pytest.approx(expected["evaluated"], abs=1e-4)
