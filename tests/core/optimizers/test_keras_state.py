"""State in the orders of Keras 3 and tf.keras: names, shapes, training that goes on."""

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.optimizers import layout_of
from tests.core.optimizers.test_keras_numbers import CASES, gradients, label, made, variables

GOLDEN = json.loads(Path(__file__).with_name("keras2_optimizers.json").read_text())


def arrays_of(case):
    """The state of a case as arrays."""
    return [
        np.array(s["values"], np.int64 if s["name"].endswith(("iter:0", "iteration:0")) else "f4")
        .reshape(s["shape"])
        for s in case["state"]
    ]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=label)
def test_keras_3_lists_its_variables_in_this_order(case):
    found = made(case).variable_list(variables())
    expected = [s["name"] for s in case["state"]]
    assert [a.shape for _, a in found] == [tuple(s["shape"]) for s in case["state"]]
    if case["class_name"] == "Adafactor":  # Keras gives rows and columns names of the variables
        return
    if case["class_name"] == "Nadam":  # and the product of shares the name "variable"
        assert found.pop()[0] == "nadam/u_product" and expected.pop().endswith("variable")
    assert [name for name, _ in found] == expected


def from_tf_keras():
    return [
        pytest.param(case, layout, id=f"{layout}-{label(case)}")
        for layout, cases in (("keras2", "cases"), ("keras2_legacy", "old_cases"))
        for case in GOLDEN[cases]
    ]


@pytest.mark.parametrize("case, layout", from_tf_keras())
def test_training_goes_on_from_the_state_of_tf_keras(case, layout):
    optimizer, several = made(case), variables()
    for variable, value in zip(several, case["values"]["3"], strict=True):
        variable.assign(np.float32(value).reshape(variable.shape))
    names = [s["name"] for s in case["state"]]
    assert layout_of(names) == layout
    assert [n for n, _ in optimizer.variable_list(several, layout)] == names
    optimizer.set_variable_list(several, arrays_of(case), layout)
    assert optimizer.iterations == 3
    for (_, array), saved in zip(
        optimizer.variable_list(several, layout), arrays_of(case), strict=True
    ):
        if optimizer.formula != "sgd":  # whose momentum tf.keras computes for nothing
            np.testing.assert_array_equal(array, saved)
    if layout == "keras2_legacy" and case["class_name"] == "Nadam":
        return  # its formula is another one
    for step, given in enumerate(gradients(), 1):
        if step <= 3:
            continue
        optimizer.apply_gradients(zip(given, several, strict=True))
        for variable, expected in zip(several, case["values"].get(str(step), []), strict=False):
            np.testing.assert_allclose(np.ravel(variable.numpy()), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_list_restores_the_optimizer_exactly(case):
    first, several = made(case), variables()
    for given in gradients()[:5]:
        first.apply_gradients(zip(given, several, strict=True))
    other, copies = made(case), [core.variable(v.numpy(), name=v.name) for v in several]
    other.set_variable_list(copies, [array for _, array in first.variable_list(several)])
    for given in gradients()[5:9]:
        first.apply_gradients(zip(given, several, strict=True))
        other.apply_gradients(zip(given, copies, strict=True))
    for one, two in zip(several, copies, strict=True):
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_a_compiled_step_sees_the_restored_state():
    w = core.variable([1.0, 2.0], name="w")
    optimizer = core.optimizers.SGD(1.0, momentum=0.5)

    @core.compile
    def step(g):
        optimizer.apply_gradients([(g, w)])

    step(core.tensor([1.0, 1.0]))
    lists = [array for _, array in optimizer.variable_list([w])]
    step(core.tensor([1.0, 1.0]))
    after, _ = w.numpy(), w.assign([0.0, 1.0])
    optimizer.set_variable_list([w], lists)
    step(core.tensor([1.0, 1.0]))
    np.testing.assert_array_equal(w.numpy(), after)


@pytest.mark.parametrize(
    "change, message",
    [
        (
            lambda a: a[:-1],
            "Adam has 4 arrays of state for 1 variables in the layout keras3, got 3",
        ),
        (lambda a: [*a[:-1], np.zeros(3)], r"'adam/w_velocity' has the shape \(2,\), .* \(3,\)"),
        (lambda a: [np.float32(1.5), *a[1:]], "adam/iteration=1.5 must be an integer"),
    ],
)
def test_a_list_that_does_not_fit_changes_nothing(change, message):
    w = core.variable([1.0, 2.0], name="w")
    optimizer = core.optimizers.Adam()
    optimizer.apply_gradients([(w.read(), w)])
    before = optimizer.variable_list([w])
    with pytest.raises(core.CoreError, match=message):
        optimizer.set_variable_list([w], change([np.copy(a) for _, a in before]))
    for (_, old), (_, new) in zip(before, optimizer.variable_list([w]), strict=True):
        np.testing.assert_array_equal(old, new)


def test_layouts_that_there_are():
    w = core.variable([1.0, 2.0], name="w")
    with pytest.raises(core.CoreError, match="must be one of keras3, keras2, keras2_legacy"):
        core.optimizers.SGD().variable_list([w], "keras1")
    for optimizer in (core.optimizers.Lion(), core.optimizers.SGD(use_ema=True)):
        with pytest.raises(core.CoreError, match="tf.keras before 2.11 has no (Lion|SGD) with"):
            optimizer.variable_list([w], "keras2_legacy")
