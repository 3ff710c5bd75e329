"""Activations along an axis, against SciPy."""

import numpy as np
import scipy.special

from tests.core.ops.records.case import Case, floats, ints


def _activation_cases() -> list[Case]:
    x, oracles = floats(2, 3, 4), {"softmax": scipy.special.softmax}
    oracles["log_softmax"] = scipy.special.log_softmax
    cases = []
    for name, oracle in oracles.items():

        def along(logits, axis=-1, oracle=oracle):
            return oracle(logits, axis=axis) if logits.size else logits

        for axis in (-1, 2, 0):
            cases.append(Case(name, (x,), along, {"axis": axis}, f"axis {axis}"))
        cases.append(Case(name, (floats(5),), along, {}, "vector"))
        cases.append(Case(name, (ints(2, 3),), along, {}, "int32"))
        for shape in [(2, 0), (0, 2)]:
            cases.append(Case(name, (floats(*shape),), along, {}, str(shape)))
    for shape in [(3, 4), (), (0, 2)]:
        inputs = floats(*shape), floats(*shape, domain=(-0.9, 3))
        cases.append(Case("elu_grad", inputs, _elu_grad, {}, str(shape)))
    for a, b in [((3, 1), (4,)), ((), (2, 3))]:
        inputs = floats(*a), floats(*b, domain=(-0.9, 3))
        cases.append(Case("elu_grad", inputs, _elu_grad, {}, f"{a} {b}"))
    for axis, shape in [(-1, (3, 4)), (0, (3, 4)), (0, (5,)), (-1, (0, 2))]:
        inputs = floats(*shape), floats(*shape, domain=(-3, 0))
        label = f"{axis} {shape}"
        cases.append(Case("log_softmax_grad", inputs, _log_softmax_grad, {"axis": axis}, label))
    for shape in [(3, 4), (), (0, 2)]:
        inputs = floats(*shape), floats(*shape)
        cases.append(Case("relu_grad", inputs, lambda dy, y: dy * (y > 0), {}, str(shape)))
    return cases


def _log_softmax_grad(dy, y, axis):
    return dy - np.exp(y) * np.sum(dy, axis=axis, keepdims=True)


def _elu_grad(dy, y):
    return dy * np.where(y < 0, y + 1, 1)


CASES = _activation_cases()
