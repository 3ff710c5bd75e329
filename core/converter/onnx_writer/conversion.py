"""Conversion of model files to ONNX."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.converter.class_labels import Bundle, ClassLabels
from core.converter.conversion_inputs import Source, opened_source, original_of, with_outputs
from core.converter.onnx_writer.protos import NO_FACTS, ModelFacts
from core.converter.onnx_writer.writing import ENDING, OnnxFile, write_onnx
from core.converter.ultralytics import YoloFacts
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError

#: Kinds of metadata with labels of classes.
_LABELLED = (Bundle, ClassLabels, YoloFacts)


def is_onnx(target: str | os.PathLike[str]) -> bool:
    """Return whether a target is an ONNX file, by its ending."""
    return Path(target).suffix.lower() == ENDING


def convert_to_onnx(
    source: Source,
    target: str | os.PathLike[str],
    *,
    signature: str | None = None,
    outputs: Sequence[str] | None = None,
    inputs: Mapping[str, Sequence[int | None]] | None = None,
    overwrite: bool = False,
    facts: ModelFacts | None = None,
) -> OnnxFile:
    """Convert a model file to an ONNX file of opset 18, which ONNX Runtime reads since 1.14.

    Inputs and outputs keep their names and the order of their axes, channels last; between them
    convolutions have the order of ONNX, and nothing is transposed from one to the next. The batch
    stays free where the model takes any. Inputs and outputs are float32, int32 or bool: real
    values, also where a model takes and gives integers. Networks of integers are written as such,
    with weights in bytes, and round as the kernels of LiteRT do: ONNX Runtime gives equal results.

    Args:
        source: as for `core.converter.convert`.
        target: path of the file.
        signature: as for `core.converter.convert`.
        outputs: as for `core.converter.convert`.
        inputs: shapes of inputs that leave more lengths open than the batch, by name.
        overwrite: whether to replace the file; never the source itself.
        facts: what the file says beside the graph; by default the labels that the source has.

    Returns:
        The path and the size, with a note where the file differs from the model.

    Raises:
        WeightsError: the source cannot be read; nodes have no counterpart in ONNX, all of which are
            listed; the file would be larger than 2 GiB, or cannot be written.
        CoreError: outputs of these names do not exist.
    """
    path = Path(target)
    with opened_source(source) as model:
        place = None if isinstance(model, Graph) else model.path
        _check_target(path, place, overwrite=overwrite)
        graph = original_of(model, signature=signature).graph
    if outputs is not None:
        graph = with_outputs(graph, outputs)
    facts = labelled_facts(graph.metadata) if facts is None else facts
    return write_onnx(graph, path, facts=facts, inputs=inputs or {})


def _check_target(path: Path, source: Path | None, *, overwrite: bool) -> None:
    """Raise if a file is in the way."""
    if not path.exists():
        return
    if source is not None and source.exists() and path.samefile(source):
        raise WeightsError(f"{path} is the source itself: give another name")
    if path.is_dir():
        raise WeightsError(f"cannot write {path}: it is a folder, give the name of a file")
    if not overwrite:
        raise WeightsError(f"there is a file {path}: give another name, or overwrite=True")


def labelled_facts(metadata: object) -> ModelFacts:
    """Return the labels in what a reader found beside a graph.

    >>> labelled_facts(ClassLabels(("cat", "dog"), "metadata")).labels
    ('cat', 'dog')
    """
    return ModelFacts(labels=metadata.labels) if isinstance(metadata, _LABELLED) else NO_FACTS
