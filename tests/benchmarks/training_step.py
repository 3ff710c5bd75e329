"""A training step of a dense head, 1024 → 100 → 3 at batch 16 with Adam, beside PyTorch eager.

Run: ``python tests/benchmarks/training_step.py [ROUNDS]`` with PyTorch installed. Each round times
20 steps of each side in turn, so that a busy machine slows both alike. Both start from the same
weights and must arrive at the same loss. Prints a table and a line of JSON.
"""

import json
import statistics
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
import torch

import core

STEPS = 20
RNG = np.random.default_rng(0)
X = RNG.standard_normal((16, 1024), np.float32)
CLASSES = RNG.integers(0, 3, 16)
W1 = RNG.standard_normal((1024, 100), np.float32) * np.float32(0.03)
W2 = RNG.standard_normal((100, 3), np.float32) * np.float32(0.1)


def ours() -> Callable[[], float]:
    """One step with `core`; returns the loss."""
    x, labels = core.tensor(X), core.tensor(np.eye(3, dtype=np.float32)[CLASSES])
    w1, b1 = core.variable(W1), core.variable(np.zeros(100, np.float32))
    w2, b2 = core.variable(W2), core.variable(np.zeros(3, np.float32))
    adam = core.optimizers.Adam(0.001)

    def loss() -> core.Tensor:
        logits = core.relu(x @ w1 + b1) @ w2 + b2
        return -core.mean(core.sum(labels * core.log_softmax(logits), axis=1))

    return lambda: adam.minimize(loss, return_cost=True).item()


def theirs(fused: bool) -> Callable[[], float]:
    """One step with PyTorch eager; returns the loss."""
    hidden, output = torch.nn.Linear(1024, 100), torch.nn.Linear(100, 3)
    with torch.no_grad():
        for layer, weights in ((hidden, W1), (output, W2)):
            layer.weight.copy_(torch.from_numpy(weights.T))
            layer.bias.zero_()
    model = torch.nn.Sequential(hidden, torch.nn.ReLU(), output)
    adam = torch.optim.Adam(model.parameters(), lr=0.001, eps=1e-7, fused=fused or None)
    criterion = torch.nn.CrossEntropyLoss()
    x, classes = torch.from_numpy(X), torch.from_numpy(CLASSES)

    def step() -> float:
        adam.zero_grad()
        loss = criterion(model(x), classes)
        loss.backward()
        adam.step()
        return loss.item()

    return step


def measure(steps: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of one step, for each side and round."""
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            started = perf_counter()
            for _ in range(STEPS):
                step()
            found[name].append((perf_counter() - started) / STEPS * 1000)
    return found


def main(rounds: int) -> None:
    """Print medians and our ratio to each form of PyTorch's Adam."""
    peers = {"PyTorch": False, "PyTorch, fused Adam": True}
    steps = {"core": ours(), **{name: theirs(fused) for name, fused in peers.items()}}
    losses = {name: [step() for _ in range(5)] for name, step in steps.items()}
    for name, values in losses.items():
        np.testing.assert_allclose(values, losses["core"], rtol=1e-3, err_msg=name)
    times = measure(steps, rounds)
    medians = {name: round(statistics.median(t), 3) for name, t in times.items()}
    ratios = {
        name: round(
            statistics.median(a / b for a, b in zip(times["core"], times[name], strict=True)), 3
        )
        for name in peers
    }
    for name, median in medians.items():
        print(f"{name:<20} {median:>7.3f} ms  {'' if name == 'core' else ratios[name]}")
    print(json.dumps({"rounds": rounds, "median_ms": medians, "ratio_of_core": ratios}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
