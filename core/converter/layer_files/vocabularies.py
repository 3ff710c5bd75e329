"""Factors of layers with a vocabulary, which files have beside their configs."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from core.converter.keras_files.models import lookup_layers
from core.layers.built_in.vocabulary_lookup import lookup_of, mode_of
from core.layers.layer_config import Options


class Factors(NamedTuple):
    """Factors by which a layer multiplies counts in the mode "tf_idf".

    Attributes:
        path: path of the layer's group in an archive.
        class_name: class of the layer.
        name: name of the layer.
        values: a factor for each place.
    """

    path: str
    class_name: str
    name: str
    values: np.ndarray


def factors_of(topology: Mapping[str, Any]) -> Iterator[Factors]:
    """Yield the factors of the layers of a topology that have some."""
    for path, layer in lookup_layers(topology):
        class_name, config = str(layer["class_name"]), layer["config"]
        name = str(config.get("name"))
        options = Options(config, f"layer {name!r}")
        if mode_of(options) == "tf_idf":
            found = lookup_of(class_name, options, needs_keys=False)
            if found.factors is not None:
                yield Factors(path, class_name, name, found.factors)
