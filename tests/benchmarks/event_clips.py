"""Labelled clips for `tests.benchmarks.bench_events`: made of real images and videos by code.

Hands, faces and bodies of the shared images are moved along stated paths, at 25 frames a second
and with the motion blur of 20 ms of exposure; so it is known when each movement ends. The squats
and the raised arms are real, labelled by looking at the frames.
"""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import zoo
from zoo.shared.skeletons import MESH_468_PATHS

SHARED = Path(os.environ.get("ZOO_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
IMAGES = SHARED / "images"

FPS = 25
EXPOSURE = 0.02  # seconds
SIZE = (640, 480)
PALM = 70  # pixels of the palm in clips of moving hands

Frames = Iterator[tuple[np.ndarray, float]]


@dataclass(frozen=True)
class Truth:
    """An event that a clip shows."""

    label: str
    time: float  # of the end of a movement; of the start or end of a state
    type: str = "happened"


@dataclass(frozen=True)
class Clip:
    """Frames with their times, and the events in them."""

    name: str
    task: str  # of zoo.watch
    frames: Callable[[], Frames]
    events: tuple[Truth, ...]


def read(name: str) -> np.ndarray:
    """An image of the shared folder, no longer than 960 pixels."""
    import cv2

    image = np.asarray(zoo.read_image(IMAGES / name))
    scale = min(960 / max(image.shape[:2]), 1)
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


@cache
def video(name: str) -> tuple[np.ndarray, ...]:
    """All frames of a video."""
    import cv2

    capture, frames = cv2.VideoCapture(str(IMAGES / "webcam" / name)), []
    while (found := capture.read())[0]:
        frames.append(np.ascontiguousarray(found[1][:, :, ::-1]))
    return tuple(frames)


def smooth(share: float) -> float:
    """How far a movement is that accelerates and slows down without jerks."""
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10 - 15 * share + 6 * share**2)


# Hands that move


@dataclass(frozen=True)
class Source:
    """An image of a hand, with the middle of its palm and the length of it, in pixels."""

    image: np.ndarray
    centre: tuple[float, float]
    palm: float


@cache
def hand_source(name: str) -> Source:
    """A hand: a file, ``file@left`` or ``file@right`` for a half of it, or ``asl@FRAME``."""
    file, _, part = name.partition("@")
    if file == "asl":
        image = video("tfjs-models_asl_hand.25fps.mp4")[int(part)]
    else:
        image = read(file)
        half = image.shape[1] // 2
        image = {"": image, "left": image[:, :half], "right": image[:, half:]}[part]
        image = np.ascontiguousarray(image)
    hand = zoo.estimate_hands(image)[0]
    points = np.array([[p["position"]["x"], p["position"]["y"]] for p in hand["keypoints"]])
    centre = points[[0, 5, 9, 13, 17]].mean(axis=0)
    return Source(image, tuple(centre.tolist()), float(np.linalg.norm(points[9] - points[0])))


Pose = tuple[float, float, float]  # x and y in palms from the middle of the frame; degrees


def placed(source: Source, pose: Pose, mirrored: bool, border: int) -> np.ndarray:
    """The frame with a hand at a place, turned about a point four palms below it."""
    import cv2

    x, y, degrees = pose
    scale = PALM / source.palm
    angle = math.radians(degrees)
    turn = scale * np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    if mirrored:
        turn = turn @ np.diag([-1.0, 1.0])
    elbow = np.array([0, 4 * source.palm])
    target = np.array([SIZE[0] / 2 + PALM * x, SIZE[1] / 2 + PALM * (y + 4)])
    offset = target - turn @ (np.array(source.centre) + elbow)
    matrix = np.hstack([turn, offset[:, None]])
    return cv2.warpAffine(source.image, matrix, SIZE, borderMode=border, borderValue=(255,) * 3)


def moving(
    names: tuple[str, ...], poses: tuple[Callable[[float], Pose], ...], seconds: float
) -> Callable[[], Frames]:
    """Frames of one hand, or of several on white; every second one is a mirror image."""
    import cv2

    border = cv2.BORDER_REPLICATE if len(names) == 1 else cv2.BORDER_CONSTANT

    def frame_at(time: float) -> np.ndarray:
        layers = [
            placed(hand_source(name), pose(time), bool(k % 2), border)
            for k, (name, pose) in enumerate(zip(names, poses, strict=True))
        ]
        return np.minimum.reduce(layers)

    def frames() -> Frames:
        for number in range(round(seconds * FPS)):
            time = number / FPS
            parts = [frame_at(time + share * EXPOSURE) for share in (-0.5, 0.0, 0.5)]
            yield np.mean(parts, axis=0).astype(np.uint8), time

    return frames


def along(stops: list[tuple[float, float, float]]) -> Callable[[float], Pose]:
    """A path through places (time, x, y), each way without jerks."""

    def pose(time: float) -> Pose:
        before = stops[0]
        for stop in stops[1:]:
            if time < stop[0]:
                share = smooth((time - before[0]) / (stop[0] - before[0]))
                x, y = (b + share * (s - b) for b, s in zip(before[1:], stop[1:], strict=True))
                return x, y, 0.0
            before = stop
        return before[1], before[2], 0.0

    return pose


_WAYS = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}


