"""LiteRT, by its reference kernels: plain integer arithmetic, as the file format defines it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.helpers import require


class Ran(NamedTuple):
    """One op as it ran: its type, and its tensors by their indices in the file."""

    type: str
    inputs: list[int]
    outputs: list[int]


class Reference:
    """A model file on LiteRT's reference kernels.

    Args:
        path: of the file.
        keep_all: keep the tensors between ops, too.
        kernels: the name of LiteRT's choice of kernels.
    """

    def __init__(self, path: Path, keep_all: bool = False, kernels: str = "BUILTIN_REF"):
        litert: Any = require("ai_edge_litert.interpreter")
        self.interpreter = litert.Interpreter(
            str(path),
            experimental_op_resolver_type=litert.OpResolverType[kernels],
            experimental_preserve_all_tensors=keep_all,
        )
        self.interpreter.allocate_tensors()
        self.details: Mapping[int, Mapping[str, Any]] = {
            d["index"]: d for d in self.interpreter.get_tensor_details()
        }

    def run(self, given: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs by name for the only input."""
        (taken,) = self.interpreter.get_input_details()
        self.interpreter.set_tensor(taken["index"], given)
        self.interpreter.invoke()
        return {d["name"]: self.real(d["index"]) for d in self.interpreter.get_output_details()}

    def ops(self) -> list[Ran]:
        """The ops in their order."""
        return [
            Ran(
                op["op_name"],
                *([int(i) for i in op[key] if i >= 0] for key in ("inputs", "outputs")),
            )
            for op in self.interpreter._get_ops_details()
            if op["op_name"] != "DELEGATE"
        ]

    def scale(self, index: int) -> tuple[float, int] | None:
        """Scale and zero point of a tensor that is quantised as a whole."""
        scale, zero_point = self.details[index]["quantization"]
        return (scale, zero_point) if scale else None

    def real(self, index: int) -> np.ndarray:
        """The values of a tensor, dequantised."""
        array, quanta = self.interpreter.get_tensor(index), self.scale(index)
        if quanta is None or array.dtype == np.float32:
            return array
        return (array.astype(np.float32) - quanta[1]) * np.float32(quanta[0])
