"""Reader of ``model_meta.json``, which ml5's neuralNetwork saves beside a ``model.json``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.class_labels import number_of_classes
from core.converter.reading import read_bytes
from core.converter.web_archives import META_END, MODEL
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json

_LARGEST_META = 2**20
_LARGEST_NUMBER = 1e300
_MARKS = frozenset({"inputUnits", "outputUnits", "inputs", "outputs"})


class Ml5Value(NamedTuple):
    """An input or output in the user's units.

    Attributes:
        name: its name.
        low: smallest value in the training data; it becomes 0 if values are normalized.
        high: largest one, which becomes 1.
        choices: of a text: each value that it may have, in the order of the network's numbers;
            empty for a number.
    """

    name: str
    low: float
    high: float
    choices: tuple[str, ...]

    @property
    def units(self) -> int:
        """The count of numbers of the network that stand for it."""
        return len(self.choices) or 1


class Ml5Meta(NamedTuple):
    """The metadata of a network.

    Attributes:
        inputs: inputs, in the order of the network's numbers.
        outputs: outputs: one text for classes, else numbers.
        is_normalized: whether numbers become 0..1.
    """

    inputs: tuple[Ml5Value, ...]
    outputs: tuple[Ml5Value, ...]
    is_normalized: bool


class Ml5Classes(Ml5Meta):
    """The metadata of a classifier."""

    __slots__ = ()


class Ml5Numbers(Ml5Meta):
    """The metadata of a regression model."""

    __slots__ = ()


def with_ml5_meta(graph: Graph, path: Path) -> Graph:
    """Return a graph with the metadata of ml5 beside its file, if there are some.

    Those of networks of images are left out, as they do not say how an image becomes an input.

    Args:
        graph: the graph of a ``model.json``.
        path: that file or its folder.

    Raises:
        WeightsError: the metadata are damaged, or of another network.

    Source of the format: ml5 1.0.1, NeuralNetworkData and DiyNeuralNetwork.
    """
    model = path / MODEL if path.is_dir() else path
    file = model.with_name(model.stem + META_END)
    if not file.is_file():
        return graph
    document = parse_json(read_bytes(file, _LARGEST_META), file)
    if not (isinstance(document, dict) and document.keys() >= _MARKS):
        return graph
    try:
        meta = _meta(document)
    except ValueError as error:
        raise WeightsError(f"{file} is damaged: {error}; {_REMOVE}") from None
    if meta is None:
        return graph
    _check_units(meta, graph, file)
    return graph._replace(metadata=meta)


_REMOVE = "remove it to load the network alone"


def _meta(document: Mapping[str, Any]) -> Ml5Meta | None:
    """Return the metadata in a document; None if an input or output is no number or text."""
    sides = [document["inputs"], document["outputs"]]
    if not all(isinstance(side, dict) and side for side in sides):
        raise ValueError("inputs or outputs are not named")
    described = [value for side in sides for value in side.values()]
    if not all(isinstance(value, dict) for value in described):
        raise ValueError("an input or output is not described")
    if not all(value.get("dtype") in ("number", "string") for value in described):
        return None
    inputs, outputs = (tuple(_values(side)) for side in sides)
    is_normalized = document.get("isNormalized") is True
    texts = sum(bool(value.choices) for value in outputs)
    if texts and len(outputs) > 1:
        return None
    kind = Ml5Classes if texts else Ml5Numbers
    return kind(inputs, outputs, is_normalized)


def _values(side: Mapping[str, Any]) -> Iterator[Ml5Value]:
    for name, value in side.items():
        low, high = value.get("min", 0), value.get("max", 1)
        if not all(type(n) in (int, float) and abs(n) < _LARGEST_NUMBER for n in (low, high)):
            raise ValueError(f"min and max of {name!r:.80} are {low!r:.40} and {high!r:.40}")
        choices = _choices(name, value.get("legend")) if value["dtype"] == "string" else ()
        yield Ml5Value(name, float(low), float(high), choices)


def _choices(name: str, legend: Any) -> tuple[str, ...]:
    """Return the texts in a legend by the place of the 1 in their vectors.

    ml5 takes the order of the legend, which differs where texts are integers: JavaScript sorts
    these.
    """
    if not isinstance(legend, dict) or not legend:
        raise ValueError(f"{name!r:.80} has no legend")
    places = {}
    for text, vector in legend.items():
        if not (isinstance(vector, list) and len(vector) == len(legend) and vector.count(1) == 1):
            raise ValueError(f"the legend of {name!r:.80} gives {text!r:.80} as {vector!r:.80}")
        places[vector.index(1)] = text
    if len(places) < len(legend):
        raise ValueError(f"the legend of {name!r:.80} gives two texts alike")
    return tuple(places[place] for place in range(len(legend)))


def _check_units(meta: Ml5Meta, graph: Graph, file: Path) -> None:
    shapes = [endpoint.spec.shape for endpoint in graph.inputs.values()]
    takes = shapes[0][-1] if len(shapes) == 1 and shapes[0] and len(shapes[0]) == 2 else None
    units = tuple(sum(value.units for value in side) for side in (meta.inputs, meta.outputs))
    if units != (takes, number_of_classes(graph)):
        raise WeightsError(
            f"{file} describes {units[0]} numbers in and {units[1]} out, the network takes "
            f"{shapes} and gives {number_of_classes(graph)}: {_REMOVE}"
        )
