"""Gesture slides and air drawing on clips: what their pages say and draw."""

import numpy as np
import pytest

import zoo
from tests.gallery.browser import shown
from tests.gallery.clips import Played, video
from tests.helpers import require_opencv
from zoo.web.gallery import load_app

require_opencv()
pytestmark = pytest.mark.usefixtures("weights")


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
        page.check_clean()


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
        page.check_clean()
