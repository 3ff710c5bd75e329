"""Events of real videos: labels that do not flicker, squats that are counted, raised arms."""

from itertools import groupby

import numpy as np
import pytest

import zoo
from tests.helpers import require_opencv
from zoo.live.events import LabelFilter, finder_for
from zoo.live.session import model_session
from zoo.tasks.gestures.recognizer import GestureRecognizer

cv2 = require_opencv()


@pytest.fixture
def video(shared, monkeypatch):
    """Moments of the first frames of a video, without events: time, items, ids."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))

    def moments(name, rate, count, model, verb, **options):
        session = model_session(zoo.load(model), verb, events=False, **options)
        capture = cv2.VideoCapture(str(shared / "images" / "webcam" / name))
        for number in range(count):
            found, frame = capture.read()
            assert found
            moment = session(np.ascontiguousarray(frame[:, :, ::-1]), number / rate)
            result = moment["result"]
            yield moment["time"], result if isinstance(result, list) else [result], moment["ids"]
        capture.release()

    return moments


def test_labels_of_a_signing_hand_do_not_flicker(video):
    clip = "tfjs-models_asl_hand.25fps.mp4"
    recognizer, stable, finder = GestureRecognizer(), LabelFilter(), finder_for("hand")
    labels, events = [], []
    for time, hands, ids in video(clip, 25, 130, "hands.lite", "estimate_hands", max_hands=1):
        found = recognizer.recognize(hands, score_threshold=stable.leave)
        names, scores = [g["label"] for g in found] or [None], [g["score"] for g in found] or [0.0]
        (label,) = stable.update(ids, names, scores, time)
        labels.append(label and label.label)
        events += finder.update(hands, ids, time, labels[-1:])[0]
    runs = [(label, len(list(run))) for label, run in groupby(labels)]
    assert min(length for _, length in runs) > 2
    shown = [label for label, _ in runs if label]
    assert shown[:3] == ["closed_fist", "pointing_up", "closed_fist"]
    started = [event["label"] for event in events if event["type"] == "started"]
    assert started == shown
    assert {event["type"] for event in events} == {"started", "held", "ended"}, "no movement"


@pytest.mark.parametrize(
    ("model", "verb"),
    [("blazepose.lite", "estimate_single_pose"), ("movenet.lightning", "estimate_single_pose")],
)
def test_squats_are_counted(model, verb, video):
    finder, events = finder_for("pose"), []
    for time, poses, ids in video("tfjs-models_pose_squats.mp4", 5, 60, model, verb):
        events += finder.update(poses, ids, time)[0]
    assert [(event["label"], event["count"]) for event in events] == [("squat", 1), ("squat", 2)]
    assert [event["time"] for event in events] == pytest.approx([3.3, 8.1], abs=0.5)


def test_arms_are_raised_and_a_lunge_is_no_squat(video):
    finder, events = finder_for("pose"), []
    for time, poses, ids in video(
        "pexels_yoga.mp4", 25, 90, "movenet.lightning", "estimate_single_pose"
    ):
        events += finder.update(poses, ids, time)[0]
    assert {event["label"] for event in events} == {"arms_raised"}
    assert events[0]["type"] == "started" and events[0]["time"] == pytest.approx(1.7, abs=0.5)
