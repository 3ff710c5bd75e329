"""Kernels by their TensorFlow.js names, for programs ported from TensorFlow.js."""

from collections.abc import Mapping
from typing import Any

from core.errors import CoreError, KernelNotFound
from core.registry import KERNEL_NAMES
from core.tensors import Tensor


def run_kernel(
    name: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any] | None = None
) -> list[Tensor]:
    """Run one kernel by its TensorFlow.js name, as ``engine().runKernel`` does there.

    Args:
        name: such as ``"Conv2D"`` or ``"_FusedMatMul"``.
        inputs: TensorFlow.js's input names → Tensor, array or nested lists; for an input that is
            several tensors a list of them (``{"inputs": [...]}``). Leave out what is absent.
            Arrays are never written to; strings are object arrays of bytes.
        attributes: TensorFlow.js's attribute names → values. Leave out what is undefined, or
            give None.

    Returns:
        The results in TensorFlow.js's order. ``Identity`` and ``Reshape`` share the data of
        their input.

    Raises:
        KernelNotFound: no kernel of that name.
        CoreError: an input or attribute is unknown, missing or does not fit.

    >>> import core
    >>> [y.numpy() for y in core.run_kernel("Sum", {"x": [[1.0, 2.0]]}, {"axis": 1})]
    [array([3.], dtype=float32)]
    """
    op = KERNEL_NAMES.get(name)
    if op is None:
        raise KernelNotFound(f"TensorFlow.js has no kernel {name!r}, or no op here runs it")
    python_names = {js_name: python_name for python_name, js_name in op.js_names.items()}
    named = {}
    for given in (inputs, attributes or {}):
        if not isinstance(given, Mapping):
            raise CoreError(f"kernel {name} takes names with values, not {given!r:.80}")
        for js_name, value in given.items():
            if js_name not in python_names or python_names[js_name] in named:
                raise CoreError(f"kernel {name} takes {list(python_names)} once, got {js_name!r}")
            if value is not None:
                named[python_names[js_name]] = value
    missing = set(op.inputs) - op.optional_inputs - set(named)
    if missing:
        needed = [op.js_names[n] for n in op.inputs if n in missing]
        raise CoreError(f"kernel {name} needs the inputs {needed}")
    outputs = op(**named)
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
