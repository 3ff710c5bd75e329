"""The whole live loop: sessions beside calling the verb on each frame; steadiness and lag.

Run: ``python -m tests.benchmarks.bench_sessions [--frames N]``. Weights and clips are among the
reference files (``ZOO_SHARED``).

First table: for each task, the median milliseconds of a frame by the verb on still images and by a
session, frame by frame in turns, the median of their ratios, the frames per second of the session
(from its mean, with the frames in which a detector runs), and the milliseconds of its stages.

Second table: a still image with the noise of a camera, of which the joints of a session tremble by
(standard deviation over 30 frames, in per cent of the size of the hand or body): without smoothing,
with ours, with MediaPipe's parameters; and how many frames fast joints of the clip lag behind those
without smoothing. The last row says how far joints of the signing hand are from the reference.
"""

import argparse
import itertools
import json
import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import zoo
from tests.benchmarks.webcam import SHARED, read_expected
from zoo.live.session import Session, model_session
from zoo.live.smoothing import SMOOTHING
from zoo.shared.filters import OneEuro, OneEuroFilter

WEBCAM = Path("images/webcam")
HAND, SQUATS, YOGA = (
    WEBCAM / name
    for name in ("tfjs-models_asl_hand.25fps.mp4", "tfjs-models_pose_squats.mp4", "pexels_yoga.mp4")
)

#: tfjs-models' and MediaPipe's filter of the landmarks of poses and faces.
MEDIAPIPE = OneEuro(min_cutoff=0.05, beta=80.0)

FRAME_RATE = 25.0


class Case(NamedTuple):
    """A task on a clip."""

    model: str
    verb: str
    clip: Path
    options: dict[str, Any] = {}


CASES = {
    "one hand": Case("hands.lite", "estimate_hands", HAND),
    "gestures": Case("hands.lite", "recognize_gestures", HAND),
    "BlazePose, one": Case("blazepose.lite", "estimate_single_pose", SQUATS),
    "BlazePose, several": Case("blazepose.lite", "estimate_multiple_poses", YOGA),
    "MoveNet, one": Case("movenet.lightning", "estimate_single_pose", YOGA),
    "MoveNet, several": Case("movenet.lightning", "estimate_multiple_poses", YOGA),
    "PoseNet tiny": Case("posenet.tiny", "estimate_multiple_poses", YOGA),
    "face mesh": Case("facemesh.base", "estimate_faces", Path("face")),
    "detect": Case("ssd.mobilenet_v1", "detect", YOGA),
    "person mask": Case("selfie.base", "segment_person", YOGA),
    "classify": Case("mobilenet.v2_100_quant", "classify", YOGA),
}


def frames_of(clip: Path) -> Iterator[np.ndarray]:
    """The frames of a clip; of a face there is none, and an image of one sways."""
    if clip.name != "face":
        return (frame.image for frame in zoo.frames(SHARED / clip))
    image = zoo.read_image(Path(__file__).parents[2] / "gallery/one_line_pose/astronaut.jpg")
    return (np.roll(image, round(30 * np.sin(i / 8)), axis=1) for i in itertools.count())


def session_of(case: Case, *, smooth: bool = True) -> Session:
    """A session as `zoo.watch` makes it."""
    from zoo.live.watching import session_for

    if case.verb == "recognize_gestures":
        return session_for(case.verb, smooth=smooth, hands_model=case.model)
    return model_session(zoo.load(case.model), case.verb, smooth=smooth, **case.options)


def speeds(count: int) -> dict[str, Any]:
    """The first table."""
    rows = {}
    for title, case in CASES.items():
        session = session_of(case)
        verb = getattr(zoo, case.verb)
        key = "hands_model" if case.verb == "recognize_gestures" else "model"
        options = {key: case.model, **case.options}
        still, live, stages = [], [], {}
        shown = list(itertools.islice(frames_of(case.clip), count))
        verb(shown[0], **options)
        for index, frame in enumerate(shown):
            begun = perf_counter()
            verb(frame, **options)
            still.append(1000 * (perf_counter() - begun))
            live.append(session(frame, index / FRAME_RATE)["milliseconds"])
            for stage, milliseconds in session.stages.items():
                stages.setdefault(stage, []).append(milliseconds)
        rows[title] = {
            "still": round(statistics.median(still), 1),
            "session": round(statistics.median(live), 1),
            "ratio": round(statistics.median(a / b for a, b in zip(still, live, strict=True)), 2),
            "fps": round(1000 / statistics.mean(live[1:]), 1),
            "stages": {k: round(statistics.median(v), 2) for k, v in stages.items()},
        }
    return rows


