"""The command lines of programs that train: their common options, devices, files and errors."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch

from training.convolutions import Weights
from training.schedule import Progress, progress_by_clock, progress_by_steps
from weights_cache import write_weights
from weights_cache.common.errors import ZooError

# The first pattern that fits counts. Depthwise kernels and biases are few, and suffer from uint8.
QUANTISATION = {"*depthwise*": "float16", "*biases": "float16", "*": "uint8"}
FLOAT_FOLDER, QUANTISED_FOLDER = "float32", "uint8-mixed"


class Defaults(NamedTuple):
    """What a program does unless it is told otherwise; the rate is None if it varies."""

    seconds: float
    batch: int
    learning_rate: float | None
    seed: int


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


def add_options(parser: argparse.ArgumentParser, defaults: Defaults) -> None:
    """Add the photos and the options that all programs have."""
    add = parser.add_argument
    add("photos", type=Path, help="folder of photos of people, searched to any depth")
    add("--out", type=Path, required=True, help="folder for the weights")
    add("--person-free", type=Path, help="folder of photos without people (default: none)")
    add(
        "--pools",
        choices=("even", "reported"),
        default="even",
        help="how often photos are drawn: all sources alike, or by the reported run's shares",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=positive_float, default=defaults.seconds)
    length.add_argument("--steps", type=positive_int, help="instead of --seconds")
    add(
        "--batch",
        type=positive_int,
        default=defaults.batch,
        help="scenes a step, at the first size of the input",
    )
    add(
        "--learning-rate",
        type=positive_float,
        default=defaults.learning_rate,
        help="at the end of the warm-up",
    )
    add("--seed", type=int, default=defaults.seed)
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--init", help="weights to go on from: a folder, or a name in the registry")


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


def choose_progress(options: argparse.Namespace) -> Progress:
    """Return the schedule that the options ask for, which begins now."""
    if options.steps is not None:
        return progress_by_steps(options.steps)
    return progress_by_clock(options.seconds)


def make_folder(folder: Path) -> None:
    """Make the folder of the results before hours are spent on them.

    Raises:
        ZooError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ZooError(f"cannot make the folder {str(folder)!r}: {error}; change --out") from error


def save(folder: Path, weights: Weights) -> None:
    """Write weights in the web format, as float32 and quantised."""
    write_weights(folder / FLOAT_FOLDER, weights)
    write_weights(folder / QUANTISED_FOLDER, weights, quantise=QUANTISATION)


def print_use(model: str, folder: Path) -> None:
    """Say how to use the quantised weights in a model of the zoo."""
    print(f"use it: zoo.load({model!r}, weights={str(folder / QUANTISED_FOLDER)!r})")


def exit_status(run: Callable[[argparse.Namespace], None], options: argparse.Namespace) -> int:
    """Run a program and return its exit status: 2 for what the caller can put right."""
    try:
        run(options)
    except ZooError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
