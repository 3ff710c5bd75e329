"""Drawn hands that the models find: an open palm, a thumb up and a pinch, moved along paths.

A hand is a solid of tapered bones around its 21 keypoints, lit from the upper left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

#: Pixels of a frame.
SIZE = (640, 480)

_SCALE = 120  # pixels of a palm's length (wrist to middle knuckle) in the picture of a hand
_LEFT, _TOP, _RIGHT, _BOTTOM = -5.0, -2.4, 1.6, 5.4  # of that picture, in palms from the wrist

# Keypoints in palms from the wrist, x to the right, y down, z to the camera: the wrist, then thumb,
# index, middle, ring and little finger from their roots to their tips; of the palm of a right hand
# that a mirror shows, or of a left hand.
_OPEN = (
    *((0, 0, 0), (0.31, -0.2, 0.1), (0.56, -0.5, 0.14), (0.74, -0.78, 0.14), (0.92, -0.98, 0.12)),
    *((0.25, -0.96, 0.05), (0.35, -1.38, 0.06), (0.41, -1.63, 0.06), (0.46, -1.85, 0.05)),
    *((0.01, -1, 0.06), (0.01, -1.47, 0.08), (0.01, -1.75, 0.08), (0.01, -1.99, 0.06)),
    *((-0.2, -0.94, 0.04), (-0.28, -1.36, 0.06), (-0.32, -1.62, 0.06), (-0.34, -1.85, 0.05)),
    *((-0.4, -0.81, 0.02), (-0.54, -1.12, 0.03), (-0.61, -1.32, 0.03), (-0.66, -1.51, 0.02)),
)
_PINCH = (
    *((0, 0, 0), (0.3, -0.22, 0.14), (0.5, -0.52, 0.3), (0.61, -0.82, 0.42), (0.65, -1.08, 0.5)),
    *((0.25, -0.96, 0.05), (0.46, -1.36, 0.26), (0.62, -1.34, 0.46), (0.68, -1.13, 0.52)),
    *_OPEN[9:],
)
_THUMB_UP = (
    *((0, 0, 0), (0.22, -0.3, 0.12), (0.48, -0.56, 0.2), (0.55, -0.96, 0.22), (0.56, -1.32, 0.2)),
    *((0.92, -0.36, 0), (1.12, -0.34, 0.34), (0.72, -0.31, 0.46), (0.56, -0.28, 0.34)),
    *((0.97, -0.1, 0), (1.17, -0.08, 0.36), (0.74, -0.05, 0.48), (0.57, -0.03, 0.34)),
    *((0.95, 0.14, 0), (1.13, 0.17, 0.34), (0.74, 0.19, 0.45), (0.58, 0.2, 0.32)),
    *((0.88, 0.35, 0), (1.03, 0.39, 0.3), (0.72, 0.4, 0.4), (0.6, 0.4, 0.28)),
)

_RADII = (  # palms, of each finger from its root to its tip
    *((0.26, 0.18, 0.135, 0.1), (0.15, 0.122, 0.107, 0.085), (0.155, 0.127, 0.11, 0.088)),
    *((0.15, 0.12, 0.105, 0.083), (0.14, 0.105, 0.09, 0.072)),
)
_SKIN = np.array([[112, 58, 44], [206, 142, 113], [246, 205, 180]], np.float32)  # dark to light
_CLOTH = np.array([[22, 30, 46], [48, 66, 98], [92, 116, 156]], np.float32)
_SOFT = 0.022  # palms over which bones flow into one another
_LIGHT = np.array([-0.42, -0.55, 0.72])


class Bone(NamedTuple):
    """A tapered, flattened cylinder with round ends."""

    start: np.ndarray  # [3], palms
    end: np.ndarray
    radii: tuple[float, float]
    flat: float = 1.0  # its depth by its width
    is_cloth: bool = False


class Place(NamedTuple):
    """Where a hand is in a frame, and how it is held."""

    x: float  # of the wrist, pixels
    y: float
    palm: float = 78.0  # pixels
    pinch: float = 0.0  # 0 open, 1 thumb and index finger touch
    degrees: float = 0.0
    thumb_up: bool = False
    mirrored: bool = False


def keypoints(pinch: float = 0.0, thumb_up: bool = False) -> np.ndarray:
    """The keypoints of a hand, float [21, 3], in palms from its wrist."""
    if thumb_up:
        return np.array(_THUMB_UP, float)
    return (1 - pinch) * np.array(_OPEN, float) + pinch * np.array(_PINCH, float)


def pen(place: Place) -> tuple[float, float]:
    """Where the tips of thumb and index finger are in a frame, between them."""
    x, y, _ = keypoints(place.pinch, place.thumb_up)[[4, 8]].mean(axis=0)
    angle, side = math.radians(place.degrees), -1 if place.mirrored else 1
    turned = (x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle))
    return place.x + side * place.palm * turned[0], place.y + place.palm * turned[1]


def _bones(points: np.ndarray, thumb_up: bool) -> list[Bone]:
    found = [Bone(points[0], points[k], (0.3, 0.19), 0.62) for k in (5, 9, 13, 17)]
    found.append(Bone(points[0], points[1], (0.28, 0.26), 0.75))
    for finger, radii in enumerate(_RADII):
        chain = points[1 + 4 * finger : 5 + 4 * finger]
        for k in range(3):
            found.append(Bone(chain[k], chain[k + 1], (radii[k], radii[k + 1])))
    way = np.array([-0.93, 0.37, 0]) if thumb_up else np.array([0.0, 1.0, 0])
    found.append(Bone(points[0], points[0] + 1.2 * way, (0.29, 0.33), 0.8))
    cuff, elbow = points[0] + 0.62 * way, points[0] + 5.4 * way
    found.append(Bone(cuff, cuff + 0.16 * way, (0.45, 0.45), 0.95, True))
    found.append(Bone(cuff, elbow, (0.41, 0.62), 0.9, True))
    return found


def _height(bone: Bone, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How near to the camera a bone's surface is, in palms; -9 beside the bone."""
    way = bone.end - bone.start
    share = ((x - bone.start[0]) * way[0] + (y - bone.start[1]) * way[1]) / (
        way[:2] @ way[:2] + 1e-6
    )
    share = share.clip(0, 1)
    across = np.hypot(x - bone.start[0] - share * way[0], y - bone.start[1] - share * way[1])
    radius = bone.radii[0] + share * (bone.radii[1] - bone.radii[0])
    raised = bone.start[2] + share * way[2] + bone.flat * np.sqrt((radius**2 - across**2).clip(0))
    return np.where(across < radius, raised, -9.0)


