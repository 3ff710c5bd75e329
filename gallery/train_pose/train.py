"""Train a small pose network from a folder of photos, taught by PoseNet; see the README beside.

python gallery/train_pose/train.py PHOTOS --out OUT --seconds 1470
"""

import argparse
import sys
from pathlib import Path

import numpy as np

try:
    import torch
except ModuleNotFoundError as error:
    raise SystemExit("PyTorch is missing: pip install -e '.[train]' in the checkout") from error
from loop import BATCH_SIDE, PEAK_RATE, Trainer, progress_by_clock, progress_by_steps, train
from network import TRAINED_WIDTHS, FoldedPoseNet, Student, fold, unfold
from photos import Photos, load_photos
from pools import even_pools, reported_pools
from scenes import SceneRenderer, teacher_confidence

from weights_cache import load_weights, write_weights
from weights_cache.common.errors import ZooError

TEACHER = "posenet-mobilenet-v1-075-float-pertensor"
# The first pattern that fits counts. Depthwise kernels and biases are few, and suffer from uint8.
QUANTISATION = {"*biases": "float16", "*depthwise_weights": "float16", "*": "uint8"}
FLOAT_FOLDER, QUANTISED_FOLDER = "float32", "uint8-mixed"

DEFAULT_WIDTH = 0.75  # as the bundled model
DEFAULT_SECONDS = 1470.0  # as the reported run
DEFAULT_BATCH = 256
DEFAULT_SEED = 20261122
# To go on from earlier weights, batch norm is measured on this many batches of at most 64 scenes.
NORM_BATCHES, NORM_BATCH = 8, 64


POOLS = {"even": even_pools, "reported": reported_pools}


def positive_int(text: str) -> int:
    """Read a whole number above zero."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def positive_float(text: str) -> float:
    """Read a finite number above zero."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number above 0")
    return number


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train a small pose network, taught by PoseNet.")
    add = parser.add_argument
    add("photos", type=Path, help="folder of photos of people, searched to any depth")
    add("--out", type=Path, required=True, help="folder for the weights")
    add("--person-free", type=Path, help="folder of photos without people (default: none)")
    add(
        "--pools",
        choices=POOLS,
        default="even",
        help="how often photos are drawn: all sources alike, or by the reported run's shares",
    )
    add(
        "--width",
        type=float,
        choices=TRAINED_WIDTHS,
        default=DEFAULT_WIDTH,
        help="share of the channels to keep",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=positive_float, default=DEFAULT_SECONDS)
    length.add_argument("--steps", type=positive_int, help="instead of --seconds")
    add("--batch", type=positive_int, default=DEFAULT_BATCH, help="scenes a step, at 257 pixels")
    add("--learning-rate", type=positive_float, default=PEAK_RATE, help="at the end of the warm-up")
    add("--seed", type=int, default=DEFAULT_SEED)
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--init", help="weights of this width to go on from: a folder, or a name in the registry")
    return parser.parse_args(arguments)


def choose_device(name: str) -> torch.device:
    """Return the device; ``auto`` is the GPU where PyTorch sees one.

    Raises:
        ZooError: A GPU is asked for and PyTorch sees none.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ZooError("PyTorch sees no CUDA GPU; use --device cpu or install PyTorch with CUDA")
    return torch.device(name)


def load_teacher(device: torch.device) -> FoldedPoseNet:
    """Return the frozen teacher, in half precision on a GPU."""
    dtype = torch.float16 if device.type == "cuda" else torch.float32
    teacher = FoldedPoseNet(load_weights(TEACHER)).requires_grad_(False)
    return teacher.to(device, dtype).to(memory_format=torch.channels_last)


def make_renderer(photos: Photos, teacher: FoldedPoseNet, pools: str) -> SceneRenderer:
    """Look at every photo once with the teacher, and return where scenes come from."""
    confidence = teacher_confidence(photos, teacher)
    print(f"the teacher's mean confidence in the photos: {float(confidence.mean()):.3f}")
    return SceneRenderer(photos, POOLS[pools](photos, confidence))


def make_student(options: argparse.Namespace, renderer: SceneRenderer) -> Student:
    """Return the student with random weights, or with those of ``--init``."""
    student = Student(options.width).to(renderer.device)
    if options.init:
        count = min(NORM_BATCH, options.batch)
        batches = [renderer.render_views(count, BATCH_SIDE).degraded for _ in range(NORM_BATCHES)]
        unfold(student, load_weights(options.init), batches)
    return student


def make_folder(folder: Path) -> None:
    """Make the folder of the results before hours are spent on them.

    Raises:
        ZooError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ZooError(f"cannot make the folder {str(folder)!r}: {error}; change --out") from error


def save(folder: Path, student: Student) -> None:
    """Write a student's folded weights in the web format, as float32 and quantised."""
    weights = fold(student)
    write_weights(folder / FLOAT_FOLDER, weights)
    write_weights(folder / QUANTISED_FOLDER, weights, quantise=QUANTISATION)


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    device = choose_device(options.device)
    torch.manual_seed(options.seed)
    make_folder(options.out)
    photos = load_photos(options.photos, options.person_free, device)
    teacher = load_teacher(device)
    renderer = make_renderer(photos, teacher, options.pools)
    trainer = Trainer(make_student(options, renderer), teacher, renderer)
    by_steps = options.steps is not None
    train(
        trainer,
        progress_by_steps(options.steps) if by_steps else progress_by_clock(options.seconds),
        options.batch,
        options.learning_rate,
        np.random.default_rng(options.seed),
        lambda student: save(options.out, student),
    )
    print(f"use it: zoo.load('posenet.tiny', weights={str(options.out / QUANTISED_FOLDER)!r})")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status: 2 for what the caller can put right."""
    options = parse(arguments)
    try:
        run(options)
    except ZooError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
