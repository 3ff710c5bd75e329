"""Images to learn from, with their targets: of folders, of CSV files, of lists and dicts."""

import csv
import math
import os
from collections.abc import Iterable, Iterator, Mapping, MappingView, Sequence, Set
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from weights_cache.common.system_files import is_of_system
from weights_cache.interruptions import pass_interruption
from zoo.images.files import image_endings
from zoo.images.lists import as_sequence, is_several
from zoo.pipeline.verb_signatures import ImageSource
from zoo.transfer.float32_range import LARGEST_VALUE
from zoo.transfer.targets import KINDS, Kind, Target, encoded, label_names

#: Sources that `read_image_set` takes: a folder or CSV file, images by label, or images.
ExampleSource = (
    str
    | os.PathLike[str]
    | Mapping[str, "ImageSource | Iterable[ImageSource]"]
    | Sequence[ImageSource]
)

#: Names of the folders of a data set that is split already.
_TRAINING, _VALIDATION = ("train", "training"), ("val", "valid", "validation", "test")

#: The column of a CSV file with the images, and columns of labels.
_IMAGE, _LABEL, _LABELS = "image", "label", "labels"
_SEPARATOR = ";"  # between several labels
_LARGEST_CSV = 2**28  # bytes


class Example(NamedTuple):
    """An image and what is to be learnt of it.

    Attributes:
        image: anything that verbs take.
        name: in reports: the path within the folder, or the number of the image.
        target: a label, labels, or numbers.
    """

    image: ImageSource
    name: str
    target: Target


class ImageSet(NamedTuple):
    """Images of one kind of targets.

    Attributes:
        kind: "classification", "multi_label" or "regression".
        labels: of the outputs, in their order.
        examples: the images.
        validation: images that are kept for validation, of a data set that is split already.
    """

    kind: Kind
    labels: tuple[str, ...]
    examples: list[Example]
    validation: list[Example]

    @property
    def sources(self) -> dict[str, ImageSource]:
        """The images of the examples by name."""
        return {example.name: example.image for example in self.examples}


def read_image_set(
    source: ExampleSource,
    targets: Sequence[Target] | None = None,
    kind: Kind | None = None,
    *,
    least: int = 2,
) -> ImageSet:
    """Return the images of a source with their targets.

    Args:
        source: one of

            - a folder with a folder of images for each class; folders in these count, hidden ones
              and those of a system, such as ``__MACOSX``, do not. If its only folders are "train"
              and "val" (or "validation", "valid", "test"), each with the folders of the classes,
              images of the second are for validation;
            - a CSV file: its column "image" has paths, relative to the file; a column "label" has
              classes, or a column "labels" labels with semicolons between them, or all other
              columns have numbers;
            - a dict from labels to images or a folder of images;
            - a list of images, with ``targets``.
        targets: of a list of images: a label, a list of labels, or numbers for each.
        kind: what the targets are; by default seen from them, but for integers.
        least: smallest number of classes.

    Raises:
        ZooError: there is no such folder, or no image; a class has no image; there are fewer
            classes; a file is damaged.
    """
    if kind is not None and kind not in KINDS:
        hint = did_you_mean(str(kind), KINDS)
        raise ZooError(f"unknown kind={kind!r:.80}{hint} ({', '.join(KINDS)})")
    if isinstance(source, Mapping):
        _refuse_targets(targets, "a dict has labels itself")
        _refuse_kind(kind, "a dict")
        examples = [e for label, images in source.items() for e in _of_class(label, images)]
        return _made("classification", examples, list(source), least)
    if isinstance(source, (str, os.PathLike)):
        _refuse_targets(targets, "the labels are those of the folder or file")
        path = Path(source)
        if path.suffix.lower() == ".csv":
            return _of_csv(path, kind, least)
        _refuse_kind(kind, "a folder")
        return _of_folder(path, least)
    return _of_list(source, targets, kind, least)


def _of_list(
    source: Sequence[ImageSource],
    targets: Sequence[Target] | None,
    kind: Kind | None,
    least: int,
) -> ImageSet:
    if not is_several(source):
        raise ZooError(
            f"{type(source).__name__} is no folder, .csv file, list of images, or dict from labels "
            "to images"
        )
    if targets is None:
        raise ZooError(
            "a list of images needs targets=, a label for each; or give a folder with a folder "
            "for each class"
        )
    if not isinstance(targets, Iterable):
        raise ZooError(f"targets={targets!r:.80} are no list with a label for each image")
    images = list(as_sequence(source))
    plain = [target.tolist() if hasattr(target, "tolist") else target for target in targets]
    if len(images) != len(plain):
        raise ZooError(f"{len(images)} images have {len(plain)} targets: give one for each")
    examples = [
        Example(image, name_of(image, index), target)
        for index, (image, target) in enumerate(zip(images, plain, strict=True))
    ]
    return _made(kind or _kind_of(plain), examples, least=least)


