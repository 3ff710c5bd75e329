"""Checks of the arguments of optimizers: numbers, and gradients with their variables."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from core.dispatch import tensor
from core.errors import CoreError
from core.gradients import VariableGrads
from core.tensors import Tensor
from core.variables import Variable

_LARGEST = 3e38  # of float32, about


def number(value: Any, name: str, least: float = -_LARGEST, most: float = _LARGEST) -> float:
    """Return a finite number in the range of float32; raise CoreError outside of its limits.

    >>> number(1, "momentum")
    1.0
    """
    try:
        found = float("nan") if isinstance(value, (bool, str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if isfinite(found) and least <= found <= most:
        return found
    limits = f" from {least:g}" if least > -_LARGEST else ""
    limits += f" to {most:g}" if most < _LARGEST else ""
    raise CoreError(f"{name}={value!r:.80} must be a finite number{limits}")


def fitting_pairs(gradients: Any, seen: Mapping[str, Variable]) -> list[tuple[Variable, Tensor]]:
    """Return variables and their gradients as tensors, without None; raise if one does not fit.

    Args:
        gradients: as for `core.optimizers.Optimizer.apply_gradients`.
        seen: variables by the names that a dict may use.
    """
    pairs: dict[str, tuple[Variable, Tensor]] = {}
    for gradient, variable in _pairs(gradients, seen):
        if not isinstance(variable, Variable):
            raise CoreError(f"pairs are (gradient, variable): {variable!r:.80} is not a variable")
        if gradient is None:
            continue
        if variable.name in pairs:
            raise CoreError(f"two gradients are given for the variable {variable.name!r}: give one")
        pairs[variable.name] = variable, _fitting(gradient, variable)
    return list(pairs.values())


def _pairs(gradients: Any, seen: Mapping[str, Variable]) -> Iterable[tuple[Any, Any]]:
    if isinstance(gradients, Mapping):
        given = getattr(gradients, "variables", {})
        return [(g, _named(n, given.get(n, seen.get(n)))) for n, g in gradients.items()]
    is_iterable = isinstance(gradients, Iterable) and not isinstance(gradients, Tensor)
    pairs: list[Any] = list(gradients) if is_iterable else [None]
    if isinstance(gradients, VariableGrads) or not all(map(_is_pair, pairs)):
        raise CoreError(
            "gradients must be the `grads` of compute_gradients, or pairs of a gradient and its "
            "variable"
        )
    return pairs


def _named(name: str, variable: Variable | None) -> Variable:
    if variable is None:
        raise CoreError(
            f"the variable {name!r} is unknown to the optimizer: give pairs of a gradient and its "
            f"variable"
        )
    return variable


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _fitting(gradient: Any, variable: Variable) -> Tensor:
    """Return a gradient as a tensor; raise CoreError unless it fits the variable."""
    found = gradient if type(gradient) is Tensor else tensor(gradient)
    spec = variable.spec
    if found.is_disposed or variable.is_disposed:
        what = "variable" if variable.is_disposed else "gradient of variable"
        raise CoreError(f"the {what} {variable.name!r} was disposed")
    if spec.dtype != "float32":
        raise CoreError(
            f"variable {variable.name!r} is {spec.dtype}: only float32 variables can be trained"
        )
    if found.spec != spec:
        raise CoreError(
            f"variable {variable.name!r} is {spec.dtype} {spec.shape}, its gradient is "
            f"{found.dtype} {found.shape}"
        )
    return found
