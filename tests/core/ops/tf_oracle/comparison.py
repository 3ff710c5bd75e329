"""One kernel beside TensorFlow: how its cases are drawn, and what computes the same there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Named = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """How one kernel is compared.

    Args:
        kernel: TensorFlow.js's name.
        draw: (generator, dtype) → (inputs, attributes) under TensorFlow.js's names, as
            `core.run_kernel` takes them: arrays, lists of arrays for list inputs.
        tensorflow: (inputs, attributes) → what TensorFlow computes, a list of arrays or tensors.
            It must compute on the inputs as they come, since they are TensorFlow tensors where
            gradients are compared.
        dtypes: for which the cases are drawn.
        tolerance: largest error allowed, relative to the largest magnitude of the expected
            result. Whole numbers, bools and strings must be equal.
        label: tells the comparisons of one kernel apart.
        differs: a deliberate difference from TensorFlow that the draw avoids or the function
            corrects for, in one sentence.
        gradient: whether gradients with regard to each float32 or complex64 input that has one
            here are compared with those of TensorFlow's tape too.
        gradient_tolerance: the same as tolerance, for gradients.
    """

    kernel: str
    draw: Callable[[np.random.Generator, str], tuple[Named, Named]]
    tensorflow: Callable[[Named, Named], Sequence[Any]]
    dtypes: tuple[str, ...] = ("float32",)
    tolerance: float = 1e-6
    label: str = ""
    differs: str = ""
    gradient: bool = False
    gradient_tolerance: float = 1e-4
