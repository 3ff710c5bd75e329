"""Runs of ONNX files: by our own reader, and by ONNX Runtime after the checker of `onnx`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.converter.onnx import read_onnx
from core.converter.onnx_writer.program_graph import program_graph, unique_ends
from core.converter.onnx_writer.protos import ModelFacts, model_parts
from core.engine.program import Program
from core.graph_model.graph_model import GraphModel
from tests.helpers import require

Arrays = Mapping[str, np.ndarray]

#: Largest difference of an output, as a share of its range.
TOLERANCE = 1e-4


def by_reader(path: Path, inputs: Arrays) -> dict[str, np.ndarray]:
    """The outputs of a file, by our own reader."""
    found = GraphModel(read_onnx(path), "cpu").predict(inputs)
    return {name: value.numpy() for name, value in found.items()}


def by_runtime(path: Path, inputs: Arrays) -> dict[str, np.ndarray]:
    """The outputs of a file that is valid, by ONNX Runtime."""
    onnx, onnxruntime = require("onnx"), require("onnxruntime")
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(inputs)), strict=True))


def written(program: Program, path: Path) -> Path:
    """The file of a program, whose inputs and outputs have their references as names."""
    names = unique_ends([*program.inputs], [f"output_{i}" for i, _ in enumerate(program.outputs)])
    graph = program_graph(program, names)
    path.write_bytes(b"".join(model_parts(graph, ModelFacts())))
    return path


def assert_near(
    found: Mapping[str, np.ndarray], expected: Sequence[np.ndarray], tolerance: float = TOLERANCE
) -> None:
    """Each output has the expected shape and dtype, and values within a share of the range."""
    assert len(found) == len(expected)
    for (name, value), wanted in zip(found.items(), expected, strict=True):
        assert (value.shape, value.dtype) == (wanted.shape, wanted.dtype), name
        if wanted.dtype.kind != "f":
            np.testing.assert_array_equal(value, wanted, name)
            continue
        finite = wanted[np.isfinite(wanted)]
        span = max(finite.max(initial=0) - finite.min(initial=0), 0.01)
        np.testing.assert_allclose(value, wanted, rtol=tolerance, atol=tolerance * span)
