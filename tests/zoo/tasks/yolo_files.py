"""ONNX files with the metadata of Ultralytics, whose networks give planted rows."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.core.converter.onnx import protos

NAMES = "{0: 'person', 1: 'dog'}"


def yolo_metadata(task: str = "detect", **more: str) -> dict[str, str]:
    """Metadata as of an export of Ultralytics; texts of ``more`` that are "" are left out."""
    texts = {
        "description": "Ultralytics model",
        "author": "Ultralytics",
        "license": "MIT",
        "stride": "32",
        "task": task,
        "batch": "1",
        "imgsz": "[64, 96]",
        "names": NAMES,
        **more,
    }
    return {key: text for key, text in texts.items() if text}


def write_planted(
    path: Path,
    outputs: Mapping[str, np.ndarray],
    metadata: Mapping[str, str],
    size: tuple[int | str, int | str] = (64, 96),
) -> Path:
    """A network that gives arrays, whatever the image; it reads the image, times 0."""
    nodes = [
        protos.node("ReduceMean", ["images"], ["mean"], keepdims=0),
        protos.node("Mul", ["mean", "zero"], ["nothing"]),
        *(protos.node("Add", [f"{name}_planted", "nothing"], [name]) for name in outputs),
    ]
    tensors = [protos.tensor(np.float32(0), "zero")]
    tensors += [protos.tensor(np.float32(a), f"{name}_planted") for name, a in outputs.items()]
    made = protos.graph(
        nodes,
        [protos.value("images", (1, 3, *size))],
        [protos.value(name, array.shape) for name, array in outputs.items()],
        tensors,
    )
    path.write_bytes(protos.model(made, metadata=metadata))
    return path
