"""Training on another backend: are its losses those of cpu, and how fast is it beside PyTorch?

Run: ``python -m tests.benchmarks.gpu_training [--backend shader] [--quick]``.

First a small CNN, trained op by op on cpu and on the backend from the same weights: convolution,
ReLU and max pooling twice, then a dense layer: 32 pictures of 32x32 in a batch, seeded and random,
whose classes a random teacher told. Prints for momentum and for Adam losses side by side, their
largest difference, and milliseconds of a step; then a line of JSON. A third training, on cpu from
weights that are `NUDGE` larger or smaller, shows what rounding alone does. Ends with status 1 where
losses are further apart than ``MOST_APART``.

Then steps of `training_cases`, compiled on the backend, beside PyTorch eager on the GPU (without
CUDA on the cpu), in turns of one process: MobileNet v1 0.25 with batch norm as a `core.Model`, and
with biases by ops. Prints medians and the ratio. PyTorch's convolutions on a GPU have its default
precision, TF32.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import core
from core.optimizers.base import Optimizer
from core.optimizers.tfjs import Adam, Momentum
from tests.benchmarks.training_cases import CASES, Step, ours, theirs

#: Within which TensorFlow.js's tests, too, take results of float32 for the same.
MOST_APART = 1e-3

#: Of each weight, about one unit in the last place.
NUDGE = 1e-7

NUDGED = "cpu, nudged"

#: Steps that do not count for the time of one: shaders are compiled in them.
WARM_UP_STEPS = 5

#: Given, as backends have epsilons of their own.
EPSILON = 1e-7

OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "momentum": lambda: Momentum(0.002, 0.9),
    "adam": lambda: Adam(0.001, epsilon=EPSILON),
}


class Sizes(NamedTuple):
    """How large everything is."""

    batch: int = 32
    batches: int = 4
    side: int = 32
    channels: tuple[int, int] = (16, 32)
    classes: int = 10
    steps: int = 50


QUICK = Sizes(batch=4, batches=2, side=8, channels=(4, 8), classes=3, steps=12)


class Training:
    """A network with its weights on the active backend, and the batches that it sees in turn."""

    def __init__(self, sizes: Sizes, nudge: float):
        rng = np.random.default_rng(0)
        self._sizes = sizes
        self._batches = [self._batch(rng) for _ in range(sizes.batches)]
        first, second = sizes.channels
        features = (sizes.side // 4) ** 2 * second
        shapes = [(3, 3, 3, first), (3, 3, first, second), (features, sizes.classes)]
        self._weights, self._biases = [], []
        for shape in shapes:
            drawn = rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[:-1]))
            if len(shape) == 2:
                drawn /= 10  # all classes are about as likely: the first steps are no jumps
            drawn *= 1 + nudge * rng.choice([-1, 1], shape)
            self._weights.append(core.variable(drawn.astype(np.float32)))
            self._biases.append(core.variable(np.zeros(shape[-1], np.float32)))

    def losses(self, optimizer: Optimizer) -> tuple[list[float], float]:
        """The loss before each step, and seconds of a step; losses are read at the end."""
        found = []
        for step in range(self._sizes.steps):
            if step == WARM_UP_STEPS:
                found[-1].numpy()
                started = perf_counter()
            x, labels = self._batches[step % len(self._batches)]
            cost = optimizer.minimize(lambda x=x, y=labels: self._loss(x, y), return_cost=True)
            found.append(cost)
        values = [cost.item() for cost in found]
        return values, (perf_counter() - started) / (self._sizes.steps - WARM_UP_STEPS)

    def _batch(self, rng: np.random.Generator) -> tuple[core.Tensor, core.Tensor]:
        """Pictures, and their classes: the largest of random sums of what is in their quarters."""
        sizes = self._sizes
        half = sizes.side // 2
        shape = (sizes.batch, 2, half, 2, half, 3)
        quarters = rng.standard_normal((sizes.batch, 2, 1, 2, 1, 3))
        pictures = quarters + 0.5 * rng.standard_normal(shape)
        teacher = np.random.default_rng(1).standard_normal((12, sizes.classes))
        classes = (quarters.reshape(sizes.batch, -1) @ teacher).argmax(axis=1)
        pictures = pictures.reshape(sizes.batch, sizes.side, sizes.side, 3).astype(np.float32)
        labels = np.eye(sizes.classes, dtype=np.float32)[classes]
        return core.tensor(pictures), core.tensor(labels)

    def _loss(self, x: core.Tensor, labels: core.Tensor) -> core.Tensor:
        *filters, dense = zip(self._weights, self._biases, strict=True)
        for kernel, bias in filters:
            x = core.relu(core.add(core.conv2d(x, kernel, pad="same"), bias))
            x = core.max_pool(x, 2, 2, "valid")
        flat = core.reshape(x, (x.shape[0], -1))
        logits = core.add(core.matmul(flat, dense[0]), dense[1])
        return -core.mean(core.sum(labels * core.log_softmax(logits), axis=1))


def trained(backend: str, name: str, sizes: Sizes, nudge: float = 0.0) -> tuple[list[float], float]:
    """The losses on a backend, and seconds of a step."""
    with core.backend(backend):
        return Training(sizes, nudge).losses(OPTIMIZERS[name]())


def compared(backend: str, name: str, sizes: Sizes) -> dict[str, dict[str, Any]]:
    """Of each side its losses, how far they are from those of cpu, and milliseconds of a step."""
    runs = {
        "cpu": trained("cpu", name, sizes),
        NUDGED: trained("cpu", name, sizes, NUDGE),
        backend: trained(backend, name, sizes),
    }
    expected = np.array(runs["cpu"][0])
    found = {}
    for side, (losses, seconds) in runs.items():
        apart = np.abs(np.array(losses) - expected)
        found[side] = {
            "losses": losses,
            "apart": float(apart.max()),
            "relative": float((apart / expected).max()),
            "step_ms": round(1e3 * seconds, 3),
        }
    return found


def beside_torch(backend: str, name: str, rounds: int) -> dict[str, Any]:
    """Return the first losses, milliseconds of a step of both sides, and our ratio."""
    import torch

    case, device = CASES[name](), "cuda" if torch.cuda.is_available() else "cpu"
    with core.backend(backend):
        sides: dict[str, Step] = {
            backend: ours(case, compiled=True),
            f"torch eager on {device}": theirs(case, torch.get_num_threads(), "eager", device),
        }
        losses = {side: [step() for _ in range(WARM_UP_STEPS)] for side, step in sides.items()}
        times: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(rounds):
            for side, step in sides.items():
                step()  # what the other side left in caches is none of its time
                started = perf_counter()
                for _ in range(case.steps):
                    step()
                times[side].append(1e3 * (perf_counter() - started) / case.steps)
    own, other = times.values()
    return {
        "losses": losses,
        "step_ms": {side: statistics.median(each) for side, each in times.items()},
        "ratio": statistics.median(a / b for a, b in zip(own, other, strict=True)),
    }


def print_beside_torch(backend: str, names: Sequence[str], rounds: int) -> None:
    """Print the steps of cases, and a line of JSON; nothing without PyTorch."""
    if find_spec("torch") is None:
        print("without PyTorch: it is not installed")
        return
    found = {name: beside_torch(backend, name, rounds) for name in names}
    for name, row in found.items():
        print(f"{name}: compiled steps, ours / PyTorch {row['ratio']:.3f}")
        for side, ms in row["step_ms"].items():
            losses = " ".join(f"{loss:8.5f}" for loss in row["losses"][side])
            print(f"  {side:<20} {losses}   {ms:.2f} ms a step")
    print(json.dumps(found))


def main(backend: str, sizes: Sizes) -> int:
    """Print every seventh loss, and whether they are the same."""
    found = {name: compared(backend, name, sizes) for name in OPTIMIZERS}
    for name, rows in found.items():
        print(f"{name}: losses of every seventh step; apart: at most, and of the loss")
        for side, row in rows.items():
            losses = " ".join(f"{loss:8.5f}" for loss in row["losses"][::7])
            apart = f"{row['apart']:.1e} {row['relative']:.1e}"
            print(f"  {side:<12} {losses}   apart {apart}   {row['step_ms']:.2f} ms a step")
    print(json.dumps(found))
    return int(any(rows[backend]["apart"] > MOST_APART for rows in found.values()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="training on another backend beside cpu")
    parser.add_argument("--backend", default="shader")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, and the dense head")
    parser.add_argument("--rounds", type=int, default=20, help="turns beside PyTorch; 0: none")
    given = parser.parse_args()
    status = main(given.backend, QUICK if given.quick else Sizes())
    if given.rounds:
        cases = ["head"] if given.quick else ["mobilenet_norm", "mobilenet"]
        print_beside_torch(given.backend, cases, given.rounds)
    raise SystemExit(status)
