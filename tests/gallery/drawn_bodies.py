"""Drawn people who squat and do jumping jacks, so that pose models find them and nobody is shown.

Limbs are shaded tubes between joints, before a plain wall; NumPy draws all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tests.gallery.shaded import SIZE, Colour, Point, ellipse, finished, room, shadow, tube

_DARK, _LIPS, _SHOE, _SOLE = (46, 34, 30), (166, 88, 82), (62, 66, 78), (228, 228, 224)


@dataclass(frozen=True)
class Look:
    """Colours of a person.

    Attributes:
        skin: of face, neck, forearms and hands.
        hair: on the head.
        shirt: of the T-shirt.
        trousers: from hips to ankles.
    """

    skin: Colour = (222, 172, 142)
    hair: Colour = (78, 50, 36)
    shirt: Colour = (196, 74, 60)
    trousers: Colour = (58, 74, 116)


@dataclass(frozen=True)
class Body:
    """A person seen from the front.

    Attributes:
        x: of the middle, in pixels.
        floor: y of the soles, in pixels.
        height: of the person upright, in pixels.
        bend: of the thighs from the vertical, in degrees: 0 upright, 80 a deep squat.
        apart: of each foot from the middle, in heights.
        arms: of the upper arms from hanging down, in degrees, sideways: 170 over the head.
        clasped: 0 with straight arms, 1 with the hands before the chest.
        hop: of the feet over the floor, in heights.
        lean: of all above the hips, in degrees, to the left of the image.
        look: colours.
    """

    x: float = 320.0
    floor: float = 452.0
    height: float = 400.0
    bend: float = 0.0
    apart: float = 0.075
    arms: float = 12.0
    clasped: float = 0.0
    hop: float = 0.0
    lean: float = 0.0
    look: Look = Look()

    def looking(self, look: Look) -> Body:
        """Return this person in other colours."""
        return replace(self, look=look)

    def joints(self) -> dict[str, Point]:
        """Return where joints are, in pixels; ``left`` is the person's own, right in the image."""
        return {name: (float(x), float(y)) for name, (x, y) in _joints(self).items()}


def _joints(body: Body) -> dict[str, np.ndarray]:
    """Places of the joints: the ankles stand, what is above follows from the angles."""
    tall, bend, found = body.height, np.radians(body.bend), {}
    ground = body.floor - (body.hop + 0.045) * tall
    slope = np.arcsin(np.clip((body.apart - 0.055) / 0.49, -0.9, 0.9))  # of straight legs
    shank, thigh = 0.245 * tall * np.cos(0.28 * bend), 0.245 * tall
    knees = ground - shank * np.cos(slope)
    hips = knees - thigh * np.cos(bend) * np.cos(slope)
    shoulders = hips - 0.295 * tall * np.cos(0.35 * bend)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ankle = body.x + sign * body.apart * tall
        hip = body.x + sign * 0.055 * tall
        outwards = sign * 0.12 * tall * np.sin(bend)
        found[f"{side}_ankle"] = np.array([ankle, ground])
        found[f"{side}_knee"] = np.array([(ankle + hip) / 2 + outwards, knees])
        found[f"{side}_hip"] = np.array([hip, hips])
        shoulder = found[f"{side}_shoulder"] = np.array([body.x + sign * 0.104 * tall, shoulders])
        found |= _arm(body, side, sign, shoulder)
    found["head"] = np.array([body.x, shoulders - (0.112 - 0.02 * np.sin(bend)) * tall])
    return {name: _leant(body, at, hips) for name, at in found.items()}


def _leant(body: Body, at: np.ndarray, hips: float) -> np.ndarray:
    """Return where a joint is after leaning: turned around the middle of the hips."""
    if at[1] >= hips:
        return at
    angle = np.radians(body.lean)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    middle = np.array([body.x, hips])
    moved: np.ndarray = middle + turn @ (at - middle)
    return moved