def _surface(bones: Sequence[Bone]) -> tuple[np.ndarray, np.ndarray]:
    """Height of a hand at each pixel, where bones flow into one another, and what is cloth."""
    across, down = (
        np.arange(low, high, 1 / _SCALE) for low, high in ((_LEFT, _RIGHT), (_TOP, _BOTTOM))
    )
    sums = {key: np.zeros((len(down), len(across))) for key in (False, True)}
    for bone in bones:
        reach = max(bone.radii)
        low, high = (
            np.minimum(bone.start, bone.end) - reach,
            np.maximum(bone.start, bone.end) + reach,
        )
        columns = slice(*np.searchsorted(across, (low[0], high[0])))
        rows = slice(*np.searchsorted(down, (low[1], high[1])))
        height = _height(bone, across[None, columns], down[rows, None])
        sums[bone.is_cloth][rows, columns] += np.exp(height / _SOFT)
    skin, cloth = (_SOFT * np.log(sums[key] + 1e-150) for key in (False, True))
    return np.maximum(skin, cloth), cloth > skin


def _blurred(values: np.ndarray, palms: float) -> np.ndarray:
    low, high = values.min(), max(values.max(), values.min() + 1e-6)
    image = Image.fromarray(((values - low) / (high - low) * 255).astype(np.uint8))
    blurred = image.filter(ImageFilter.GaussianBlur(palms * _SCALE))
    return np.asarray(blurred, np.float32) / 255 * (high - low) + low


