"""ONNX files with the metadata of Ultralytics, whose networks give planted rows."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.core.converter.onnx_files import OnnxNode, write_onnx

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
        OnnxNode("ReduceMean", ["images"], ["mean"], {"keepdims": 0}),
        OnnxNode("Mul", ["mean", "zero"], ["nothing"]),
        *(OnnxNode("Add", [f"{name}_planted", "nothing"], [name]) for name in outputs),
    ]
    arrays = {f"{name}_planted": array.astype(np.float32) for name, array in outputs.items()}
    return write_onnx(
        path,
        nodes,
        {**arrays, "zero": np.zeros((), np.float32)},
        {"images": (1, 3, *size)},
        {name: array.shape for name, array in outputs.items()},
        metadata,
    )
