"""Contact sheets of images to review, with their predictions."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image

import core
from weights_cache.common.errors import ZooError
from zoo.drawing.text_masks import fitted, text_mask, text_width
from zoo.images.errors import ImageError
from zoo.images.reading import read_image
from zoo.transfer.scores.class_scores import Scores
from zoo.transfer.scores.other_scores import RegressionScores
from zoo.transfer.scores.review_list import NotedImage
from zoo.transfer.scores.scores import AnyScores

if TYPE_CHECKING:
    from PIL import Image

    from core.plots import Plot

Colour = tuple[int, int, int]

_PAPER, _INK, _QUIET, _WRONG = (255, 255, 255), (20, 20, 24), (112, 112, 118), (196, 58, 16)
_MAT = (236, 236, 238)  # around and behind thumbnails
_TITLE, _HEADING, _CAPTION, _SMALL = 22.0, 17.0, 13.0, 11.0  # sizes of texts, in pixels
_MARGIN, _GAP = 24, 14
_FRAME = 3  # of a wrong prediction
_MOST = 400  # images of a sheet
#: Letters without a base letter and a mark, written in ASCII: the font has no others.
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"})


class SheetImage(NamedTuple):
    """One thumbnail of a sheet.

    Attributes:
        image: path or any other source that the zoo reads.
        label: that the image was given.
        prediction: such as "0.51 ants".
        name: written small below.
        is_wrong: whether to mark it.
    """

    image: object
    label: str
    prediction: str
    name: str
    is_wrong: bool


def scores_sheet(
    scores: AnyScores, images: Sequence[object], *, columns: int = 5, size: int = 200
) -> "Image.Image":
    """Draw the most doubtful and the most damaging images of scores.

    Args:
        scores: of a head.
        images: sources of all images, in the order in which they were scored.
        columns: thumbnails beside each other, 1..20.
        size: of a thumbnail in pixels, 64..1000.

    Returns:
        An RGB image of Pillow.

    Raises:
        ZooError: an argument is out of range, or scores name an image that is not there.
    """
    noted = [*scores.doubtful, *scores.damaging]
    if noted and max(note.position for note in noted) >= len(images):
        raise ZooError(f"scores name an image beyond the {len(images)} images given: give them all")
    is_values = isinstance(scores, RegressionScores)

    def rows(notes: Sequence[NotedImage]) -> list[SheetImage]:
        return [_sheet_image(note, images[note.position], is_values) for note in notes]

    sections = {
        "Largest errors" if is_values else "Most doubtful": rows(scores.doubtful),
        "Most damaging (are the labels right?)": rows(scores.damaging),
    }
    return draw_sheet(sections, title=str(scores).split("\n")[0], columns=columns, size=size)


def _sheet_image(note: NotedImage, image: object, is_value: bool) -> SheetImage:
    if is_value:
        return SheetImage(image, note.label, f"predicted {note.predicted}", note.name, False)
    is_wrong = note.predicted not in note.label.split(", ")
    prediction = f"{note.score:.2f} {note.predicted}"
    return SheetImage(image, note.label or "no label", prediction, note.name, is_wrong)


def confusion_plot(scores: Scores) -> "Plot":
    """Draw the confusion matrix of scores; see `core.plots.confusion_matrix`.

    Args:
        scores: of a classifier.

    Raises:
        CoreError: Matplotlib is not installed.

    >>> from zoo.transfer.scores.class_scores import score_classes
    >>> likely = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> confusion_plot(score_classes(likely, [0, 1], ["ants", "bees"], [0, 1])).data["count"]
    [1, 0, 0, 1]
    """
    counts = np.array([list(row.values()) for row in scores.confusion.values()], np.intp)
    truth, predicted = np.indices(counts.shape).reshape(2, -1)
    names = [drawable(label) for label in scores.confusion]
    return core.plots.confusion_matrix(
        np.repeat(truth, counts.ravel()), np.repeat(predicted, counts.ravel()), names
    )


def draw_sheet(
    sections: Mapping[str, Sequence[SheetImage]],
    *,
    title: str = "",
    columns: int = 5,
    size: int = 200,
) -> "Image.Image":
    """Draw thumbnails with captions such as "bees, 0.51 ants", wrong ones in red.

    An image that cannot be read any more leaves its cell empty.

    Args:
        sections: at most 400 images, by headings.
        title: written above.
        columns: thumbnails beside each other, 1..20.
        size: of a thumbnail in pixels, 64..1000.

    Returns:
        An RGB image of Pillow.

    Raises:
        ZooError: there are too many images, or an argument is out of range.

    >>> green = np.full((40, 60, 3), (0, 160, 60), np.uint8)
    >>> draw_sheet({"Doubtful": [SheetImage(green, "leaf", "0.51 tree", "1.jpg", True)]}).size
    (1104, 319)
    """
    if not 1 <= columns <= 20 or not 64 <= size <= 1000:
        raise ZooError(f"columns={columns}, size={size}: use 1..20 and 64..1000")
    if (count := sum(map(len, sections.values()))) > _MOST:
        raise ZooError(f"a sheet of {count} images is too large: give at most {_MOST}")
    cell = size + round(2 * 1.6 * _CAPTION)
    heights = [
        _head() + _GAP + (-(-len(s) // columns) * (cell + _GAP) or round(2 * _CAPTION))
        for s in sections.values()
    ]
    top = _MARGIN + (round(1.8 * _TITLE) if title else 0)
    width = 2 * _MARGIN + columns * (size + _GAP) - _GAP
    sheet = Image.new("RGB", (width, top + sum(heights) + _MARGIN - 2 * _GAP), _PAPER)
    if title:
        _write(sheet, title, (_MARGIN, _MARGIN + _TITLE / 2), _TITLE, width - 2 * _MARGIN)
    for (heading, images), height in zip(sections.items(), heights, strict=True):
        middle = top + _HEADING / 2
        _write(sheet, heading, (_MARGIN, middle), _HEADING, width - 2 * _MARGIN)
        if not images:
            _write(sheet, "none", (_MARGIN, top + _head() + 10), _CAPTION, size, _QUIET)
        for i, image in enumerate(images):
            row, column = divmod(i, columns)
            corner = (_MARGIN + column * (size + _GAP), top + _head() + row * (cell + _GAP))
            _paint(sheet, image, corner, size)
        top += height
    return sheet


def _head() -> int:
    return round(1.7 * _HEADING)


def _paint(sheet: "Image.Image", item: SheetImage, corner: tuple[int, int], size: int) -> None:
    """Paint a thumbnail with its captions."""
    left, top = corner
    sheet.paste(_MAT, (left, top, left + size, top + size))
    try:
        thumbnail = Image.fromarray(read_image(item.image))
    except ImageError:
        _write(sheet, "cannot be read", (left + 8, top + size / 2), _SMALL, size - 16, _QUIET)
    else:
        room = size - 2 * _FRAME
        share = room / max(thumbnail.size)
        wide, high = (max(1, round(side * share)) for side in thumbnail.size)
        shown = thumbnail.resize((wide, high), Image.Resampling.LANCZOS, reducing_gap=2.0)
        sheet.paste(shown, (left + (size - wide) // 2, top + (size - high) // 2))
    colour = _WRONG if item.is_wrong else _INK
    if item.is_wrong:
        _frame(sheet, (left, top), size)
    line = top + size + 1.1 * _CAPTION
    caption = _caption(item.label, item.prediction, size)
    _write(sheet, caption, (left, line), _CAPTION, size, colour)
    _write(sheet, _end_of(item.name, size), (left, line + 1.4 * _CAPTION), _SMALL, size, _QUIET)


def _frame(sheet: "Image.Image", corner: tuple[int, int], size: int) -> None:
    left, top = corner
    right, bottom = left + size, top + size
    for box in (
        (left, top, right, top + _FRAME),
        (left, bottom - _FRAME, right, bottom),
        (left, top, left + _FRAME, bottom),
        (right - _FRAME, top, right, bottom),
    ):
        sheet.paste(_WRONG, box)


def _caption(label: str, prediction: str, width: float) -> str:
    """Return label and prediction, both shortened alike where they are too wide."""
    label, prediction = drawable(label), drawable(prediction)
    text = f"{label}, {prediction}"
    longest = max(len(label), len(prediction))
    while text_width(text, _CAPTION) > width and longest > 4:
        longest -= 1
        text = ", ".join(
            part if len(part) <= longest else f"{part[: longest - 2].rstrip()}.."
            for part in (label, prediction)
        )
    return text


def _end_of(name: str, width: float) -> str:
    """Return the end of a name, which differs between files more than the start does."""
    text = shown = drawable(name)
    while text_width(shown, _SMALL) > width and text:
        text = text[1:]
        shown = f"..{text}"
    return shown


def drawable(text: str) -> str:
    """Return text in the letters that Pillow's font has: without accents, others as "?".

    >>> drawable("Käfer, größe, 蟻")
    'Kafer, grosse, ?'
    """
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    kept = (letter for letter in plain if not unicodedata.combining(letter))
    return "".join(letter if " " <= letter <= "~" else "?" for letter in kept)


def _write(
    sheet: "Image.Image",
    text: str,
    corner: tuple[float, float],
    size: float,
    width: float,
    colour: Colour = _INK,
) -> None:
    """Write a line of text, at its left and its middle, shortened to a width."""
    if text := fitted(drawable(text), size, width).strip():
        mask = text_mask(text, size)
        left, middle = corner
        sheet.paste(colour, (round(left), round(middle - len(mask) / 2)), Image.fromarray(mask))
