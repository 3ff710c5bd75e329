"""Drawings of boats, houses and trees in crayon on watercolour, of which no two are alike.

They stand for the images that you would take yourself: ``draw_folder`` makes a folder with a folder
of images for each class.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 160  # pixels
STROKE = 5  # pixels

Colour = tuple[int, int, int]
Point = tuple[float, float]  # x to the right and y down, -1..1 in the square of a motif

CRAYONS: tuple[Colour, ...] = (
    (196, 48, 52),
    (226, 122, 34),
    (58, 128, 62),
    (44, 88, 168),
    (122, 66, 148),
    (110, 74, 44),
)


class Crayon:
    """Draws a motif with unsteady lines, somewhere on paper.

    Args:
        random: decides the paper, the place and size of the motif, colours, and all its lengths.
    """

    def __init__(self, random: np.random.Generator):
        self._random = random
        self.image = _paper(random)
        self._brush = ImageDraw.Draw(self.image)
        self._fills = random.random() < 0.6
        self._scale = SIDE * random.uniform(0.22, 0.42)
        room = SIDE / 2 - self._scale
        self._middle = SIDE / 2 + random.uniform(-room, room, 2)
        self._turn = random.normal(0, 0.12)

    def between(self, low: float, high: float) -> float:
        """Return a length."""
        return float(self._random.uniform(low, high))

    def happens(self, share: float) -> bool:
        """Return True in a share of the cases."""
        return self._random.random() < share

    def colour(self) -> Colour:
        """Return one of the crayons."""
        return CRAYONS[self._random.integers(len(CRAYONS))]

    def line(self, points: Sequence[Point]) -> None:
        """Draw a line."""
        self._brush.line(self._placed(points), self.colour(), STROKE, "curve")

    def shape(self, points: Sequence[Point], colour: Colour | None = None) -> None:
        """Draw a closed shape, in some drawings filled."""
        colour, places = colour or self.colour(), self._placed(points)
        if self._fills:
            red, green, blue = (round(0.45 * part + 0.55 * 255) for part in colour)
            self._brush.polygon(places, (red, green, blue))
        self._brush.line([*places, *places[:2]], colour, STROKE, "curve")

    def _placed(self, points: Sequence[Point]) -> list[Point]:
        """Return pixels of points, each a little beside where it should be."""
        x, y = (np.array(points) + self._random.normal(0, 0.02, (len(points), 2))).T
        cos, sin = math.cos(self._turn), math.sin(self._turn)
        left = self._middle[0] + self._scale * (x * cos - y * sin)
        top = self._middle[1] + self._scale * (x * sin + y * cos)
        return list(zip(left.tolist(), top.tolist(), strict=True))


def _paper(random: np.random.Generator) -> Image.Image:
    """Return paper with two water colours that run into each other."""
    chosen = random.choice(len(CRAYONS), 2, replace=False)
    one, other = (np.array(CRAYONS[i]) * 0.4 + 150 for i in chosen)
    wet = random.uniform(0, 1, (5, 5, 1)) ** 2
    colours = (one + wet * (other - one)) * random.uniform(0.7, 1.1, (5, 5, 1))
    coarse = Image.fromarray(np.clip(colours, 0, 255).astype(np.uint8))
    return coarse.resize((SIDE, SIDE), Image.Resampling.BICUBIC)


def draw_boat(crayon: Crayon) -> None:
    """Draw a boat with a sail to one side, on waves."""
    deep, mast = crayon.between(0.25, 0.45), crayon.between(-0.2, 0.2)
    crayon.shape([(-0.95, 0.25), (0.95, 0.25), (0.6, 0.25 + deep), (-0.6, 0.25 + deep)])
    crayon.line([(mast, 0.25), (mast, -0.95)])
    side = 1 if crayon.happens(0.5) else -1
    near, far = mast + side * 0.08, mast + side * crayon.between(0.5, 0.8)
    crayon.shape([(near, -0.9), (far, 0.1), (near, 0.1)])
    crayon.line([(-1.1 + 0.275 * i, 0.75 + 0.08 * (-1) ** i) for i in range(9)])


def draw_house(crayon: Crayon) -> None:
    """Draw a house with a door, and mostly a window."""
    wide, eaves = crayon.between(0.6, 0.85), crayon.between(-0.3, 0.0)
    crayon.shape([(-wide, eaves), (wide, eaves), (wide, 0.9), (-wide, 0.9)])
    crayon.shape([(-wide - 0.15, eaves), (crayon.between(-0.2, 0.2), -0.95), (wide + 0.15, eaves)])
    left = crayon.between(-0.4, 0.1)
    crayon.shape(_box(left, 0.4, left + 0.28, 0.9))
    if crayon.happens(0.7):
        crayon.shape(_box(left + 0.38, eaves + 0.25, left + 0.6, eaves + 0.5))


def draw_tree(crayon: Crayon) -> None:
    """Draw a fir, or a tree with a round crown."""
    thick, colour = crayon.between(0.08, 0.16), crayon.colour()
    crayon.shape(_box(-thick, 0.2, thick, 0.95))
    if crayon.happens(0.5):
        for top, half in ((-0.95, 0.4), (-0.6, 0.55), (-0.2, 0.7)):
            crayon.shape([(0, top), (half, top + 0.55), (-half, top + 0.55)], colour)
    else:
        wide, high = crayon.between(0.5, 0.75), crayon.between(0.45, 0.62)
        turns = [i * math.tau / 14 for i in range(14)]
        crown = [(wide * math.cos(turn), -0.3 + high * math.sin(turn)) for turn in turns]
        crayon.shape(crown, colour)


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


MOTIFS: dict[str, Callable[[Crayon], None]] = {
    "boats": draw_boat,
    "houses": draw_house,
    "trees": draw_tree,
}


def draw(motif: str, number: int) -> Image.Image:
    """Return a drawing, an RGB image of Pillow.

    Args:
        motif: a key of `MOTIFS`.
        number: equal ones give equal drawings, 0 or more.
    """
    random = np.random.default_rng([list(MOTIFS).index(motif), number])
    crayon = Crayon(random)
    MOTIFS[motif](crayon)
    soft = np.asarray(crayon.image.filter(ImageFilter.GaussianBlur(0.6)), np.float32)
    grain = random.normal(0, 6, (SIDE, SIDE, 1))
    return Image.fromarray(np.clip(soft + grain, 0, 255).astype(np.uint8))


def draw_folder(folder: str | Path, count: int = 20, first: int = 0) -> Path:
    """Draw some images of each motif, and return the folder that has a folder for each.

    Args:
        folder: is made if it is missing.
        count: of images of each motif.
        first: number of the first drawing.
    """
    for motif in MOTIFS:
        path = Path(folder) / motif
        path.mkdir(parents=True, exist_ok=True)
        for number in range(first, first + count):
            draw(motif, number).save(path / f"{motif[:-1]}_{number:02d}.png")
    return Path(folder)
