"""The code of ``zoo/docs/onnx.md`` runs, block after block, on small networks of the same forms."""

import os
import re
import subprocess
import sys

import numpy as np
from PIL import Image

from tests.conftest import ROOT
from tests.core.converter.onnx import protos
from tests.zoo.tasks.yolo_files import write_planted, yolo_metadata
from zoo.pipeline.preparation import KEYS

PAGE = ROOT / "zoo" / "docs" / "onnx.md"
PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


def write_files(folder) -> None:
    """All files that the page names."""
    photo = Image.open(PHOTO).convert("RGB").resize((128, 96))
    photo.save(folder / "photo.jpg")
    photo.crop((0, 0, 40, 40)).save(folder / "bud.jpg")
    rows = {"output0": np.float32([[20, 30, 10, 20, 0.1, 0.9]]).T[None]}
    write_planted(folder / "yolo.onnx", rows, yolo_metadata())
    rng = np.random.default_rng(3)
    grids = {
        f"{kind}_{stride}": rng.uniform(0, 1, (1, (64 // stride) * (96 // stride), count))
        for stride in (8, 16, 32)
        for kind, count in (("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10))
    }
    write_planted(folder / "face_detection_yunet_2023mar.onnx", grids, {})
    nodes = [
        protos.node("GlobalAveragePool", ["x"], ["means"]),
        protos.node("Flatten", ["means"], ["rows"]),
        protos.node("Gemm", ["rows", "weight"], ["scores"]),
    ]
    made = protos.graph(
        nodes,
        [protos.value("x", ("n", 3, 32, 32))],
        [protos.value("scores", ("n", 3))],
        [protos.tensor(np.float32(rng.normal(0, 1, (3, 3))), "weight")],
    )
    for name in ("model.onnx", "flowers.onnx"):
        protos.write(folder, protos.model(made), name)
    protos.write(folder, centerface(rng), "centerface.onnx")
    protos.write(folder, text_map(), "PP-OCR_det.onnx")


def centerface(rng) -> bytes:
    """The outputs of CenterFace, a cell for 4 x 4 pixels: likely faces are where it is bright."""
    channels = {"537": 1, "538": 2, "539": 2, "540": 10}
    nodes = [
        protos.node("Mul", ["input.1", "scale"], ["unit"]),
        protos.node("AveragePool", ["unit"], ["cells"], kernel_shape=[4, 4], strides=[4, 4]),
        protos.node("Conv", ["cells", "kernel_537"], ["bright"]),
        protos.node("Sigmoid", ["bright"], ["537"]),
        *(protos.node("Conv", ["cells", f"kernel_{n}"], [n]) for n in ("538", "539", "540")),
    ]
    tensors = [protos.tensor(np.float32(1 / 255), "scale")]
    tensors += [
        protos.tensor(np.float32(rng.normal(0, 1, (count, 3, 1, 1))), f"kernel_{name}")
        for name, count in channels.items()
    ]
    outputs = [protos.value(name, (10, count, 8, 8)) for name, count in channels.items()]
    return protos.model(
        protos.graph(nodes, [protos.value("input.1", (10, 3, 32, 32))], outputs, tensors)
    )


def text_map() -> bytes:
    """A map as large as the image: likely text is where it is bright."""
    made = protos.graph(
        [
            protos.node("ReduceMean", ["x"], ["mean"], axes=[1], keepdims=1),
            protos.node("Sigmoid", ["mean"], ["map"]),
        ],
        [protos.value("x", ("n", 3, "h", "w"))],
        [protos.value("map", ("n", 1, "h", "w"))],
    )
    return protos.model(made)


def test_the_code_of_the_page_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    code = [*blocks, "print('boxes', boxes.shape, scores.shape)", "print(ocr, flowers.labels)"]
    (tmp_path / "page.py").write_text("\n".join(code))
    write_files(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "page.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "format: ONNX opset 17" in done.stdout
    assert re.search(
        r"\[\{'label': '(daisy|rose|tulip)', 'score': 0\.\d+, 'index': \d\}", done.stdout
    )
    assert re.search(r"boxes \((\d+), 4\) \(\1,\)", done.stdout)
    assert "text from (" in done.stdout


def test_the_keys_are_in_the_table():
    table = PAGE.read_text().partition("## Preprocessing")[2].partition("###")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", "".join(rows))) == set(KEYS)
