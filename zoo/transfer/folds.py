"""Folds for cross-validation: which images are held out together."""

from collections.abc import Collection, Hashable, Sequence
from numbers import Real

import numpy as np

from weights_cache.common.errors import ZooError

#: Fold of images that are always trained on: without them, nothing would be left of their class.
NEVER_HELD_OUT = -1

#: Target of an image: a class, several classes, or a number.
Target = Hashable | Collection[Hashable]


def stratified_folds(
    targets: Sequence[Target] | np.ndarray,
    k: int = 5,
    seed: int = 0,
    groups: Sequence[int] | np.ndarray | None = None,
) -> np.ndarray:
    """Split images into folds with about equal shares of every class.

    Groups, the largest first, go to the fold that has fewest images of their classes, and among
    equals to the smallest fold; after Sechidis et al., "On the Stratification of Multi-Label Data"
    (2011).

    Args:
        targets: of n images: labels or class indices, collections of labels, or floats, of which
            each fold gets small and large ones.
        k: number of folds, at least 2; fewer are used where there are fewer groups. With as many
            folds as images, one image at a time is held out.
        seed: of the order in which images are dealt.
        groups: integers [n], equal for images that must not be parted, such as near-duplicates; by
            default each image stands alone.

    Returns:
        Fold numbers, integers [n], from 0; `NEVER_HELD_OUT` (-1) for classes that one group holds
        all images of: without it, nothing would be trained on, so they cannot be scored.

    Raises:
        ZooError: k is below 2, or targets and groups differ in length.

    >>> stratified_folds(["ants"] * 4 + ["bees"] * 4 + ["wasps"], k=2).tolist()
    [1, 0, 0, 1, 1, 0, 0, 1, -1]
    """
    if k < 2:
        raise ZooError(f"{k} folds leave no images to train on: use at least 2")
    units = _units(len(targets), groups)
    classes, shares = _shares(targets, k)
    folds = np.full(len(targets), NEVER_HELD_OUT)
    counts = [np.bincount(np.concatenate([classes[i] for i in unit])) for unit in units]
    lone = _held_by_one(counts, len(shares))
    dealt = [n for n, count in enumerate(counts) if not lone[np.flatnonzero(count)].any()]
    rng = np.random.default_rng(seed)
    order = sorted(rng.permutation(dealt), key=lambda n: -len(units[n]))
    count = max(1, min(k, len(order)))
    filled, sizes = np.zeros((count, len(shares))), np.zeros(count)
    for n in order:
        unit, size = units[n], len(units[n])
        of_classes = np.flatnonzero(counts[n])
        full = filled[:, of_classes] @ shares[of_classes]
        fold = int(np.lexsort((sizes, np.round(full, 9)))[0])
        folds[unit] = fold
        filled[fold, of_classes] += counts[n][of_classes]
        sizes[fold] += size
    return folds


def _units(count: int, groups: Sequence[int] | np.ndarray | None) -> list[np.ndarray]:
    """Return the indices of images that stay together."""
    if groups is None:
        return list(np.arange(count)[:, np.newaxis])
    if len(groups) != count:
        raise ZooError(f"{count} images have {len(groups)} groups: give one for each image")
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1) if count else []


def _shares(targets: Sequence[Target] | np.ndarray, k: int) -> tuple[list[list[int]], np.ndarray]:
    """Return the class numbers of each image, and 1 / the number of images for each class."""
    if len(targets) and isinstance(targets[0], Real) and _is_float(targets[0]):
        order = np.argsort(np.asarray(targets, np.float64), kind="stable")
        classes = np.empty(len(targets), np.intp)
        classes[order] = np.arange(len(targets)) // k  # ranks near each other are alike
        classes = np.minimum(classes, max(0, len(targets) // k - 1))
        of_images = classes[:, np.newaxis].tolist()
    else:
        numbers: dict[Hashable, int] = {}
        several = [_labels(target) for target in targets]
        of_images = [[numbers.setdefault(label, len(numbers)) for label in t] for t in several]
    flat = np.array([number for row in of_images for number in row], np.intp)
    return of_images, 1 / np.maximum(np.bincount(flat), 1)


def _is_float(value: object) -> bool:
    return isinstance(value, (float, np.floating))


def _labels(target: Target) -> list[Hashable]:
    """Return the labels of an image; one that has no label is of a class of such images."""
    if isinstance(target, (str, bytes)) or not isinstance(target, Collection):
        return [target]
    return list(dict.fromkeys(target)) or [()]


def _held_by_one(counts: Sequence[np.ndarray], classes: int) -> np.ndarray:
    """Return for each class whether all images of it are in one group: booleans [classes]."""
    holders = np.zeros(classes, np.intp)
    for count in counts:
        holders[np.flatnonzero(count)] += 1
    return holders == 1
