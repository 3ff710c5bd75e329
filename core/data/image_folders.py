"""Images of folders, one folder for each class, and frames of cameras and videos."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from core.data.dataset import Dataset
from core.data.iterators import mapped_in_threads
from core.data.rows import Rows, Table
from core.data.seeds import checked_seed, generator_of
from core.engine.specs import check_choice, integer, integers
from core.errors import CoreError
from core.graph.nodes import PartialSpec
from weights_cache.common.system_files import is_of_system

ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")

#: The most pixels of an image, which takes 8 bytes for each while it is read.
_MOST_PIXELS = 100_000_000

_MODES = {"rgb": "RGB", "rgba": "RGBA", "grayscale": "L"}
_LABELS = ("index", "one_hot", None)


class ImageFolder(Dataset[Any]):
    """Images of a folder, with labels from the names of folders in it.

    Attributes:
        class_names: names of the classes, in the order of their indices.
        file_paths: the files.
    """

    def __init__(self, table: "_ImageTable", class_names: list[str]):
        super().__init__(rows=Rows(table))
        self._table, self.class_names = table, class_names
        self.file_paths = table.paths

    @property
    def skipped(self) -> dict[str, str]:
        """Files that could not be read so far, and why."""
        return dict(self._table.skipped)


def image_folder(
    folder: str | os.PathLike[str],
    size: int | tuple[int, int] = (224, 224),
    labels: Literal["index", "one_hot"] | None = "index",
    class_names: Sequence[str] | None = None,
    color_mode: Literal["rgb", "rgba", "grayscale"] = "rgb",
    validation_split: float | None = None,
    subset: Literal["training", "validation"] | None = None,
    seed: int | None = None,
    dtype: Literal["float32", "uint8"] = "float32",
    threads: int | None = None,
) -> ImageFolder:
    """Return the images of a folder that has a folder for each class.

    Elements are pairs of image [height, width, channels], 0 to 255, and label, in the order of
    classes and names; ``shuffle()`` mixes them before they are read. Images are turned upright by
    their EXIF orientation. A file that cannot be read is left out, with a warning, and listed in
    the attribute ``skipped``. Keras's ``image_dataset_from_directory`` is much alike.

    Args:
        folder: the folder; files in folders of a class count, too, hidden folders
            and those of a system, such as ``__MACOSX``, do not.
        size: height and width in pixels, to which images are resized by Pillow's bilinear filter.
        labels: "index" for int32 numbers of classes, "one_hot" for float32 vectors, or None for
            images without labels, of all folders.
        class_names: the folders, in the order of their indices; None for all, sorted.
        color_mode: "rgb", "rgba" or "grayscale", for 3, 4 or 1 channels.
        validation_split: share of the images for validation, between 0 and 1; drawn at random.
        subset: "training" or "validation", the part of the images that is returned.
        seed: integer, 0 or more, that draws the split; give both subsets the same; None is 0.
        dtype: dtype of the images.
        threads: how many images are read at a time, in threads; None for none.

    Raises:
        CoreError: an argument is invalid, or there is no image.
    """
    root = Path(folder)
    _check(root, labels, color_mode, validation_split, subset, dtype)
    names = [] if labels is None else _classes(root, class_names)
    found = [(path, 0) for path in _images(root)] if labels is None else _labelled(root, names)
    if not found:
        where = "it" if labels is None else "a folder of a class"
        raise CoreError(
            f"{str(root)!r} has no image in {where}: the endings are {', '.join(ENDINGS)}"
        )
    if validation_split is not None:
        found = _part(found, validation_split, subset, 0 if seed is None else checked_seed(seed))
    height, width = _height_and_width(size)
    coded = _coded([label for _, label in found], len(names), labels)
    reader = _Reader(height, width, color_mode, dtype)
    several = None if threads is None else integer(threads, "threads", 1)
    return ImageFolder(_ImageTable([str(p) for p, _ in found], coded, reader, several), names)


def _height_and_width(size: int | tuple[int, int]) -> tuple[int, int]:
    found = integers(size, "size")
    height, *others = found
    if len(found) > 2 or min(found) < 1:
        raise CoreError(f"size={size!r} must be an integer, 1 or more, or (height, width)")
    return height, others[0] if others else height


def _check(
    root: Path,
    labels: str | None,
    color_mode: str,
    validation_split: float | None,
    subset: str | None,
    dtype: str,
) -> None:
    if not root.is_dir():
        raise CoreError(f"there is no folder {str(root)!r}: check the name")
    if labels not in _LABELS:
        raise CoreError(f"labels={labels!r} must be one of {_LABELS}")
    check_choice(color_mode, "color_mode", tuple(_MODES))
    check_choice(dtype, "dtype", ("float32", "uint8"))
    if (validation_split is None) != (subset is None):
        raise CoreError('validation_split needs subset="training" or "validation", and it a share')
    if validation_split is not None:
        check_choice(subset, "subset", ("training", "validation"))
        if not 0 < validation_split < 1:
            raise CoreError(f"validation_split={validation_split!r} must lie between 0 and 1")


def _classes(root: Path, class_names: Sequence[str] | None) -> list[str]:
    folders = sorted(f.name for f in root.iterdir() if f.is_dir() and not is_of_system(f.name))
    for name in class_names or ():
        if name not in folders:
            raise CoreError(
                f"{str(root)!r} has no folder {name!r}; its folders are {', '.join(folders)}"
            )
    return list(class_names or folders)


def _labelled(root: Path, names: list[str]) -> list[tuple[Path, int]]:
    return [(path, label) for label, name in enumerate(names) for path in _images(root / name)]


def _images(folder: Path) -> Iterator[Path]:
    """Yield the images of a folder and of those in it, sorted."""
    for path in sorted(folder.rglob("*")):
        is_hidden = any(map(is_of_system, path.relative_to(folder).parts))
        if path.suffix.lower() in ENDINGS and not is_hidden and path.is_file():
            yield path


def _part(
    files: list[tuple[Path, int]], share: float, subset: str | None, seed: int
) -> list[tuple[Path, int]]:
    """Return the files of a subset, in the order of all."""
    order = generator_of(seed).permutation(len(files))
    ends = len(files) - int(share * len(files))
    chosen = sorted(order[:ends] if subset == "training" else order[ends:])
    if not chosen:
        raise CoreError(f"validation_split={share} leaves no image of {len(files)} for {subset}")
    return [files[index] for index in chosen]


def _coded(indices: list[int], classes: int, labels: str | None) -> np.ndarray | None:
    if labels is None:
        return None
    if labels == "one_hot":
        return np.eye(classes, dtype=np.float32)[indices]
    return np.array(indices, np.int32)


class _Reader:
    """Reads images as arrays of one size.

    Args:
        height: pixels.
        width: pixels.
        color_mode: see `image_folder`.
        dtype: of the arrays.
    """

    def __init__(self, height: int, width: int, color_mode: str, dtype: str):
        self._size, self._mode, self._dtype = (width, height), _MODES[color_mode], dtype
        channels = len(self._mode)
        self.spec = PartialSpec((height, width, channels), dtype)

    def read(self, path: str) -> np.ndarray:
        """Return the image of a file."""
        from PIL import Image, ImageOps

        with Image.open(path) as file:
            if file.format == "EPS":  # Pillow would run the program in Ghostscript
                raise ValueError("it is PostScript, which is not run")
            if file.width * file.height > _MOST_PIXELS:
                size = f"{file.width} x {file.height}"
                raise ValueError(f"its {size} pixels are over {_MOST_PIXELS:,}")
            upright = ImageOps.exif_transpose(file).convert(self._mode)
        resized = upright.resize(self._size, Image.Resampling.BILINEAR)
        return np.asarray(resized, self._dtype).reshape(*self._size[::-1], -1)


class _ImageTable(Table):
    """Images of files by index; those that cannot be read are left out."""

    def __init__(
        self, paths: list[str], labels: np.ndarray | None, reader: _Reader, threads: int | None
    ):
        self.paths, self._labels, self._reader = paths, labels, reader
        self._threads = threads
        self.skipped: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.paths) - len(self.skipped)

    def indices(self) -> np.ndarray:
        """Return the indices of the files that can be read, as far as that is known."""
        return np.array([i for i, path in enumerate(self.paths) if path not in self.skipped], int)

    def samples(self, indices: Iterable[int]) -> Iterator[Any]:
        """Yield images, with labels if there are some."""
        found: Iterator[Any] = map(self._sample, indices)
        if self._threads is not None:
            found = mapped_in_threads(self._sample, indices, self._threads)
        return (sample for sample in found if sample is not None)

    def _sample(self, index: int) -> Any:
        path = self.paths[index]
        try:
            image = self._reader.read(path)
        except Exception as error:  # damaged files make Pillow raise many kinds
            self._skip(path, f"{type(error).__name__}: {error!s:.200}")
            return None
        return image if self._labels is None else (image, self._labels[index])

    def _skip(self, path: str, reason: str) -> None:
        is_new = path not in self.skipped
        self.skipped[path] = reason
        if is_new:
            warnings.warn(f"{path} is left out, it cannot be read ({reason:.200})", stacklevel=2)

    def spec(self) -> Any:
        """Return shapes and dtypes of a sample."""
        if self._labels is None:
            return self._reader.spec
        return self._reader.spec, PartialSpec(self._labels.shape[1:], self._labels.dtype.name)


class HasImage(Protocol):
    """A frame of `zoo.frames`, or what is like it."""

    @property
    def image(self) -> np.ndarray:
        """RGB pixels, uint8 [height, width, 3]."""


def from_frames(
    source: Callable[[], Iterable[HasImage]] | Iterable[HasImage],
) -> Dataset[np.ndarray]:
    """Return the images of frames, such as those of `zoo.frames` of a camera or a video.

    Args:
        source: frames, for one pass; or a function that returns them, for several, such as
            ``lambda: zoo.frames("film.mp4")``.
    """
    return Dataset.from_generator(source).map(lambda frame: frame.image)
