"""Models of texts: vocabularies in configs, beside them and in hash tables; zips of ml5's files."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import core
from tests.core.converter import labelled_models
from tests.core.converter.ml5_models import NUMBERS, write_ml5
from tests.core.converter.tflite.fixtures.writer import Writer
from tests.core.converter.tflite.test_tables import add_both_ways
from tests.core.layers.text_archives import write_with_vocabulary

_WORDS = ["a", "owl", "größe", "猫"]

#: Arguments of a TextVectorization.
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "words": {"output_sequence_length": 3},
    "letters": {"split": "character", "standardize": "lower", "output_mode": "multi_hot"},
    "pairs": {"ngrams": 2, "output_mode": "count", "pad_to_max_tokens": True, "max_tokens": 9},
    "weighted": {"output_mode": "tf_idf", "idf_weights": [1.0, 2.0, 0.5, 3.0]},
    "columns": {"split": None},
}


def writers() -> Mapping[str, Callable[[Path], Path]]:
    """Small ones of each kind."""
    return {
        f"{name}-{ending}": partial(_write_layers, options, ending)
        for name, options in _OPTIONS.items()
        for ending in ("keras", "h5")
    } | {
        "beside": lambda folder: write_with_vocabulary(folder, "\n[UNK]\nä\n b".encode()),
        "tables": _write_tables,
        "ml5-zip": _write_zip,
    }


def _write_layers(options: Mapping[str, Any], ending: str, folder: Path) -> Path:
    words = core.layers.TextVectorization(vocabulary=_WORDS, **options)
    model = core.Sequential([core.layers.Input((1,), dtype="string"), words])
    model.save(folder / f"model.{ending}")
    return folder / f"model.{ending}"


def _write_tables(folder: Path) -> Path:
    writer = Writer()
    add_both_ways(writer)
    path = folder / "tables.tflite"
    writer.write(path)
    return path


def _write_zip(folder: Path) -> Path:
    model = write_ml5(folder / "mine", NUMBERS, name="mine")
    path = labelled_models.zip_of(model)
    shutil.rmtree(model)
    return path
