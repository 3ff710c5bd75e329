"""Conversion of model files to ONNX."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.converter.class_labels import Bundle, ClassLabels
from core.converter.conversion_inputs import Source, opened_source, original_of, with_outputs
from core.converter.onnx_writer.protos import ModelFacts
from core.converter.onnx_writer.writing import ENDING, OnnxFile, write_onnx
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError


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
    """Convert a model file to an ONNX file; see `write_onnx`.

    Args:
        source: as for `core.converter.convert`.
        target: path of the file.
        signature: as for `core.converter.convert`.
        outputs: as for `core.converter.convert`.
        inputs: shapes of inputs that leave more lengths open than the batch, by name.
        overwrite: whether to replace the file; never the source itself.
        facts: what the file says beside the graph; by default the labels that the source has.

    Raises:
        WeightsError: the source cannot be read, or not be written as ONNX.
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
    """Return the labels in what a reader found beside a graph, in the form of Ultralytics.

    >>> labelled_facts(ClassLabels(("cat", "dog"), "metadata")).metadata
    {'names': "{0: 'cat', 1: 'dog'}"}
    """
    if isinstance(metadata, (ClassLabels, Bundle)) and metadata.labels:
        return ModelFacts(metadata={"names": names_literal(metadata.labels)})
    return ModelFacts()


def names_literal(labels: Sequence[str]) -> str:
    """Return labels as Ultralytics writes them: a dict of Python, by number."""
    return repr(dict(enumerate(labels)))
