"""Hands made of straight pieces, for tests."""

import math

import numpy as np

from zoo.tasks.gestures.fingers import FINGERS

#: Direction -> degrees clockwise from straight up in the picture.
_TURNS = {
    "vertical_up": 0,
    "diagonal_up_right": 45,
    "horizontal_right": 90,
    "diagonal_down_right": 135,
    "vertical_down": 180,
    "diagonal_down_left": 225,
    "horizontal_left": 270,
    "diagonal_up_left": 315,
}
DIRECTIONS = list(_TURNS)


def make_hand(bends, direction, *, spread=5, fold=(0, 0, -1)):
    """Points [21, 3] in pixels of a hand that points to somewhere.

    Args:
        bends: finger -> degrees by which it is bent at its middle joint, 0 if it is not there.
        direction: of all fingers, where they leave the palm.
        spread: pixels between the bases of the fingers.
        fold: where bent fingers go, for a hand that points up: towards the viewer.
    """
    points = np.zeros((21, 3))
    for number, name in enumerate(FINGERS):
        side = (2 - number) * spread
        base = np.array([side, -40 if number else -10, 0.0])
        bend = math.radians(bends.get(name, 0))
        after = np.array([0, -math.cos(bend), 0]) + math.sin(bend) * np.array(fold)
        points[4 * number + 1] = base
        joints = 1 if number else 2  # straight pieces between the base and the middle joint
        for step in range(1, 4):
            piece = np.array([0, -1, 0]) if step <= joints else after
            points[4 * number + 1 + step] = points[4 * number + step] + 20 * piece
    turn = math.radians(_TURNS[direction])
    cos, sin = math.cos(turn), math.sin(turn)
    return points @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]).T


def as_hand(points, **more):
    """Points as estimate_hands gives them."""
    keypoints = [
        {"part": str(k), "position": dict(zip("xyz", map(float, p), strict=False)), "score": 0.9}
        for k, p in enumerate(points)
    ]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    box = {"x": low[0], "y": low[1], "width": high[0] - low[0], "height": high[1] - low[1]}
    box = {k: float(v) for k, v in box.items()}
    return {"score": 0.9, "keypoints": keypoints, "box": box, "handedness": "left", **more}
