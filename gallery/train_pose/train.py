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
sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # where the folder ``training`` lies
from loop import BATCH_SIDE, PEAK_RATE, Trainer, train
from network import TRAINED_WIDTHS, FoldedPoseNet, Student, fold, unfold
from pools import REPORTED_SHARES, TASTE
from scenes import SceneRenderer, teacher_confidence
from training import command
from training.photos import Photos, load_photos
from training.pools import even_pools, reported_pools

from weights_cache import load_weights

TEACHER = "posenet-mobilenet-v1-075-float-pertensor"

DEFAULT_WIDTH = 0.75  # as the bundled model
# As in the reported run.
DEFAULTS = command.Defaults(seconds=1470.0, batch=256, learning_rate=PEAK_RATE, seed=20261122)
# About the size at which a student sees photos (193 to 385 pixels); 12,000 of them fit in 2.4 GB.
PHOTO_SIDE = 256
# To go on from earlier weights, batch norm is measured on this many batches of at most 64 scenes.
NORM_BATCHES, NORM_BATCH = 8, 64


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train a small pose network, taught by PoseNet.")
    command.add_options(parser, DEFAULTS)
    parser.add_argument(
        "--width",
        type=float,
        choices=TRAINED_WIDTHS,
        default=DEFAULT_WIDTH,
        help="share of the channels to keep, also of the weights of --init",
    )
    return parser.parse_args(arguments)


def load_teacher(device: torch.device) -> FoldedPoseNet:
    """Return the frozen teacher, in half precision on a GPU."""
    dtype = torch.float16 if device.type == "cuda" else torch.float32
    teacher = FoldedPoseNet(load_weights(TEACHER)).requires_grad_(False)
    return teacher.to(device, dtype).to(memory_format=torch.channels_last)


def make_renderer(photos: Photos, teacher: FoldedPoseNet, pools: str) -> SceneRenderer:
    """Look at every photo once with the teacher, and return where scenes come from."""
    confidence = teacher_confidence(photos, teacher)
    print(f"the teacher's mean confidence in the photos: {float(confidence.mean()):.3f}")
    if pools == "reported":
        return SceneRenderer(photos, reported_pools(photos, confidence, TASTE, REPORTED_SHARES))
    return SceneRenderer(photos, even_pools(photos, confidence, TASTE))


def make_student(options: argparse.Namespace, renderer: SceneRenderer) -> Student:
    """Return the student with random weights, or with those of ``--init``."""
    student = Student(options.width).to(renderer.device)
    if options.init:
        count = min(NORM_BATCH, options.batch)
        batches = [renderer.render_views(count, BATCH_SIDE).degraded for _ in range(NORM_BATCHES)]
        unfold(student, load_weights(options.init), batches)
    return student


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    device = command.choose_device(options.device)
    torch.manual_seed(options.seed)
    command.make_folder(options.out)
    photos = load_photos(options.photos, options.person_free, device, PHOTO_SIDE)
    teacher = load_teacher(device)
    renderer = make_renderer(photos, teacher, options.pools)
    trainer = Trainer(make_student(options, renderer), teacher, renderer)
    train(
        trainer,
        command.choose_progress(options),
        options.batch,
        options.learning_rate,
        np.random.default_rng(options.seed),
        lambda student: command.save(options.out, fold(student)),
    )
    command.print_use("posenet.tiny", options.out)


if __name__ == "__main__":
    sys.exit(command.exit_status(run, parse(None)))