def swipe_clip(name: str, seed: int) -> Clip:
    """Swipes to the four sides, each followed by a slower way back."""
    rng = np.random.default_rng(seed)
    stops, events, time = [(1.0, 0.0, 0.0)], [], 1.0
    for side in rng.permutation(list(_WAYS)):
        way, length, lasts = _WAYS[side], rng.uniform(2.5, 3.2), rng.uniform(0.25, 0.45)
        start = tuple(-0.5 * length * part for part in way)
        end = tuple(0.5 * length * part for part in way)
        stops += [(time + 1.2, *start), (time + 1.8, *start), (time + 1.8 + lasts, *end)]
        time += 1.8 + lasts
        events.append(Truth(f"swipe_{side}", time))
        stops += [(time + 0.5, *end), (time + 1.5, 0.0, 0.0)]
        time += 1.5
    frames = moving((name,), (along(stops),), time + 1)
    return Clip(f"swipes of {name}", "gestures", frames, tuple(events))


def drift_clip(name: str, seed: int) -> Clip:
    """Slow movements, small jerks and trembling, which are no events."""
    rng = np.random.default_rng(seed)
    stops, time = [(0.5, 0.0, 0.0)], 0.5
    for _ in range(3):
        x, y = rng.uniform(-2.5, 2.5), rng.uniform(-1.5, 1.5)
        time += 1.5 + 0.5 * math.hypot(x - stops[-1][1], y - stops[-1][2])
        stops.append((time, x, y))
        stops += [(time + 0.5, x, y), (time + 0.65, x + rng.uniform(-0.7, 0.7), y)]
        time += 1.0
        stops.append((time, *stops[-1][1:]))
    path, phases = along(stops), rng.uniform(0, 6, 2)

    def pose(now: float) -> Pose:
        x, y, _ = path(now)
        return x + 0.03 * math.sin(50 * now + phases[0]), y + 0.03 * math.sin(44 * now), 0.0

    return Clip(f"drifts of {name}", "gestures", moving((name,), (pose,), time + 0.5), ())


def wave_clip(name: str, seed: int) -> Clip:
    """A wave of the arm, and one from the elbow."""
    rng = np.random.default_rng(seed)
    starts, period = (1.0, 5.5), rng.uniform(0.55, 0.75)
    side, degrees = rng.uniform(0.5, 0.8), rng.uniform(9, 14)

    def pose(time: float) -> Pose:
        arm, elbow = (
            math.sin(2 * math.pi * (time - start) / period)
            if 0 < time - start < 3 * period
            else 0.0
            for start in starts
        )
        return side * arm, 0.0, degrees * elbow

    events = tuple(Truth("wave", start + 2.2 * period) for start in starts)
    return Clip(f"waves of {name}", "gestures", moving((name,), (pose,), 9), events)


def circle_clip(name: str, seed: int) -> Clip:
    """Two circles, one to each side."""
    rng = np.random.default_rng(seed)
    starts, signs = (1.0, 4.5), rng.permutation([1, -1])
    radius, period = rng.uniform(0.7, 1.2), rng.uniform(0.8, 1.4)

    def pose(time: float) -> Pose:
        angle = sum(
            sign * 2 * math.pi * min(max((time - start) / period, 0), 1)
            for sign, start in zip(signs, starts, strict=True)
        )
        return radius * math.sin(angle), radius * math.cos(angle), 0.0

    events = tuple(Truth("circle", start + period) for start in starts)
    return Clip(f"circles of {name}", "gestures", moving((name,), (pose,), 8), events)


