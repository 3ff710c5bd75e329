"""Sessions beside MediaPipe's solutions: the same frames, in turns, in one run.

Run: ``python -m tests.benchmarks.beside_mediapipe PYTHON [CASE ...] [--rounds N]``; PYTHON has
mediapipe 0.10.21 (``pip install mediapipe==0.10.21`` in an environment of its own, as it needs an
older NumPy), whose wheel holds the networks. Clips and weights are among the reference files
(``ZOO_SHARED``). Each side follows what it sees as in a video; a round is 25 frames, which both
take one after the other.

Prints for each case the median milliseconds of a frame (where nobody is the mean, as few frames
take all the time), the milliseconds of computing of all threads, the frames with a result, and the
medians of the rounds' ratios; then a line of JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

import zoo
from tests.benchmarks.webcam import SHARED
from zoo.live.session import Session, model_session

WEBCAM = SHARED / "images" / "webcam"
HAND, SQUATS, YOGA = (
    WEBCAM / name
    for name in ("tfjs-models_asl_hand.25fps.mp4", "tfjs-models_pose_squats.mp4", "pexels_yoga.mp4")
)
PORTRAIT = Path(__file__).parents[2] / "gallery" / "one_line_pose" / "astronaut.jpg"

FRAME_RATE = 25.0
FRAMES_OF_A_ROUND = 25


class Case(NamedTuple):
    """A task on both sides.

    Attributes:
        frames: makes the frames [n, height, width, 3].
        model, verb, options: of our session.
        solution, settings: of MediaPipe.
        is_mean: whether the mean counts, and not the median.
    """

    frames: Callable[[], np.ndarray]
    model: str
    verb: str
    options: dict[str, Any]
    solution: str
    settings: dict[str, Any]
    is_mean: bool = False


def clip(path: Path) -> Callable[[], np.ndarray]:
    """Return a function that reads the first ten seconds of a clip."""

    def frames() -> np.ndarray:
        found = [frame.image for frame, _ in zip(zoo.frames(path), range(250), strict=False)]
        return np.stack(found)

    return frames


def swaying_face() -> np.ndarray:
    """Return ten seconds of a portrait that sways, with the noise of a camera."""
    image = np.asarray(zoo.read_image(PORTRAIT))
    rng = np.random.default_rng(1)
    shifts = [round(30 * np.sin(i / 8)) for i in range(250)]
    rolled = [np.roll(image, shift, axis=1) for shift in shifts]
    return np.stack(
        [np.clip(r + rng.normal(0, 3, r.shape), 0, 255).astype(np.uint8) for r in rolled]
    )


def nobody() -> np.ndarray:
    """Return ten seconds of a table with a cup, with the noise of a camera."""
    image = np.asarray(zoo.read_image(SHARED / "images" / "photos" / "coffee.jpg"))
    image = np.ascontiguousarray(image[:480, :640])
    rng = np.random.default_rng(2)
    return np.stack(
        [
            np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
            for _ in range(250)
        ]
    )


CASES = {
    "hands": Case(clip(HAND), "hands.lite", "estimate_hands", {}, "hands", {"max_num_hands": 2}),
    "face mesh": Case(
        swaying_face,
        "facemesh.base",
        "estimate_faces",
        {"max_faces": 1},  # with room for more, both would look for them
        "face_mesh",
        {"max_num_faces": 1},
    ),
    "several faces": Case(
        swaying_face,
        "facemesh.base",
        "estimate_faces",
        {"max_faces": 2},
        "face_mesh",
        {"max_num_faces": 2},
    ),
    "selfie": Case(
        clip(YOGA), "selfie.base", "segment_person", {}, "selfie", {"model_selection": 0}
    ),
    "BlazePose full": Case(
        clip(SQUATS), "blazepose.full", "estimate_single_pose", {}, "pose", {"model_complexity": 1}
    ),
    "no face": Case(nobody, "facemesh.base", "estimate_faces", {}, "face_mesh", {}, is_mean=True),
    "no hand": Case(nobody, "hands.lite", "estimate_hands", {}, "hands", {}, is_mean=True),
    "no body": Case(nobody, "blazepose.full", "estimate_single_pose", {}, "pose", {}, is_mean=True),
}


class Turn(NamedTuple):
    """What a side took for the frames of a round."""

    seconds: list[float]
    computing: float
    found: int


def is_found(result: Any) -> bool:
    """Return whether a result has something in it."""
    if isinstance(result, list):
        return bool(result)
    return "mask" in result or bool(result["keypoints"])


class Ours:
    """Our session on the frames of a case."""

    def __init__(self, case: Case, frames: np.ndarray):
        self._session: Session = model_session(zoo.load(case.model), case.verb, **case.options)
        self._frames = frames
        self._time = 0.0

    def run(self, first: int, last: int) -> Turn:
        """Run on some of the frames."""
        seconds, found = [], 0
        computing = process_time()
        for index in range(first, last):
            begun = perf_counter()
            moment = self._session(self._frames[index], self._time)
            seconds.append(perf_counter() - begun)
            found += is_found(moment["result"])
            self._time += 1 / FRAME_RATE
        return Turn(seconds, process_time() - computing, found)


class Theirs:
    """MediaPipe in a process of its own."""

    def __init__(self, python: str):
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("mediapipe_side.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def begin(self, case: Case, frames: np.ndarray) -> None:
        """Take the frames and the solution of a case."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "frames.npy")
            np.save(path, frames)
            self._ask({"frames": path})
        self._ask({"solution": case.solution, "options": case.settings})

    def run(self, first: int, last: int) -> Turn:
        """Run on some of the frames."""
        answer = self._ask({"run": [first, last]})
        return Turn(answer["times"], answer["cpu"], answer["found"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measure(case: Case, theirs: Theirs, rounds: int) -> dict[str, Any]:
    """Return the figures of a case."""
    frames = case.frames()
    ours = Ours(case, frames)
    theirs.begin(case, frames)
    starts = range(0, len(frames) - FRAMES_OF_A_ROUND + 1, FRAMES_OF_A_ROUND)
    for side in (ours, theirs):  # models load, kernels compile
        side.run(0, FRAMES_OF_A_ROUND)
    turns: list[tuple[Turn, Turn]] = []
    for number in range(rounds):
        first = starts[number % len(starts)]
        sides = (ours, theirs) if number % 2 else (theirs, ours)
        taken = {side: side.run(first, first + FRAMES_OF_A_ROUND) for side in sides}
        turns.append((taken[ours], taken[theirs]))
    figure = statistics.mean if case.is_mean else statistics.median
    all_frames = [[s for turn in side for s in turn.seconds] for side in zip(*turns, strict=True)]
    ratios = [figure(a.seconds) / figure(b.seconds) for a, b in turns]
    computing = [[turn.computing for turn in side] for side in zip(*turns, strict=True)]
    each = 1000 / FRAMES_OF_A_ROUND
    return {
        "ours": round(1000 * figure(all_frames[0]), 2),
        "theirs": round(1000 * figure(all_frames[1]), 2),
        "ratio": round(statistics.median(ratios), 2),
        "cpu ours": round(each * statistics.mean(computing[0]), 2),
        "cpu theirs": round(each * statistics.mean(computing[1]), 2),
        "cpu ratio": round(statistics.median(a / b for a, b in zip(*computing, strict=True)), 2),
        "found": [sum(turn.found for turn in side) for side in zip(*turns, strict=True)],
    }


def main() -> None:
    """Print a table and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    theirs = Theirs(given.python)
    table = {}
    for name in given.cases or CASES:
        table[name] = measure(CASES[name], theirs, given.rounds)
        print(f"{name:<16}", "  ".join(f"{k} {v}" for k, v in table[name].items()), flush=True)
    theirs.close()
    print(json.dumps(table))


if __name__ == "__main__":
    main()
