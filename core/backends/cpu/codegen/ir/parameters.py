"""Parameters: arguments that vary from call to call, such as the sizes of an image.

They stand where the pointers of other kernels stand, as values of 64 bits, in their order.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # callers of compiled kernels write no text
    from core.backends.cpu.codegen.ir.kernel_text import KernelText, Name

#: The types of parameters by their names, in order: one of the constants below.
Parameters = Mapping[str, str]

#: An array, by the address of its first value; an integer; a float.
ARRAY, WHOLE, NUMBER = "ptr", "i64", "double"


_BYTES = 8  # of a parameter


def read_parameters(k: "KernelText", parameters: Parameters) -> "dict[str, Name]":
    """Return all parameters of a kernel, by name."""
    return {
        name: k.let(f"load {type}, ptr {k.at('%args', _BYTES * i)}, !invariant.load !0")
        for i, (name, type) in enumerate(parameters.items())
    }


def packed_parameters(
    parameters: Parameters, values: Mapping[str, "np.ndarray | int | float"]
) -> np.ndarray:
    """Return parameters as values of 64 bits, int64 [parameters]. Arrays must outlive the call.

    >>> packed_parameters({"rows": WHOLE, "share": NUMBER}, {"rows": 3, "share": 0.0}).tolist()
    [3, 0]
    """
    packed = np.empty(len(parameters), np.int64)
    numbers = packed.view(np.float64)
    for i, (name, type) in enumerate(parameters.items()):
        value = values[name]
        if isinstance(value, np.ndarray):
            packed[i] = value.ctypes.data
        elif type == NUMBER:
            numbers[i] = value
        else:
            packed[i] = value
    return packed
