"""How long teaching takes: a head beside scikit-learn and Keras, and `zoo teach` as a whole.

Run: ``python -m tests.benchmarks.teaching [--part heads memory whole]``. The images of ants and
bees and the weights are among the reference files (``ZOO_SHARED``).

heads: the time to a trained head on equal features, beside scikit-learn's logistic regression
(extra `benchmark`) and Keras (extra `oracle`); sides that are not installed are left out. The
features are those of ants and bees, and made ones of 10,000 rows with 10 classes. Each side has a
process of its own, which is stopped (SIGSTOP) while others have their turn. Ours and scikit-learn
minimise one function, scikit-learn with its default tolerance and with a stricter one; printed is
how much larger its value is than the least that was found, and ours must not be larger than that of
scikit-learn by default. Keras is trained by Adam until an epoch has our loss. Times are medians
over turns, and ratios medians of the ratios of a round.

memory: peak memory of a process that teaches from 500 and from 10,000 small JPEG files.

whole: `zoo teach` on the training images of ants and bees for several networks, in a fresh process
with an empty cache of features, and the accuracy on the validation images; with ``--fine-tune`` the
last layers are trained, too.

Prints tables, and a line of JSON for each part.
"""

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.teaching_runs import memory, whole
from tests.benchmarks.teaching_sides import PENALTY, SIDES
from tests.benchmarks.turns import Side
from tests.helpers import shared_folder

OURS, DEFAULT = "ours", "scikit-learn"

#: The packages that sides need, by the first word of the side.
PACKAGES = {"ours": "zoo", "scikit-learn": "sklearn", "keras": "tensorflow"}

FEATURES = "mobilenet.v1_100_quant"


class Case(NamedTuple):
    """Rows to train on and others to be recognized, with their classes."""

    x: np.ndarray
    y: np.ndarray
    others: np.ndarray
    truth: np.ndarray


def ants_and_bees() -> Case:
    """Features of the images, each row brought to mean 0 and variance 1 as heads do it."""
    import zoo

    model, parts = zoo.load(FEATURES), []
    for split in ("train", "val"):
        folder = shared_images() / split
        for number, name in enumerate(("ants", "bees")):
            paths = sorted((folder / name).glob("*.jpg"))
            rows = np.concatenate([model.infer(path, embedding=True) for path in paths])
            parts.append((rows, np.full(len(rows), number)))
    rows, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
    rows = rows - rows.mean(axis=1, keepdims=True)
    rows /= rows.std(axis=1, keepdims=True)
    count = len(parts[0][0]) + len(parts[1][0])
    return Case(rows[:count], classes[:count], rows[count:], classes[count:])


def made(count: int = 10_000, size: int = 1280, classes: int = 10) -> Case:
    """Rows as embeddings are: not negative, of 128 hidden values with a mean for each class."""
    rng = np.random.default_rng(7)
    more = count // 5
    truth = rng.integers(classes, size=count + more)
    hidden = rng.normal(size=(count + more, 128)) + 0.3 * rng.normal(size=(classes, 128))[truth]
    rows = hidden @ rng.normal(size=(128, size)) / 11 + 0.5 * rng.normal(size=(count + more, size))
    rows = np.maximum(rows, 0).astype(np.float32)
    return Case(rows[:count], truth[:count], rows[count:], truth[count:])


CASES = {"ants and bees, 245 x 1024": ants_and_bees, "made, 10,000 x 1280, 10 classes": made}


def shared_images() -> Path:
    """The folder of ants and bees."""
    folder = shared_folder()
    if folder is None:
        raise SystemExit("the images are in the folder of reference files: set ZOO_SHARED")
    return folder / "images" / "transfer" / "hymenoptera"


def installed(sides: list[str]) -> list[str]:
    """The sides that can run."""
    missing = [side for side in sides if not find_spec(PACKAGES[side.partition(",")[0]])]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
    return [side for side in sides if side not in missing]


def judged(case: Case, probabilities: np.ndarray) -> dict[str, float]:
    """The mean log loss on the rows to train on, and the accuracy on the others."""
    count = len(case.x)
    likely = probabilities[np.arange(count), case.y].astype(np.float64)
    right = probabilities[count:].argmax(axis=1) == case.truth
    return {"loss": float(-np.log(np.maximum(likely, 1e-12)).mean()), "accuracy": right.mean()}


def compare(case: Case, names: list[str], rounds: int, threads: int) -> dict[str, Any]:
    """Times of all sides on a case, and the ratios of ours to each."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sides: dict[str, Side] = {}
        for number, name in enumerate(names):
            data, output = f"{folder}/data.npz", Path(folder, f"{number}.npy")
            loss = found[OURS]["loss"] if found else 0.0
            np.savez(data, x=case.x, y=case.y, others=case.others, loss=loss)
            module = [f"{__package__}.teaching_sides", name, data, str(output), str(threads)]
            sides[name] = Side(module, threads, output)
            stack.callback(sides[name].close)
            found[name] = judged(case, sides[name].output)
            if squares := sides[name].kernels:  # in place of the names of kernels
                loss = PENALTY * len(case.x) * found[name]["loss"]
                found[name]["objective"] = loss + squares / 2
        if DEFAULT in found:
            assert found[OURS]["objective"] <= 1.001 * found[DEFAULT]["objective"]
        turns = [{name: side.turn(tries=2) for name, side in sides.items()} for _ in range(rounds)]
    for name in names:
        times = [median(each[name].calls) for each in turns]
        ratios = [median(each[OURS].calls) / median(each[name].calls) for each in turns]
        waiting = median(each[name].waiting for each in turns)
        found[name] |= {"ms": median(times), "ratio": median(ratios), "waiting": waiting}
    return found


def excess(row: dict[str, float], least: float) -> str:
    """How much larger the function's value is than the least one."""
    return f"+{row['objective'] / least - 1:6.2%}" if "objective" in row else " " * 7


def heads(given: argparse.Namespace) -> dict[str, Any]:
    """Print a row for each side of each case, with some numbers of threads."""
    names = installed(list(dict.fromkeys((OURS, *given.sides))))
    found: dict[str, Any] = {}
    for title, make in CASES.items():
        case = make()
        for threads in given.threads:
            rows = found[f"{title}, {threads} threads"] = compare(
                case, names, given.rounds, threads
            )
            least = min(row.get("objective", np.inf) for row in rows.values())
            print(f"\n{title}, {threads} threads")
            for name, row in rows.items():
                print(
                    f"  {name:<24} {row['ms']:>9.1f} ms   ours / it {row['ratio']:6.3f}   "
                    f"loss {row['loss']:.4f}   accuracy {row['accuracy']:.3f}   "
                    f"{excess(row, least)}   waited {row['waiting']:.0%}",
                    flush=True,
                )
    return found


PARTS = {
    "heads": heads,
    "memory": lambda given: memory(given.images),
    "whole": lambda given: whole(
        shared_images(), given.features, ["--fine-tune"] if given.fine_tune else []
    ),
}


def main() -> None:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=[*SIDES])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--images", nargs="+", type=int, default=[500, 10_000])
    parser.add_argument("--features", nargs="+", default=None)
    parser.add_argument("--fine-tune", action="store_true", help="in the part `whole`")
    given = parser.parse_args()
    folder = shared_folder()
    if folder is not None:
        os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(folder / "weights"))
    for part in given.part:
        print(json.dumps({part: PARTS[part](given), "load": os.getloadavg()}))


if __name__ == "__main__":
    main()
