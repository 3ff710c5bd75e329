"""The training example: three steps on a CPU, its folded network, and what bad input gets."""

import importlib.util
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

import zoo
from tests.helpers import require
from weights_cache import load_weights

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "gallery" / "train_pose"
TEACHER = "posenet-mobilenet-v1-075-float-pertensor"
HEADS = {"heatmap_2": 17, "offset_2": 34, "displacement_fwd_2": 32, "displacement_bwd_2": 32}
# 18 kernels are uint8, the depthwise ones and the biases float16.
BYTES_MIXED_050 = 602_294
CHANNELS_050 = [16, 32, 64, 64, 128, 128] + [256] * 8


@pytest.fixture(scope="module")
def torch():
    return require("torch")


@pytest.fixture
def network(torch):
    spec = importlib.util.spec_from_file_location("train_pose_network", EXAMPLE / "network.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_example(*arguments, **environment):
    return subprocess.run(
        [sys.executable, str(EXAMPLE / "train.py"), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def draw_person(size, rng):
    """A stick figure; the teacher need not see a person in it."""
    image = Image.new("RGB", size, tuple(rng.integers(0, 256, 3).tolist()))
    draw = ImageDraw.Draw(image)
    x, y = size[0] / 2, size[1] / 2
    unit = min(size) / 10
    draw.ellipse((x - unit, y - 4 * unit, x + unit, y - 2 * unit), fill="peachpuff")
    for dx, dy in ((-2, 1), (2, 1), (-1, 4), (1, 4)):
        draw.line((x, y - 2 * unit, x + dx * unit, y + dy * unit), fill="navy", width=5)
    return image


@pytest.fixture
def photos(tmp_path, rng):
    """Photos of several kinds and sizes, some in a folder below, one of them unreadable."""
    folder = tmp_path / "photos"
    (folder / "below").mkdir(parents=True)
    draw_person((300, 200), rng).save(folder / "wide.jpg")
    draw_person((120, 333), rng).save(folder / "below" / "tall.PNG")
    draw_person((64, 64), rng).convert("L").save(folder / "below" / "grey.webp")
    draw_person((256, 256), rng).convert("RGBA").save(folder / "clear.png")
    (folder / "broken.jpeg").write_text("not a picture")
    (folder / "notes.txt").write_text("not meant as a picture")
    return folder


def expected_shapes(channels):
    shapes = {
        "MobilenetV1/Conv2d_0/weights": (3, 3, 3, channels[0]),
        "MobilenetV1/Conv2d_0/biases": (channels[0],),
    }
    for i, (before, after) in enumerate(zip(channels, channels[1:], strict=False), start=1):
        layer = f"MobilenetV1/Conv2d_{i}_"
        shapes[layer + "depthwise/depthwise_weights"] = (3, 3, before, 1)
        shapes[layer + "depthwise/biases"] = (before,)
        shapes[layer + "pointwise/weights"] = (1, 1, before, after)
        shapes[layer + "pointwise/biases"] = (after,)
    for head, outputs in HEADS.items():
        shapes[f"MobilenetV1/{head}/weights"] = (1, 1, channels[-1], outputs)
        shapes[f"MobilenetV1/{head}/biases"] = (outputs,)
    return shapes


def test_three_steps_write_weights_that_can_be_read(torch, shared, photos, tmp_path):
    out = tmp_path / "out"
    options = ["--width", 0.5, "--steps", 3, "--batch", 2, "--device", "cpu"]
    done = run_example(
        photos, "--out", out, *options, ZOO_WEIGHTS_MIRROR=str(shared / "weights"), ZOO_OFFLINE="1"
    )
    assert done.returncode == 0, done.stderr
    assert "4 photos, 1 unreadable" in done.stdout
    assert re.search(r"skipped: .*broken\.jpeg", done.stdout)
    losses = [float(text) for text in re.findall(r"loss total (\S+)", done.stdout)]
    assert "step 3 " in done.stdout
    assert losses
    assert all(math.isfinite(loss) and loss > 0 for loss in losses)
    exact = load_weights(str(out / "float32"))
    mixed = load_weights(str(out / "uint8-mixed"))
    shapes = expected_shapes(CHANNELS_050)
    assert len(shapes) == 62
    for weights in (exact, mixed):
        assert {name: array.shape for name, array in weights.items()} == shapes
        assert all(array.dtype == np.float32 for array in weights.values())
    shards = (out / "uint8-mixed").glob("*.bin")
    assert sum(path.stat().st_size for path in shards) == BYTES_MIXED_050
    assert "zoo.load('posenet.tiny', weights=" in done.stdout
    with zoo.load("posenet.tiny", weights=out / "uint8-mixed") as model:
        assert len(model.estimate_single_pose(photos / "wide.jpg")["keypoints"]) == 17
    for name, array in exact.items():
        # half a step of 1/255 of the range, or float16's eleven bits
        span = max(array.max(), 0) - min(array.min(), 0)
        np.testing.assert_allclose(mixed[name], array, rtol=1e-3, atol=span / 255 * 0.51 + 1e-6)


def _nothing(folder):
    """A folder that does not exist."""


def _empty(folder):
    folder.mkdir()


def _unreadable(folder):
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"")
    (folder / "b.png").write_text("text")


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (_nothing, "is not a folder"),
        (_empty, "no .jpeg, .jpg, .png, .webp file in"),
        (_unreadable, "none of the 2 pictures in"),
    ],
)
def test_bad_folder_is_one_line_and_status_2(torch, tmp_path, prepare, words):
    folder = tmp_path / "photos"
    prepare(folder)
    done = run_example(folder, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert str(folder) in done.stderr


def test_missing_gpu_is_one_line_and_status_2(torch, photos, tmp_path):
    options = ["--out", tmp_path / "out", "--steps", 1, "--device", "cuda"]
    done = run_example(photos, *options, CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--device cpu" in done.stderr


def test_results_that_cannot_be_written_are_one_line_and_status_2(torch, photos, tmp_path):
    (tmp_path / "out").write_text("a file, not a folder")
    done = run_example(photos, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "change --out" in done.stderr


def test_teacher_reproduces_the_golden_outputs(network, torch, shared):
    folder = shared / "weights" / TEACHER
    teacher = network.FoldedPoseNet(load_weights(str(folder)))
    goldens = sorted((folder / "reference").glob("*.npz"))
    assert goldens
    for path in goldens:
        with np.load(path) as golden, torch.no_grad():
            outputs = teacher(torch.from_numpy(golden["input"]).permute(0, 3, 1, 2).contiguous())
            for head, output in zip(HEADS, outputs, strict=True):
                tolerance = 1e-3 if head == "heatmap_2" else 5e-3
                np.testing.assert_allclose(
                    output.permute(0, 2, 3, 1), golden[head], rtol=0, atol=tolerance
                )


def test_folded_student_computes_the_same(network, torch, rng):
    torch.manual_seed(0)
    student = network.Student(0.5)
    pictures = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 97, 97)).astype(np.float32))
    student(pictures)  # moves the means and variances of batch norm away from 0 and 1
    student.eval()
    with torch.no_grad():
        outputs = student(pictures)
        folded = network.FoldedPoseNet(network.fold(student))(pictures)
    for wanted, output in zip(outputs, folded, strict=True):
        np.testing.assert_allclose(output, wanted, rtol=0, atol=1e-5)


def test_student_set_from_folded_weights_computes_the_same(network, torch, rng):
    torch.manual_seed(0)
    weights = network.fold(network.Student(0.5).eval())
    pictures = torch.from_numpy(rng.uniform(-1, 1, (4, 3, 97, 97)).astype(np.float32))
    student = network.Student(0.5)
    network.unfold(student, weights, [pictures])
    student.eval()
    with torch.no_grad():
        outputs, wanted = student(pictures), network.FoldedPoseNet(weights)(pictures)
    for output, answer in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(output, answer, rtol=0, atol=1e-4)


def test_first_weights_of_another_width_are_refused(network, torch):
    narrow = network.fold(network.Student(0.5))
    pictures = torch.zeros(2, 3, 33, 33)
    with pytest.raises(Exception, match="--width") as caught:
        network.unfold(network.Student(0.75), narrow, [pictures])
    assert type(caught.value).__name__ == "ZooError"
