"""From any model file that is read to the web format of TensorFlow.js."""

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.converter.accuracy_loss import TOLERANCE, QuantisationWarning, percent
from core.converter.choosing import AUTO
from core.converter.conversion_inputs import Original, read_original
from core.converter.conversion_outputs import (
    Weights,
    Written,
    find_written,
    stored_bytes,
    stored_kind,
)
from core.converter.formats import find_kind
from core.converter.measuring import Measured, measure, require_tolerance
from core.converter.output_folders import check_metadata, check_target, refuse_folders
from core.converter.sample_inputs import SampleInputs
from core.graph.nodes import Graph
from weights_cache.errors import WeightsError
from weights_cache.write import UNQUANTISED, Quantise

#: What `convert` writes: ``auto`` keeps a web model of layers one of layers.
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
) -> Path:
    """Convert a model file to ``model.json`` and shards of 4 MiB, which TensorFlow.js loads.

    Args:
        source: a model of any kind that `core.converter.read_graph` reads, or a graph.
        target: the folder to write to; it is made if need be. A name of a file, such as
            ``"x.keras"``, is refused.
        quantise: ``"float16"``, ``"uint8"`` or ``"uint16"`` for all weights; ``"auto"`` for the
            smallest of these, or float32, of each weight with which the outputs stay within the
            tolerance; or a dict from patterns of names (``*`` and ``?``) to these, of which the
            first that matches counts, and ``"float32"`` leaves weights as they are. What is
            quantised already stays as it is where nothing else is asked for; weights of a TFLite
            file do if they have one scale, while those with one for each channel become float32.
        format: ``"graph"``; ``"layers"``, of web models of layers; or ``"auto"``, which is the
            latter for these and the former for all others.
        optimise: whether to run `core.plan.passes.optimise`; by default on all but web models,
            which were optimised when they were made.
        signature: which signature of a SavedModel to convert.
        outputs: names of outputs or nodes, if not all outputs of the model: what comes behind
            them is left away.
        overwrite: whether to replace a model that lies in the folder; never the source itself.
        samples: inputs that the model runs with before and after it is quantised: an array
            [n, ...], or a dict of arrays by name of input; a list of such, one for each run; or a
            function that makes them from the inputs (`core.graph.nodes.Endpoint` by name). By
            default random values from 0 to 1, which say less than real inputs do.
        tolerance: how far an output may change, as a share of its range: more than 0, less than
            1. Beyond it there is a warning, and ``"auto"`` stays within it. None: the model does
            not run, and nothing is measured. Each run has the limits of `core.limits`, and 60
            seconds unless they say otherwise.

    Returns:
        The path of ``model.json``. The metadata of a Teachable Machine model lies beside it, so
        that it classifies still. An error leaves files that were there as they were.

    Raises:
        WeightsError: the source cannot be read or written in this format, the target holds a
            model or is named like a file, or ``"auto"`` is asked for a model that cannot run.
        CoreError: there are no outputs or nodes of these names, or samples do not fit the inputs.

    Warns:
        QuantisationWarning: before anything is written: the outputs change by more than the
            tolerance, or the most probable class of a sample changes though it led by more; or it
            cannot be measured.
    """
    request = Request(quantise, format, optimise, signature, outputs, samples, tolerance)
    conversion = prepare_conversion(source, target, request, overwrite=overwrite)
    if conversion.warning:
        warnings.warn(conversion.warning, QuantisationWarning, stacklevel=2)
    return conversion.write()


class Request(NamedTuple):
    """What is asked of a conversion: the arguments of `convert` that have these names."""

    quantise: Quantise = None
    format: str = "auto"
    optimise: bool | None = None
    signature: str | None = None
    outputs: Sequence[str] | None = None
    samples: SampleInputs | None = None
    tolerance: float | None = TOLERANCE

    def check(self) -> None:
        """Raise an error for what is wrong whatever the model is."""
        require_format(self.format)
        kinds = self.quantise.values() if isinstance(self.quantise, Mapping) else [self.quantise]
        require_tolerance(self.tolerance, AUTO in kinds)

    def written(self, original: Original) -> Written:
        """What is written of an original."""
        return find_written(original, self.format, self.optimise, self.outputs)


def require_format(format: str) -> None:
    """Raise an error that lists `FORMATS` unless a format is one."""
    if format not in FORMATS:
        raise WeightsError(f"format={format!r} is unknown: give one of {', '.join(FORMATS)}")


class Conversion(NamedTuple):
    """All that is known of a conversion before it writes.

    Attributes:
        written: the graph or the layers.
        folder: where to.
        weights: as they are stored in the end.
        measured: their kinds, and what these do to the outputs.
        tolerance: how far outputs may change.
    """

    written: Written
    folder: Path
    weights: Weights
    measured: Measured
    tolerance: float | None

    @property
    def warning(self) -> str:
        """What to know before the weights are written; "" if there is nothing."""
        kinds, damage, samples = self.measured
        names = " and ".join(sorted({*kinds.values()} - {UNQUANTISED}))
        if self.tolerance is None or not names:
            return ""
        if damage is None:
            return f"it was not measured how far {names} changes the outputs: {samples}"
        if damage.within(self.tolerance):
            return ""
        text = f"{names} {damage.to_text()} (measured on {samples})"
        return f"{text}; quantise='auto' keeps them within {percent(self.tolerance)}"

    @property
    def summary(self) -> str:
        """The bytes of the weights before and after, how many have each kind, and the damage."""
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
    """As `convert`, up to where it warns and writes."""
    request.check()
    path = None if isinstance(source, Graph) else Path(source)
    kind = "graph" if isinstance(source, Graph) else find_kind(source)
    folder = check_target(target, path, kind, overwrite=overwrite)
    original = read_original(source, signature=request.signature)
    refuse_folders(folder, original.folders)
    check_metadata(folder, original.files, overwrite=overwrite)
    written = request.written(original)
    written.check()
    asked = written.kinds(request.quantise, (AUTO,))
    measured = measure(written, asked, request.samples, request.tolerance)
    weights = written.arrays(measured.kinds, written.stored)
    return Conversion(written, folder, weights, measured, request.tolerance)
