"""Checked description of the model in the child process."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from core import PartialSpec
from core.converter.class_labels import FITS, MOST_SIDE, Bundle, ClassLabels, Pixels
from weights_cache.common.messages import visible

_MOST_AXES = 32
_MOST_LABELS = 100_000
_LONGEST = 1000  # characters of a name


class FactError(Exception):
    """The description of a model is invalid."""


class Facts(NamedTuple):
    """Description of a model in another process.

    Attributes:
        inputs: inputs of the network.
        outputs: outputs of the network.
        text: description of the model without the first line.
        bundle: metadata of a Teachable Machine model, else None.
        features: as in `zoo.tasks.classification.file_classifier.FileClassifier`.
        classes: labels, or only the range of pixels, of another model; None if not known.
        integers: dtype of the input if it is the only one, and quantised.
        licence: of the model, as its file names it, or "".
    """

    inputs: dict[str, PartialSpec]
    outputs: dict[str, PartialSpec]
    text: str
    bundle: Bundle | None = None
    features: str | None = None
    classes: ClassLabels | Pixels | None = None
    integers: str = ""
    licence: str = ""

    @property
    def has_labels(self) -> bool:
        """Whether there are labels other than of a Teachable Machine model for the web."""
        return isinstance(self.classes, ClassLabels)


def read_facts(document: Mapping[str, Any]) -> Facts:
    """Return the facts in a message.

    Raises:
        FactError: facts are missing, invalid, or contradict each other.
    """
    inputs, outputs = (_specs(document.get(key)) for key in ("inputs", "outputs"))
    text = visible(_text(document.get("text"), 10 * _LONGEST))
    features = document.get("features")
    found = Facts(
        inputs,
        outputs,
        text,
        features=None if features is None else _text(features, _LONGEST),
        classes=_classes(document),
        integers=_integers(document.get("integers", "")),
        licence=visible(_text(document.get("licence", ""), _LONGEST)),
    )
    if "bundle" not in document:
        return found
    bundle = _bundle(document["bundle"])
    if bundle.kind == "image":
        _check_classifier(found)
    return found._replace(bundle=bundle)


def _classes(document: Mapping[str, Any]) -> ClassLabels | Pixels | None:
    pixels = document.get("pixels")
    found = None if pixels is None else _pixels(pixels)
    if "labels" not in document:
        return found
    origin = _text(document.get("origin"), _LONGEST)
    return ClassLabels(_labels(document["labels"]), origin, found)


def _pixels(value: Any) -> Pixels:
    if not (
        isinstance(value, list)
        and len(value) == 2
        and all(map(_is_channels, value))
        and all(value[1])
    ):
        raise FactError(f"the range of pixels {value!r:.80}")
    return Pixels(tuple(value[0]), tuple(value[1]))


def _is_channels(value: Any) -> bool:
    is_list = isinstance(value, list) and len(value) in (1, 3)
    return is_list and all(type(n) is float and isfinite(n) for n in value)


def _integers(value: Any) -> str:
    if value not in ("", "uint8", "int8", "int16"):
        raise FactError(f"the integers {value!r:.80}")
    return _text(value, _LONGEST)


def _specs(found: Any) -> dict[str, PartialSpec]:
    if not isinstance(found, dict):
        raise FactError("no inputs or outputs")
    return {name: _spec(value) for name, value in found.items()}


def _spec(value: Any) -> PartialSpec:
    if not (isinstance(value, list) and len(value) == 2):
        raise FactError(f"the shape and dtype {value!r:.80}")
    shape, dtype = value
    if shape is None:
        return PartialSpec(None, _text(dtype, _LONGEST))
    if not (isinstance(shape, list) and len(shape) <= _MOST_AXES and all(map(_is_length, shape))):
        raise FactError(f"the shape {shape!r:.80}")
    return PartialSpec(tuple(shape), _text(dtype, _LONGEST))


def _is_length(value: Any) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**48)


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise FactError(f"{value!r:.80} instead of a text")
    return value[:longest]


def _bundle(document: Any) -> Bundle:
    try:
        bundle = Bundle(**document)
    except TypeError:
        raise FactError(f"the bundle {document!r:.80}") from None
    size = bundle.image_size
    if not (type(size) is int and 0 <= size <= MOST_SIDE):
        raise FactError(f"the image size {size!r:.80}")
    return Bundle(
        _text(bundle.kind, _LONGEST),
        _labels(bundle.labels),
        size,
        _text(bundle.name, _LONGEST),
        bundle.fit if bundle.fit in FITS else "",
    )


def _labels(labels: Any) -> tuple[str, ...]:
    if not (isinstance(labels, list) and len(labels) <= _MOST_LABELS):
        raise FactError(f"the labels {labels!r:.80}")
    return tuple(_text(label, _LONGEST) for label in labels)


def _check_classifier(facts: Facts) -> None:
    """Raise a FactError unless a classifier takes one image and returns one row of scores."""
    shapes = [spec.shape for spec in facts.inputs.values()]
    if not (len(shapes) == len(facts.outputs) == 1 and shapes[0] and len(shapes[0]) == 4):
        raise FactError("a classifier that does not take one image")
    if shapes[0][-1] not in (None, 1, 3, 4):
        raise FactError(f"a classifier of images with {shapes[0][-1]} channels")
