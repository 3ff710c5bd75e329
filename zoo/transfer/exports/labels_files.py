"""The ``labels.txt`` beside an export for Keras, as Teachable Machine writes it."""

from collections.abc import Sequence
from pathlib import Path

from core.converter.class_labels import LABELS, parse_labels, read_labels_file
from weights_cache.common.errors import WeightsError, ZooError

#: Endings of models that may have the labels beside them.
_MODELS = (".keras", ".h5", ".hdf5", ".tflite", ".pb")


def labels_file(labels: Sequence[str], target: Path) -> dict[str, bytes]:
    """Return ``labels.txt`` with numbered labels, by its name.

    Args:
        labels: labels of the classes.
        target: the file of the model.

    Raises:
        ZooError: a label has line breaks or blanks around it; or another ``labels.txt`` is there,
            which is not that of an earlier export to the target, as no other model is there.
    """
    data = "".join(f"{number} {label}\n" for number, label in enumerate(labels)).encode()
    if parse_labels(data, LABELS).labels != tuple(labels):
        raise ZooError(
            f"the labels {list(labels)!r:.200} cannot be lines of {LABELS}, as one has a line "
            f"break or blanks around it: rename the class, or export a folder or .zip"
        )
    path = target.with_name(LABELS)
    if not path.exists() or _labels_in(path) == tuple(labels):
        return {LABELS: data}
    others = [file.name for file in target.parent.iterdir() if file.suffix.lower() in _MODELS]
    if others != [target.name]:
        raise ZooError(
            f"{path} has other labels, which may belong to another model: export to a folder of "
            f"its own, such as {target.with_suffix('') / target.name}"
        )
    return {LABELS: data}


def _labels_in(path: Path) -> tuple[str, ...]:
    try:
        return read_labels_file(path).labels
    except WeightsError:
        return ()
