"""Runs cases of ONNX's backend suite, and prints what went wrong in each.

The last line is a dict by kind of dicts by name: ``[category, error or None]``.

Run: ``python -m tests.core.converter.onnx.backend_suite [KIND ..] [--only TEXT] [--part] [--show]``
"""

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from core.converter.onnx import read_onnx
from core.graph.nodes import Graph
from core.graph_model.graph_model import GraphModel
from tests.core.converter.onnx.backend_suite.cases import (
    DRAWN,
    KINDS,
    Case,
    as_array,
    cases,
    inputs_of,
    part_of,
)

#: Characters of an error.
SHOWN = 160

#: Two steps of bfloat16, as the suite has it.
BFLOAT16_RTOL = 2**-6


def error_of(case: Case, folder: Path, backend: str) -> str | None:
    """Return how a case fails; None: it passes."""
    path = folder / "model.onnx"
    path.write_bytes(case.model.SerializeToString())
    try:
        graph = read_onnx(path)
        model = GraphModel(graph, backend)
        for given, wanted in case.sets:
            _check(case, graph, model, given, wanted)
    except Exception as error:
        text = " ".join(str(error).replace(str(path), "FILE").split())
        return f"{type(error).__name__}: {text}"[:SHOWN]
    return None


def _check(case: Case, graph: Graph, model: GraphModel, given: Any, wanted: Any) -> None:
    infos = [info for info in inputs_of(case.model) if info.name in graph.inputs]
    feeds = {info.name: _fed(as_array(v)) for info, v in zip(infos, given, strict=True)}
    found = model.predict(feeds)
    for info, value in zip(case.model.graph.output, wanted, strict=True):
        _compare(found[info.name], as_array(value), case)


def _fed(value: Any) -> Any:
    """Return a value as the engine takes it: its own dtypes, in which ONNX's fit."""
    if value is None or isinstance(value, list):
        return value if value is None else [_fed(each) for each in value]
    if value.dtype.kind in "OUS":
        texts = [x.encode() if isinstance(x, str) else x for x in value.ravel()]
        return np.array(texts, object).reshape(value.shape)
    if value.dtype.kind in "bc":
        return value
    if _is_integer(value):
        # Positions beyond all axes, such as the last int64, stand for their end.
        return value.astype(np.int64).clip(-(2**31), 2**31 - 1).astype(np.int32)
    return value.astype(np.float32)


def _is_integer(value: np.ndarray) -> bool:
    return value.dtype.kind in "iu" or "int" in value.dtype.name


def _compare(found: Any, wanted: Any, case: Case) -> None:
    """Raise AssertionError where a result is not what the suite expects, by its tolerances."""
    if isinstance(wanted, list):
        found = list(found)
        assert len(found) == len(wanted), f"{len(found)} values, not {len(wanted)}"
        for a, b in zip(found, wanted, strict=True):
            _compare(a, b, case)
        return
    if wanted is None:
        assert found is None, "a value, not none"
        return
    found = np.asarray(found)
    assert found.shape == wanted.shape, f"the shape {found.shape}, not {wanted.shape}"
    if wanted.dtype.kind in "OUS":
        assert (found == _fed(wanted)).all(), "other texts"
        return
    assert _kind(found) == _kind(wanted), f"the dtype {found.dtype}, not {wanted.dtype}"
    if case.ops & DRAWN:
        return
    rtol = max(case.rtol, BFLOAT16_RTOL) if wanted.dtype.name == "bfloat16" else case.rtol
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(found.astype(wide), wanted.astype(wide), rtol=rtol, atol=case.atol)


def _kind(value: np.ndarray) -> str:
    if value.dtype.kind in "bc":
        return value.dtype.kind
    return "i" if _is_integer(value) else "f"


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], default=["node"])
    parser.add_argument("--only", default="", help="run cases whose name has this text")
    parser.add_argument("--part", action="store_true", help="run a case of each op, and some more")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--show", action="store_true", help="print errors line by line")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, tuple[str, str | None]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in chosen.kinds:
            found[kind] = {
                case.name: (case.category, error_of(case, Path(folder), chosen.backend))
                for case in (part_of(cases(kind)) if chosen.part else cases(kind))
                if chosen.only in case.name
            }
    if chosen.show:
        for each in found.values():
            failing = [(n, c, e) for n, (c, e) in each.items() if e]
            print(*(f"{n} ({c}): {e}" for n, c, e in failing), sep="\n")
            print(f"{len(each) - len(failing)} of {len(each)}, onnx {onnx.__version__}")
    else:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
