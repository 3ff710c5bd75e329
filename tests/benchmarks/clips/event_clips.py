"""Labelled clips for `tests.benchmarks.bench_events`: made of real images and videos by code.

Hands, faces and bodies of the shared images are moved along stated paths, at 25 frames a second
and with the motion blur of 20 ms of exposure; so it is known when each movement ends. The squats
and the raised arms are real, labelled by looking at the frames.
"""

import numpy as np

from tests.benchmarks.clips.body_clips import jump_clip, smaller, squat_clip, yoga_clip
from tests.benchmarks.clips.clip_sources import Clip
from tests.benchmarks.clips.face_clips import face_clip
from tests.benchmarks.clips.gesture_clips import gesture_clips, handless_clip, still_clip
from tests.benchmarks.clips.hand_clips import (
    View,
    circle_clip,
    clap_clip,
    drift_clip,
    swipe_clip,
    wave_clip,
)


def yoga_hands_clip() -> Clip:
    """The same woman, whose hands make no gesture on purpose and do not wave."""
    return Clip("yoga, hands", "gestures", yoga_clip().frames, ())


def usual_clips() -> list[Clip]:
    """Clips by which parameters were chosen, and clips that were held out, in turn."""
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


_STILL_FACES = ("portrait", "coral_grace_hopper", "coco_000000000459", "three_people")
_STILL_BODIES = ("coral_squat", "yoga_beach", "coral_test_image", "gesture_rock_2")


def fresh_clips() -> list[Clip]:
    """Clips of other hands and faces, sizes and frame rates, made when all was chosen."""
    views = (View(15, 45), View(30, 55))
    movers = ("photos/two_hands.jpg@right", "asl@24", "reference/hands.jpg@right", "asl@300")
    opened = ("photos/two_hands.jpg@right", "reference/hands.jpg@right")
    return [
        *(swipe_clip(name, 100 + k, views[k % 2]) for k, name in enumerate(movers)),
        *(drift_clip(name, 110 + k, views[k % 2]) for k, name in enumerate(movers)),
        *(wave_clip(name, 120 + k, views[k]) for k, name in enumerate(opened)),
        *(circle_clip(name, 130 + k, views[k % 2]) for k, name in enumerate(movers)),
        *(clap_clip(name, 140 + k, views[k]) for k, name in enumerate(opened)),
        face_clip("photos/coco_000000000459.jpg", 150),
        face_clip("photos/gesture_rock_2.jpg", 151),
        jump_clip(22, 160),
        squat_clip("faster", lambda frame: frame, 7),
        *(still_clip(f"photos/{name}.jpg", "faces", 170) for name in _STILL_FACES),
        *(still_clip(f"photos/{name}.jpg", "pose", 171) for name in _STILL_BODIES),
    ]