def _arm(body: Body, side: str, sign: float, shoulder: np.ndarray) -> dict[str, np.ndarray]:
    angle, tall = np.radians(body.arms), body.height
    along = np.array([sign * np.sin(angle), np.cos(angle)])
    inwards = np.array([-sign * np.cos(angle), np.sin(angle)])
    elbow = shoulder + 0.165 * tall * along * (1 - 0.25 * body.clasped)
    straight = elbow + 0.15 * tall * (0.98 * along + 0.2 * inwards)
    chest = np.array([body.x + sign * 0.018 * tall, shoulder[1] + 0.075 * tall])
    wrist = straight + body.clasped * (chest - straight)
    return {f"{side}_elbow": elbow, f"{side}_wrist": wrist}


# --- drawing ------------------------------------------------------------------------------------


def paint(image: np.ndarray, body: Body) -> None:
    """Draw a person on an image, float [height, width, 3]."""
    at, tall, look = _joints(body), body.height, body.look
    shadow(image, (body.x, body.floor - 4), ((body.apart + 0.13) * tall, 20))
    for side in ("left", "right"):
        _leg(image, at, side, tall, look)
    _shoulders(image, at, tall, look)
    _torso(image, at, tall, look)
    _neck(image, at, tall, look)
    for side in ("left", "right"):
        _limb(image, at, side, tall, look)
    _head(image, at["head"], tall, look)


def _leg(image: np.ndarray, at: dict[str, np.ndarray], side: str, tall: float, look: Look) -> None:
    hip, knee, ankle = (at[f"{side}_{name}"] for name in ("hip", "knee", "ankle"))
    sign = 1 if side == "left" else -1
    toe = ankle + [sign * 0.022 * tall, 0.030 * tall]
    tube(image, ankle + [0, 0.026 * tall], toe + [0, 0.006 * tall], [0.026 * tall] * 2, _SOLE)
    tube(image, ankle, toe, [0.025 * tall, 0.027 * tall], _SHOE)
    tube(
        image, knee, ankle, [0.039 * tall, 0.042 * tall, 0.034 * tall, 0.028 * tall], look.trousers
    )
    tube(image, hip, knee, [0.060 * tall, 0.054 * tall, 0.040 * tall], look.trousers)


def _torso(image: np.ndarray, at: dict[str, np.ndarray], tall: float, look: Look) -> None:
    shoulders = (at["left_shoulder"] + at["right_shoulder"]) / 2
    hips = (at["left_hip"] + at["right_hip"]) / 2
    tube(image, hips - [0, 0.06 * tall], hips, [0.095 * tall, 0.104 * tall], look.trousers, False)
    radii = [value * tall for value in (0.104, 0.118, 0.114, 0.102, 0.098, 0.104)]
    tube(image, shoulders + [0, 0.01 * tall], hips + [0, 0.012 * tall], radii, look.shirt, False)


def _shoulders(image: np.ndarray, at: dict[str, np.ndarray], tall: float, look: Look) -> None:
    middle = (at["left_shoulder"] + at["right_shoulder"]) / 2
    for side in ("left", "right"):
        begin = middle + (at[f"{side}_shoulder"] - middle) * 0.3 - [0, 0.018 * tall]
        end = at[f"{side}_shoulder"] + [0, 0.012 * tall]
        tube(image, begin, end, [0.028 * tall, 0.034 * tall, 0.040 * tall], look.shirt)


def _neck(image: np.ndarray, at: dict[str, np.ndarray], tall: float, look: Look) -> None:
    middle = (at["left_shoulder"] + at["right_shoulder"]) / 2
    ellipse(image, middle - [0, 0.016 * tall], (0.046 * tall, 0.034 * tall), look.skin)
    tube(image, middle - [0, 0.01 * tall], at["head"], [0.035 * tall, 0.032 * tall], look.skin)