def clap_clip(name: str, seed: int) -> Clip:
    """Three claps of a hand and its mirror image."""
    rng = np.random.default_rng(seed)
    claps = [1.5 + 1.2 * k + rng.uniform(-0.2, 0.2) for k in range(3)]
    lasts = rng.uniform(0.4, 0.6)

    def gap(time: float) -> float:
        shares = [(time - clap) / lasts + 0.5 for clap in claps]
        nearest = max(math.sin(math.pi * s) ** 2 if 0 < s < 1 else 0.0 for s in shares)
        return 2.2 - 1.75 * nearest

    poses = tuple((lambda time, sign=sign: (sign * gap(time), 0.0, 0.0)) for sign in (-1, 1))
    events = tuple(Truth("clap", clap) for clap in claps)
    return Clip(f"claps of {name}", "gestures", moving((name, name), poses, 5.5), events)


# Gestures of people


def hand_held(image: np.ndarray, seconds: float, rate: float, rng: np.random.Generator) -> Frames:
    """An image as a camera that a person holds shows it: it moves and zooms a little."""
    import cv2

    height, width = image.shape[:2]
    phases = rng.uniform(0, 2 * math.pi, 3)
    for number in range(round(seconds * rate)):
        time = number / rate
        shift = [0.008 * width * math.sin(1.7 * time + p) for p in phases[:2]]
        zoom = 1.04 + 0.02 * math.sin(0.9 * time + phases[2])
        matrix = np.array(
            [[zoom, 0, (1 - zoom) * width / 2 + shift[0]]]
            + [[0, zoom, (1 - zoom) * height / 2 + shift[1]]]
        )
        yield cv2.warpAffine(image, matrix, (width, height)), time


def one_after_another(
    images: list[tuple[str, float]], seed: int, rate: float = FPS, size: int = 480
) -> Callable[[], Frames]:
    """Images for some seconds each, all in frames of one size."""
    import cv2

    def frames() -> Frames:
        rng, start = np.random.default_rng(seed), 0.0
        for name, seconds in images:
            image = read(name)
            side = max(image.shape[:2])
            square = np.zeros((side, side, 3), np.uint8)
            square[: image.shape[0], : image.shape[1]] = image
            square = cv2.resize(square, (size, size), interpolation=cv2.INTER_AREA)
            for frame, time in hand_held(square, seconds, rate, rng):
                yield frame, start + time
            start += seconds

    return frames


#: The folder without name has gestures, too, labelled by looking at them.
_OTHERS = {
    "thumbs_down": ("00af1db1", "00c84257", "0a038096", "0a272153", "0a4a8907", "0a787971"),
    "pointing_up": ("00b85ea4", "0a0ef3d2", "0a4bc2da", "0a71a6e8"),
}


def gesture_images() -> list[tuple[str, str]]:
    """Label and file of each image of a gesture, labels in turn."""
    folder = IMAGES / "transfer/gestures"
    by_label = {label: sorted((folder / label).glob("*.jpg")) for label in ("call", "four", "rock")}
    by_label |= {
        label: [next((folder / "none").glob(f"{start}*")) for start in starts]
        for label, starts in _OTHERS.items()
    }
    by_label["victory"] = [IMAGES / "photos/hand_pakutaso_vsign.jpg"]
    by_label["open_palm"] = [IMAGES / "photos/hand_pakutaso.jpg"]
    queues = {label: list(files) for label, files in by_label.items()}
    found = []
    while any(queues.values()):
        for label, queue in queues.items():
            if queue:
                found.append((label, str(queue.pop(0).relative_to(IMAGES))))
    return found


_WITHOUT_HANDS = (
    *("photos/cat_demo.jpg", "photos/coco_000000000072.jpg", "photos/coco_000000403353.jpg"),
    *("photos/coco_000000516008.jpg", "photos/coffee.jpg", "photos/coral_bird.jpg"),
    *("photos/coral_cat_720p.jpg", "photos/coral_kite_and_cold.jpg", "photos/coral_parrot.jpg"),
    *("photos/dogs_demo.jpg", "photos/coco_000000214753.jpg", "photos/coral_grace_hopper.jpg"),
    *("reference/burger.jpg", "reference/coco_cat.jpg", "reference/cats_and_dogs.jpg"),
)


def gesture_clips() -> list[Clip]:
    """Three gestures in each clip, with images without hands between them."""
    images, clips = gesture_images(), []
    for k in range(0, len(images), 3):
        shown, events, time = [(_WITHOUT_HANDS[k % 15], 1.0)], [], 1.0
        for j, (label, file) in enumerate(images[k : k + 3]):
            shown += [(file, 2.0), (_WITHOUT_HANDS[(k + j + 1) % 15], 1.0)]
            events += [Truth(label, time, "started"), Truth(label, time + 2, "ended")]
            time += 3
        clips.append(
            Clip(f"gestures {k // 3}", "gestures", one_after_another(shown, k), tuple(events))
        )
    return clips


