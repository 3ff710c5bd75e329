"""What a conversion would write, without writing it: node types, sizes, and expected errors."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.converter.conversion import (
    Source,
    keeps_layers,
    prepared,
    read_source,
    require_format,
    unchanged,
)
from core.converter.reading import reading
from core.converter.web_types import unknown_types
from core.converter.web_writer import (
    prepare_for_web,
    stored_arrays,
    stored_weights,
    web_documents,
)
from core.engine import tensor
from core.errors import CoreError
from core.graph.model import GraphModel
from core.graph.nodes import Graph, PartialSpec
from core.layers import layer_classes, layers_graph
from core.tensors import Tensor
from weights_cache.errors import WeightsError
from weights_cache.quantise import QUANTISED_DTYPES, StoredArray, dequantise_array
from weights_cache.write import AS_IT_IS, Quantise

#: The quantisations that a report compares; the first is none.
KINDS = (AS_IT_IS, "float16", "uint16", "uint8")
assert set(KINDS[1:]) == set(QUANTISED_DTYPES)

#: What a report calls the quantisation that was asked for.
ASKED = "as asked"

#: What a report calls a source's own quantisation, which stays if nothing is asked for.
STORED = "as stored"

#: Lengths that an input leaves open are 1 for the first axis, and this for others.
_OPEN_LENGTH = 128

#: Inputs of more values are not made up.
_MOST_VALUES = 2**26


class OutputError(NamedTuple):
    """How far an output is from that of float32 weights, relative to the range of its values."""

    max: float
    mean: float


class Report(NamedTuple):
    """What `convert` would make of a model.

    Attributes:
        source: the path.
        format: ``"graph"``, or ``"layers"`` where these are kept.
        types: how many nodes of each type would be written, or layers of each class where these
            are kept.
        unsupported: node types that TensorFlow.js lacks, with the names of their nodes.
        parameters: how many values the weights have.
        sizes: bytes of the weights by quantisation; ``"float32"`` is none, ``"as asked"`` what
            was asked for, ``"as stored"`` what the source has and keeps.
        errors: of each quantisation by output, measured with random inputs; empty if the model
            could not run.
        notes: why something is missing.
    """

    source: str
    format: str
    types: Mapping[str, int]
    unsupported: Mapping[str, Sequence[str]]
    parameters: int
    sizes: Mapping[str, int]
    errors: Mapping[str, Mapping[str, OutputError]]
    notes: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, which JSON can hold."""
        errors = {
            kind: {name: error._asdict() for name, error in outputs.items()}
            for kind, outputs in self.errors.items()
        }
        return {
            **self._asdict(),
            "types": dict(self.types),
            "unsupported": {kind: list(names) for kind, names in self.unsupported.items()},
            "sizes": dict(self.sizes),
            "errors": errors,
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """The report in lines for people."""
        what = "layers" if self.format == "layers" else "nodes"
        lines = [f"{self.source}: {sum(self.types.values())} {what}, {self.parameters} parameters"]
        lines += [f"  {count:>5} {kind}" for kind, count in self.types.items()]
        for kind, names in self.unsupported.items():
            lines.append(f"not in TensorFlow.js: {kind} ({', '.join(names)})")
        lines.append("quantisation      bytes  largest and mean error, of an output's range")
        lines += [self._size_line(kind, size) for kind, size in self.sizes.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _size_line(self, kind: str, size: int) -> str:
        found = self.errors.get(kind)
        if not found:
            return f"{kind:<12} {size:>10}"
        name, worst = max(found.items(), key=lambda item: item[1].max)
        mean = max(error.mean for error in found.values())
        return f"{kind:<12} {size:>10}  {worst.max:.2g} and {mean:.2g} ({name})"


def inspect_model(
    source: str | os.PathLike[str],
    *,
    quantise: Quantise = None,
    format: str = "auto",
    optimise: bool | None = None,
    signature: str | None = None,
    outputs: Sequence[str] | None = None,
    seed: int = 0,
) -> Report:
    """Tell what `core.converter.convert` would write, without writing it.

    Errors are measured: the graph runs on the cpu with float32 weights and with quantised ones, on
    the same random inputs, which are from 0 to 1, or from 0 to 255 where images are whole numbers.

    Args:
        source: as for `convert`.
        quantise: a quantisation to measure beside those of `KINDS`, as for `convert`.
        format: as for `convert`.
        optimise: as for `convert`.
        signature: as for `convert`.
        outputs: as for `convert`.
        seed: of the random inputs.

    Raises:
        WeightsError: the source cannot be read, or not be written so for another reason than node
            types that TensorFlow.js lacks.
        CoreError: there are no outputs or nodes of these names.
    """
    require_format(format)
    found = read_source(source, signature=signature)
    if keeps_layers(found, format, optimise, outputs):
        written = _written_layers(found)
    else:
        written = _written_graph(found, optimise, outputs)
    wanted: dict[str, Quantise] = {kind: kind for kind in KINDS}
    wanted |= {STORED: None} if written.stored else {}
    wanted |= {ASKED: quantise} if quantise is not None else {}
    notes: list[str] = []
    weights = _weights_by_kind(written, wanted, notes)
    plain = weights.get(AS_IT_IS, {})
    return Report(
        source=os.fspath(source),
        format=written.format,
        types=dict(written.types.most_common()),
        unsupported=written.unsupported,
        parameters=sum(_count(array) for array in plain.values()),
        sizes={kind: sum(map(_size, arrays.values())) for kind, arrays in weights.items()},
        errors=_errors(written, weights, np.random.default_rng(seed), notes),
        notes=notes,
    )


_Weights = Mapping[str, np.ndarray | StoredArray]


class _Written(NamedTuple):
    """What would be written: the weights of a quantisation, and the graph that has given ones."""

    format: str
    types: Counter[str]
    unsupported: Mapping[str, Sequence[str]]
    stored: Mapping[str, StoredArray]
    weights: Callable[[Quantise, Mapping[str, StoredArray]], _Weights]
    graph: Callable[[Mapping[str, np.ndarray]], Graph]


def _written_graph(
    source: Source, optimise: bool | None, outputs: Sequence[str] | None
) -> _Written:
    before = prepared(source, optimise, outputs)
    with reading(source.path):
        graph = prepare_for_web(before)
    unsupported = unknown_types(graph)
    if not unsupported:
        web_documents(graph)  # which says what the format cannot hold
    return _Written(
        "graph",
        Counter(node.type for node in graph.nodes),
        unsupported,
        unchanged(graph, source),
        lambda quantise, stored: stored_weights(graph, quantise, stored),
        lambda weights: graph._replace(weights={**graph.weights, **weights}),
    )


def _written_layers(source: Source) -> _Written:
    web = source.web
    assert web is not None
    topology = web.document["modelTopology"]
    return _Written(
        "layers",
        Counter(layer_classes(topology)),
        {},
        web.quantised,
        lambda quantise, stored: stored_arrays(web.weights, quantise, stored),
        lambda weights: layers_graph(topology, weights) if weights else source.graph,
    )


def _weights_by_kind(
    written: _Written, wanted: Mapping[str, Quantise], notes: list[str]
) -> dict[str, _Weights]:
    """The weights as each quantisation would store them, as far as it can."""
    found: dict[str, _Weights] = {}
    for kind, quantise in wanted.items():
        try:
            found[kind] = written.weights(quantise, {} if kind in KINDS else written.stored)
        except WeightsError as error:
            if kind == ASKED:
                raise
            notes.append(f"{kind}: {error}")
    return found


def _count(array: np.ndarray | StoredArray) -> int:
    return array.values.size if isinstance(array, StoredArray) else array.size


def _size(array: np.ndarray | StoredArray) -> int:
    if isinstance(array, StoredArray):
        return array.values.nbytes
    return array.nbytes if array.dtype != object else sum(4 + len(s) for s in array.flat)


def _errors(
    written: _Written, weights: Mapping[str, _Weights], rng: np.random.Generator, notes: list[str]
) -> dict[str, dict[str, OutputError]]:
    """How far outputs are from those of float32 weights."""
    try:
        graph = written.graph({})
        inputs = {name: _random(name, e.spec, rng) for name, e in graph.inputs.items()}
        right = GraphModel(graph, "cpu").predict(inputs)
        found = {}
        for kind, stored in weights.items():
            if kind not in (AS_IT_IS, STORED):  # of which the values are the same
                arrays = {name: _restored(array) for name, array in stored.items()}
                model = GraphModel(written.graph(arrays), "cpu")
                found[kind] = _distances(right, model.predict(inputs))
    except (CoreError, MemoryError) as error:
        notes.append(f"errors were not measured: {str(error) or 'the memory does not suffice'}")
        return {}
    return found


def _restored(stored: np.ndarray | StoredArray) -> np.ndarray:
    return dequantise_array(*stored) if isinstance(stored, StoredArray) else stored


def _random(name: str, spec: PartialSpec, rng: np.random.Generator) -> Tensor:
    """Values that an input could have; images by their last axis."""
    if spec.shape is None or spec.dtype not in ("float32", "int32", "bool"):
        raise CoreError(f"the input {name!r} has no shape, or no numbers")
    shape = tuple(
        n if n is not None else _OPEN_LENGTH if axis else 1 for axis, n in enumerate(spec.shape)
    )
    if prod(shape) > _MOST_VALUES:
        raise CoreError(f"the input {name!r} of shape {shape} is too large to try")
    if spec.dtype == "float32":
        return tensor(rng.random(shape, np.float32))
    is_image = spec.dtype == "int32" and len(shape) == 4 and shape[-1] in (1, 3, 4)
    return tensor(rng.integers(0, 256 if is_image else 2, shape).astype(spec.dtype))


def _distances(right: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> dict[str, OutputError]:
    """By output; of those of another shape, as detections may have, nothing can be said."""
    distances = {}
    for name, expected in right.items():
        if expected.shape == found[name].shape and expected.size and expected.dtype != "string":
            a, b = (t.numpy().astype(np.float64) for t in (expected, found[name]))
            error = np.abs(a - b) / (np.ptp(a) or np.abs(a).max() or 1.0)
            distances[name] = OutputError(float(error.max()), float(error.mean()))
    return distances
