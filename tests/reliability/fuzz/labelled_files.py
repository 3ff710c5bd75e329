"""Models with labels beside them or inside: Teachable Machine's for Python, TFLite's, and ml5's."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.core.converter import labelled_models
from tests.core.converter.ml5_models import CLASSES, NUMBERS, write_ml5
from tests.core.converter.tflite.fixtures.writer import Writer


def writers() -> Mapping[str, Callable[[Path], Path]]:
    """Small ones of each kind."""
    return {
        "folder": lambda folder: labelled_models.write_export(folder / "export"),
        "file": lambda folder: labelled_models.write_export(folder / "export") / "keras_model.h5",
        "zip": _write_zip,
        "inner": partial(_write_zip, inside="export/"),
        "tflite": partial(_write_tflite, name="any.tflite"),
        "tflite-zip": partial(_write_tflite, name="model_unquant.tflite"),
        "ml5-classes": lambda folder: write_ml5(folder / "model", CLASSES),
        "ml5-numbers": lambda folder: write_ml5(folder / "model", NUMBERS),
    }


def _write_zip(folder: Path, inside: str = "") -> Path:
    export = labelled_models.write_export(folder / "export")
    return _packed(export, inside)


def _packed(export: Path, inside: str = "") -> Path:
    path = labelled_models.zip_of(export, inside)
    shutil.rmtree(export)
    return path


def _write_tflite(folder: Path, name: str) -> Path:
    """With labels and range inside; as an export in a zip, with those of an export."""
    metadata = labelled_models.metadata_of((127.5,), (127.5,), [("labels.txt", 2, "en")])
    content = labelled_models.tflite_of(Writer(), metadata=metadata)
    export = folder / "export"
    export.mkdir()
    (export / name).write_bytes(labelled_models.with_files(content, labels="cats\ndogs\n"))
    if name == "any.tflite":
        return export / name
    (export / "labels.txt").write_text("0 cats\n1 dogs\n")
    return _packed(export)
