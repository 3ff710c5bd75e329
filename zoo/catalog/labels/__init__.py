"""Labels of classes: one per line of a file, in the order of the network's output.

- ``imagenet_1000``: the classes of ImageNet's ILSVRC 2012, the first of the names of each, as in
  the files of labels beside Coral's and tfjs-models' MobileNets. "crane" and "maillot" are the
  names of two classes each, so only the index is unique.
- ``coco_90``: the 80 object classes of COCO at their 90 numbers in the data set (less 1), as in
  the file of labels beside TensorFlow Lite's detectors; ``???`` are the numbers never used.
- ``voc_21``: background and the 20 classes of PASCAL VOC, as in the file of labels beside
  TensorFlow Lite's DeepLab.
- ``nsfw_5``: the classes of nsfwjs.
- ``hand_signs_3``: the classes of hand-gesture-recognition-using-mediapipe, in lower case,
  without the byte order mark of its file.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.results.vocabulary import Label


@cache
def read_labels(name: str) -> tuple[str, ...]:
    """Return the labels in a file.

    Args:
        name: name of the file, without its ending.

    >>> read_labels("voc_21")[:3]
    ('background', 'aeroplane', 'bicycle')
    """
    from importlib.resources import files

    return tuple((files(__name__) / f"{name}.txt").read_text("utf-8").splitlines())


def wanted_labels(owner: str, labels: Any, known: tuple[str, ...]) -> frozenset[str]:
    """Return the requested labels of a model, by default all.

    Args:
        owner: name of the model, for the error.
        labels: requested labels, or None.
        known: all labels of the model.

    Raises:
        ZooError: the request is empty or has an unknown label; the message lists the known ones.

    >>> wanted_labels("palm.lite", None, ("palm",))
    frozenset({'palm'})
    """
    if labels is None:
        return frozenset(known)
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise ZooError(f"labels={labels!r} must be a list of names, such as {list(known[:1])}")
    requested = list(labels)
    if not requested:
        raise ZooError(f"labels={labels!r} is empty: omit it for all labels ({', '.join(known)})")
    for label in requested:
        if label not in known:
            hint = did_you_mean(str(label), known)
            raise ZooError(f"{owner} has no label {label!r}{hint} (labels: {', '.join(known)})")
    return frozenset(requested)


def best_labels(scores: np.ndarray, labels: Sequence[str], top_k: int) -> list[Label]:
    """Return the classes with the highest scores above 0, best first; of equal ones the first.

    Most scores of a quantized network are 0, and would make the first classes of its list answers.

    Args:
        scores: [classes], 0..1.
        labels: of the classes, in their order.
        top_k: maximum number of classes.

    >>> best_labels(np.float32([0.25, 0.5, 0.25]), ["cat", "dog", "cow"], 2)
    [{'label': 'dog', 'score': 0.5, 'index': 1}, {'label': 'cat', 'score': 0.25, 'index': 0}]
    """
    order: list[int] = np.argsort(-scores, kind="stable")[:top_k].tolist()
    return [
        {"label": labels[i], "score": float(scores[i]), "index": i} for i in order if scores[i] > 0
    ]
