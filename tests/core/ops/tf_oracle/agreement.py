"""Runs the cases of a comparison here and in TensorFlow, and measures how far apart they are."""

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import core
from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.distance import DisagreementError, largest_error
from tests.core.ops.tf_oracle.gradients import (
    as_array,
    differentiable,
    flat,
    gradients_of_core,
    gradients_of_tensorflow,
)


@dataclass
class Agreement:
    """What came out of all cases of one comparison."""

    comparison: Comparison
    cases: int = 0
    error: float = 0.0  # relative to the largest magnitude of each expected result
    gradient_error: float | None = None
    failures: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        return not self.failures


def agreement_of(comparison: Comparison, cases: int, seed: int) -> Agreement:
    """Run some cases for each dtype."""
    result = Agreement(comparison)
    for dtype in comparison.dtypes:
        for number in range(cases):
            result.cases += 1
            inputs, attributes = _drawn(comparison, dtype, number, seed)
            try:
                _check_values(result, inputs, attributes)
                if comparison.gradient:
                    _check_gradients(result, inputs, attributes, number)
            except Exception as error:  # whatever one of the two raises is a finding
                where = f"{comparison.kernel} {comparison.label} {dtype}"
                result.failures.append(
                    f"{where}, case {number} of seed {seed}\n"
                    f"  inputs {_shown(inputs)}\n  attributes {attributes}\n"
                    f"  {type(error).__name__}: {error}"
                )
    return result


def _drawn(comparison: Comparison, dtype: str, number: int, seed: int) -> tuple[Named, Named]:
    name = zlib.crc32(f"{comparison.kernel}/{comparison.label}/{dtype}".encode())
    return comparison.draw(np.random.default_rng([seed, name, number]), dtype)


def _check_values(result: Agreement, inputs: Named, attributes: Named) -> None:
    comparison = result.comparison
    expected = [as_array(y) for y in comparison.tensorflow(inputs, attributes)]
    ours = [y.numpy() for y in core.run_kernel(comparison.kernel, inputs, attributes)]
    error = largest_error(ours, expected, comparison.tolerance)
    result.error = max(result.error, error)


def _check_gradients(result: Agreement, inputs: Named, attributes: Named, number: int) -> None:
    comparison = result.comparison
    names = differentiable(comparison.kernel, inputs)
    if not names:
        return
    expected = gradients_of_tensorflow(comparison, inputs, attributes, names, number)
    ours = gradients_of_core(comparison, inputs, attributes, names, number)
    try:
        error = largest_error(ours, expected, comparison.gradient_tolerance)
    except DisagreementError as found:
        raise DisagreementError(f"gradients for {names}: {found}") from None
    result.gradient_error = max(result.gradient_error or 0.0, error)


def _shown(inputs: Named) -> str:
    """Shapes and dtypes, and the values where they are few."""

    def one(x: Any) -> str:
        array = np.asarray(x)
        few = f" {array.tolist()}" if array.size <= 12 else ""
        return f"{array.dtype} {array.shape}{few}"

    each = {k: [one(x) for x in flat(v)] for k, v in inputs.items()}
    return ", ".join(f"{k}: {', '.join(v)}" for k, v in each.items())
