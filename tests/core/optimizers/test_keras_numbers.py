"""Keras 3's numbers: values after each step, averages, schedules, in place, by ops and compiled."""

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.optimizers import schedules
from core.optimizers.formulas import FORMULAS
from tests.core.optimizers.test_optimizers import TRAJECTORIES, OpsBackend, optimizer_of

FILE = Path(__file__).with_name("keras3_optimizers.json")
GOLDEN = json.loads(FILE.read_text())
CASES = GOLDEN["cases"]


def label(case):
    options = {**case["arguments"]}
    options.pop("schedule", None)
    kind = case["arguments"].get("schedule", [""])[0]
    return "-".join(
        [case["class_name"], kind, *(f"{name}={value}" for name, value in options.items())]
    )


each_case = pytest.mark.parametrize("case", CASES, ids=label)


def made(case):
    """Our optimizer of a case, from Keras's config."""
    optimizer = core.optimizers.get({"class_name": case["class_name"], "config": case["config"]})
    optimizer.exclude_from_weight_decay(var_names=case["arguments"].get("excluded", []))
    return optimizer


def variables():
    return [core.variable(np.float32(v), name=n) for n, v in GOLDEN["start"].items()]


def gradients():
    return [[np.float32(g) for g in each.values()] for each in GOLDEN["gradients"]]


def check(optimizer, several, case, step_of):
    """Whether the values after all steps are Keras's."""
    for step, given in enumerate(gradients(), 1):
        step_of(optimizer, given, several)
        for variable, expected in zip(several, case["values"].get(str(step), []), strict=False):
            np.testing.assert_allclose(
                np.ravel(variable.numpy()),
                np.float32(expected),
                rtol=1e-6,
                atol=1e-7,
                err_msg=f"{variable.name} after step {step}",
            )


def one_step(optimizer, given, several):
    optimizer.apply_gradients(zip(given, several, strict=True))


@each_case
def test_the_values_are_those_of_keras(case):
    optimizer, several = made(case), variables()
    check(optimizer, several, case, one_step)
    if "final" in case:
        optimizer.finalize_variable_values(several)
        for variable, expected in zip(several, case["final"], strict=True):
            np.testing.assert_allclose(np.ravel(variable.numpy()), expected, rtol=1e-6, atol=1e-7)
    state = optimizer.variable_list(several)
    assert [a.shape for _, a in state] == [tuple(s["shape"]) for s in case["state"]]
    for (name, array), saved in zip(state, case["state"], strict=True):
        expected = saved["values"]
        np.testing.assert_allclose(np.ravel(array), expected, rtol=2e-6, atol=1e-7, err_msg=name)


@each_case
def test_steps_made_of_ops_have_them_too(case, monkeypatch):
    monkeypatch.setitem(core.engine.backends.BACKENDS, "cpu", OpsBackend())
    with core.backend("cpu"):
        check(made(case), variables(), case, one_step)


@each_case
def test_compiled_steps_have_them_too(case):
    optimizer, several = made(case), variables()

    @core.compile
    def step(given):
        optimizer.apply_gradients(zip(given, several, strict=True))
        return several[0] * 1.0

    def call(_, given, __):
        step([core.tensor(g) for g in given])

    check(optimizer, several, case, call)
    assert "a plan" in step.report()


def test_the_cases_cover_every_formula():
    keras = {made(case).formula for case in CASES}
    ours = {optimizer_of(trajectory).formula for trajectory in TRAJECTORIES}
    assert keras | ours == {name for name in FORMULAS if not name.startswith("decayed_")}


@pytest.mark.parametrize("case", GOLDEN["schedules"], ids=lambda c: c["class_name"])
def test_schedules_are_those_of_keras(case):
    schedule = schedules.get(case)
    found = [schedule(step) for step in range(len(case["values"]))]
    np.testing.assert_allclose(found, case["values"], rtol=2e-5, atol=1e-8)
