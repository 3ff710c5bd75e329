"""Every app of the gallery on a clip: what its page says and draws."""

import cv2
import numpy as np
import pytest

import zoo
from tests.gallery.browser import panned, shown
from tests.gallery.clips import Played
from tests.helpers import ROOT, require_opencv
from zoo.web.gallery import app_names, load_app

require_opencv()

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture(autouse=True)
def _weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.delenv("ZOO_SHARED", raising=False)


@pytest.fixture
def astronaut():
    """A camera that sees a face, from the shoulders up."""
    return Played(panned(zoo.read_image(ASTRONAUT)), fps=30)


def video(shared, name, first=0, last=None):
    """Frames of a clip beside the checkout."""
    capture, frames = cv2.VideoCapture(str(shared / "images" / "webcam" / name)), []
    while (found := capture.read())[0]:
        frames.append(np.ascontiguousarray(found[1][..., ::-1]))
    return frames[first:last]


def clean(page):
    """Nothing failed, and nothing was asked of other servers."""
    assert page.outside == [] and page.problems == []


def test_each_app_is_small_and_complete():
    folders = {name: ROOT / "gallery" / name for name in app_names()}
    assert len(folders) == 8
    for folder in folders.values():
        assert len((folder / "app.py").read_text().splitlines()) <= 80, folder
        for name in ("README.md", "screenshot.png"):
            assert (folder / name).is_file(), f"{folder.name} has no {name}"


def test_pose_mirror(astronaut):
    with shown(load_app("pose_mirror"), source=astronaut) as page:
        page.wait_for_frames()
        page.wait(lambda: page.text("#people") == "1", "one person")
        page.page.focus("[name=threshold]")
        page.page.keyboard.press("Home")
        page.wait(lambda: "higher" in page.text("#tilt") or page.text("#tilt") == "level", "tilt")
        clean(page)


def test_rep_counter(shared):
    """The person in the clip squats four times."""
    source = Played(video(shared, "tfjs-models_pose_squats.mp4"), fps=5, slower=1.2)
    with shown(load_app("rep_counter"), source=source) as page:
        page.wait(lambda: int(page.text("#count")) >= 3, "squats")
        assert "!" in page.text("#said") and page.text("#pace").endswith(" s")
        page.page.keyboard.press("r")
        page.wait(lambda: int(page.text("#count")) < 3, "a count from 0")
        clean(page)


def test_air_drawing(shared):
    source = Played(video(shared, "tfjs-models_asl_hand.25fps.mp4"), fps=25)
    with shown(load_app("air_drawing"), source=source) as page:
        page.wait(lambda: int(page.text("#strokes")) >= 1, "a stroke")
        with page.page.expect_download() as download:
            page.page.keyboard.press("s")
        drawing = zoo.read_image(download.value.path())
        assert np.ptp(drawing, axis=(0, 1)).max() > 100  # more than paper
        page.page.keyboard.press("c")
        page.wait(lambda: page.text("#strokes") in "01", "an empty drawing")
        clean(page)


def test_gesture_slides(shared, monkeypatch):
    from tests.benchmarks import clip_sources
    from tests.benchmarks.hand_clips import swipe_clip

    monkeypatch.setattr(clip_sources, "IMAGES", shared / "images")
    clip = swipe_clip("photos/hand_pakutaso.jpg", 3)
    swipes = [event.label for event in clip.events if event.label in ("swipe_left", "swipe_right")]
    source = Played([image for image, _ in clip.frames()], fps=clip_sources.FPS, slower=3)
    with shown(load_app("gesture_slides"), source=source) as page:
        page.wait_for_frames()
        number = page.text("#page")
        page.page.keyboard.press("ArrowRight")
        assert number == "1" and page.text("#page") == "2"
        seen = []
        for swipe in swipes:
            words = f"Seen: {swipe.replace('_', ' ')}"
            page.wait(lambda words=words: page.text("#gesture") == words, words)
            seen.append(page.text("#page"))
        assert seen == (["3", "2"] if swipes[0] == "swipe_left" else ["1", "2"])
        clean(page)


def test_background(astronaut):
    with shown(load_app("background"), source=astronaut) as page:
        page.wait_for_frames()
        page.page.select_option("[name=behind]", "night")
        page.wait(lambda: page.pixels()[40:100, 20:80].mean() < 60, "a night sky")
        face = page.pixels()[150:260, 270:370].reshape(-1, 3).mean(axis=0)
        assert face[0] > face[2] + 20  # skin is still there
        clean(page)


def test_face_paint(astronaut):
    with shown(load_app("face_paint"), source=astronaut) as page:
        page.wait(lambda: page.text("#smiles") == "1", "a smile")
        page.page.select_option("[name=paint]", "glasses")
        before = page.pixels()
        page.page.select_option("[name=paint]", "crown")
        page.wait(lambda: page.data.get("answered"), "frames")
        yellow = np.array([242, 182, 50])
        page.wait(
            lambda: (np.abs(page.pixels().astype(int) - yellow).max(axis=-1) < 12).mean() > 0.005,
            "a crown",
        )
        assert not (np.abs(before.astype(int) - yellow).max(axis=-1) < 12).mean() > 0.005
        clean(page)


def test_object_hunt(astronaut, monkeypatch):
    app = load_app("object_hunt")
    monkeypatch.setitem(app.frame_function.__globals__, "OBJECTS", ("person", "banana"))
    with shown(app, source=astronaut) as page:
        page.wait(lambda: page.text("#wanted") == "banana" or page.text("#found") != "0", "a wish")
        if page.text("#wanted") == "banana":
            page.page.keyboard.press("n")
        page.wait(lambda: int(page.text("#found")) >= 1, "the person")
        assert page.text("#last") == "That is a person!" and page.text("#wanted") == "banana"
        clean(page)
