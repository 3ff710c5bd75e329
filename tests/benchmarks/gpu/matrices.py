"""Products of square matrices, beside cuBLAS.

Ours is timed twice: a plan of one product by the GPU's clock, and `core.matmul` op by op by the
clock on the wall, from the first call to a value of the last result.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
import torch

import core
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.gpu.measuring import Effort, Turns, measured
from tests.benchmarks.gpu.torch_sides import choose_tf32, has_cuda, seconds_of

OURS, EAGER, CUBLAS = "core plan", "core.matmul", "torch"

#: With TF32 or in half precision cuBLAS rounds, and is no measure of fp32.
PRECISIONS = {CUBLAS: (False, torch.float32), "torch TF32": (True, torch.float32)}
PRECISIONS["torch fp16"] = (False, torch.float16)


class Product:
    """One way to multiply; ``apart`` is its largest error, beside the largest value."""

    def __init__(
        self,
        seconds: Callable[[int], float],
        result: Callable[[], np.ndarray],
        begin: Callable[[], None] = lambda: None,
    ):
        self.gpu_seconds, self.result, self.begin = seconds, result, begin

    def run(self) -> list[np.ndarray]:
        """Nothing: matrices stay where they are."""
        return []


def our_plan(a: np.ndarray, b: np.ndarray, backend: str) -> Product:
    """A graph of one product, of matrices that are on the GPU."""
    nodes = [Node("a", "Placeholder"), Node("b", "Placeholder"), Node("y", "MatMul", ("a", "b"))]
    ends = {n: Endpoint(n, PartialSpec(m.shape)) for n, m in (("a", a), ("b", b), ("y", a))}
    graph = Graph(nodes, {}, {"a": ends["a"], "b": ends["b"]}, {"y": ends["y"]})
    with core.backend(backend):
        values = {"a": core.tensor(a), "b": core.tensor(b)}
        plan = GraphModel(graph).plan(values)
    return Product(
        lambda repeat: plan.gpu_time(values, repeat) / 1e3, lambda: plan.run(values)["y"].numpy()
    )


def our_op(a: np.ndarray, b: np.ndarray, backend: str) -> Product:
    """`core.matmul`, whose results are dropped but for the last."""
    with core.backend(backend):
        left, right = core.tensor(a), core.tensor(b)

    def seconds(repeat: int) -> float:
        with core.backend(backend):
            started = perf_counter()
            for _ in range(repeat):
                product = core.matmul(left, right)
            core.slice(product, (0, 0), (1, 1)).numpy()
        return (perf_counter() - started) / repeat

    def result() -> np.ndarray:
        with core.backend(backend):
            return core.matmul(left, right).numpy()

    return Product(seconds, result)


def theirs(a: np.ndarray, b: np.ndarray, tf32: bool, dtype: torch.dtype) -> Product:
    """PyTorch's product into memory that is there."""
    device = "cuda" if has_cuda() else "cpu"
    left, right = (torch.from_numpy(m).to(device, dtype) for m in (a, b))
    result = torch.empty_like(left)

    def multiply() -> torch.Tensor:
        return torch.matmul(left, right, out=result)

    return Product(
        lambda repeat: seconds_of(multiply, repeat),
        lambda: multiply().float().cpu().numpy(),
        lambda: choose_tf32(tf32),
    )


def compared(size: int, backend: str, effort: Effort) -> dict[str, dict[str, float]]:
    """Of each way milliseconds, GFLOP/s, the part of cuBLAS's fp32, and its error."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), np.float32) for _ in range(2))
    sides = {OURS: our_plan(a, b, backend), EAGER: our_op(a, b, backend)}
    sides |= {name: theirs(a, b, *how) for name, how in PRECISIONS.items()}
    found = measured(sides, effort._replace(calls=1))
    expected = a[:16].astype(np.float64) @ b
    table = {}
    for name, turns in found.items():
        milliseconds = 1e3 * float(np.median(turns.gpu))
        sides[name].begin()
        error = abs(sides[name].result()[:16] - expected).max() / abs(expected).max()
        table[name] = {
            "ms": round(milliseconds, 4),
            "gflops": round(2 * size**3 / milliseconds / 1e6),
            "of_cublas": round(_ratio(found[CUBLAS], turns), 3),
            "apart": float(error),
        }
    return table


def _ratio(base: Turns, other: Turns) -> float:
    return float(np.median([a / b for a, b in zip(base.gpu, other.gpu, strict=True)]))
