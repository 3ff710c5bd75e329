"""Fully connected networks for digits: where a step spends its time, and what each option reaches.

Run: ``python -m tests.benchmarks.dense_options [--hidden N] [--units N]`` with scikit-learn (extra
`benchmark`). Prints, as El Bawab's study of machine learning in WebAssembly (2019) does,

- for batches of 1 to 64 the microseconds of each forward and backward step (a product and its bias,
  activations, the loss, gradients, the update) as medians of `core.profile`, where ops run one by
  one, and beside them the time of a step as `fit` runs it, compiled;
- for each of its six activations, three losses, seven initializers, and for penalties and dropout,
  the accuracy on the digits that were not trained, and the milliseconds of a compiled step.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import core
from tests.benchmarks.dense_networks import digits

BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64)

#: Profiles of a batch size, and steps of `fit` that are timed.
PROFILES, STEPS = 21, 200

#: Of the trainings of `OPTIONS`: the last digits are not trained.
EPOCHS, BATCH, NOT_TRAINED, RATE, MOMENTUM = 40, 64, 360, 0.05, 0.9


class Options(NamedTuple):
    """What a training differs in from the others."""

    activation: str = "sigmoid"
    output: str = "softmax"
    loss: str = "categorical_crossentropy"
    initializer: Any = "lecun_uniform"
    regularizer: Any = None
    dropout: float = 0.0


def options() -> Iterator[tuple[str, Options]]:
    """Yield options with what is said of them."""
    for activation in ("sigmoid", "tanh", "relu", "leaky_relu", "elu"):
        yield f"activation {activation}", Options(activation)
    yield "activation softmax, of hidden layers, too", Options("softmax")
    yield "loss categorical cross entropy, softmax", Options()
    yield (
        "loss binary cross entropy, sigmoid",
        Options(output="sigmoid", loss="binary_crossentropy"),
    )
    yield "loss mean squared error, sigmoid", Options(output="sigmoid", loss="mean_squared_error")
    initializers = core.initializers
    for name in ("glorot_uniform", "glorot_normal", "lecun_uniform", "lecun_normal"):
        yield f"initializer {name}", Options(initializer=name)
    yield "initializer random_normal", Options(initializer=initializers.RandomNormal(stddev=0.1))
    uniform = initializers.RandomUniform(-0.1, 0.1)
    yield "initializer random_uniform", Options(initializer=uniform)
    yield "initializer constant", Options(initializer=initializers.Constant(0.1))
    yield "penalty L1, 0.0001", Options(regularizer=core.regularizers.L1(1e-4))
    yield "penalty L2, 0.001", Options(regularizer=core.regularizers.L2(1e-3))
    yield "dropout 0.2", Options(dropout=0.2)


def network(hidden: int, units: int, given: Options) -> core.Sequential:
    """Return a network, compiled with SGD."""
    core.set_random_seed(1)
    layers = core.layers
    shared = {
        "kernel_initializer": given.initializer,
        "kernel_regularizer": given.regularizer,
    }
    model = core.Sequential([layers.Input((64,))])
    for i in range(hidden):
        name = f"hidden_{i + 1}"
        model.add(layers.Dense(units, activation=given.activation, name=name, **shared))
        if given.dropout:
            model.add(layers.Dropout(given.dropout))
    model.add(layers.Dense(10, activation=given.output, name="output", **shared))
    sgd = core.optimizers.SGD(RATE, momentum=MOMENTUM)
    model.compile(sgd, given.loss, metrics=["categorical_accuracy"])
    return model


def profiled(hidden: int, units: int, batch: int) -> dict[str, float]:
    """Return the microseconds of each step of a batch, by phase, layer and op, and of `fit`."""
    x, y = (array[:batch] for array in digits())
    model = network(hidden, units, Options())
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(PROFILES):
        times: dict[str, float] = defaultdict(float)
        for row in core.profile(lambda: model.train_on_batch(x, y)).kernels:
            layer = row["layer"].rpartition("/")[2] or "loss and metric"
            times[f"{row['phase']:<8} {layer:<16} {row['op']}"] += 1e3 * row["ms"]
        for name, microseconds in times.items():
            found[name].append(microseconds)
    medians = {name: median(each) for name, each in found.items()}
    return {**medians, "fit, compiled": 1e6 * seconds_of_step(model, x, y, batch)}


def seconds_of_step(model: core.Sequential, x: np.ndarray, y: np.ndarray, batch: int) -> float:
    """Return the seconds of a step of `fit`, the fastest of three epochs."""
    rows = np.resize(np.arange(len(x)), STEPS * batch)
    times = []
    for _ in range(4):  # the first compiles
        started = perf_counter()
        model.fit(x[rows], y[rows], batch, verbose=0)
        times.append((perf_counter() - started) / STEPS)
    return min(times[1:])


def accuracy(hidden: int, units: int, given: Options) -> tuple[float, float]:
    """Return the accuracy after training, and seconds of a step."""
    x, y = digits()
    model = network(hidden, units, given)
    trained = x[:-NOT_TRAINED], y[:-NOT_TRAINED]
    model.fit(*trained, BATCH, verbose=0)  # compiles
    start = perf_counter()
    model.fit(*trained, BATCH, EPOCHS, initial_epoch=1, verbose=0)
    seconds = (perf_counter() - start) / (EPOCHS - 1) / -(-len(trained[0]) // BATCH)
    results = model.evaluate(x[-NOT_TRAINED:], y[-NOT_TRAINED:], return_dict=True)
    return results["categorical_accuracy"], seconds


def main(hidden: int, units: int) -> None:
    """Print both tables, and a line of JSON."""
    core.set_tier(2)
    by_size = {batch: profiled(hidden, units, batch) for batch in BATCH_SIZES}
    print(f"microseconds of a step by batch size, {hidden} hidden layers of {units} units")
    print(f"{'':<48}" + "".join(f"{batch:>9}" for batch in BATCH_SIZES))
    for name in by_size[BATCH_SIZES[-1]]:
        cells = "".join(f"{by_size[batch].get(name, 0):9.1f}" for batch in BATCH_SIZES)
        print(f"{name:<48}{cells}")
    print(f"\naccuracy on {NOT_TRAINED} digits after {EPOCHS} epochs, and ms of a batch of {BATCH}")
    reached = {}
    for name, given in options():
        reached[name] = accuracy(hidden, units, given)
        print(f"{name:<48}{reached[name][0]:9.3f}{1e3 * reached[name][1]:9.3f}", flush=True)
    print(json.dumps({"microseconds": by_size, "accuracy": reached}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hidden", type=int, default=2)
    parser.add_argument("--units", type=int, default=128)
    arguments = parser.parse_args()
    main(arguments.hidden, arguments.units)