def joints(result: Any) -> np.ndarray:
    """Joints [n, 2] of the first item."""
    item = result[0] if isinstance(result, list) else result
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in item["keypoints"]])


def noisy(image: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """A still image with the noise of a camera and of its compression, seeded."""
    import cv2

    noise = np.random.default_rng(1)
    for _ in range(count):
        shown = np.clip(image + noise.normal(0, 6, image.shape), 0, 255).astype(np.uint8)
        _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, 75])
        yield cv2.imdecode(data, cv2.IMREAD_COLOR)


def seen(case: Case, images: Iterator[np.ndarray]) -> np.ndarray:
    """Joints [frames, n, 2] of a session that steadies nothing."""
    session = session_of(case, smooth=False)
    return np.stack([joints(session(x, i / FRAME_RATE)["result"]) for i, x in enumerate(images)])


def filtered(points: np.ndarray, how: OneEuro) -> np.ndarray:
    """Joints as a session with these parameters gives them."""
    steady = OneEuroFilter(how)
    return np.stack(
        [steady(p, i / FRAME_RATE, float(np.ptp(p, axis=0).mean())) for i, p in enumerate(points)]
    )


def lag(raw: np.ndarray, steady: np.ndarray) -> float:
    """Frames by which the filtered joints follow, in the fastest sixth of the frames."""
    size = np.ptp(raw, axis=1).mean(axis=1)
    speed = np.r_[0, np.hypot(*np.diff(raw.mean(axis=1), axis=0).T)] / size
    fast = np.flatnonzero(speed >= np.percentile(speed, 85))
    shifts = np.arange(0, 5, 0.05)

    def misfit(shift: float) -> float:
        at = np.clip(np.arange(len(raw)) - shift, 0, None)
        low = np.minimum(at.astype(int), len(raw) - 2)
        share = (at - low)[:, None, None]
        shifted = raw[low] * (1 - share) + raw[low + 1] * share
        return float(np.hypot(*(shifted - steady)[fast].transpose(2, 0, 1)).mean())

    return float(min(shifts, key=misfit))


def distances(points: np.ndarray, expected: np.ndarray) -> tuple[float, float]:
    """Median and 90th percentile of the distances, in per cent of the longer side of the hand."""
    side = np.ptp(expected, axis=1).max(axis=1)[:, None]
    away = 100 * np.hypot(*(points - expected).transpose(2, 0, 1)) / side
    return round(float(np.median(away)), 2), round(float(np.percentile(away, 90)), 2)


def steadiness() -> dict[str, Any]:
    """The second table."""
    rows: dict[str, Any] = {}
    cases = {"hand": "one hand", "BlazePose": "BlazePose, one", "MoveNet": "MoveNet, one"}
    for title, name in cases.items():
        case = CASES[name]
        still = next(itertools.islice(frames_of(case.clip), 30, None))
        trembling, moving = seen(case, noisy(still, 60)), seen(case, frames_of(case.clip))
        ours = SMOOTHING["hand" if title == "hand" else "pose"]
        size = np.ptp(trembling, axis=1).mean()
        raw = trembling[20:50].std(axis=0).mean()
        rows[title] = {"raw": round(float(100 * raw / size), 3)}
        for label, how in (("ours", ours), ("MediaPipe", MEDIAPIPE)):
            calm = filtered(trembling, how)[20:50].std(axis=0).mean()
            behind = lag(moving, filtered(moving, how))
            rows[title][label] = {"of raw": round(float(calm / raw), 2), "lag": round(behind, 2)}
        if title == "hand":
            expected = read_expected("asl_hand.full.json")[:, :, :2]
            model = zoo.load(case.model)
            stills = np.stack([joints(model.estimate_hands(x)) for x in frames_of(case.clip)])
            rows["distance from the reference, per cent"] = {
                "still": distances(stills, expected),
                "session, not smoothed": distances(moving, expected),
                "session": distances(filtered(moving, ours), expected),
            }
    return rows


def main(count: int) -> None:
    """Print both tables and a line of JSON."""
    table = speeds(count)
    print(
        f"{'median milliseconds':<20}", *(f"{c:>8}" for c in ("still", "session", "ratio", "fps"))
    )
    for title, row in table.items():
        cells = (f"{row[c]:>8}" for c in ("still", "session", "ratio", "fps"))
        print(f"{title:<20}", *cells, "  ", row["stages"])
    steady = steadiness()
    for title, row in steady.items():
        print(f"{title}: {row}")
    print(json.dumps({"frames": count, "speed": table, "steadiness": steady}))


if __name__ == "__main__":
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    parser = argparse.ArgumentParser(description="sessions beside verbs on each frame")
    parser.add_argument("--frames", type=int, default=60)
    main(parser.parse_args().frames)
