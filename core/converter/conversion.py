"""Conversion of model files to the web format of TensorFlow.js, or to ONNX."""

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.converter.accuracy_loss import TOLERANCE, QuantisationWarning, percent
from core.converter.choosing import AUTO, Measured, measure, require_tolerance
from core.converter.conversion_inputs import Original, opened_source, original_of
from core.converter.conversion_outputs import (
    Weights,
    Written,
    find_written,
    stored_bytes,
    stored_kind,
)
from core.converter.onnx_writer import convert_to_onnx, is_onnx
from core.converter.output_folders import check_metadata, check_target, refuse_folders
from core.converter.sample_inputs import SampleInputs
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError
from weights_cache.write import UNQUANTISED, Quantise

#: Formats of `convert`: ``auto`` writes layers for a web model of layers, else a graph.
FORMATS = ("auto", "graph", "layers")


def convert(
    source: str | os.PathLike[str] | Graph,
    target: str | os.PathLike[str],
    *,
    quantise: Quantise = None,
    format: str = "auto",
    optimise: bool | None = None,
    signature: str | None = None,
    outputs: Sequence[str] | None = None,
    overwrite: bool = False,
    samples: SampleInputs | None = None,
    tolerance: float | None = TOLERANCE,
    inputs: Mapping[str, Sequence[int | None]] | None = None,
) -> Path:
    """Convert a model file to ``model.json`` and shards of 4 MiB for TensorFlow.js, or to ONNX.

    An ONNX file has opset 18, keeps the names and axes of inputs and outputs, and the batch free
    where the model does; quantised weights become float32, and labels are in its metadata.

    Args:
        source: a model of any kind that `core.converter.read_graph` reads, or a graph.
        target: the folder to write to, made if missing; or a file that ends in ``.onnx``, for
            which ``signature``, ``outputs``, ``overwrite`` and ``inputs`` apply. A name of
            another file, such as ``"x.keras"``, is refused.
        quantise: ``"float16"``, ``"uint8"`` or ``"uint16"`` for all weights; ``"auto"`` for the
            smallest of these, or float32, per weight that keeps the outputs within the tolerance;
            or a dict from patterns of names (``*`` and ``?``) to these, of which the first match
            is used, and ``"float32"`` means no quantisation. Quantised weights stay unchanged
            unless another kind is requested; weights of a TFLite file do if they have one scale,
            while weights with one scale per channel become float32.
        format: ``"graph"``; ``"layers"``, for web models of layers only; or ``"auto"``, which
            means layers for these and a graph for all others.
        optimise: whether to run `core.plan.passes.optimise`; by default on all but web models,
            which were optimised when they were made.
        signature: name of the signature of a SavedModel to convert.
        outputs: names of outputs or nodes, if not all outputs of the model; nodes that these do
            not need are dropped.
        overwrite: whether to replace a model in the folder; never the source itself.
        samples: inputs for runs of the model before and after quantisation: an array [n, ...], or
            a dict of arrays by name of input; a list of these, one per run; or a function that
            makes them from the inputs (`core.graph.nodes.Endpoint` by name). The default, random
            values from 0 to 1, is less significant than real inputs.
        tolerance: largest change of an output, as a share of its range: more than 0, less than
            1. Above it there is a warning, and ``"auto"`` stays within it. None: the model does
            not run, and no errors are measured. Each run has the limits of `core.limits`, and 60
            seconds unless these set another limit.
        inputs: of ONNX files: shapes of inputs that leave more lengths open than the batch, by
            name, such as ``{"image": (None, 257, 257, 3)}``.

    Returns:
        The path of ``model.json``, or of the ONNX file. The metadata of a Teachable Machine model
        is written beside ``model.json``, so that the result still classifies. An error leaves
        existing files unchanged.

    Raises:
        WeightsError: the source cannot be read or written in this format (all node types that it
            lacks are listed), the target has a model or is named like another file, or ``"auto"``
            is requested for a model that cannot run.
        CoreError: outputs or nodes of these names do not exist, or samples do not fit the inputs.

    Warns:
        QuantisationWarning: before any file is written: the outputs change by more than the
            tolerance, or the most probable class of a sample changes though it led by more; or
            the change cannot be measured.
    """
    request = Request(quantise, format, optimise, signature, outputs, samples, tolerance)
    if is_onnx(target):
        request.check_onnx()
        written = convert_to_onnx(
            source,
            target,
            signature=signature,
            outputs=outputs,
            inputs=inputs,
            overwrite=overwrite,
        )
        return written.path
    if inputs is not None:
        raise WeightsError(f"inputs= are shapes for .onnx files: leave it out for {target}")
    conversion = prepare_conversion(source, target, request, overwrite=overwrite)
    if conversion.warning:
        warnings.warn(conversion.warning, QuantisationWarning, stacklevel=2)
    return conversion.write()