def handless_clip() -> Clip:
    """A minute of images in which no hand is seen."""
    shown = [(name, 4.0) for name in _WITHOUT_HANDS]
    return Clip("a minute without hands", "gestures", one_after_another(shown, 0, 12.5), ())


# Faces


def turned(points: np.ndarray, yaw: float, pitch: float) -> np.ndarray:
    """Points [n, 3] of a mesh after a turn of the head by some degrees."""
    centre = points.mean(axis=0)
    a, b = math.radians(yaw), math.radians(pitch)
    about_y = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
    about_x = np.array([[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]])
    return (points - centre) @ (about_x @ about_y).T + centre


def changed(mesh: np.ndarray, closed: float, mouth: float, yaw: float, pitch: float) -> np.ndarray:
    """Points [468, 3] with lids closed (0..1), the jaw open (0..1) and the head turned."""
    points = mesh.copy()
    for side in ("left", "right"):
        lower, upper = (list(path) for path in MESH_468_PATHS[f"{side}_eye"])
        points[upper] += closed * (mesh[lower] - mesh[upper])
    nose, chin, lip = mesh[2], mesh[152], mesh[14]
    down = (chin - nose) / np.linalg.norm(chin - nose)
    below = ((mesh - lip) @ down) / ((chin - lip) @ down)
    aside = np.abs(mesh[:, 0] - lip[0]) / (0.75 * abs(mesh[291, 0] - mesh[61, 0]))
    weight = np.where(below > -0.02, np.clip(1 - aside**2, 0, 1), 0)
    points += mouth * 0.5 * np.linalg.norm(mesh[263] - mesh[33]) * weight[:, None] * down
    return turned(points, yaw, pitch)