def images_in(folder: Path) -> Iterator[Path]:
    """Yield the images of a folder and of those in it, sorted, but hidden ones and a system's.

    Raises:
        ZooError: the folder cannot be listed.
    """
    endings = image_endings()
    try:
        paths = sorted(folder.rglob("*"))
        for path in paths:
            is_hidden = any(map(is_of_system, path.relative_to(folder).parts))
            if path.suffix.lower() in endings and not is_hidden and path.is_file():
                yield path
    except OSError as error:
        pass_interruption(error)
        raise _cannot_list(folder, error) from error


def _cannot_list(folder: Path, error: OSError) -> ZooError:
    return ZooError(f"the folder {str(folder)!r} cannot be listed: {error.strerror}")


def name_of(image: object, index: int) -> str:
    """Return how reports name an image: its path, or its number."""
    if isinstance(image, (str, os.PathLike)):
        return os.fspath(image)
    return f"index {index}"


def source_name(source: ExampleSource) -> str:
    """Return the name of a folder or file, without the folders that it is in; else "".

    >>> source_name("images/animals/"), source_name({"cats": ["cat.jpg"]})
    ('animals', '')
    """
    if isinstance(source, (str, os.PathLike)):
        return os.path.basename(os.path.abspath(source))
    return ""


def _refuse_targets(targets: object, reason: str) -> None:
    if targets is not None:
        raise ZooError(f"targets= are for a list of images, but {reason}")


def _refuse_kind(kind: Kind | None, source: str) -> None:
    if kind not in (None, "classification"):
        raise ZooError(f"kind={kind!r} needs a .csv file, or targets=: {source} has classes")


def _of_folder(folder: Path, least: int) -> ImageSet:
    if not folder.is_dir():
        raise ZooError(
            f"there is no folder {str(folder)!r}: give a folder with a folder of images for each "
            "class, or a .csv file"
        )
    names = _folders_in(folder)
    training = [name for name in names if name.lower() in _TRAINING]
    validation = [name for name in names if name.lower() in _VALIDATION]
    if len(training) == len(validation) == 1 and len(names) == 2:
        return _of_split(folder / training[0], folder / validation[0])
    return _made("classification", list(_of_classes(folder, names)), names, least)


def _of_split(training: Path, validation: Path) -> ImageSet:
    """Return the images of a data set that is split already."""
    names, others = _folders_in(training), _folders_in(validation)
    for unknown in set(others) - set(names):
        raise ZooError(
            f"the class {unknown!r} of {str(validation)!r} has no folder in {str(training)!r}"
        )
    made = _made("classification", list(_of_classes(training, names)), names)
    return made._replace(validation=list(_of_classes(validation, others)))


def _folders_in(folder: Path) -> list[str]:
    """Return the names of the folders in a folder, sorted, without hidden ones and a system's."""
    try:
        names = sorted(f.name for f in folder.iterdir() if f.is_dir() and not is_of_system(f.name))
    except OSError as error:
        pass_interruption(error)
        raise _cannot_list(folder, error) from error
    if not names:
        where = str(folder)
        has = "images, but no folders" if any(images_in(folder)) else "no folders of images"
        raise ZooError(
            f"{where!r} has {has}: make a folder for each class in it, such as "
            f"{os.path.join(where, 'cats')!r}, and put the images of the class there"
        )
    return names


def _of_classes(folder: Path, names: Iterable[str]) -> Iterator[Example]:
    for name in names:
        paths = list(images_in(folder / name))
        if not paths:
            raise ZooError(
                f"the class {name!r} has no image in {str(folder / name)!r}: add some, or remove "
                "the folder"
            )
        for path in paths:
            yield Example(path, path.relative_to(folder).as_posix(), name)


def _of_class(label: str, images: Any) -> Iterator[Example]:
    """Yield the images of a label: of a folder, or a list."""
    if isinstance(images, (str, os.PathLike)) and os.path.isdir(images):
        images = list(images_in(Path(images)))
    several = is_several(images) or isinstance(images, (Set, MappingView))
    found = list(as_sequence(images)) if several else [images]
    if not found:
        raise ZooError(f"the class {label!r:.80} has no image: add some, or leave it out")
    for index, image in enumerate(found):
        name = name_of(image, index)
        yield Example(image, name if name != f"index {index}" else f"{label}, {name}", label)


