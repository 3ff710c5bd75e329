"""Gathering of examples: the features of images with targets, and the images left out."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from zoo.images.pixels import ImageError
from zoo.transfer.examples import Examples, storable
from zoo.transfer.features.extractor import FeatureExtractor
from zoo.transfer.features.store import FeatureStore, embed
from zoo.transfer.image_hashes import WORDS
from zoo.transfer.image_sets import Example
from zoo.transfer.lessons import Skipped
from zoo.transfer.targets import Kind, Target


class Gathered(NamedTuple):
    """Examples with features, and images without."""

    examples: Examples
    skipped: list[Skipped]


def gather(
    kind: Kind,
    examples: Sequence[Example],
    extractor: FeatureExtractor,
    store: FeatureStore | None = None,
) -> Gathered:
    """Return the features of examples; those that have none are listed.

    Args:
        kind: of the targets.
        examples: images with targets.
        extractor: computes features.
        store: of features that are known already.
    """
    found, rows, fingerprints, hashes = [], [], [], []
    skipped: list[Skipped] = []
    embedded = embed((example.image for example in examples), extractor, store)
    for example, its in zip(with_bar(examples, "image", label="features"), embedded, strict=True):
        if isinstance(its.features, ImageError):
            skipped.append(Skipped(example.name, str(its.features), True))
        elif its.features.values is None:
            skipped.append(Skipped(example.name, its.features.missing, False))
        else:
            found.append(example)
            rows.append(its.features.values)
            fingerprints.append(its.fingerprint)
            hashes.append(its.sha256)
    made = Examples(
        np.stack(rows) if rows else np.empty((0, extractor.size), np.float32),
        storable(kind, [example.target for example in found]),
        tuple(example.name for example in found),
        tuple(hashes),
        np.stack(fingerprints) if fingerprints else np.empty((0, WORDS), np.uint64),
        (len(found),),
    )
    return Gathered(made, skipped)


def check_classes(kind: Kind, labels: Sequence[str], gathered: Gathered) -> None:
    """Raise if a label has no image left to learn from.

    Raises:
        ZooError: that is so; the message has the reason why an image was left out.
    """
    used = _used(kind, gathered.examples.targets)
    if not len(gathered.examples):
        reason = "; ".join(f"{s.name}: {s.reason}" for s in gathered.skipped[:1])
        raise ZooError(f"no image can be learnt from ({reason})")
    for label in () if kind == "regression" else labels:
        if label not in used:
            reason = next((f" ({s.name}: {s.reason})" for s in gathered.skipped), "")
            raise ZooError(
                f"no image of the class {label!r:.80} can be learnt from{reason}: add others, or "
                "leave the class out"
            )


def _used(kind: Kind, targets: Iterable[Target]) -> set[str]:
    """Return the labels in targets; numbers have none."""
    if kind == "regression":
        return set()
    several = ((t,) if isinstance(t, str) else cast(Collection[str], t) for t in targets)
    return {label for target in several for label in target}


def without_conflicts(gathered: Gathered, kind: Kind) -> Gathered:
    """Return examples without images that occur with different targets; those are left out.

    Args:
        gathered: the examples.
        kind: of their targets.

    Raises:
        ZooError: then a class would have no image left, or nothing would be.
    """
    examples = gathered.examples
    targets: dict[str, set[Target]] = defaultdict(set)
    for sha256, target in zip(examples.hashes, examples.targets, strict=True):
        targets[sha256].add(target)
    wrong = [i for i, sha256 in enumerate(examples.hashes) if len(targets[sha256]) > 1]
    if not wrong:
        return gathered
    twins = {i: _twin(examples, i) for i in wrong}
    kept = sorted({*range(len(examples))} - {*wrong})
    left = _used(kind, (examples.targets[i] for i in kept))
    for i in wrong:
        if not kept or _used(kind, [examples.targets[i]]) - left:
            raise ZooError(
                f"{examples.targets[i]!r:.80} and {examples.targets[twins[i]]!r:.80} have equal "
                f"images, such as {examples.names[i]} and {examples.names[twins[i]]}: no other "
                "is left, so give each image one target, such as the folder of one class"
            )
    skipped = [
        Skipped(examples.names[i], f"it equals {examples.names[twins[i]]}, of another label", True)
        for i in wrong
    ]
    return Gathered(examples.part(kept), [*gathered.skipped, *skipped])


def without_known(gathered: Gathered, known: Examples) -> Gathered:
    """Return examples without images that are known with equal targets; those are left out.

    Raises:
        ZooError: then nothing would be left.
    """
    names = dict(zip(zip(known.hashes, known.targets, strict=True), known.names, strict=True))
    examples = gathered.examples
    twins = [names.get(key) for key in zip(examples.hashes, examples.targets, strict=True)]
    kept = [i for i, twin in enumerate(twins) if twin is None]
    if not kept:
        raise ZooError(f"all {len(examples)} images are known already, with the labels given")
    skipped = [
        Skipped(name, f"it is known already, as {twin}", False)
        for name, twin in zip(examples.names, twins, strict=True)
        if twin is not None
    ]
    return Gathered(examples.part(kept), [*gathered.skipped, *skipped])


def _twin(examples: Examples, index: int) -> int:
    """Return the index of an equal image with another target."""
    sha256, target = examples.hashes[index], examples.targets[index]
    return next(
        i
        for i, other in enumerate(examples.hashes)
        if other == sha256 and examples.targets[i] != target
    )