def warped(image: np.ndarray, before: np.ndarray, after: np.ndarray, mouth: float) -> np.ndarray:
    """The image with each triangle of the mesh where its points have gone."""
    import cv2

    height, width = image.shape[:2]
    frame = [(x, y) for x in (0, width / 2, width - 1) for y in (0, height / 2, height - 1)]
    edge = np.array([p for p in frame if p != (width / 2, height / 2)])
    start, end = np.vstack([before[:, :2], edge]), np.vstack([after[:, :2], edge])
    out = image.copy()
    for triangle in triangles(tuple(map(tuple, start.tolist())), width, height):
        a, b = start[list(triangle)].astype(np.float32), end[list(triangle)].astype(np.float32)
        x0, y0 = np.maximum(np.floor(b.min(axis=0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(b.max(axis=0)).astype(int) + 1, (width, height))
        if x1 <= x0 or y1 <= y0:
            continue
        matrix = cv2.getAffineTransform(a, b - np.float32([x0, y0]))
        piece = cv2.warpAffine(image, matrix, (int(x1 - x0), int(y1 - y0)), borderMode=2)
        mask = np.zeros(piece.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(b - [x0, y0]).astype(np.int32), 1)
        np.copyto(out[y0:y1, x0:x1], piece, where=mask[:, :, None].astype(bool))
    if mouth > 0:
        ring = [*MESH_468_PATHS["lips"][2], *reversed(MESH_468_PATHS["lips"][3])]
        cv2.fillPoly(out, [np.round(after[ring, :2]).astype(np.int32)], (60, 20, 25))
    return out


@cache
def triangles(points: tuple[tuple[float, float], ...], width: int, height: int) -> list[list[int]]:
    """Delaunay's triangles of points, as indices."""
    import cv2

    divided = cv2.Subdiv2D((0, 0, width, height))
    index = {}
    for number, (x, y) in enumerate(points):
        point = (min(max(x, 0), width - 1), min(max(y, 0), height - 1))
        index[divided.insert(point)] = number
    found = []
    for row in divided.getTriangleList():
        corners = [divided.findNearest(tuple(map(float, row[k : k + 2])))[0] for k in (0, 2, 4)]
        if all(corner in index for corner in corners):
            found.append([index[corner] for corner in corners])
    return found


def bump(time: float, start: float, seconds: float) -> float:
    """0, but for a smooth way to 1 and back."""
    share = (time - start) / seconds
    return math.sin(math.pi * share) ** 2 if 0 < share < 1 else 0.0


def face_clip(name: str, seed: int) -> Clip:
    """Blinks, an open mouth, a nod, a shake and a look aside."""
    rng = np.random.default_rng(seed)
    blinks = [(1.0 + 0.9 * k + rng.uniform(0, 0.3), rng.uniform(0.2, 0.32)) for k in range(3)]
    degrees = rng.uniform(10, 14)

    def state(time: float) -> dict[str, float]:
        swings = {
            axis: degrees * math.sin(2 * math.pi * 1.5 * (time - start))
            for axis, start in (("pitch", 6.5), ("yaw", 9.5))
            if 0 < time - start < 4 / 3
        }
        opened = smooth((time - 4.2) / 0.25) - smooth((time - 5.2) / 0.25)
        aside = 18 * (smooth((time - 12.5) / 0.5) - smooth((time - 14) / 0.5))
        closed = max(bump(time, start, lasts) for start, lasts in blinks)
        return {"closed": closed, "mouth": opened, "yaw": aside, "pitch": 0.0, **swings}

    def frames() -> Frames:
        import cv2

        image = read(name)
        face = zoo.estimate_faces(image, max_faces=1)[0]
        box = face["box"]
        scale = 200 / box["height"]
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        mesh = scale * np.array(
            [[p["position"][axis] for axis in "xyz"] for p in face["keypoints"]]
        )
        left, top = np.maximum(mesh[:, :2].min(axis=0) - 120, 0).astype(int)
        image = np.ascontiguousarray(image[top : top + 440, left : left + 440])
        mesh = mesh - [left, top, 0]
        for number in range(15 * FPS):
            now = state(number / FPS)
            moved = any(abs(value) > 1e-3 for value in now.values())
            after = changed(mesh, **now)
            yield warped(image, mesh, after, now["mouth"]) if moved else image, number / FPS

    events = [Truth("blink", start + lasts) for start, lasts in blinks]
    events += [Truth("mouth_open", 4.4, "started"), Truth("mouth_open", 5.35, "ended")]
    events += [Truth("nod", 7.6), Truth("head_shake", 10.6)]
    return Clip(f"face of {name}", "faces", frames, tuple(events))


# Bodies

_SQUATS = (3.3, 8.1)  # seconds at which she stands again, by looking at the frames


def squat_clip(name: str, change: Callable[[np.ndarray], np.ndarray], rate: float) -> Clip:
    """The video of squats, changed; the third squat does not end."""

    def frames() -> Frames:
        for number, frame in enumerate(video("tfjs-models_pose_squats.mp4")):
            yield change(frame), number / rate

    events = tuple(Truth("squat", time * 5 / rate) for time in _SQUATS)
    return Clip(f"squats, {name}", "pose", frames, events)


def smaller(frame: np.ndarray) -> np.ndarray:
    """A frame as from twice the distance."""
    import cv2

    return cv2.copyMakeBorder(
        cv2.resize(frame, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA),
        *(320, 320, 180, 180),
        cv2.BORDER_REPLICATE,
    )


def jump_clip(number: int, seed: int) -> Clip:
    """A standing person who goes up and down as in three jumps."""
    import cv2

    rng = np.random.default_rng(seed)
    times = [1.5 + 1.3 * k + rng.uniform(-0.2, 0.2) for k in range(3)]
    height, half = rng.uniform(0.08, 0.14), 0.24  # of the height of the image; seconds

    def frames() -> Frames:
        frame = video("tfjs-models_pose_squats.mp4")[number]
        frame = cv2.resize(frame, (360, 640), interpolation=cv2.INTER_AREA)
        for k in range(6 * FPS):
            up = max(max(1 - ((k / FPS - t) / half) ** 2, 0) for t in times)
            matrix = np.array([[1.0, 0, 0], [0, 1, -up * height * 640]])
            yield (
                cv2.warpAffine(frame, matrix, (360, 640), borderMode=cv2.BORDER_REPLICATE),
                k / FPS,
            )

    events = tuple(Truth("jump", time + half) for time in times)
    return Clip(f"jumps of frame {number}", "pose", frames, events)


def yoga_clip() -> Clip:
    """A woman in a lunge who raises her arms."""

    def frames() -> Frames:
        for number, frame in enumerate(video("pexels_yoga.mp4")):
            yield frame, number / FPS

    return Clip("yoga", "pose", frames, (Truth("arms_raised", 1.7, "started"),))


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
        handless_clip(),
    ]
