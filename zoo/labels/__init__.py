"""Names of classes: one per line of a file here, in the order of the network's output.

- ``imagenet_1000``: the classes of ImageNet's ILSVRC 2012, the first of the names of each, as in
  the files of labels beside Coral's and tfjs-models' MobileNets. "crane" and "maillot" are the
  names of two classes each, so an index tells more than a label.
- ``coco_90``: the 80 things of COCO at the 90 numbers that the data set gave them (less 1), as in
  the file of labels beside TensorFlow Lite's detectors; ``???`` are the numbers never used.
- ``voc_21``: background and the 20 classes of PASCAL VOC, as in the file of labels beside
  TensorFlow Lite's DeepLab.
- ``nsfw_5``: the classes of nsfwjs.
- ``hand_signs_3``: those of hand-gesture-recognition-using-mediapipe, in lower case; its file
  begins with a byte order mark, which is no part of a name.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from weights_cache.errors import ZooError
from weights_cache.similar_names import did_you_mean


@cache
def read_labels(name: str) -> tuple[str, ...]:
    """The names in a list here.

    Args:
        name: of the file, without its ending.

    >>> read_labels("voc_21")[:3]
    ('background', 'aeroplane', 'bicycle')
    """
    from importlib.resources import files

    return tuple((files(__name__) / f"{name}.txt").read_text("utf-8").splitlines())


def wanted_labels(owner: str, labels: Any, known: tuple[str, ...]) -> frozenset[str]:
    """Those of a model's labels that are asked for, by default all.

    Args:
        owner: whose labels they are, for the error.
        labels: some of them, or None.
        known: all of them.

    Raises:
        ZooError: none is asked for, or one that is not there; the message lists those there are.

    >>> wanted_labels("palm.lite", None, ("palm",))
    frozenset({'palm'})
    """
    if labels is None:
        return frozenset(known)
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise ZooError(f"labels={labels!r} must be a list of names, such as {list(known[:1])}")
    asked = list(labels)
    if not asked:
        raise ZooError(f"labels={labels!r} names none: leave it out for all ({', '.join(known)})")
    for label in asked:
        if label not in known:
            hint = did_you_mean(str(label), known)
            raise ZooError(f"{owner} has no label {label!r}{hint} (labels: {', '.join(known)})")
    return frozenset(asked)
