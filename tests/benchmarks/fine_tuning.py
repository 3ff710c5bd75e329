"""Fine-tuning of the last blocks of MobileNet v1 0.25 on ants and bees, beside its linear probe.

Run: ``python -m tests.benchmarks.fine_tuning [--seeds N] [--cross-validate]`` beside the folder of
reference files, whose images have their own split (245 for training, 153 for validation). Prints
the accuracy on the validation images and the seconds of each stage, and a line of JSON.

Compared are a linear probe (logistic regression on the network's features of each image), the
network's own classes "ant" and "bee" without any training, and two fine-tuned networks: one whose
head begins as the linear probe, one whose head begins as the rows of "ant" and "bee".

The settings were chosen on the training images alone: ``--cross-validate`` prints the mean accuracy
of five folds of them for each setting.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from tests.helpers import shared_folder

SPLITS, CLASSES = ("train", "val"), ("ant", "bee")
FOLDERS = {"ant": "ants", "bee": "bees"}

#: Where the frozen part ends, what trains, and what the head takes.
CUT, TRAINED, FEATURES = "conv_pw_11_relu", "conv_*_1[23]*", "global_average_pooling2d_1"

BATCH = 32


class Setting(NamedTuple):
    """The settings of a training.

    Attributes:
        rate: first learning rate, which falls to 0 along a cosine.
        epochs: how often each image is seen, in one of its views.
        views: how many augmented views of each image there are.
        momentum: of the moving statistics of batch norm.
    """

    rate: float = 2.5e-5
    epochs: int = 10
    views: int = 8
    momentum: float = 0.99


class Data(NamedTuple):
    """Images of a split: maps at the cut and features, [views, images, ...], and their classes.

    The first view is the whole image, as the model prepares it.
    """

    maps: np.ndarray
    features: np.ndarray
    classes: np.ndarray

    def part(self, chosen: np.ndarray) -> "Data":
        """Return the data of some images."""
        return Data(self.maps[:, chosen], self.features[:, chosen], self.classes[chosen])


class Head(NamedTuple):
    """Weights [features, 2] and biases of the classes."""

    weights: np.ndarray
    biases: np.ndarray

    def accuracy(self, features: np.ndarray, classes: np.ndarray) -> float:
        """Return the share of images whose class has the highest score."""
        scores = features @ self.weights + self.biases
        return float((scores.argmax(1) == classes).mean())


def read_split(split: str) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the images of a split, RGB, and their classes."""
    from zoo.images.reading import read_image

    folder = _shared() / "images" / "transfer" / "hymenoptera" / split
    paths = [sorted((folder / FOLDERS[name]).glob("*.jpg")) for name in CLASSES]
    images = [read_image(path) for part in paths for path in part]
    return images, np.repeat(np.arange(len(paths)), [len(part) for part in paths])