class Request(NamedTuple):
    """The arguments of `convert` with these names."""

    quantise: Quantise = None
    format: str = "auto"
    optimise: bool | None = None
    signature: str | None = None
    outputs: Sequence[str] | None = None
    samples: SampleInputs | None = None
    tolerance: float | None = TOLERANCE

    def check(self) -> None:
        """Raise an error for arguments that are invalid for any model."""
        require_format(self.format)
        kinds = self.quantise.values() if isinstance(self.quantise, Mapping) else [self.quantise]
        require_tolerance(self.tolerance, AUTO in kinds)

    def check_onnx(self) -> None:
        """Raise an error for arguments that have no meaning for ONNX files."""
        usual = Request(signature=self.signature, outputs=self.outputs)
        names = [n for n, a, b in zip(self._fields, self, usual, strict=True) if a != b]
        if names:
            raise WeightsError(
                f"{', '.join(f'{name}=' for name in names)} is for the web format of "
                f"TensorFlow.js: leave it out for an .onnx file, whose weights are float32"
            )

    def written(self, original: Original) -> Written:
        """Return the graph or layers to write for an original."""
        return find_written(original, self.format, self.optimise, self.outputs)


def require_format(format: str) -> None:
    """Raise an error that lists `FORMATS` unless a format is in the list."""
    if format not in FORMATS:
        raise WeightsError(f"format={format!r} is unknown: give one of {', '.join(FORMATS)}")


class Conversion(NamedTuple):
    """A conversion before its files are written.

    Attributes:
        written: the graph or the layers.
        folder: target folder.
        weights: weights in the form in which they are written.
        measured: kinds of the weights, and their errors in the outputs.
        tolerance: largest change of the outputs.
    """

    written: Written
    folder: Path
    weights: Weights
    measured: Measured
    tolerance: float | None

    @property
    def warning(self) -> str:
        """The warning about changed outputs, or ""."""
        kinds, damage, samples = self.measured
        names = " and ".join(sorted({*kinds.values()} - {UNQUANTISED}))
        if self.tolerance is None or not names:
            return ""
        if damage is None:
            return f"the change of the outputs by {names} was not measured: {samples}"
        if damage.within(self.tolerance):
            return ""
        text = f"{names} {damage.to_text()} (measured on {samples})"
        return f"{text}; quantise='auto' keeps them within {percent(self.tolerance)}"

    @property
    def summary(self) -> str:
        """The bytes of the weights before and after, the count of each kind, and the errors."""
        before = self.written.arrays({}, self.written.stored)
        old, new = (sum(map(stored_bytes, w.values())) for w in (before, self.weights))
        counts = Counter(map(stored_kind, self.weights.values())).most_common()
        kinds = ", ".join(f"{count} in {kind}" for kind, count in counts)
        text = f"{new:,} bytes of weights, before {old:,} ({kinds})"
        damage = self.measured.damage
        return f"{text}; that {damage.to_text()} ({self.measured.samples})" if damage else text

    def write(self) -> Path:
        """Write the model, and return the path of ``model.json``."""
        return self.written.write(self.folder, self.weights)


def prepare_conversion(
    source: str | os.PathLike[str] | Graph,
    target: str | os.PathLike[str],
    request: Request,
    *,
    overwrite: bool = False,
) -> Conversion:
    """Prepare a conversion like `convert`, without the warning and without writing."""
    request.check()
    with opened_source(source) as model:
        path, kind = (None, "graph") if isinstance(model, Graph) else (model.path, model.kind)
        folder = check_target(target, path, kind, overwrite=overwrite)
        original = original_of(model, signature=request.signature)
    refuse_folders(folder, original.folders)
    check_metadata(folder, original.files, overwrite=overwrite)
    written = request.written(original)
    written.check()
    requested = written.kinds(request.quantise, (AUTO,))
    measured = measure(written, requested, request.samples, request.tolerance)
    weights = written.arrays(measured.kinds, written.stored)
    return Conversion(written, folder, weights, measured, request.tolerance)
