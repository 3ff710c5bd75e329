"""Models with their weights, inputs and outputs, as Keras and TensorFlow.js recorded them."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILES = ("keras3", "keras3_attention", "keras2", "tensorflow_js")


class Recorded(NamedTuple):
    """One model."""

    topology: dict
    weights: dict[str, np.ndarray]
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    lists: dict[str, list[str]]
    paths: dict[str, str]


@cache
def documents(file: str) -> dict:
    """All models of a file by name."""
    return json.loads(Path(__file__).with_name(f"{file}_models.json").read_text())


def recorded(file: str, name: str) -> Recorded:
    """A model of a file."""
    document = documents(file)[name]
    return Recorded(
        document["topology"],
        {key: array(value) for key, value in document["weights"].items()},
        [array(value) for value in document["inputs"]],
        [array(value) for value in document["outputs"]],
        document.get("lists", {}),
        document.get("paths", {}),
    )


def array(document: dict) -> np.ndarray:
    """An array from its shape, dtype and values."""
    return np.array(document["values"], document["dtype"]).reshape(document["shape"])


def names(key: str = "outputs") -> list[tuple[str, str]]:
    """File and name of all models that have something."""
    return [(f, n) for f in FILES for n, document in documents(f).items() if document.get(key)]
