"""Report of a conversion without writing files: node types, sizes, and expected errors."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.converter.accuracy_loss import TOLERANCE, Damage, OutputError, Trials
from core.converter.choosing import AUTO, chosen_kinds, make_trials
from core.converter.conversion import Request
from core.converter.conversion_inputs import read_original
from core.converter.conversion_outputs import Weights, Written, stored_bytes, stored_kind
from core.converter.sample_inputs import SampleInputs
from core.errors import CoreError
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError
from weights_cache.quantise import QUANTISED_DTYPES, StoredArray
from weights_cache.write import UNQUANTISED, Quantise

#: The quantisations that a report compares; the first means no quantisation.
KINDS = (UNQUANTISED, "float16", "uint16", "uint8")
assert set(KINDS[1:]) == set(QUANTISED_DTYPES)

#: Name in reports of the requested quantisation.
REQUESTED = "as requested"
#: Name in reports of the source's quantisation, which is the default.
STORED = "as stored"


class Report(NamedTuple):
    """Expected results of `convert` for a model.

    Attributes:
        source: path of the model.
        format: ``"graph"``, or ``"layers"`` if layers are kept.
        types: number of nodes of each type, or of layers of each class if layers are kept.
        unsupported: node types that TensorFlow.js lacks, with the names of their nodes.
        parameters: number of values of all weights.
        sizes: bytes of the weights by quantisation; ``"float32"`` means none, ``"as requested"``
            the argument ``quantise``, ``"as stored"`` the quantisation of the source.
        errors: errors of each quantisation by output; empty if they were not measured.
        notes: reasons for missing parts of the report, and the next step.
        samples: inputs with which errors were measured, such as ``"8 random inputs"``.
        kinds: number of weights of each kind in the requested quantisation.
    """

    source: str
    format: str
    types: Mapping[str, int]
    unsupported: Mapping[str, Sequence[str]]
    parameters: int
    sizes: Mapping[str, int]
    errors: Mapping[str, Mapping[str, OutputError]]
    notes: Sequence[str]
    samples: str = ""
    kinds: Mapping[str, int] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        errors = {
            kind: {name: error._asdict() for name, error in outputs.items()}
            for kind, outputs in self.errors.items()
        }
        return {
            **{key: dict(v) if isinstance(v, Mapping) else v for key, v in self._asdict().items()},
            "unsupported": {kind: list(names) for kind, names in self.unsupported.items()},
            "errors": errors,
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """Return the report as readable lines."""
        what = "layers" if self.format == "layers" else "nodes"
        lines = [f"{self.source}: {sum(self.types.values())} {what}, {self.parameters} parameters"]
        lines += [f"  {count:>5} {kind}" for kind, count in self.types.items()]
        for kind, names in self.unsupported.items():
            lines.append(f"not in TensorFlow.js: {kind} ({', '.join(names)})")
        errors = "  largest and mean error, of an output's range" if self.errors else ""
        lines.append(f"quantisation      bytes{errors}")
        lines += [self._size_line(kind, size) for kind, size in self.sizes.items()]
        if self.kinds:
            counts = ", ".join(f"{count} in {kind}" for kind, count in self.kinds.items())
            lines.append(f"{REQUESTED}: weights {counts}")
        if self.errors:
            lines.append(f"errors measured on {self.samples}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _size_line(self, kind: str, size: int) -> str:
        found = self.errors.get(kind)
        if not found:
            return f"{kind:<12} {size:>10}"
        name, worst = max(found.items(), key=lambda item: item[1].max)
        damage = Damage(found)
        lost, labels = damage.labels_lost
        kept = f", {labels - lost} of {labels} top labels stay" if labels else ""
        return f"{kind:<12} {size:>10}  {worst.max:.2g} and {damage.mean:.2g} ({name}){kept}"


def inspect_model(
    source: str | os.PathLike[str] | Graph,
    *,
    quantise: Quantise = None,
    format: str = "auto",
    optimise: bool | None = None,
    signature: str | None = None,
    outputs: Sequence[str] | None = None,
    samples: SampleInputs | None = None,
    tolerance: float | None = TOLERANCE,
    seed: int = 0,
    measure: bool = False,
) -> Report:
    """Return a report of the results of `core.converter.convert`, without writing files.

    The model is read, and runs only with ``measure=True``.

    Args:
        source: as for `convert`.
        quantise: a quantisation to report beside those of `KINDS`, as for `convert`; ``"auto"``
            needs ``measure=True``.
        format: as for `convert`.
        optimise: as for `convert`.
        signature: as for `convert`.
        outputs: as for `convert`.
        samples: as for `convert`; by default random values from 0 to 1, or from 0 to 255 where
            images are integers.
        tolerance: as for `convert`.
        seed: seed of the random inputs.
        measure: whether to run the model on the CPU with float32 and with quantised weights, and
            measure the differences of the outputs. Each run has the limits of `core.limits`, and
            60 seconds unless these set another limit.

    Raises:
        WeightsError: the source cannot be read, or cannot be written for another reason than node
            types that TensorFlow.js lacks.
        CoreError: outputs or nodes of these names do not exist; or samples or ``"auto"`` are given
            without ``measure=True``.

    >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
    >>> nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Mul", ("x", "w"))]
    >>> ends = [Endpoint(name, PartialSpec((2,))) for name in ("x", "y")]
    >>> graph = Graph(nodes, {"w": np.float32([1, 2])}, {"x": ends[0]}, {"y": ends[1]})
    >>> inspect_model(graph).sizes["uint8"], inspect_model(graph).errors
    (2, {})
    >>> inspect_model(graph, measure=True).samples
    '8 random inputs'
    """
    request = Request(quantise, format, optimise, signature, outputs, samples, tolerance)
    request.check()
    if not measure:
        _refuse_measuring(quantise, samples)
    written = request.written(read_original(source, signature=signature))
    if not written.unsupported:
        written.check()
    trials = make_trials(written, samples, seed) if measure else _NOT_MEASURED
    quantisations: dict[str, Mapping[str, str]] = {kind: written.kinds(kind) for kind in KINDS}
    quantisations |= {STORED: {}} if written.stored else {}
    if quantise is not None:
        requested = written.kinds(quantise, (AUTO,))
        quantisations[REQUESTED] = chosen_kinds(written, trials, requested, tolerance)
    notes: list[str] = []
    weights = _weights_by_kind(written, quantisations, notes)
    return Report(
        source="graph" if isinstance(source, Graph) else os.fspath(source),
        format=written.format,
        types=dict(written.types.most_common()),
        unsupported=written.unsupported,
        parameters=sum(map(_count, weights.get(UNQUANTISED, {}).values())),
        sizes={kind: sum(map(stored_bytes, arrays.values())) for kind, arrays in weights.items()},
        errors=_errors(trials, weights, notes),
        notes=notes,
        samples=trials.samples.text if isinstance(trials, Trials) else "",
        kinds=dict(Counter(map(stored_kind, weights.get(REQUESTED, {}).values())).most_common()),
    )


#: The reason for missing errors, in place of trials.
_NOT_MEASURED = "measuring runs the model: give measure=True"


def _refuse_measuring(quantise: Quantise, samples: SampleInputs | None) -> None:
    """Raise for arguments that only apply to a model that runs."""
    kinds = quantise.values() if isinstance(quantise, Mapping) else [quantise]
    if AUTO in kinds:
        raise CoreError("quantise='auto' runs the model to measure errors: also give measure=True")
    if samples is not None:
        raise CoreError("samples= are inputs to measure errors with: also give measure=True")


def _weights_by_kind(
    written: Written, quantisations: Mapping[str, Mapping[str, str]], notes: list[str]
) -> dict[str, Weights]:
    """Return the weights in the stored form of each quantisation that can hold them."""
    found: dict[str, Weights] = {}
    for kind, kinds in quantisations.items():
        try:
            found[kind] = written.arrays(kinds, {} if kind in KINDS else written.stored)
        except WeightsError as error:
            if kind == REQUESTED:
                raise
            notes.append(f"{kind}: {error}")
    return found


def _count(array: np.ndarray | StoredArray) -> int:
    return array.values.size if isinstance(array, StoredArray) else array.size


def _errors(
    trials: Trials | str, weights: Mapping[str, Weights], notes: list[str]
) -> dict[str, Mapping[str, OutputError]]:
    """Return the errors of outputs relative to float32 weights."""
    if isinstance(trials, Trials):
        try:
            # Unquantised or as stored, the weights are those that outputs are compared with.
            others = {k: arrays for k, arrays in weights.items() if k not in (UNQUANTISED, STORED)}
            return {kind: trials.damage(arrays).outputs for kind, arrays in others.items()}
        except CoreError as error:
            trials = str(error)
    notes.append(f"errors were not measured: {trials}")
    return {}
