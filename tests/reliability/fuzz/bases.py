"""The whole files that are damaged: small ones, all from generators and records of these tests."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.reliability.fuzz import (
    documents,
    graph_files,
    labelled_files,
    layer_files,
    text_files,
    tflite_files,
)


class Base(NamedTuple):
    """The files of a model before they are damaged.

    Attributes:
        name: what it is a model of.
        opened: the path that is loaded, within the folder; "" is the folder itself.
        files: content by path within the folder.
    """

    name: str
    opened: str
    files: Mapping[str, bytes]

    def write(self, folder: Path) -> Path:
        """Write all files; the path to load."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / self.opened


#: Gives (name, opened path, writer into an empty folder) of each model of a format.
Writers = Mapping[str, Callable[[Path], Path]]

FORMATS: Mapping[str, Callable[[], Writers]] = {
    "tflite": tflite_files.writers,
    "h5": layer_files.h5_writers,
    "keras": layer_files.keras_writers,
    "layers": layer_files.web_writers,
    "teachable": layer_files.teachable_writers,
    "frozen": graph_files.frozen_writers,
    "saved": graph_files.saved_writers,
    "graph": graph_files.web_writers,
    "weights": documents.weights_writers,
    "gestures": documents.gesture_writers,
    "labelled": labelled_files.writers,
    "keras2": layer_files.keras2_writers,
    "snappy": graph_files.compressed_writers,
    "texts": text_files.writers,
}


@cache
def bases(format: str) -> list[Base]:
    """All models of a format, in memory."""
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as made:
        for i, (name, write) in enumerate(sorted(FORMATS[format]().items())):
            folder = Path(made) / str(i)
            folder.mkdir()
            opened = write(folder).relative_to(folder)
            files = {
                str(f.relative_to(folder)): f.read_bytes()
                for f in sorted(folder.rglob("*"))
                if f.is_file()
            }
            found.append(Base(name, "" if opened == Path() else str(opened), files))
    return found
