"""Kernels that make values from shapes and numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Table
from core.backends.shader.kernels.shape import ZEROS
from core.engine.dtypes import to_numpy
from core.engine.registry import kernel
from core.engine.specs import Spec
from core.ops.create import range_steps

#: Largest integer up to which float32 represents all integers.
_MOST_EXACT = 2**24


def constant(name: str, value: Any, dtype: str) -> tuple[str, dict[str, float]]:
    """Return GLSL of a value, and its numbers by name, so that one program serves all numbers.

    >>> constant("border", 1, "float32")
    ('border', {'border': 1.0})
    """
    given = to_numpy(value, dtype).item()
    if dtype == "complex64":
        real, imaginary = f"{name}_real", f"{name}_imaginary"
        return f"vec2({real}, {imaginary})", {real: given.real, imaginary: given.imag}
    if dtype == "bool":
        return f"({name} != 0)", {name: int(given)}
    return name, {name: given}


@kernel("fill", "shader")
def fill(call: KernelBuilder, *, shape: Sequence[int], value: Any, dtype: str | None) -> Dispatch:
    """Return one value everywhere."""
    text, values = constant("given", value, call.to.dtype)
    return call.each(text, values=values)


@kernel("range", "shader")
def number_range(
    call: KernelBuilder, *, start: float, stop: float, step: float, dtype: str
) -> Dispatch:
    """Return start + i * step: computed on the device if that is exact, else uploaded."""
    count, step = range_steps(start, stop, step)
    last = start + max(count - 1, 0) * step
    is_whole = float(start).is_integer() and float(step).is_integer()
    if dtype == "int32" or (is_whole and max(abs(start), abs(last), abs(step)) <= _MOST_EXACT):
        text = "first + o0 * gap"
        values = {"first": int(start), "gap": int(step)}
        return call.map(text if dtype == "int32" else f"float({text})", values=values)
    numbers = (np.arange(count) * step + start).astype(np.float32)
    return call.each("numbers", numbers=Table(numbers))


@kernel("linspace", "shader")
def linspace(call: KernelBuilder, *, start: float, stop: float, num: int) -> Dispatch:
    """Return evenly spaced numbers, computed on the host in float64, which shaders lack."""
    numbers = np.linspace(start, stop, num).astype(np.float32)
    return call.each("numbers", numbers=Table(numbers))


@kernel("diag", "shader")
def diag(call: KernelBuilder, x: Operand) -> Dispatch:
    """Return a square matrix with all values on its diagonal."""
    size = x.spec.size
    square = Spec((size, size), x.dtype)
    text = f"if (o0 == o1) return get_x(o0); return {ZEROS[x.dtype]};"
    return call.map(text, to=square, x=x.reshaped(size)).reshaped(*call.to.shape)


@kernel("one_hot", "shader")
def one_hot(
    call: KernelBuilder, indices: Operand, *, depth: int, on_value: Any, off_value: Any, dtype: str
) -> Dispatch:
    """Return one-hot vectors; indices outside of the range set no value."""
    there, values = constant("there", on_value, dtype)
    elsewhere, others = constant("elsewhere", off_value, dtype)
    flat = indices.reshaped(indices.spec.size)
    rows = Spec((*flat.shape, depth), dtype)
    text = f"get_indices(o0) == o1 ? {there} : {elsewhere}"
    made = call.map(text, to=rows, values={**values, **others}, indices=flat)
    return made.reshaped(*call.to.shape)