def _limb(image: np.ndarray, at: dict[str, np.ndarray], side: str, tall: float, look: Look) -> None:
    shoulder, elbow, wrist = (at[f"{side}_{name}"] for name in ("shoulder", "elbow", "wrist"))
    along = (wrist - elbow) / max(float(np.hypot(*(wrist - elbow))), 1.0)
    hand = wrist + 0.035 * tall * along
    shoulder = shoulder + np.array([0, 0.014 * tall])
    tube(image, shoulder, elbow, [0.034 * tall, 0.029 * tall, 0.026 * tall], look.skin)
    tube(image, elbow, wrist, [0.026 * tall, 0.026 * tall, 0.018 * tall], look.skin)
    tube(image, wrist, hand, [0.019 * tall, 0.024 * tall, 0.019 * tall], look.skin)
    sleeve = shoulder + 0.55 * (elbow - shoulder)
    tube(image, shoulder, sleeve, [0.040 * tall, 0.039 * tall], look.shirt)


def _head(image: np.ndarray, at: np.ndarray, tall: float, look: Look) -> None:
    wide, high = 0.054 * tall, 0.071 * tall

    def place(x: float, y: float) -> np.ndarray:
        return at + np.array([x * wide, y * high])

    ellipse(image, place(0, -0.14), (1.10 * wide, 1.02 * high), look.hair, below=0.55)
    for sign in (-1, 1):
        ellipse(image, place(1.0 * sign, 0.06), (0.16 * wide, 0.24 * high), look.skin)
    ellipse(image, place(0, 0.05), (wide, high), look.skin)
    ellipse(image, place(0, -0.42), (1.02 * wide, 0.66 * high), look.hair, below=0.02)
    for sign in (-1, 1):
        ellipse(image, place(0.42 * sign, -0.02), (0.20 * wide, 0.095 * high), (246, 244, 240))
        ellipse(image, place(0.42 * sign, -0.02), (0.095 * wide, 0.09 * high), _DARK)
        brow = place(0.22 * sign, -0.22), place(0.64 * sign, -0.18)
        tube(image, *brow, [0.045 * wide, 0.035 * wide], look.hair)
    tube(image, place(0, 0.02), place(0, 0.28), [0.06 * wide, 0.11 * wide], look.skin)
    for sign in (-1, 1):
        ellipse(image, place(0.10 * sign, 0.34), (0.06 * wide, 0.035 * high), (150, 98, 80))
    for sign in (-1, 1):  # a smile
        tube(image, place(0, 0.60), place(0.32 * sign, 0.52), [0.075 * wide, 0.03 * wide], _LIPS)


def drawn(*bodies: Body, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Return people in a room, RGB, uint8 [height, width, 3]; the last one stands in front."""
    image = room(size).copy()
    for body in bodies:
        paint(image, body)
    return finished(image)


def squats(count: int, fps: float, body: Body = Body(), seconds: float = 2.0) -> list[np.ndarray]:
    """Return frames of somebody who stands for a second, and squats some times."""

    def pose(turn: float) -> Body:
        depth = np.sin(np.pi * turn) ** 2
        clasped = float(np.clip(2 * depth, 0, 1))
        return replace(body, bend=80 * depth, apart=0.1, clasped=clasped, arms=12 + 14 * clasped)

    return _repeated(pose, count, fps, seconds)


def jumping_jacks(
    count: int, fps: float, body: Body = Body(), seconds: float = 1.5
) -> list[np.ndarray]:
    """Return frames of somebody who stands for a second, and does some jumping jacks."""

    def pose(turn: float) -> Body:
        opened = np.sin(np.pi * turn) ** 2
        hop = 0.035 * abs(np.sin(2 * np.pi * turn))
        return replace(body, apart=0.05 + 0.17 * opened, arms=10 + 152 * opened, hop=hop)

    return _repeated(pose, count, fps, seconds)


def _repeated(
    pose: Callable[[float], Body], count: int, fps: float, seconds: float
) -> list[np.ndarray]:
    """Return a second of standing, and some turns of a movement, which are drawn once."""
    turns = np.linspace(0, 1, round(seconds * fps), endpoint=False)
    images = [drawn(pose(turn)) for turn in turns]
    return images[:1] * round(fps) + images * count
