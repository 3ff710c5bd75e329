"""Hands, faces and bodies that move along given paths, for tests of events."""

import math

import numpy as np

from tests.zoo.tasks.gesture_hands import as_hand, make_hand
from zoo.live.events import finder_for
from zoo.shared.skeletons import BODY_17, MESH_468_PATHS

OPEN = {}
POINTING = {"thumb": 90, "middle": 170, "ring": 170, "pinky": 170}
FIST = {"thumb": 60, "index": 170, "middle": 170, "ring": 170, "pinky": 170}

#: Pixels of the length of the palm of `hand_at` with a scale of 1.
PALM = 41.0

#: Frames per second; None are irregular ones, of 12 to 60 ms.
RATES = [10, 25, 60, None]


def times_of(rate, seconds, seed=0):
    """The times of the frames of a clip."""
    if rate is not None:
        return np.arange(0, seconds, 1 / rate)
    steps = np.random.default_rng(seed).uniform(0.012, 0.06, int(seconds / 0.012))
    times = np.concatenate([[0.0], np.cumsum(steps)])
    return times[times < seconds]


def smooth(share):
    """How far a movement is, 0..1, that accelerates and slows down without jerks."""
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10 - 15 * share + 6 * share**2)


def path_through(*stops):
    """A function of time along stops (time, x, y) with rests, each leg without jerks."""

    def position(time):
        before = stops[0]
        for stop in stops[1:]:
            if time < stop[0]:
                share = smooth((time - before[0]) / (stop[0] - before[0]))
                return tuple(b + share * (s - b) for b, s in zip(before[1:], stop[1:], strict=True))
            before = stop
        return before[1:]

    return position


def hand_at(x, y, bends=OPEN, *, scale=1.0, noise=0.0, rng=None, **more):
    """A hand that points up, its palm near a point, in pixels."""
    points = make_hand(bends, "vertical_up") * scale + [x, y, 0]
    if noise:
        points = points + rng.normal(0, noise, points.shape)
    return as_hand(points, **more)


def events_of(kind, frames, labels=None):
    """All events of frames (time, items, ids), and the values of each frame."""
    finder = finder_for(kind)
    events, values = [], []
    for number, (time, items, ids) in enumerate(frames):
        found, seen = finder.update(items, ids, time, labels and [labels[number]])
        events += found
        values.append(seen)
    return events, values


def hand_events(position, seconds, rate, *, bends=OPEN, noise=0.5, seed=0, scale=1.0):
    """Events of one hand that follows a function of time -> (x, y) in lengths of the palm."""
    rng = np.random.default_rng(seed)
    frames = []
    for time in times_of(rate, seconds, seed).tolist():
        x, y = (300 + PALM * scale * value for value in position(time))
        hand = hand_at(x, y, bends, scale=scale, noise=noise * scale, rng=rng)
        frames.append((time, [hand], [1]))
    return events_of("hand", frames)[0]


def names_of(events):
    """Labels of what happened."""
    return [event["label"] for event in events if event["type"] == "happened"]


def circling(radius, period, turns, clockwise=True, start=0.3):
    """A function of time that goes around a circle after a rest."""

    def position(time):
        share = min(max((time - start) / (period * turns), 0.0), 1.0) * turns
        angle = 2 * math.pi * share * (1 if clockwise else -1)
        return radius * math.cos(angle), radius * math.sin(angle)

    return position


def waving(amplitude, period, swings, start=0.5):
    """A function of time that goes from side to side after a rest."""

    def position(time):
        share = min(max((time - start) / (period / 2), 0.0), swings)
        return -amplitude / 2 * math.cos(math.pi * share), 0.0

    return position


def two_hands(gap_of, seconds, rate, *, hidden=0.0, noise=0.5, seed=0):
    """Frames of two hands at a distance that depends on time, in lengths of the palm.

    Where they are nearer than ``hidden``, one hides the other.
    """
    rng = np.random.default_rng(seed)
    for time in times_of(rate, seconds, seed).tolist():
        gap = gap_of(time) * PALM
        hands = [
            hand_at(300 + side * gap / 2, 200, noise=noise, rng=rng, handedness=name)
            for side, name in ((-1, "right"), (1, "left"))
        ]
        count = 1 if gap < hidden * PALM else 2
        yield time, hands[:count], [4, 9][:count]


#: Corners of the eyes and points of the lids, lips and nose of `face_at`, in parts of the distance
#: of the outer corners of the eyes; z grows away from the camera.
_FACE = {33: (-0.5, 0, 0.1), 133: (-0.18, 0, 0.05), 362: (0.18, 0, 0.05), 263: (0.5, 0, 0.1)}
_FACE |= {10: (0, -0.6, 0.0), 2: (0, 0.55, 0.0), 152: (0, 1.4, 0.0)}
_FACE |= {78: (-0.25, 0.9, 0), 308: (0.25, 0.9, 0)}

_MESH_PARTS = [f"mesh_{k}" for k in range(468)]


