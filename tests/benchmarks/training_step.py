"""A training step of a dense head, 1024 → 100 → 3 at batch 16 with Adam, beside PyTorch eager.

Run: ``python tests/benchmarks/training_step.py [ROUNDS]`` with PyTorch installed. Each side runs in
a process of its own, since threads of one library that wait by spinning slow the other down. Each
round lets every process in turn time 50 steps, so that a busy machine slows all alike. All start
from the same weights and must arrive at the same losses. Prints a table and a line of JSON.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter, sleep

import numpy as np

STEPS = 50
PEERS = ("PyTorch", "PyTorch, fused Adam")
RNG = np.random.default_rng(0)
X = RNG.standard_normal((16, 1024), np.float32)
CLASSES = RNG.integers(0, 3, 16)
W1 = RNG.standard_normal((1024, 100), np.float32) * np.float32(0.03)
W2 = RNG.standard_normal((100, 3), np.float32) * np.float32(0.1)


def ours() -> Callable[[], float]:
    """One step with `core`; returns the loss."""
    import core

    x, labels = core.tensor(X), core.tensor(np.eye(3, dtype=np.float32)[CLASSES])
    w1, b1 = core.variable(W1), core.variable(np.zeros(100, np.float32))
    w2, b2 = core.variable(W2), core.variable(np.zeros(3, np.float32))
    adam = core.optimizers.Adam(0.001)

    def loss() -> core.Tensor:
        hidden = core.fused_matmul(x, w1, b1, activation="relu")  # as a Linear: one call
        logits = core.fused_matmul(hidden, w2, b2)
        return -core.mean(core.sum(labels * core.log_softmax(logits), axis=1))

    return lambda: adam.minimize(loss, return_cost=True).item()


def theirs(fused: bool, threads: int) -> Callable[[], float]:
    """One step with PyTorch eager; returns the loss."""
    import torch

    torch.set_num_threads(threads)
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


def serve(side: str, threads: int) -> None:
    """Print the first losses, then for each line of input the milliseconds of a step."""
    step = ours() if side == "core" else theirs(side == PEERS[1], threads)
    print(json.dumps([step() for _ in range(STEPS)]), flush=True)
    for _ in sys.stdin:
        started = perf_counter()
        for _ in range(STEPS):
            step()
        print((perf_counter() - started) / STEPS * 1000, flush=True)


def started(side: str, threads: int) -> subprocess.Popen:
    """A process that serves one side."""
    world = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, __file__, "--serve", side, str(threads)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=world, stdin=pipe, stdout=pipe, text=True)


def asked(process: subprocess.Popen) -> float:
    """Milliseconds of one step now; the pause lets waiting threads of the last one fall asleep."""
    sleep(0.1)
    process.stdin.write("go\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compare(rounds: int, threads: int) -> dict:
    """Medians of all sides, and of our ratio to each peer."""
    sides = {side: started(side, threads) for side in ("core", *PEERS)}
    losses = {side: json.loads(process.stdout.readline()) for side, process in sides.items()}
    for side, values in losses.items():
        np.testing.assert_allclose(values, losses["core"], rtol=1e-2, atol=1e-5, err_msg=side)
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, process in sides.items():
            times[side].append(asked(process))
    for process in sides.values():
        process.communicate()
    medians = {side: round(statistics.median(t), 3) for side, t in times.items()}
    pairs = {side: zip(times["core"], times[side], strict=True) for side in PEERS}
    ratios = {side: round(statistics.median(a / b for a, b in p), 3) for side, p in pairs.items()}
    return {"threads": threads, "rounds": rounds, "median_ms": medians, "ratio_of_core": ratios}


def main(rounds: int) -> None:
    """Compare with one thread and with two."""
    results = [compare(rounds, threads) for threads in (1, 2)]
    for result in results:
        for side, median in result["median_ms"].items():
            ratio = result["ratio_of_core"].get(side, "")
            print(f"{result['threads']} threads  {side:<20} {median:>7.3f} ms  {ratio}")
    print(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
