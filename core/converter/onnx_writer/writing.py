"""Writer of ONNX files: graphs of any reader, wholly or not at all."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from core.converter.onnx import read_onnx
from core.converter.onnx.content import PRODUCER
from core.converter.onnx_writer.protos import NO_FACTS, OPSET, ModelFacts, model_parts
from core.converter.onnx_writer.recording import Recorded, recorded_graph
from core.converter.read_back import not_equal, read_back
from core.errors import CoreError
from core.graph.nodes import Graph
from weights_cache.atomic_files import replacing, writing_to
from weights_cache.common.errors import WeightsError

#: Ending of the files.
ENDING = ".onnx"


class OnnxFile(NamedTuple):
    """A file that was written.

    Attributes:
        path: of the file.
        bytes: its size.
        notes: what differs from the model, such as a batch that is fixed.
    """

    path: Path
    bytes: int
    notes: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """The format, with what differs from the model."""
        return "; ".join([f"ONNX opset {OPSET}", *self.notes])


def save_graph(graph: Graph, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a graph; see `write_onnx`.

    Raises:
        WeightsError: there is a file, which is not to be replaced; or as of `write_onnx`.
    """
    if not overwrite and Path(path).exists():
        raise WeightsError(f"{path} is there already: overwrite=True replaces it")
    return write_onnx(graph, path).path


def write_onnx(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    facts: ModelFacts = NO_FACTS,
    inputs: Mapping[str, Sequence[int | None]] = {},
) -> OnnxFile:
    """Write a graph as an ONNX file of opset 18, which ONNX Runtime reads since 1.14.

    Inputs and outputs keep their names and the order of their axes, channels last; between them
    convolutions have the order of ONNX, and nothing is transposed from one to the next. Inputs and
    outputs are float32, int32 or bool, also those that a model takes and gives as integers: real
    values. Networks of integers compute with them, exactly: weights are stored in bytes, sums are
    float32, and they are rounded in float64.

    Args:
        graph: of any reader.
        path: of the file, which is replaced as a whole, or stays if writing fails.
        facts: what the file says beside the graph.
        inputs: shapes of inputs that leave more lengths open than the batch, by name; a batch of
            None stays free.

    Returns:
        The path and the size. Notes say if the batch is fixed though the model takes any, and
        whether quantised values are exact.

    Raises:
        WeightsError: nodes have no counterpart in ONNX, all of which are listed; the file would
            be larger than 2 GiB; or it cannot be written.
    """
    path = Path(path)
    try:
        recorded = recorded_graph(graph, inputs)
        parts = model_parts(recorded.graph, facts, _version())
    except CoreError as error:
        raise WeightsError(f"cannot write {path}: {error}") from error
    size = sum(map(len, parts))
    ends = [{value.name for value in each} for each in recorded.graph[-2:]]
    with writing_to(path.parent, size, "choose another place"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, check=partial(_check_written, ends)) as stream:
            for part in parts:
                stream.write(part)
    return OnnxFile(path, size, _notes(graph, recorded))


def _version() -> str:
    try:
        return version(PRODUCER)
    except PackageNotFoundError:  # it runs from a folder
        return ""


def _notes(graph: Graph, recorded: Recorded) -> tuple[str, ...]:
    rounds = any(node.type == "QuantiseRound" for node in graph.nodes)
    is_quantised = rounds or bool(graph.quantizations)
    notes = {
        "for a batch of 1 alone, as its steps depend on the number of samples": recorded.is_fixed,
        "quantised values as exact integers": recorded.has_integers,
        "quantised values as float32": is_quantised and not recorded.has_integers,
    }
    return tuple(note for note, is_so in notes.items() if is_so)


def _check_written(ends: Sequence[set[str]], path: Path) -> None:
    """Raise a CoreError unless a new file can be read, and has the inputs and outputs."""
    found = read_back(read_onnx, path)
    if [{*found.inputs}, {*found.outputs}] != [*ends]:
        raise not_equal(f"it has the inputs {[*found.inputs]} and outputs {[*found.outputs]}")