def face_at(
    *,
    openness=0.25,
    lids=None,
    mouth=0.04,
    smile=0.0,
    yaw=0.0,
    pitch=0.0,
    noise=0.0,
    rng=None,
    size=90.0,
):
    """A face of 468 points: aspect ratios of eyes and mouth, degrees.

    ``lids`` is what the iris network sees of both eyes, with a noise of 5 %; ``smile`` lifts the
    corners of the mouth by parts of the distance of the outer corners of the eyes.
    """
    points = np.zeros((468, 3))
    for index, position in _FACE.items():
        points[index] = position
    for side in ("left", "right"):
        lower, upper = MESH_468_PATHS[f"{side}_eye"]
        ends = points[lower[0]], points[lower[-1]]
        width = np.linalg.norm(ends[1] - ends[0])
        for k in range(1, len(lower) - 1):
            middle = ends[0] + (ends[1] - ends[0]) * k / (len(lower) - 1)
            points[lower[k]] = middle + [0, openness * width / 2, 0]
            points[upper[k]] = middle - [0, openness * width / 2, 0]
    points[13], points[14] = (0, 0.9 - mouth / 4, 0), (0, 0.9 + mouth / 4, 0)
    points[0], points[17] = (0, 0.84, 0), (0, 0.96 + mouth / 2, 0)  # the upper lip stays
    corners = 0.9 + 0.15 * mouth - smile
    points[61], points[291] = (-0.3, corners, 0), (0.3, corners, 0)
    turned = points @ _turn(math.radians(yaw), math.radians(pitch)).T * size + [200, 200, 0]
    if noise:
        turned = turned + rng.normal(0, noise, turned.shape)
    keypoints = [
        {"part": part, "position": {"x": x, "y": y, "z": z}, "score": 0.9}
        for part, (x, y, z) in zip(_MESH_PARTS, turned.tolist(), strict=True)
    ]
    face = {"score": 0.9, "keypoints": keypoints, "landmarks": "mesh468"}
    if lids is not None:
        shares = 1 + rng.normal(0, 0.05, 2)
        face["eye_openness"] = dict(zip(("left", "right"), (lids * shares).tolist(), strict=True))
    return face


def _turn(yaw, pitch):
    about_y = [[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]]
    about_x = [
        [1, 0, 0],
        [0, math.cos(pitch), -math.sin(pitch)],
        [0, math.sin(pitch), math.cos(pitch)],
    ]
    return np.array(about_x) @ np.array(about_y)


def face_events(motion, seconds, rate, *, noise=0.2, seed=0):
    """Events of a face whose arguments of `face_at` are a function of time."""
    rng = np.random.default_rng(seed)
    frames = [
        (time, [face_at(**motion(time), noise=noise, rng=rng)], [1])
        for time in times_of(rate, seconds, seed).tolist()
    ]
    return events_of("face", frames)[0]


def bump(time, start, seconds):
    """0, but for a smooth way to 1 and back within some seconds."""
    share = (time - start) / seconds
    return math.sin(math.pi * share) ** 2 if 0 < share < 1 else 0.0


#: Points of `body_at` that are not on legs: side by side, and up from the hips, in lengths of legs.
_UPPER = {"shoulder": (0.2, 0.62), "eye": (0.04, 0.9), "ear": (0.08, 0.88)}


def body_at(
    *,
    knees=0.0,
    steps=0.0,
    lift=0.0,
    spread=0.12,
    arms=-0.55,
    scale=200.0,
    x=300.0,
    names=BODY_17,
    noise=0.0,
    rng=None,
):
    """A body of 17 or 33 keypoints, from the front.

    Args:
        knees: degrees of the thighs from the vertical, as squats have them.
        steps: of a walk: by how many degrees the left leg is bent, the right one if negative.
        lift: height over the ground, in lengths of the legs.
        spread: of the feet from the middle, in lengths of the legs.
        arms: height of the hands over the shoulders, in lengths of the legs.
        scale: pixels of a leg.
    """
    ground = 500.0 - lift * scale
    points = {"nose": (0.0, 0.88)}
    hip = (math.cos(math.radians(knees)) + 1) / 2
    for side, sign in (("left", 1), ("right", -1)):
        bent = max(sign * steps, 0.0)
        points |= {f"{side}_{part}": (sign * a, hip + b) for part, (a, b) in _UPPER.items()}
        points |= {f"{side}_elbow": (sign * 0.3, hip + 0.62 + arms / 2)}
        points |= {f"{side}_wrist": (sign * 0.3, hip + 0.62 + arms)}
        points |= {f"{side}_hip": (sign * 0.1, hip)}
        foot = 0.5 * (1 - math.cos(math.radians(bent)))
        points |= {f"{side}_ankle": (sign * spread, foot)}
        points |= {f"{side}_knee": (sign * spread, foot + 0.5 * math.cos(math.radians(bent / 2)))}
    points["nose"] = (0.0, hip + 0.88)
    keypoints = []
    for name in names.names:
        right, up = points.get(name, (0.0, hip))
        position = np.array([x + right * scale, ground - up * scale])
        if noise:
            position = position + rng.normal(0, noise, 2)
        position = dict(zip("xy", position.tolist(), strict=True))
        keypoints.append({"part": name, "position": position, "score": 0.9, "visibility": 0.9})
    return {"score": 0.9, "keypoints": keypoints}


def body_events(motion, seconds, rate, *, noise=1.0, seed=0, names=BODY_17):
    """Events of a body whose arguments of `body_at` are a function of time."""
    rng = np.random.default_rng(seed)
    frames = [
        (time, [body_at(**motion(time), noise=noise, rng=rng, names=names)], [1])
        for time in times_of(rate, seconds, seed).tolist()
    ]
    return events_of("pose", frames)[0]
