"""Gradients and their variables, as optimizers take them: checked, as pairs."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.autodiff.gradients import VariableGrads
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError


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
        known = {name: given.get(name, seen.get(name)) for name in gradients}
        unknown = [name for name, variable in known.items() if variable is None]
        if unknown:
            raise CoreError(
                f"the variable {unknown[0]!r} is unknown to the optimizer: give pairs of a "
                f"gradient and its variable"
            )
        return [(gradient, known[name]) for name, gradient in gradients.items()]
    is_iterable = isinstance(gradients, Iterable) and not isinstance(gradients, Tensor)
    pairs: list[Any] = list(gradients) if is_iterable else [None]
    are_pairs = all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs)
    if isinstance(gradients, VariableGrads) or not are_pairs:
        raise CoreError(
            "gradients must be the `grads` of compute_gradients, or pairs of a gradient and its "
            "variable"
        )
    return pairs


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
