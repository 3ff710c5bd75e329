"""Errors of TensorFlow's kernels, as those of the engine."""

from math import inf, nan

import numpy as np
import pytest

import core
from core.backends.tf.errors import kernels_message


@pytest.fixture(autouse=True)
def _on_tf():
    with core.backend("tf"):
        yield


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1.0, nan], "is nan"),
        ([inf, 1.0], "is inf"),
        ([-inf], "is -inf"),
        ([inf, nan], "has inf and nan"),
        ([inf, nan, -inf], "has -inf and inf and nan"),
    ],
)
def test_values_that_are_not_finite(values, found):
    with pytest.raises(core.NotFiniteError, match=f"^the : loss {found}$") as caught:
        core.check_numerics(values, message="the : loss")
    assert caught.value.op == "check_numerics"
    assert "core.check_numerics(values" in caught.value.line


def test_values_that_are_not_finite_in_a_compiled_function():
    doubled = core.compile(lambda x: core.check_numerics(x, message="the loss") * 2.0)
    assert doubled(core.tensor([1.0, 2.0])).tolist() == [2, 4]
    with pytest.raises(core.NotFiniteError, match="^the loss is inf$") as caught:
        doubled(core.tensor([1.0, inf]))
    assert "doubled(core.tensor" in caught.value.line


def test_a_kernels_error_has_its_message_alone():
    """The words of TensorFlow, without where in its code the kernel ran."""
    with pytest.raises(core.CoreError, match=r"^num_lower must be .* got: 5$"):
        core.band_part(np.ones((2, 2)), 5, 0)


def test_errors_of_graphs_with_several_causes():
    first = "2 root error(s) found.\n  (0) INVALID_ARGUMENT:  first\n\t [[{{node b}}]]\n\t [[c/_3]]"
    shown = f"Graph execution error:\n\nDetected at node b\n\n{first}\n  (1) INTERNAL:  second"
    assert kernels_message(shown) == "first"
