"""The tf backend beside TensorFlow itself: single ops, networks, training steps.

Run: ``python -m tests.benchmarks.tf_backend [--part ops networks training] [--rounds N]`` with
TensorFlow installed and the reference weights beside the checkout. All sides run in this process,
so with the same threads; in each round every side has its turn, so that a busy machine slows all
alike. Prints medians, quartiles and the median of the rounds' ratios of ours to theirs.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

import core
from tests.benchmarks.tf_peers import network_function, tape_step, train_on_batch
from tests.helpers import shared_folder

#: Networks of the zoo.
NETWORKS = (
    "mobilenet.v1_025",
    "mobilenet.v1_100_quant",
    "posenet.mobilenet_v1_075",
    "blazepose.lite",
)

#: Of the dense head.
BATCH, FEATURES, CLASSES, RATE = 64, 1280, 10, 0.01

#: Calls of a turn: of ops, of networks, of training steps.
OPS, RUNS, STEPS = 300, 2, 20

Sides = Mapping[str, Callable[[], Any]]


def turns(sides: Sides, calls: int, rounds: int) -> dict[str, list[float]]:
    """Microseconds of a call of each side, for each round; the first round does not count."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):
        for name, run in sides.items():
            started = perf_counter()
            for _ in range(calls):
                run()
            found[name].append(1e6 * (perf_counter() - started) / calls)
    return {name: times[1:] for name, times in found.items()}


def compare(case: str, sides: Sides, calls: int, rounds: int) -> dict[str, Any]:
    """Print a row for each side; the first is ours, whose ratio to each other one is printed."""
    times = turns(sides, calls, rounds)
    ours = next(iter(times.values()))
    row: dict[str, Any] = {"case": case, "sides": {}}
    for name, theirs in times.items():
        low, middle, high = np.percentile(theirs, (25, 50, 75))
        ratio = float(np.median(np.divide(ours, theirs)))
        row["sides"][name] = {"us": [low, middle, high], "ratio": ratio}
        print(
            f"{case:<26} {name:<26} {middle:>11.1f} us [{low:.1f}, {high:.1f}]  "
            f"ours / it {ratio:.3f}",
            flush=True,
        )
    return row


# --- single ops -----------------------------------------------------------------------------


def op_sides() -> dict[str, Sides]:
    """Small ops here and by ``tf.raw_ops``."""
    import tensorflow as tf

    raw, rng = tf.raw_ops, np.random.default_rng(0)
    a, b = (core.tensor(rng.normal(size=(4, 4)).astype(np.float32)) for _ in range(2))
    image = core.tensor(rng.normal(size=(1, 8, 8, 4)).astype(np.float32))
    filters = core.tensor(rng.normal(size=(3, 3, 4, 4)).astype(np.float32))
    p, q, pixels, weights = (each.handle for each in (a, b, image, filters))
    axes = tf.constant([0, 1])
    how = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return {
        "add": {
            "core.add": lambda: core.add(a, b),
            "raw_ops.AddV2": lambda: raw.AddV2(x=p, y=q),
        },
        "relu": {
            "core.relu": lambda: core.relu(a),
            "raw_ops.Relu": lambda: raw.Relu(features=p),
        },
        "matmul": {
            "core.matmul": lambda: core.matmul(a, b),
            "raw_ops.MatMul": lambda: raw.MatMul(a=p, b=q),
        },
        "conv2d": {
            "core.conv2d": lambda: core.conv2d(image, filters, 1, "same"),
            "raw_ops.Conv2D": lambda: raw.Conv2D(input=pixels, filter=weights, **how),
        },
        "sum": {
            "core.sum": lambda: core.sum(a),
            "raw_ops.Sum": lambda: raw.Sum(input=p, axis=axes),
        },
    }


# --- networks -------------------------------------------------------------------------------


def network_sides(name: str) -> dict[str, Sides]:
    """A network by a plan, and in a function that is written by hand: on tensors, and on arrays."""
    import tensorflow as tf

    import zoo
    from tests.benchmarks.networks.network_cases import network_input

    model = zoo.load(name, backend="tf")
    given = np.asarray(network_input(model), np.float32)
    network = model.network
    outputs = [*network.outputs]
    (feed,) = network.inputs
    plan = network.plan({feed: core.tensor(given)}, outputs)
    tensor = tf.constant(given)
    theirs = network_function(plan.program)
    expected = [each.numpy() for each in theirs(tensor)]
    found = [plan.run_on([tensor])[reference].numpy() for reference in plan.outputs]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=5e-2 * np.ptp(other))  # some quanta
    return {
        "tensors": {
            "plan": lambda: plan.run_on_handles([tensor]),
            "tf.function": lambda: theirs(tensor),
        },
        "arrays": {
            "model.execute": lambda: network.execute({feed: given}, outputs, as_arrays=True),
            "tf.function": lambda: [each.numpy() for each in theirs(tf.constant(given))],
        },
    }


# --- training -------------------------------------------------------------------------------


def training_sides() -> Sides:
    """A step of Adam on a dense head here and by Keras, all with the same losses."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(FEATURES, CLASSES)).astype(np.float32) * np.float32(0.02)
    bias = np.zeros(CLASSES, np.float32)
    x = rng.normal(size=(BATCH, FEATURES)).astype(np.float32)
    y = np.eye(CLASSES, dtype=np.float32)[rng.integers(0, CLASSES, BATCH)]
    makers = {
        "core.compile": compiled_step,
        "train_on_batch": train_on_batch,
        "tf.function with a tape": tape_step,
    }
    steps = {name: make(weights.copy(), bias.copy(), RATE) for name, make in makers.items()}
    losses = {name: [step(x, y) for _ in range(5)] for name, step in steps.items()}
    for name, found in losses.items():
        np.testing.assert_allclose(found, losses["core.compile"], rtol=1e-3, err_msg=name)
    return {name: lambda step=step: step(x, y) for name, step in steps.items()}


def compiled_step(weights: np.ndarray, bias: np.ndarray, rate: float) -> Callable[..., float]:
    """Our step."""
    w, b, adam = core.variable(weights), core.variable(bias), core.train.adam(rate)

    @core.compile
    def step(x: core.Tensor, y: core.Tensor) -> core.Tensor:
        def loss() -> core.Tensor:
            return -core.mean(core.sum(y * core.log_softmax(core.matmul(x, w) + b), axis=1))

        return adam.minimize(loss, return_cost=True)

    return lambda x, y: step(x, y).item()


def main() -> None:
    """Measure all parts, or some."""
    parts = ("ops", "networks", "training")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", nargs="+", choices=parts, default=parts)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    folder = shared_folder()
    if folder is not None:
        os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(folder / "weights"))
    rows = []
    with core.backend("tf"):
        if "ops" in asked.part:
            for case, sides in op_sides().items():
                rows.append(compare(case, sides, OPS, asked.rounds))
        if "networks" in asked.part:
            for name in asked.networks:
                for kind, sides in network_sides(name).items():
                    rows.append(compare(f"{name}, {kind}", sides, RUNS, asked.rounds))
        if "training" in asked.part:
            rows.append(compare("head", training_sides(), STEPS, asked.rounds))
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
