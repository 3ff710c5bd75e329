"""Near-duplicates, which would leak between folds of cross-validation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.transfer.image_hashes import WORDS, hash_distances, signs_of

#: Bits of 128 in which hashes of near-duplicates differ at most; and where features agree.
NEAR_BITS, NEAR_BITS_IF_ALIKE = 30, 44
#: Cosine similarity, apart from the mean of all images, of features that agree. Of different images
#: of ants and bees it is at most 0.57 and 0.66 by two networks, of nine in ten crops above 0.83.
ALIKE = 0.75
#: Quantile of the similarities between images, and its limit: above it features identify no copies.
_USUAL_SHARE, _MOST_USUAL = 0.99, 0.6
_SAMPLED = 300  # images by which that is found

_ROWS = 512  # images compared at once with all others
_MOST_PAIRS = 10_000  # that are listed; groups are complete


class DuplicatePair(NamedTuple):
    """Two images of which one is a copy of the other.

    Attributes:
        images: indices of both, the smaller one first.
        kind: "identical" files, or "near": resized, compressed, cropped, brightened or mirrored.
    """

    images: tuple[int, int]
    kind: Literal["identical", "near"]

    def as_dict(self) -> dict[str, object]:
        """Return both values as JSON can hold them."""
        return {"images": list(self.images), "kind": self.kind}


@dataclass(frozen=True)
class Duplicates:
    """Near-duplicates among images.

    Attributes:
        pairs: at most 10,000 pairs, identical ones first.
        groups: integers [n]: the smallest index of the images that are connected by pairs.
    """

    pairs: tuple[DuplicatePair, ...]
    groups: np.ndarray

    def between(self, parts: Sequence[object] | np.ndarray) -> tuple[DuplicatePair, ...]:
        """Return the pairs whose images are in different parts.

        Args:
            parts: of the n images: their targets, or the names of their splits. The order of
                several labels does not matter.
        """
        keys = [_comparable(part) for part in parts]
        return tuple(p for p in self.pairs if keys[p.images[0]] != keys[p.images[1]])


def _comparable(part: object) -> object:
    """Return labels as a set, and other targets unchanged."""
    if isinstance(part, (tuple, list)) and all(isinstance(label, str) for label in part):
        return frozenset(part)
    return part


def find_duplicates(
    hashes: np.ndarray,
    digests: Sequence[str] | None = None,
    features: np.ndarray | None = None,
) -> Duplicates:
    """Find images that are copies of others, even if edited a little.

    Hashes that differ in at most 30 of 128 bits are near-duplicates; and those that differ in at
    most 44 if features agree, too, where those of different images mostly differ. Measured by
    hashes alone with 478 images (ants, bees, gestures, others): copies in half or 0.3 of the size,
    in JPEG of quality 10, brightened by 1.3, in grey, of other aspect or mirrored were found in at
    least 99 % of the cases each, cropped by 3 % on all sides in 99 %, by 5 % in 67 %. None of
    114,003 pairs of different images was found. Frames of a video with a fixed camera half a second
    apart mostly are near-duplicates; a second apart about half, and four seconds apart none to
    half, by the clip.

    Args:
        hashes: uint64 [n, 2], of `zoo.transfer.image_hashes.image_hash`.
        digests: of the files' bytes, such as SHA-256; equal ones are identical images.
        features: float [n, d], embeddings of a network (not landmarks, which always agree).

    Returns:
        Pairs and groups.

    Raises:
        ZooError: arguments differ in length.

    >>> hashes = np.array([[1, 2], [2**63, 7], [1, 3]], np.uint64)
    >>> find_duplicates(hashes).groups.tolist()
    [0, 0, 0]
    """
    count = len(hashes)
    given = [given for given in (digests, features) if given is not None]
    if any(len(values) != count for values in given) or hashes.shape != (count, WORDS):
        raise ZooError(
            f"hashes of shape {hashes.shape} need the shape [n, {WORDS}], and n digests and rows "
            f"of features: got {[len(values) for values in given]}"
        )
    parents = np.arange(count)
    first = _first_of(digests) if digests is not None else parents
    copies = np.flatnonzero(first != parents)
    pairs = [DuplicatePair((int(first[i]), int(i)), "identical") for i in copies]
    parents = first.copy()
    kept = np.flatnonzero(first == np.arange(count))
    for ones, others in _near(hashes[kept], None if features is None else features[kept]):
        ones, others = kept[ones], kept[others]
        room = max(0, _MOST_PAIRS - len(pairs))
        found = zip(ones[:room].tolist(), others[:room].tolist(), strict=True)
        pairs += [DuplicatePair(pair, "near") for pair in found]
        _join(parents, ones, others)
    return Duplicates(tuple(pairs[:_MOST_PAIRS]), parents)


def _first_of(digests: Sequence[str]) -> np.ndarray:
    """Return the index of the first equal digest for each."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(d, i) for i, d in enumerate(digests)], np.intp)


