"""Train a network of top-down pose estimation on a folder of photos; see the README beside.

python gallery/train_topdown/train.py pose PHOTOS --out OUT --seconds 1200
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
from labels import TEACHERS, label_photos, people_finder
from network import Student, fold, unfold
from recipes import RECIPES, Recipe, Scenes, make_scenes
from training import command, schedule
from training.learner import Learner
from training.photos import load_photos

from weights_cache import load_weights

# As in the reported run; the learning rate is that of the network.
DEFAULTS = command.Defaults(seconds=1200.0, batch=384, learning_rate=None, seed=20261129)
# Crops need more pixels than whole scenes: 24,806 photos take 11 GB.
PHOTO_SIDE = 384
LABELS_FILE = "labels.jsonl"
# To go on from earlier weights, batch norm is measured on so many scenes at most.
NORM_BATCH = 128


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Train the detector of people or the pose network, taught by MoveNet."
    )
    parser.add_argument("network", choices=RECIPES, help="what is trained")
    command.add_options(parser, DEFAULTS)
    add = parser.add_argument
    add("--teacher", choices=TEACHERS, default=TEACHERS[0], help="finds the joints in the photos")
    add("--labels", type=Path, help=f"file of the joints found (default: {LABELS_FILE} in OUT)")
    return parser.parse_args(arguments)


def make_student(options: argparse.Namespace, recipe: Recipe, scenes: Scenes) -> Student:
    """Return the network with random weights, or with those of ``--init``."""
    student = Student(recipe.plan).to(scenes.photos.pixels.device)
    if options.init:
        count = max(schedule.LEAST_BATCH, min(NORM_BATCH, options.batch))
        pictures, _ = scenes.batch(count, recipe.usual_size)
        unfold(student, load_weights(options.init), pictures)
    return student


def train(options: argparse.Namespace, recipe: Recipe, scenes: Scenes, learner: Learner) -> None:
    """Train until the schedule ends, and save the running average now and then.

    Raises:
        ZooError: The loss is no longer a finite number.
    """
    rng = np.random.default_rng(options.seed)
    sizes = list(recipe.sizes)

    def step(done: float, rate: float) -> tuple[schedule.Losses, int]:
        size = sizes[rng.choice(len(sizes), p=list(recipe.sizes.values()))]
        count = schedule.scenes_per_step(options.batch, size, recipe.usual_size)
        pictures, target = scenes.batch(count, size)
        losses = recipe.losses(learner.look(pictures), target)
        learner.descend(losses.total, rate)
        return {name: part.detach() for name, part in losses._asdict().items()}, count

    schedule.train(
        step,
        command.choose_progress(options),
        options.learning_rate or recipe.peak_rate,
        lambda: command.save(options.out, fold(learner.average)),
    )


def run(options: argparse.Namespace) -> None:
    """Do what the command line says."""
    device = command.choose_device(options.device)
    torch.manual_seed(options.seed)
    command.make_folder(options.out)
    photos = load_photos(options.photos, options.person_free, device, PHOTO_SIDE)
    file = options.labels or options.out / LABELS_FILE
    people = label_photos(photos, people_finder(options.teacher), file)
    recipe = RECIPES[options.network]
    scenes = make_scenes(options.network, photos, people, options.pools)
    train(options, recipe, scenes, Learner(make_student(options, recipe, scenes)))
    command.print_use(recipe.model, options.out)


if __name__ == "__main__":
    sys.exit(command.exit_status(run, parse(None)))
