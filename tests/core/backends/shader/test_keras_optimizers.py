"""Keras's optimizers on the shader backend: the values of Keras, op by op and compiled."""

import numpy as np
import pytest

import core
from tests.core.optimizers.test_keras_numbers import CASES, gradients, label, made, variables

#: One case of each optimizer: the last, which has the most options.
SOME = {case["class_name"]: case for case in CASES}.values()


@pytest.mark.parametrize("compiled", [False, True], ids=["op by op", "compiled"])
@pytest.mark.parametrize("case", SOME, ids=label)
def test_the_values_are_those_of_keras(case, compiled, opengl):
    with core.backend("shader"):
        optimizer, several = made(case), variables()

        def step(given):
            optimizer.apply_gradients(zip(given, several, strict=True))

        call = core.compile(step) if compiled else step
        for number, given in enumerate(gradients(), 1):
            call([core.tensor(g) for g in given])
            for variable, expected in zip(
                several, case["values"].get(str(number), []), strict=False
            ):
                np.testing.assert_allclose(
                    np.ravel(variable.numpy()),
                    np.float32(expected),
                    rtol=2e-5,
                    atol=2e-6,
                    err_msg=f"{variable.name} after step {number}",
                )
        assert {v.container.backend.name for v in several} == {"shader"}
