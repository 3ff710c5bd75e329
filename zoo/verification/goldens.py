"""Goldens: inputs and outputs of a network that were stored, mostly by another program.

A folder of goldens has files ``NAME.npz`` with the array ``input`` (or arrays by the names of the
inputs) and arrays by the names of outputs, in which ``/`` and ``:`` are ``__`` and ``_``. A file
``NAME.json`` beside it may say which program made them (``reference_implementation``).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core import Endpoint, Graph
from weights_cache.array_files.npz import read_array_archive
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.json_documents import read_json
from weights_cache.regular_files import open_regular
from zoo.verification.networks import quantization_of

#: The most bytes of a file of goldens.
MOST_BYTES = 2**28

#: The folder of goldens beside a model file, and in the folders of a mirror.
FOLDER = "reference"


class Golden(NamedTuple):
    """A stored input, and the outputs for it that a network has.

    Attributes:
        name: of the file, without the ending.
        source: which program made it.
        inputs: arrays by name.
        outputs: arrays by the names of the network's values, as real values.
        unknown: names of the other arrays.
    """

    name: str
    source: str
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    unknown: tuple[str, ...]


def find_goldens(
    folder: Path, graph: Graph, file: str = "", others: Collection[str] = (), embedding: str = ""
) -> Iterator[Golden]:
    """Yield the goldens of a folder that are of a network.

    Args:
        folder: folder of goldens; it need not exist.
        graph: the network.
        file: name of the file of the network; ``""`` if there are no others.
        others: names of files of other networks, whose goldens may lie there, too.
        embedding: node of the network that goldens call ``embedding``.

    Raises:
        ZooError: a file is damaged or too large.
    """
    for path in sorted(folder.glob("*.npz")):
        if _is_of_other(path.stem, file, others):
            continue
        arrays = _read_arrays(path)
        given = _inputs(arrays, graph.inputs)
        if given is None:
            continue
        outputs, unknown = _outputs(arrays, graph, embedding)
        if outputs:
            yield Golden(path.stem, _source(path), given, outputs, unknown)


def _is_of_other(golden: str, file: str, others: Collection[str]) -> bool:
    """Whether the name of a golden contains the name of another file, and not a longer own one."""
    if not file:  # the network is the only one of its folder
        return False
    stems = [Path(name).stem for name in (file, *others)]
    named = [stem for stem in stems if stem in golden]
    return bool(named) and max(named, key=len) != Path(file).stem


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ZooError(f"{path} has more than {MOST_BYTES:,} bytes: give a smaller golden")
        with open_regular(path) as stream:
            arrays = read_array_archive(stream, path)
    except (OSError, ValueError) as error:
        pass_interruption(error)
        raise ZooError(f"{path} is no file of goldens: {error!s:.200}; make it anew") from error
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
            raise ZooError(f"{path}: the array {name!r} has no finite numbers; make it anew")
    return arrays


def _source(path: Path) -> str:
    """Return which program made a golden, as the file beside it says."""
    facts = path.with_suffix(".json")
    if not facts.is_file():
        return ""
    document = read_json(facts)
    text = document.get("reference_implementation") if isinstance(document, dict) else None
    return text if isinstance(text, str) else ""


def _inputs(
    arrays: dict[str, np.ndarray], inputs: Mapping[str, Endpoint]
) -> dict[str, np.ndarray] | None:
    """Take the inputs out of the arrays; None if they do not fit the network."""
    named = {name: arrays.pop(name) for name in ("input", *inputs) if name in arrays}
    if len(inputs) == 1 and len(named) == 1:
        named = dict(zip(inputs, named.values(), strict=True))
    if named.keys() != inputs.keys():
        return None
    found = {name: _fitting(named[name], endpoint) for name, endpoint in inputs.items()}
    fitting = {name: array for name, array in found.items() if array is not None}
    return fitting if len(fitting) == len(found) else None


def _fitting(array: np.ndarray, endpoint: Endpoint) -> np.ndarray | None:
    """Return an array as an input takes it; None if it does not fit."""
    shape, dtype = endpoint.spec.shape, endpoint.spec.dtype
    if endpoint.quantization is not None:
        dtype = endpoint.quantization.dtype
    if dtype == "int32" and array.dtype.kind in "iu":
        array = array.astype(np.int32)
    is_right = shape is None or (
        len(shape) == array.ndim
        and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    )
    return array if is_right and array.dtype.name == dtype else None


def _outputs(
    arrays: Mapping[str, np.ndarray], graph: Graph, embedding: str
) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Return real values of outputs by name, and the names of arrays that are of none."""
    nodes = (node.name for node in graph.nodes)
    known = {_written(name): name for name in (*nodes, *graph.aliases, *graph.outputs)}
    known |= {"embedding": embedding} if embedding else {}
    known |= {f"output{number}": name for number, name in enumerate(graph.outputs)}
    found: dict[str, np.ndarray] = {}
    unknown: list[str] = []
    for key, array in arrays.items():
        name = known.get(key) or known.get(re.sub(r"_\d+$", "", key))
        if name is not None and name not in found:
            found[name] = _real(array, graph, name)
        else:
            unknown.append(key)
    if not found and len(graph.outputs) == 1:
        [(only, endpoint)] = graph.outputs.items()
        floats = [key for key in unknown if arrays[key].dtype.name == endpoint.spec.dtype]
        if len(floats) == 1:
            found[only] = arrays[floats[0]]
            unknown.remove(floats[0])
    return found, tuple(unknown)


def _written(name: str) -> str:
    """Return the name of an array for a name of the network."""
    return name.replace("/", "__").replace(":", "_")


def _real(array: np.ndarray, graph: Graph, name: str) -> np.ndarray:
    """Return the real values that quantised ones stand for."""
    quantization = quantization_of(graph, name)
    if array.dtype.kind not in "iu" or quantization is None:
        return array
    real = array.astype(np.float32) - np.float32(quantization.zero_point)
    return real * np.float32(quantization.scale)
