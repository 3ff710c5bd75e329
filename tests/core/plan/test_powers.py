"""Powers of constants, which are written as products."""

import numpy as np
import pytest

from core.plan.passes import write_powers
from tests.core.plan.harness import node
from tests.core.plan.programs import program_of, same, shown


@pytest.mark.parametrize("exponent", [np.float32(2), np.float32([3]), np.float32([[2]])])
def test_squares_and_cubes_are_products(rng, exponent):
    x = np.concatenate([rng.normal(size=100), [0, -0.0, -7, 1]]).astype(np.float32).reshape(2, -1)
    program = program_of(node("pow", "x", "e"), inputs={"x": x}, e=exponent)
    found = write_powers(program)
    is_cube = exponent.item() == 3
    expected = ["y/square = square x", "y = mul y/square x"] if is_cube else ["y = square x"]
    assert shown(found) == expected and not found.constants
    same(found, program, {"x": x}, 1e-4)


@pytest.mark.parametrize(
    "steps",
    [
        [node("pow", "x", "half")],
        [node("pow", "two", "x")],
        [node("pow", "x", "twos")],
        [node("pow", "x", "wide")],
        [node("pow", "i", "j")],
        [node("square", "x")],
    ],
)
def test_others_stay(rng, steps):
    x = np.abs(rng.normal(size=(3,))).astype(np.float32)
    constants = {
        "half": np.float32(0.5),
        "two": np.float32(2),
        "twos": np.float32([2, 2, 2]),
        "wide": np.float32([[2]]),
        "i": np.int32([1, 2, 3]),
        "j": np.int32(2),
    }
    program = program_of(*steps, inputs={"x": x}, **constants)
    assert shown(write_powers(program)) == shown(program)
