"""ONNX files that `zoo convert` writes: shapes, outputs and facts of models of the zoo."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core import Graph
from core.converter import ModelFacts, OnnxFile, convert_to_onnx, read_graph
from weights_cache import find_record
from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Entry
from zoo.catalog.labels import read_labels
from zoo.cli.convertible import input_size

#: Options that are for the web format alone, by the argument that holds them.
_FOR_WEB = ("quantise", "samples", "range", "tolerance", "dry_run", "measure", "json", "optimise")


def write_onnx_file(
    given: argparse.Namespace, source: str | Path | Graph, entry: Entry | None
) -> OnnxFile:
    """Write the ONNX file that the arguments of ``zoo convert`` ask for.

    Args:
        given: the arguments.
        source: the file, or the graph.
        entry: of a model of the zoo; None for other files.

    Raises:
        ZooError: options are for the web format; or as `convert_to_onnx`.
    """
    wrong = [name for name in _FOR_WEB if getattr(given, name) not in (None, False, [])]
    if wrong or given.format != "auto":
        option = wrong[0].replace("_", "-") if wrong else "format"
        raise ZooError(f"--{option} is for the web format of TensorFlow.js: leave it out for .onnx")
    shapes, outputs, facts = _shapes(given.shape), given.output, None
    if entry is not None:
        shapes = {**_shapes_of(source, entry), **shapes}
        outputs = outputs or [*entry.outputs] or None
        facts = facts_of(entry)
    return convert_to_onnx(
        source,
        given.target,
        signature=given.signature,
        outputs=outputs,
        inputs=shapes,
        overwrite=given.overwrite,
        facts=facts,
    )


def _shapes(texts: Sequence[str]) -> dict[str, tuple[int | None, ...]]:
    """Return shapes by name of input.

    >>> _shapes(["image=?,224,224,3"])
    {'image': (None, 224, 224, 3)}
    """
    found: dict[str, tuple[int | None, ...]] = {}
    for text in texts:
        name, _, lengths = text.rpartition("=")
        try:
            found[name] = tuple(None if n == "?" else int(n) for n in lengths.split(","))
        except ValueError:
            found[name] = ()
        if not name or not found[name]:
            raise ZooError(
                f"--shape {text!r} must be the name of an input and its lengths, such as "
                f"image=?,224,224,3, where ? is a batch of any length"
            )
    return found


def _shapes_of(source: str | Path | Graph, entry: Entry) -> Mapping[str, tuple[int | None, ...]]:
    """Return shapes for inputs of images of any size: the size that the model has by default."""
    graph = source if isinstance(source, Graph) else read_graph(source)
    shapes = {name: endpoint.spec.shape for name, endpoint in graph.inputs.items()}
    return {
        name: (shape[0], *input_size(entry), shape[3])
        for name, shape in shapes.items()
        if shape is not None and len(shape) == 4 and None in shape[1:3]
    }


def facts_of(entry: Entry) -> ModelFacts:
    """Return what an ONNX file says of a model of the zoo.

    >>> from zoo.catalog.entries import find_entry
    >>> facts_of(find_entry("mobilenet.v1_025")).metadata["preprocessing"]
    "{'size': [224, 224], 'mean': 127.5, 'std': 127.5, 'resize': 'crop'}"
    """
    record = find_record(entry.weights)
    found = {"description": entry.title, "license": record.licence}
    labels = read_labels(entry.labels) if entry.labels else ()
    if entry.preprocess.size is not None:
        found["imgsz"] = repr([*entry.preprocess.size])
        found["preprocessing"] = repr(_preprocessing(entry))
    doc = f"{entry.name}: {entry.title}. Licence: {record.licence}. Origin: {record.upstream}"
    return ModelFacts(doc, found, labels)


def _preprocessing(entry: Entry) -> dict[str, object]:
    """Return how an image becomes an input: a pixel p is ``(p - mean) / std``."""
    how = entry.preprocess
    assert how.size is not None
    mean = np.multiply(how.subtract, how.divide).tolist()
    divide = [*how.divide] if isinstance(how.divide, tuple) else how.divide
    return {"size": [*how.size], "mean": mean, "std": divide, "resize": how.fit}
