"""What `teaching` measures of whole processes: memory by the number of images, and `zoo teach`.

Weights and compiled code are cached by a run before; features are not, as each run has a cache of
features of its own.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ZOO = str(Path(sysconfig.get_path("scripts")) / "zoo")

#: What is taught with in the part `whole`: the default, Teachable Machine's, the smallest, and
#: the network that comes with the package.
FEATURES = ("mobilenet.v2_100_quant", "mobilenet.v1_100_quant", "mobilenet.v1_025", "posenet.tiny")

MEMORY_FEATURES, CLASSES, SIDE = "mobilenet.v1_025", 5, 96

ROW = (
    "{arguments:<50} {seconds:6.1f} s ({cpu_seconds:.1f} s of processors; "
    "{first_seconds:.1f} s without compiled code)  "
    "{peak_mib:6.1f} MiB  accuracy {accuracy:.3f}  none of these {none}"
)

TEACH = """
import sys
import zoo
print(zoo.teach(sys.argv[1], features=sys.argv[2]).scores)
"""

#: Prints how many images of a folder for each class have their class as the best one, how many are
#: called none of them, and how many there are.
RECOGNIZE = """
import sys, pathlib, zoo
model = zoo.load(sys.argv[1])
paths = sorted(pathlib.Path(sys.argv[2]).glob("*/*.jpg"))
classes = sorted({path.parent.name for path in paths})
found = model.predict(paths)
best = [max(classes, key=each["scores"].__getitem__) for each in found]
right = sum(label == path.parent.name for label, path in zip(best, paths))
print(right, sum(each["label"] not in classes for each in found), len(paths))
"""


class Run(NamedTuple):
    """Seconds, seconds of processors and peak MiB of a process, and what it printed."""

    seconds: float
    cpu: float
    peak_mib: float
    printed: str


def run(command: Sequence[str], caches: Path) -> Run:
    """Run a process whose cache of features is empty.

    Args:
        command: the program and its arguments.
        caches: a folder that keeps the caches of weights and code.
    """
    with tempfile.TemporaryDirectory() as fresh, tempfile.TemporaryFile("w+") as printed:
        world = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        world |= {
            "ZOO_WEIGHTS_CACHE": str(caches / "weights"),
            "ZOO_CODE_CACHE": str(caches / "code"),
            "ZOO_FEATURE_CACHE": fresh,
        }
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, env=world)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command} failed with status {process.returncode}")
        printed.seek(0)
        peak = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        return Run(seconds, usage.ru_utime + usage.ru_stime, peak, printed.read())


def make_images(folder: Path, count: int) -> None:
    """Write small JPEG files in a folder for each class, which has colours of its own."""
    from PIL import Image

    rng = np.random.default_rng(3)
    colours = rng.integers(40, 216, (CLASSES, 4, 4, 3))
    for number in range(count):
        name = folder / f"class_{number % CLASSES}"
        name.mkdir(parents=True, exist_ok=True)
        coarse = colours[number % CLASSES] + rng.normal(0, 40, (4, 4, 3))
        image = Image.fromarray(coarse.clip(0, 255).astype(np.uint8))
        image.resize((SIDE, SIDE), Image.Resampling.BICUBIC).save(name / f"{number:05}.jpg")


def memory(counts: Sequence[int]) -> list[dict[str, Any]]:
    """Print and return peak memory and seconds of teaching from so many images."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in [20, *counts]:  # the first run fills the caches
            images = folder / str(count)
            make_images(images, count)
            command = [sys.executable, "-c", TEACH, str(images), MEMORY_FEATURES]
            done = run(command, folder / "caches")
            if images.name != "20":
                row = {"images": count, "peak_mib": done.peak_mib, "seconds": done.seconds}
                print("{images:>7} images  {peak_mib:7.1f} MiB  {seconds:7.1f} s".format(**row))
                found.append(row)
    return found


def whole(
    images: Path, features: Sequence[str] | None, flags: Sequence[str]
) -> list[dict[str, Any]]:
    """Print and return seconds and accuracy of `zoo teach`.

    Args:
        images: folder with the folders "train" and "val", which have a folder for each class.
        features: names of features; by default `FEATURES`.
        flags: more arguments, such as ``--fine-tune``.
    """
    found = []
    with tempfile.TemporaryDirectory() as name:
        for chosen in features or FEATURES:
            out = Path(name) / f"model_{len(found)}"
            found.append(_taught(images, [*flags, "--features", chosen], out))
            print(ROW.format(**found[-1]), flush=True)
    return found


def _taught(images: Path, arguments: Sequence[str], out: Path) -> dict[str, Any]:
    """Teach in a fresh process, after one that fills the caches; then recognize in another."""
    caches, command = out.parent / "caches", [ZOO, "teach", str(images), *arguments]
    first = run([*command, "--out", f"{out}_first"], caches)
    second = run([*command, "--out", str(out)], caches)
    ask = [sys.executable, "-c", RECOGNIZE, str(out), str(images / "val")]
    right, none, count = map(int, run(ask, caches).printed.split())
    return {
        "arguments": " ".join(arguments),
        "seconds": second.seconds,
        "cpu_seconds": second.cpu,
        "first_seconds": first.seconds,
        "peak_mib": second.peak_mib,
        "accuracy": right / count,
        "none": none,
    }
