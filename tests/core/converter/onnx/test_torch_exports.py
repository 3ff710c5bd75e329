"""Exports of PyTorch compute what ONNX Runtime does, each by one plan."""

from pathlib import Path

import numpy as np
import pytest

from core.converter.onnx import read_onnx
from core.graph_model.graph_model import GraphModel
from tests.core.plan.test_stages import stages
from tests.helpers import require

#: Of the range of outputs: sums of other orders.
MOST_APART = 1e-4

#: The oldest opset by which PyTorch exports each network, and the newest.
OLDEST = {
    "resnet": 11,
    "mobilenet_v3": 11,
    "yolo": 11,
    "vit": 14,
    "unet": 11,
    "lstm": 11,
    "sampled": 20,
}
NEWEST = 20

#: Steps that move the axes of values, which are left: of the image where it comes in; of queries,
#: keys and heads of attention; where group norm splits channels; of an LSTM's batch and time.
TRANSPOSITIONS = {
    "resnet": 1,
    "mobilenet_v3": 1,
    "yolo": 3,
    "vit": 17,
    "unet": 24,
    "lstm": 4,
    "sampled": 2,
}


@pytest.fixture(autouse=True)
def _oracles():
    for name in ("torch", "onnx", "onnxruntime"):
        require(name)


def by_onnx_runtime(content: bytes, x: np.ndarray) -> np.ndarray:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def check_export(
    name: str, folder: Path, opset: int, *, free_batch: bool, backend: str = "cpu", dynamo=False
) -> None:
    """The export of a network gives what ONNX Runtime computes, by one plan."""
    from tests.core.converter.onnx.pytorch.networks import SHAPES, exported, seeded

    shape = SHAPES[name]
    content = exported(seeded(name), shape, opset, free_batch=free_batch, dynamo=dynamo)
    path = folder / "x.onnx"
    path.write_bytes(content)
    shape = (3, *shape[1:]) if free_batch else shape
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    model, expected = GraphModel(read_onnx(path), backend), by_onnx_runtime(content, x)
    found = model.predict(x)["y"].numpy()
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < MOST_APART * np.ptp(expected)
    ((ops, eager),) = stages(model, x)
    assert not eager
    assert backend == "tf" or ops.count("transpose") <= TRANSPOSITIONS[name]


@pytest.mark.parametrize("name", OLDEST)
def test_each_backend(name, backend, tmp_path):
    check_export(name, tmp_path, NEWEST, free_batch=True, backend=backend)


@pytest.mark.parametrize("name, opset", [*OLDEST.items(), ("vit", 17), ("mobilenet_v3", 14)])
def test_opsets(name, opset, tmp_path):
    check_export(name, tmp_path, opset, free_batch=False)


@pytest.mark.parametrize("opset", [18, 23])
@pytest.mark.parametrize("name", OLDEST)
def test_exports_of_programs(name, opset, tmp_path):
    require("onnxscript")
    check_export(name, tmp_path, opset, free_batch=True, dynamo=True)