def augmented(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random square of an image, mirrored or not, of another brightness and contrast."""
    height, width = image.shape[:2]
    side = round(min(height, width) * rng.uniform(0.6, 1.0))
    top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
    part = image[top : top + side, left : left + side]
    part = part[:, ::-1] if rng.random() < 0.5 else part
    levels = part * rng.uniform(0.8, 1.2) + rng.uniform(-25, 25)
    return np.ascontiguousarray(levels.clip(0, 255).astype(np.uint8))


def computed(model, split: str, views: int, seed: int = 0) -> Data:
    """Return the data of a split, with augmented views after the first one."""
    from zoo.pipeline.preprocess import prepare

    images, classes = read_split(split)
    rng = np.random.default_rng(seed)
    maps, features = [], []
    for view in range(1 + views):
        shown = images if view == 0 else [augmented(image, rng) for image in images]
        how = model.entry.preprocess
        batch = np.concatenate([prepare(image, how, how.size)[0] for image in shown])
        parts = np.array_split(batch, len(batch) // BATCH)
        found = [model.network.execute(x, [CUT, FEATURES], as_arrays=True) for x in parts]
        maps.append(np.concatenate([each[CUT] for each in found]))
        features.append(np.concatenate([each[FEATURES] for each in found]))
    return Data(np.stack(maps), np.stack(features), classes)


def linear_probe(data: Data, penalty: float = 0.1) -> Head:
    """Return logistic regression on standardised features of whole images, by L-BFGS."""
    from scipy.optimize import minimize

    features, signs = data.features[0], np.where(data.classes == 1, 1.0, -1.0)
    mean, deviation = features.mean(0), features.std(0) + 1e-3
    x = ((features - mean) / deviation).astype(np.float64)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (x @ w[:-1] + w[-1])
        flow = -signs / (1 + np.exp(margins)) / len(x)
        gradient = np.append(x.T @ flow + penalty * w[:-1], flow.sum())
        return np.logaddexp(0, -margins).mean() + penalty / 2 * w[:-1] @ w[:-1], gradient

    w = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = w[:-1] / deviation
    bias = w[-1] - mean @ weights
    return Head(np.stack([-weights / 2, weights / 2], 1), np.array([-bias / 2, bias / 2]))


def own_classes(model) -> Head:
    """Return the rows of the network's last layer for the classes."""
    rows = [[label.split(",")[0] for label in model.labels].index(name) for name in CLASSES]
    weights = model.network.graph.weights
    return Head(weights["conv_preds/kernel"][0, 0][:, rows], weights["conv_preds/bias"][rows])


class FineTuning:
    """Trains the last blocks and a head, from the maps at the cut.

    Args:
        model: the classifier.
        setting: settings.
    """

    def __init__(self, model, setting: Setting):
        import core

        self.setting = setting
        self.graph = model.network.trainable(TRAINED, outputs=FEATURES, momentum=setting.momentum)
        self.head = Head(
            core.variable(np.zeros((256, len(CLASSES)), np.float32), name="weights"),
            core.variable(np.zeros(len(CLASSES), np.float32), name="biases"),
        )
        self._first = {name: v.numpy() for name, v in self.graph.variables.items()}
        self._optimizer = core.train.adam(setting.rate)
        self._step = core.compile(self._stepped)
        self._features = core.compile(lambda maps: self.graph({CUT: maps}))

    def _stepped(self, maps, labels):
        import core

        def loss():
            features = self.graph({CUT: maps}, training=True)
            scores = features @ self.head.weights + self.head.biases
            return -core.mean(core.sum(labels * core.log_softmax(scores), axis=1))

        return self._optimizer.minimize(loss, return_cost=True)

    def prepare(self) -> float:
        """Compile the step; return how many seconds it took."""
        maps = np.zeros((BATCH, 14, 14, 128), np.float32)
        labels = np.zeros((BATCH, len(CLASSES)), np.float32)
        return (self._step.warmup(maps, labels) + self._features.warmup(maps)) / 1e3

    def train(self, data: Data, start: Head, seed: int) -> None:
        """Train anew."""
        for name, value in self._first.items():
            self.graph.variables[name].assign(value)
        self.head.weights.assign(np.float32(start.weights))
        self.head.biases.assign(np.float32(start.biases))
        if self._optimizer.iterations:
            state = self._optimizer.get_weights()
            self._optimizer.set_weights({k: np.zeros_like(v) for k, v in state.items()})
        rng = np.random.default_rng(seed)
        labels, count = np.eye(len(CLASSES), dtype=np.float32), len(data.classes)
        batches = [
            order[i : i + BATCH]
            for order in (rng.permutation(count) for _ in range(self.setting.epochs))
            for i in range(0, count - BATCH + 1, BATCH)
        ]
        for number, batch in enumerate(batches):
            share = 0.5 + 0.5 * np.cos(np.pi * (number + 1) / len(batches))
            self._optimizer.learning_rate = self.setting.rate * share
            views = rng.integers(1 + self.setting.views, size=BATCH)
            self._step(data.maps[views, batch], labels[data.classes[batch]])

    def accuracy(self, data: Data) -> float:
        """Return the accuracy on whole images."""
        count = len(data.classes)
        whole = np.resize(np.arange(count), -(-count // BATCH) * BATCH).reshape(-1, BATCH)
        found = [self._features(data.maps[0, batch]).numpy() for batch in whole]
        head = Head(self.head.weights.numpy(), self.head.biases.numpy())
        return head.accuracy(np.concatenate(found)[:count], data.classes)


#: The starts of a head, by name.
STARTS: dict[str, Callable[[Data, object], Head]] = {
    "linear probe": lambda data, model: linear_probe(data),
    "own classes": lambda data, model: own_classes(model),
}

#: What ``--cross-validate`` compares.
SETTINGS = [Setting(rate, momentum=m) for m in (0.99, 0.9) for rate in (1e-4, 5e-5, 2.5e-5)]


def folds(data: Data, count: int, seed: int) -> list[tuple[Data, Data]]:
    """Return pairs of the images to train with and the others."""
    order = np.random.default_rng(seed).permutation(len(data.classes))
    parts = [order[i::count] for i in range(count)]
    return [(data.part(np.setdiff1d(order, part)), data.part(part)) for part in parts]


def cross_validate(model, seeds: int) -> None:
    """Print the mean accuracy of five folds of the training images for each setting."""
    data = computed(model, "train", Setting().views)
    cases = [case for seed in range(seeds) for case in folds(data, 5, seed)]
    for name, start in STARTS.items():
        found = [start(t, model).accuracy(v.features[0], v.classes) for t, v in cases]
        print(f"{name}, without fine-tuning: {np.mean(found):.3f}", flush=True)
    for setting in SETTINGS:
        trainer = FineTuning(model, setting)
        for name, start in STARTS.items():
            found = []
            for training, others in cases:
                trainer.train(training, start(training, model), seed=0)
                found.append(trainer.accuracy(others))
            print(f"{name}, {setting}: {np.mean(found):.3f}", flush=True)


class Stages:
    """Seconds of stages by name; each begins where the last one ended."""

    def __init__(self, began: float):
        self.seconds: dict[str, float] = {}
        self._last = began

    def end(self, name: str) -> None:
        """End a stage."""
        now = perf_counter()
        self.seconds[name], self._last = round(now - self._last, 2), now


def compare(seeds: Sequence[int], began: float) -> dict:
    """Return the accuracies and the seconds of each stage."""
    import zoo

    stages, setting = Stages(began), Setting()
    model = zoo.load("mobilenet.v1_025")
    stages.end("imports and model")
    data = computed(model, "train", setting.views)
    stages.end("views of the training images")
    trainer = FineTuning(model, setting)
    trainer.prepare()
    stages.end("compilation")
    starts = {name: start(data, model) for name, start in STARTS.items()}
    stages.end("starts of the head")
    others = computed(model, "val", 0)
    stages.end("validation images")
    found: dict[str, list[float]] = {name: [] for name in starts}
    for name, head in starts.items():
        for seed in seeds:
            trainer.train(data, head, seed)
            found[name].append(trainer.accuracy(others))
    stages.end("all trainings")
    trainings = len(starts) * len(seeds)
    stages.seconds["one training"] = round(stages.seconds["all trainings"] / trainings, 2)
    once = {k: v for k, v in stages.seconds.items() if k != "all trainings"}
    return {
        "without": {n: h.accuracy(others.features[0], others.classes) for n, h in starts.items()},
        "fine-tuned": found,
        "seconds": stages.seconds,
        "seconds of one fine-tuning, all included": round(sum(once.values()), 1),
    }


def show(found: dict) -> None:
    """Print the table and the line of JSON."""
    for name, before in found["without"].items():
        after = np.array(found["fine-tuned"][name])
        print(
            f"{name:14} without fine-tuning {before:.3f}, fine-tuned {after.mean():.3f} "
            f"({after.min():.3f} to {after.max():.3f} over {len(after)} seeds)"
        )
    for name, seconds in found["seconds"].items():
        print(f"{seconds:8.1f} s  {name}")
    print(json.dumps(found))


def _shared() -> Path:
    folder = shared_folder()
    if folder is None:
        raise SystemExit("the images are in the folder of reference files: set ZOO_SHARED")
    return folder


def main() -> None:
    """Compare, or choose the settings."""
    began = perf_counter()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cross-validate", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(_shared() / "weights"))
    if given.cross_validate:
        import zoo

        cross_validate(zoo.load("mobilenet.v1_025"), min(given.seeds, 2))
    else:
        show(compare(range(given.seeds), began))


if __name__ == "__main__":
    main()