def _near(hashes: np.ndarray, features: np.ndarray | None) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield indices of near-duplicates: arrays of the first and of the second images."""
    signs = signs_of(hashes)
    unit = _unit_rows(features) if features is not None and len(features) else None
    if unit is not None and not _tell_copies(unit):
        unit = None
    for start in range(0, len(hashes), _ROWS):
        distances = hash_distances(signs[start : start + _ROWS], signs[start:])
        limit = NEAR_BITS if unit is None else NEAR_BITS_IF_ALIKE
        ones, others = np.divmod(np.flatnonzero(distances <= limit), distances.shape[1])
        ones, others = ones[others > ones], others[others > ones]
        near = distances[ones, others] <= NEAR_BITS
        ones, others = ones + start, others + start
        if unit is not None:
            open_ = np.flatnonzero(~near)
            near[open_] = _cosines(unit, ones[open_], others[open_]) >= ALIKE
        yield ones[near], others[near]


def _cosines(unit: np.ndarray, ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the products of pairs of rows, a few at a time to bound the memory."""
    found = [
        np.einsum("nd,nd->n", unit[ones[i : i + _ROWS]], unit[others[i : i + _ROWS]])
        for i in range(0, len(ones), _ROWS)
    ]
    return np.concatenate(found) if found else np.empty(0, np.float32)


def _tell_copies(unit: np.ndarray) -> bool:
    """Whether different images mostly have different features, of rows of length 1."""
    some = unit[np.linspace(0, len(unit) - 1, min(len(unit), _SAMPLED)).astype(int)]
    if len(some) < 3:
        return False
    pairs = (some @ some.T)[np.triu_indices(len(some), 1)]
    return bool(np.quantile(pairs, _USUAL_SHARE) < _MOST_USUAL)


def _unit_rows(features: np.ndarray) -> np.ndarray:
    """Return rows less their mean, normalised to length 1."""
    rows = np.asarray(features, np.float32)
    rows = rows - rows.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _join(parents: np.ndarray, ones: np.ndarray, others: np.ndarray) -> None:
    """Connect images; ``parents`` leads each to the smallest index of its group, in place."""
    while True:
        low = np.minimum(parents[ones], parents[others])
        high = np.maximum(parents[ones], parents[others])
        apart = low != high
        if not apart.any():
            return
        np.minimum.at(parents, high[apart], low[apart])
        while not np.array_equal(parents, roots := parents[parents]):
            parents[:] = roots


def duplicate_warnings(
    duplicates: Duplicates,
    names: Sequence[str],
    targets: Sequence[object],
    splits: Sequence[str] | None = None,
) -> list[str]:
    """Return sentences on copies that are labelled differently, or on both sides of a split.

    Args:
        duplicates: among n images.
        names: of the images.
        targets: their classes, collections of labels, or values.
        splits: name of the split of each image, such as "train" and "val".

    >>> found = Duplicates((DuplicatePair((0, 1), "identical"),), np.array([0, 0]))
    >>> duplicate_warnings(found, ["a/1.jpg", "b/1.jpg"], ["a", "b"])
    ['1 pair of images is labelled differently (identical: a/1.jpg and b/1.jpg): remove the wrong \
one']
    """
    sentences = []
    differing = duplicates.between(targets)
    if differing:
        is_sure = differing[0].kind == "identical"  # these come first
        advice = (
            "remove the wrong one" if is_sure else "if they show one scene, remove the wrong one"
        )
        sentences.append(f"{_counted(differing, names, 'labelled differently')}: {advice}")
    parted = duplicates.between(splits) if splits is not None else ()
    if parted:
        where = _counted(parted, names, "on both sides of the split")
        sentences.append(f"{where}: scores are too good; remove one")
    return sentences


def _counted(pairs: Sequence[DuplicatePair], names: Sequence[str], where: str) -> str:
    """Return how many pairs there are, and the names of the first."""
    one, other = pairs[0].images
    count = f"{len(pairs)} pair{'s'[: len(pairs) > 1]} of images"
    verb = "are" if len(pairs) > 1 else "is"
    return f"{count} {verb} {where} ({pairs[0].kind}: {names[one]} and {names[other]})"
