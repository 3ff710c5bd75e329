"""Frames of a portrait in the public domain, placed where a test needs it."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

import zoo
from tests.helpers import ROOT

#: Width and height of frames.
SIZE = (640, 480)

#: Where the middle of the face is in the portrait, which has 512 x 512 pixels.
_FACE = (224, 118)
_AROUND = 400  # pixels of background that are added on each side


def portrait(x: float = 320, y: float = 235, scale: float = 1.25, angle: float = 0.0) -> np.ndarray:
    """The astronaut, with her background continued, as a frame [480, 640, 3].

    Args:
        x: of the middle of her face in the frame.
        y: of it.
        scale: pixels of the frame for one of the portrait.
        angle: degrees by which she is turned clockwise.
    """
    turn = np.radians(angle)
    inverse = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) / scale
    shift = np.array(_FACE) + _AROUND - inverse @ [x, y]
    rows = np.c_[inverse, shift].ravel().tolist()
    image = _continued().transform(
        SIZE, Image.Transform.AFFINE, rows, Image.Resampling.BICUBIC, fillcolor=(128, 124, 120)
    )
    return np.asarray(image)


def two_portraits() -> np.ndarray:
    """Two of her, side by side."""
    one = portrait(160, 200, 0.9)[:, :320]
    return np.concatenate([one, one[:, ::-1]], axis=1)


def nobody() -> np.ndarray:
    """Her background, without her: stripes as sharp as those of a flag."""
    stripes = np.where(np.arange(SIZE[0]) // 20 % 2, 230, 60).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(stripes[None, :, None], (*SIZE[::-1], 3)))


def _continued() -> Image.Image:
    image = zoo.read_image(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
    edges = ((_AROUND, _AROUND), (_AROUND, _AROUND), (0, 0))
    wide = Image.fromarray(np.pad(image, edges, mode="edge"))
    soft = wide.filter(ImageFilter.GaussianBlur(24))
    faded = np.zeros((512, 512), np.uint8)
    faded[14:, 24:-24] = 255
    soft.paste(
        Image.fromarray(image),
        (_AROUND, _AROUND),
        Image.fromarray(faded).filter(ImageFilter.GaussianBlur(6)),
    )
    return soft
