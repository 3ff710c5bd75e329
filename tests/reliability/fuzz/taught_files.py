"""What was taught: nearest-neighbour classifiers and folders of `zoo.teach`."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import zoo
from tests.reliability.fuzz.writers import Writers
from tests.zoo.transfer.colours import FEATURES, images_of


def knn_writers() -> Writers:
    """Files of either ending, with labels that are texts and integers; and one as ml5.js wrote."""
    return {
        "arrays": partial(_write_examples, "examples.npz"),
        "json": partial(_write_examples, "examples.json"),
        "ml5": _write_ml5,
    }


def _write_examples(name: str, folder: Path) -> Path:
    rng = np.random.default_rng(3)
    classifier = zoo.KNNClassifier()
    for label in ("cup", 7, "größe", "cup"):
        classifier.add_example(rng.normal(size=4), label)
    classifier.save(folder / name)
    return folder / name


def _write_ml5(folder: Path) -> Path:
    """Without our entry, and with values as JavaScript writes a Float32Array."""
    path = _write_examples("examples.json", folder)
    document = json.loads(path.read_text())
    del document["zoo"]
    first, *others = document["tensors"]
    document["tensors"] = [{str(i): value for i, value in enumerate(first)}, *others]
    path.write_text(json.dumps(document))
    return path


def taught_writers() -> Writers:
    """A folder for each kind of targets, and one with a network of its own."""
    targets = {
        "classes": lambda labels: labels,
        "several": lambda labels: [[label, "any"] for label in labels],
        "numbers": lambda labels: [float(len(label)) for label in labels],
    }
    found = {name: partial(_write_taught, of) for name, of in targets.items()}
    return {**found, "tuned": _write_tuned}


def _write_taught(targets: Callable[[list[str]], list], folder: Path) -> Path:
    images = images_of(np.random.default_rng(3), red=4, blue=4)
    labels = [label for label, some in images.items() for _ in some]
    every = [image for some in images.values() for image in some]
    model = zoo.teach(every, targets(labels), features=FEATURES, cache=False)
    return model.save(folder / "taught")


def _write_tuned(folder: Path) -> Path:
    images = images_of(np.random.default_rng(3), red=4, blue=4)
    model = zoo.fine_tune(images, model=FEATURES, epochs=1, views=0, layers=1)
    return model.save(folder / "tuned")
