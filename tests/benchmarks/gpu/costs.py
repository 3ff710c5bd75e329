"""What Python costs: of an eager op, and of a step that a plan has recorded.

Microseconds until the caller goes on, until the driver has all, and until the results are read.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import core
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.plan.plan import Plan
from tests.benchmarks.gpu.ours import wait_until_issued

#: Steps of the plans that are compared: what they differ by is the cost of steps alone.
FEW, MANY = 20, 220


def eager_op(backend: str, count: int, rounds: int) -> dict[str, float]:
    """Of a small add, among some that are queued."""
    with core.backend(backend):
        x = core.tensor(np.ones(16, np.float32))

        def issue() -> core.Tensor:
            y = x
            for _ in range(count):
                y = core.add(x, y)
            return y

        return _per(issue, lambda y: y.numpy(), count, rounds, backend)


def torch_eager_op(count: int, rounds: int) -> dict[str, float]:
    """The same of PyTorch."""
    import torch

    x = torch.ones(16, device="cuda" if torch.cuda.is_available() else "cpu")

    def issue() -> Any:
        y = x
        for _ in range(count):
            y = torch.add(x, y)
        return y

    return _per(issue, lambda y: y.cpu(), count, rounds, "cpu")


def recorded_step(backend: str, rounds: int) -> dict[str, float]:
    """Of a step: what a plan of many takes more than one of few, for each."""
    x = {"x": np.ones((1, 16), np.float32)}
    few, many = (_products(backend, steps) for steps in (FEW, MANY))
    small, large = (
        _per(lambda plan=plan: plan.run(x), _read, 1, rounds, backend) for plan in (few, many)
    )
    more = len(many.steps) - len(few.steps)
    found = {key: round((large[key] - small[key]) / more, 3) for key in small}
    return {**found, "steps": more, "run_us": small["done_us"], "steps_of_run": len(few.steps)}


def _read(results: dict[str, core.Tensor]) -> None:
    for value in results.values():
        value.numpy()


def _products(backend: str, steps: int) -> Plan:
    """A plan of small products, one after the other; nothing can be fused."""
    nodes, at = [Node("x", "Placeholder"), Node("w", "Const")], "x"
    for i in range(steps):
        nodes.append(Node(f"y{i}", "MatMul", (at, "w")))
        at = f"y{i}"
    spec = PartialSpec((1, 16))
    graph = Graph(
        nodes,
        {"w": np.eye(16, dtype=np.float32)},
        {"x": Endpoint("x", spec)},
        {"y": Endpoint(at, spec)},
    )
    with core.backend(backend):
        return GraphModel(graph).plan()


def _per(
    call: Callable[[], Any], read: Callable[[Any], Any], count: int, rounds: int, backend: str
) -> dict[str, float]:
    found: dict[str, list[float]] = {"called_us": [], "issued_us": [], "done_us": []}
    read(call())
    wait_until_issued(backend)
    for _ in range(rounds):
        started = perf_counter()
        result = call()
        found["called_us"].append(perf_counter() - started)
        wait_until_issued(backend)
        found["issued_us"].append(perf_counter() - started)
        read(result)
        found["done_us"].append(perf_counter() - started)
    return {key: round(1e6 * median(times) / count, 3) for key, times in found.items()}