def _kind_of(targets: Sequence[Target]) -> Kind:
    """Return the kind of targets by the first one."""
    first = targets[0] if len(targets) else ""
    if isinstance(first, str):
        return "classification"
    if all(isinstance(t, Integral) and not isinstance(t, bool) for t in targets):
        raise ZooError(
            f"the targets, such as {first!r:.80}, are integers: give kind='regression' to learn "
            "a number, or texts as labels of classes"
        )
    if isinstance(first, (bool, bytes)) or not isinstance(first, (Real, Iterable)):
        raise ZooError(f"the target {first!r:.80} is no label, list of labels or number")
    if isinstance(first, Iterable) and all(
        isinstance(label, str) for target in targets[:100] for label in cast(Iterable[Any], target)
    ):
        return "multi_label"
    return "regression"


def _of_csv(path: Path, kind: Kind | None, least: int) -> ImageSet:
    rows, columns = _rows_of(path)
    known = _LABEL if _LABEL in columns else _LABELS if _LABELS in columns else ""
    outputs = [known] if known else [name for name in columns if name != _IMAGE]
    if not outputs:
        raise ZooError(f"{str(path)!r} needs a column label, labels, or columns of numbers")
    found: Kind = {_LABEL: "classification", _LABELS: "multi_label"}.get(known, "regression")  # type: ignore[assignment]
    if kind not in (None, found):
        raise ZooError(f"kind={kind!r}, but the columns of {str(path)!r} are those of {found}")
    examples = []
    for number, row in enumerate(rows, 2):
        image = str(row.get(_IMAGE) or "")
        if not image:
            raise ZooError(f"line {number} of {str(path)!r} names no image")
        if None in row:
            raise ZooError(
                f"line {number} of {str(path)!r} has more than {len(columns)} values: put a value "
                "with a comma between quotes"
            )
        target = _target_of(row, found, outputs, f"line {number} of {str(path)!r}")
        examples.append(Example(path.parent / image, image, target))
    return _made(found, examples, outputs if found == "regression" else None, least)


def _rows_of(path: Path) -> tuple[list[dict[str, str]], list[str]]:
    """Return the rows and the columns of a CSV file."""
    try:
        if path.stat().st_size > _LARGEST_CSV:
            raise ValueError(f"it is larger than {_LARGEST_CSV:,} bytes")
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            columns = [name.strip() for name in reader.fieldnames or ()]
            reader.fieldnames = columns
            rows = list(reader)
    except (OSError, ValueError, csv.Error) as error:
        pass_interruption(error)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"{str(path)!r} cannot be read as CSV: {reason}") from error
    if _IMAGE not in columns or not rows:
        raise ZooError(
            f"{str(path)!r} needs a first line with the columns, of which one is {_IMAGE!r}, and "
            f"a line for each image; its columns, parted by commas, are "
            f"{', '.join(map(repr, columns)) or 'none':.300}"
        )
    return rows, columns


def _target_of(row: Mapping[str, str], kind: Kind, columns: list[str], where: str) -> Target:
    texts = [(row.get(column) or "").strip() for column in columns]
    if kind == "multi_label":
        return tuple(t.strip() for t in texts[0].split(_SEPARATOR) if t.strip())
    if kind == "classification":
        if not texts[0]:
            raise ZooError(f"{where} has no label")
        return texts[0]
    try:
        numbers = [float(text) for text in texts]
        if not all(map(math.isfinite, numbers)):
            raise ValueError
        return numbers
    except ValueError:
        raise ZooError(
            f"{where} has {', '.join(map(repr, texts)):.300} for {', '.join(columns):.300}, but "
            "numbers are needed; a column of classes is called label"
        ) from None


def _check_numbers(targets: Iterable[Target]) -> None:
    """Raise unless each target is a number, or several."""
    for index, target in enumerate(targets):
        try:
            values = np.abs(np.asarray(target, np.float64))
        except (TypeError, ValueError, OverflowError):
            raise ZooError(f"the target of row {index}, {target!r:.80}, is no number") from None
        if (np.isfinite(values) & (values > LARGEST_VALUE)).any():
            raise ZooError(
                f"the target of row {index}, {target!r:.80}, is above {LARGEST_VALUE:g}: give "
                "numbers in a larger unit"
            )


def _made(
    kind: Kind, examples: list[Example], labels: Sequence[str] | None = None, least: int = 2
) -> ImageSet:
    targets = [example.target for example in examples]
    if kind == "regression":
        _check_numbers(targets)
    names = label_names(kind, targets, labels, least)
    if kind == "regression":
        encoded(kind, targets, names)
    return ImageSet(kind, names, examples, [])