def _creases(points: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Lines of an open palm and of the joints of its fingers, 0..1."""
    image = Image.new("L", size)
    draw = ImageDraw.Draw(image)

    def line(*places: Sequence[float], width: float = 0.016, shade: int = 150) -> None:
        steps = np.linspace(0, 1, 24)[:, None]
        a, b, c = (np.array(place[:2], float) for place in places)
        curve = (1 - steps) ** 2 * a + 2 * steps * (1 - steps) * b + steps**2 * c
        pixels = [((x - _LEFT) * _SCALE, (y - _TOP) * _SCALE) for x, y in curve]
        draw.line(pixels, fill=shade, width=max(1, round(width * _SCALE)), joint="curve")

    line((0.42, -0.62), (0.02, -0.6), (0.08, -0.02))
    line((0.4, -0.66), (0.1, -0.62), (-0.36, -0.3))
    line((-0.46, -0.62), (-0.15, -0.6), (0.12, -0.9))
    for root in (5, 9, 13, 17):
        for joint, width in ((0.42, 0.13), (1, 0.1), (2, 0.085)):
            start, end = points[root + int(joint)], points[root + int(joint) + 1]
            middle = start + (joint - int(joint)) * (end - start)
            across = np.array([start[1] - end[1], end[0] - start[0], 0])
            across = 0.8 * width * across / max(np.hypot(*across[:2]), 0.05)
            bent = middle + 0.12 * (start - end)
            line(middle - across, bent, middle + across, shade=110)
    return np.asarray(image.filter(ImageFilter.GaussianBlur(0.012 * _SCALE)), np.float32) / 255


def _shades(height: np.ndarray) -> np.ndarray:
    """How much light falls on a surface, 0..1: from its normals, and less in its hollows."""
    down, right = np.gradient(_blurred(height.clip(-0.45), 0.008), 1 / _SCALE)
    length = np.sqrt(1 + down**2 + right**2)
    light = (_LIGHT[2] - _LIGHT[0] * right - _LIGHT[1] * down) / length
    hollow = (_blurred(height.clip(-0.45), 0.1) - height).clip(0, 0.3)
    return (0.46 + 0.5 * light - 1.4 * hollow).clip(0, 1)


@cache
def hand_picture(pinch: float = 0.0, thumb_up: bool = False) -> Image.Image:
    """A hand with its sleeve, RGBA."""
    points = keypoints(pinch, thumb_up)
    height, cloth = _surface(_bones(points, thumb_up))
    shade = _shades(height)
    if not thumb_up:
        shade -= 0.3 * _creases(points, shade.shape[::-1]) * ~cloth * (shade > 0.25)
    shade += np.random.default_rng(0).normal(0, 0.012, shade.shape)
    colours = np.empty((*shade.shape, 3))
    for channel in range(3):
        skin, clothes = (
            np.interp(shade, (0, 0.55, 1), table[:, channel]) for table in (_SKIN, _CLOTH)
        )
        colours[..., channel] = np.where(cloth, clothes, skin)
    alpha = np.where(height > -1, 255, 0)[..., None]
    whole = np.concatenate([colours.clip(0, 255), alpha], axis=2).astype(np.uint8)
    return Image.fromarray(whole, "RGBA")


def placed(place: Place) -> Image.Image:
    """A frame, RGBA, with nothing but a hand."""
    pinch = round(8 * place.pinch) / 8  # so that there are few pictures
    scale = _SCALE / place.palm
    angle, side = math.radians(place.degrees), -1 if place.mirrored else 1
    cosine, sine = scale * math.cos(angle), scale * math.sin(angle)
    matrix = np.array([[side * cosine, -sine], [side * sine, cosine]])
    origin = np.array([-_LEFT, -_TOP]) * _SCALE - matrix @ (place.x, place.y)
    rows = np.hstack([matrix, origin[:, None]]).ravel().tolist()
    picture = hand_picture(pinch, place.thumb_up).filter(ImageFilter.BoxBlur(scale / 4))
    return picture.transform(SIZE, Image.Transform.AFFINE, rows, Image.Resampling.BICUBIC)


@cache
def room() -> Image.Image:
    """A room out of focus."""
    width, height = SIZE
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    light = np.exp(-((across - 0.15) ** 2 + (down - 0.2) ** 2) / 0.35)
    wall = np.array([128, 140, 146]) + light[..., None] * np.array([84, 78, 66])
    image = Image.fromarray(wall.clip(0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    draw.rectangle((30, 26, 190, 236), fill=(236, 240, 240))
    draw.rectangle((30, 26, 190, 236), outline=(176, 164, 148), width=10)
    draw.line((110, 26, 110, 236), fill=(176, 164, 148), width=7)
    draw.rectangle((430, 168, 640, 182), fill=(120, 92, 68))
    rng = np.random.default_rng(5)
    left = 446
    for colour in ((86, 120, 118), (170, 120, 84), (70, 88, 124), (188, 172, 130), (128, 80, 78)):
        wide = int(rng.integers(18, 30))
        draw.rectangle((left, 168 - int(rng.integers(62, 96)), left + wide, 168), fill=colour)
        left += wide + 3
    draw.rectangle((0, 400, width, height), fill=(150, 122, 96))
    return image.filter(ImageFilter.GaussianBlur(7))


def frame(*places: Place) -> np.ndarray:
    """The room with hands, uint8 [480, 640, 3], RGB."""
    image = room().copy()
    for place in places:
        hand = placed(place)
        blurred = np.asarray(hand.getchannel("A").filter(ImageFilter.GaussianBlur(14)))
        moved = np.pad(blurred, ((14, 0), (16, 0)), mode="edge")[: SIZE[1], : SIZE[0]]
        image.paste((30, 30, 40), (0, 0), Image.fromarray((0.3 * moved).astype(np.uint8)))
        image.paste(hand, (0, 0), hand)
    return np.asarray(image)


def _between(start: float, end: float, share: float) -> float:
    """A way from start to end that begins and stops without jerks."""
    share = min(max(share, 0.0), 1.0)
    return start + (end - start) * share**3 * (10 - 15 * share + 6 * share**2)


def swipe(to_right: bool, fps: float = 25, seconds: float = 0.45) -> list[np.ndarray]:
    """A hand that comes up, sweeps to a side of the picture, and goes down again."""
    start, end = (190.0, 450.0) if to_right else (450.0, 190.0)
    frames = []
    for number in range(round((2.4 + seconds) * fps)):
        time = number / fps
        x = _between(start, end, (time - 1.1) / seconds)
        rises, falls = _between(1, 0, time / 0.7), _between(0, 1, (time - 1.6 - seconds) / 0.7)
        y = 345 + 420 * (rises + falls)
        frames.append(frame(Place(x, y, degrees=(320 - x) / 16)))
    return frames


def thumb_up(fps: float = 25, seconds: float = 2.0) -> list[np.ndarray]:
    """A thumb up that is held for a while, between frames of an empty room."""
    empty = [frame()] * round(0.8 * fps)
    held = [
        frame(Place(270 + 3 * math.sin(k / 4), 300 + 2 * math.cos(k / 5), thumb_up=True))
        for k in range(round(seconds * fps))
    ]
    return empty + held + empty


def writing(tips: Sequence[tuple[float, float]], fps: float = 25) -> list[Place]:
    """Places of a hand that closes its fingers, draws along places of its tips, and opens them."""
    wait, change = round(0.4 * fps), round(0.3 * fps)
    path = [tips[0]] * (wait + change) + [*tips] + [tips[-1]] * (change + wait)
    pinches = [_between(0, 1, (k - wait) / change) for k in range(wait + change)]
    pinches += [1.0] * len(tips) + pinches[::-1]
    places = []
    for (x, y), pinch in zip(path, pinches, strict=True):
        away = pen(Place(0, 0, pinch=1.0))
        places.append(Place(x - away[0], y - away[1], pinch=pinch))
    return places
