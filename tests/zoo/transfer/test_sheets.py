"""Sheets of thumbnails, and the confusion matrix as an image."""

import numpy as np
import pytest

from tests.helpers import require
from weights_cache.common.errors import ZooError
from zoo.transfer.scores.class_scores import score_classes
from zoo.transfer.scores.scores import score_held_out
from zoo.transfer.scores.sheets import (
    SheetImage,
    confusion_plot,
    draw_sheet,
    drawable,
    scores_sheet,
)

RED, FRAME, MAT = (250, 0, 0), (196, 58, 16), (236, 236, 238)


def flat(colour, height=30, width=60):
    return np.full((height, width, 3), colour, np.uint8)


def item(image, label="ants", prediction="0.51 bees", name="1.jpg", is_wrong=False):
    return SheetImage(image, label, prediction, name, is_wrong)


def pixels(image):
    return np.asarray(image)


def test_thumbnails_are_letterboxed_and_wrong_ones_framed():
    sheet = pixels(draw_sheet({"x": [item(flat(RED)), item(flat(RED), is_wrong=True)]}, size=100))
    red = (sheet == RED).all(axis=2)
    rows, columns = np.flatnonzero(red.any(axis=1)), np.flatnonzero(red.any(axis=0))
    assert len(rows) == 47 and len(columns) == 2 * 94  # 94 pixels wide, as high as the shape asks
    framed = (sheet == FRAME).all(axis=2)
    assert framed[:, : columns[94] - 3].sum() == 0 and framed.sum() >= 4 * 3 * 100 - 4 * 9


def test_captions_differ_with_their_texts():
    one, other = (
        pixels(draw_sheet({"": [item(flat(RED), label)]}, columns=1)) for label in ("ants", "bees")
    )
    differs = np.flatnonzero((one != other).any(axis=(1, 2)))
    assert differs.size and differs.min() > 200  # below the thumbnail


def test_an_unreadable_image_leaves_an_empty_cell(tmp_path):
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"no image")
    sheet = pixels(draw_sheet({"x": [item(broken), item(tmp_path / "missing.jpg")]}, size=64))
    assert (sheet == MAT).all(axis=2).sum() > 64 * 64


def test_long_names_stay_inside_their_column():
    name = "folder/" * 30 + "1.jpg"
    text = "W" * 90
    sheet = pixels(draw_sheet({text: [item(flat(RED), text, text, name)]}, title=text, columns=1))
    assert (sheet[:, -23:] == 255).all()


def test_empty_sections_and_sheets_are_drawn():
    empty = draw_sheet({"Most doubtful": [], "Most damaging": []}, title="none")
    full = draw_sheet({"Most doubtful": [item(flat(RED))] * 6, "Most damaging": []}, title="none")
    assert empty.width == full.width and empty.height < 200 < full.height
    assert draw_sheet({}).height > 0


def test_letters_without_a_glyph_are_replaced():
    assert drawable("Ölkäfer Łódź ß") == "Olkafer Lodz ss"
    assert drawable("蟻\n") == "??"


def some_scores(images):
    truth = np.arange(images) % 2
    likely = np.where(np.arange(2) == truth[:, None], 0.8, 0.2)
    likely[:3] = [0.55, 0.45]
    return likely, truth


def test_the_sheet_of_scores_shows_doubtful_and_damaging_images():
    likely, truth = some_scores(14)
    images = [flat((10 * i, 200, 255 - 10 * i)) for i in range(14)]
    harm = np.where(np.arange(14) == 12, 1.0, -1.0)
    scores = score_classes(likely, truth, ["ants", "bees"], np.arange(14) % 5, harm=harm)
    sheet = pixels(scores_sheet(scores, images, size=64))
    shown = {i for i in range(14) if (sheet == images[i][0, 0]).all(axis=2).any()}
    assert shown == {i.position for i in scores.doubtful} | {12}
    assert (sheet == FRAME).all(axis=2).any()
    with pytest.raises(ZooError, match="beyond the 3 images given"):
        scores_sheet(scores, images[:3])


@pytest.mark.parametrize("kind", ["multi_label", "regression"])
def test_sheets_of_other_scores(kind):
    likely, truth = some_scores(12)
    scores = score_held_out(kind, likely, np.eye(2)[truth], ["a", "b"], np.arange(12) % 3)
    sheet = scores_sheet(scores, [flat(RED)] * 12, size=64)
    assert (pixels(sheet) == RED).all(axis=2).any()


def test_the_confusion_matrix_has_the_counts_of_the_scores():
    likely, truth = some_scores(14)
    scores = score_classes(likely, truth, ["Käfer", "bees"], np.arange(14) % 5)
    plot = confusion_plot(scores)
    assert plot.data["count"] == [c for row in scores.confusion.values() for c in row.values()]
    assert plot.data["label"][0] == "Kafer" and plot.image.mode == "RGB"


@pytest.mark.parametrize("wrong", [{"columns": 0}, {"columns": 21}, {"size": 10}, {"size": 5000}])
def test_limits_of_sheets(wrong):
    with pytest.raises(ZooError, match=r"use 1\.\.20 and 64\.\.1000"):
        draw_sheet({}, **wrong)
    with pytest.raises(ZooError, match="401 images is too large"):
        draw_sheet({"x": [item(flat(RED))] * 401})


def test_a_sheet_can_be_saved(tmp_path):
    draw_sheet({"x": [item(flat(RED))]}).save(tmp_path / "sheet.png")
    with require("PIL.Image").open(tmp_path / "sheet.png") as image:
        assert image.mode == "RGB" and image.width == 1104
