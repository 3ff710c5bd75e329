"""Labelled clips for `tests.benchmarks.bench_events`: made of real images and videos by code.

Hands, faces and bodies of the shared images are moved along stated paths, at 25 frames a second
and with the motion blur of 20 ms of exposure; so it is known when each movement ends. The squats
and the raised arms are real, labelled by looking at the frames.
"""

import numpy as np

from tests.benchmarks.body_clips import jump_clip, smaller, squat_clip, yoga_clip
from tests.benchmarks.clip_sources import Clip
from tests.benchmarks.face_clips import face_clip
from tests.benchmarks.gesture_clips import gesture_clips, handless_clip
from tests.benchmarks.hand_clips import circle_clip, clap_clip, drift_clip, swipe_clip, wave_clip


def yoga_hands_clip() -> Clip:
    """The same woman, whose hands make no gesture on purpose and do not wave."""
    return Clip("yoga, hands", "gestures", yoga_clip().frames, ())


def all_clips() -> list[Clip]:
    """Every clip; every second one of each kind is held out."""
    palm, sign = "photos/hand_pakutaso.jpg", "photos/hand_pakutaso_vsign.jpg"
    back, hands = "photos/two_hands.jpg@left", "reference/hands.jpg@left"
    movers = (palm, "asl@160", sign, "asl@80", back, "asl@256")
    faces = ("portrait", "coral_grace_hopper", "three_people")
    return [
        *gesture_clips(),
        *(swipe_clip(name, seed) for seed, name in enumerate(movers)),
        *(drift_clip(name, seed) for seed, name in enumerate(movers[:4])),
        *(wave_clip(name, seed) for seed, name in enumerate((palm, back, hands))),
        *(circle_clip(name, seed) for seed, name in enumerate((*movers[1:3], palm, "asl@80"))),
        *(clap_clip(name, seed) for seed, name in enumerate((palm, back))),
        *(face_clip(f"photos/{name}.jpg", seed) for seed, name in enumerate(faces)),
        squat_clip("as filmed", lambda frame: frame, 5),
        squat_clip("mirrored and faster", lambda frame: np.ascontiguousarray(frame[:, ::-1]), 8),
        squat_clip("from afar", smaller, 5),
        jump_clip(0, 0),
        jump_clip(45, 1),
        yoga_clip(),
        yoga_hands_clip(),
        handless_clip(),
    ]
