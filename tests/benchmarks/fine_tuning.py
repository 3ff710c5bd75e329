"""Fine-tuning of networks on ants and bees, beside a head on the features that they have.

Run: ``python -m tests.benchmarks.fine_tuning [--models NAME ..] [--seeds N] [--cross-validate]``
beside the folder of reference files, whose images have their own split (245 for training, 153 for
validation). Prints the accuracy on the validation images and the seconds, and a line of JSON.

Compared are a head on the features of the images, as `zoo.teach` trains it, and networks that
`zoo.transfer.tuning.fine_tuning` trained: on all images through all epochs, and with a fifth of the
training images to stop by. Both choose nothing by the validation images.

``--cross-validate`` prints the mean accuracy and loss of five folds of the training images for
several settings, of the head before fine-tuning and after it: the defaults were chosen so.
"""

import argparse
import json
import os
from pathlib import Path
from time import perf_counter

import numpy as np

from tests.helpers import shared_folder

CLASSES = {"ant": "ants", "bee": "bees"}

MODELS = ("mobilenet.v1_025", "mobilenet.v2_100_quant", "posenet.tiny")

#: What ``--cross-validate`` compares.
SETTINGS = [{"learning_rate": rate, "layers": n} for n in (2, 4) for rate in (3e-4, 1e-3, 3e-3)]


def read_split(split: str) -> tuple[list[Path], list[str]]:
    """Return the images of a split and their labels."""
    folder = _shared() / "images" / "transfer" / "hymenoptera" / split
    found = [(path, n) for n, f in CLASSES.items() for path in sorted((folder / f).glob("*.jpg"))]
    return [path for path, _ in found], [label for _, label in found]


def rows_of(extractor, images: list[Path]) -> np.ndarray:
    """Return the features of images, [n, size]."""
    return np.stack([vector.values for vector in extractor.of_images(images)])


def accuracy(head, rows: np.ndarray, labels: list[str]) -> float:
    """Return the share of rows whose label has the highest score."""
    found = [head.labels[i] for i in head.scores(rows).argmax(1)]
    return float(np.mean([a == b for a, b in zip(found, labels, strict=True)]))


def compare(name: str, seeds: int) -> dict:
    """Return accuracies on the validation images, and seconds, for a model."""
    import zoo
    from zoo.transfer.features.extractor import embedding_extractor, feature_extractor
    from zoo.transfer.heads import Head
    from zoo.transfer.tuning.fine_tuning import fine_tuned_network
    from zoo.transfer.tuning.settings import TuningSettings

    (images, labels), (others, truth) = read_split("train"), read_split("val")
    extractor = feature_extractor(name)
    head = Head(normalize=True).fit(rows_of(extractor, images), labels)
    found: dict = {"head": accuracy(head, rows_of(extractor, others), truth)}
    for validation in (None, 0.2):
        scores, seconds, best = [], [], []
        for seed in range(seeds):
            began = perf_counter()
            tuned = fine_tuned_network(
                zoo.load(name),
                images,
                labels,
                validation=validation,
                settings=TuningSettings(seed=seed),
            )
            seconds.append(round(perf_counter() - began, 1))
            rows = rows_of(embedding_extractor(name, tuned.network, tuned.node), others)
            scores.append(accuracy(tuned.head, rows, truth))
            best.append(tuned.best)
        key = "all images" if validation is None else "four fifths, to stop by the rest"
        found[key] = {"accuracy": scores, "seconds": seconds, "best epoch": best}
    return found


def cross_validate(name: str) -> None:
    """Print the results of folds of the training images for each setting."""
    import zoo
    from zoo.transfer.folds import stratified_folds
    from zoo.transfer.tuning.fine_tuning import fine_tuned_network
    from zoo.transfer.tuning.settings import TuningSettings

    images, labels = read_split("train")
    folds = stratified_folds(labels, 5)
    for setting in SETTINGS:
        settings = TuningSettings(patience=100, **setting)
        history = [
            fine_tuned_network(
                zoo.load(name),
                images,
                labels,
                validation=np.flatnonzero(folds == fold),
                settings=settings,
            ).history
            for fold in range(5)
        ]
        for when, epoch in (("before", 0), ("after", -1)):
            right, loss = (
                np.mean([each[key][epoch] for each in history])
                for key in ("val_accuracy", "val_loss")
            )
            print(f"{name} {setting} {when}: {right:.3f}, loss {loss:.3f}", flush=True)


def show(name: str, found: dict) -> None:
    """Print the lines of a model."""
    print(f"{name}: a head on its features {found['head']:.3f}")
    for key, its in found.items():
        if key != "head":
            scores, seconds = its["accuracy"], np.mean(its["seconds"])
            print(
                f"{'':4}fine-tuned on {key}: {np.mean(scores):.3f} ({min(scores):.3f} to "
                f"{max(scores):.3f} over {len(scores)} seeds), {seconds:.1f} s"
            )
    print(json.dumps({name: found}), flush=True)


def _shared() -> Path:
    folder = shared_folder()
    if folder is None:
        raise SystemExit("the images are in the folder of reference files: set ZOO_SHARED")
    return folder


def main() -> None:
    """Compare, or choose the settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cross-validate", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(_shared() / "weights"))
    for name in given.models:
        if given.cross_validate:
            cross_validate(name)
        else:
            show(name, compare(name, given.seeds))


if __name__ == "__main__":
    main()
