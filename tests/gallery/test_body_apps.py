"""Pose mirror, rep counter and object hunt on clips: what their pages say and draw."""

import pytest

from tests.gallery.browser import shown
from tests.gallery.clips import Played, video
from tests.gallery.scenes import pose_mirror
from tests.helpers import require_opencv
from zoo.web.gallery import load_app

require_opencv()
pytestmark = pytest.mark.usefixtures("weights")


def test_pose_mirror():
    with shown(load_app("pose_mirror"), source=pose_mirror.source()) as page:
        page.wait_for_frames()
        page.wait(lambda: page.text("#people") == "1", "one person")
        page.page.focus("[name=threshold]")
        page.page.keyboard.press("Home")
        page.wait(lambda: "higher" in page.text("#tilt") or page.text("#tilt") == "level", "tilt")
        page.check_clean()


def test_rep_counter(shared):
    """The person in the clip squats four times."""
    source = Played(video(shared, "tfjs-models_pose_squats.mp4"), fps=5, slower=1.2)
    with shown(load_app("rep_counter"), source=source) as page:
        page.wait(lambda: int(page.text("#count")) >= 3, "squats")
        assert "!" in page.text("#said") and page.text("#pace").endswith(" s")
        page.page.keyboard.press("r")
        page.wait(lambda: int(page.text("#count")) < 3, "a count from 0")
        page.check_clean()


def test_object_hunt(monkeypatch):
    app = load_app("object_hunt")
    monkeypatch.setitem(app.frame_function.__globals__, "OBJECTS", ("person", "banana"))
    with shown(app, source=pose_mirror.source()) as page:
        page.wait(lambda: page.text("#wanted") == "banana" or page.text("#found") != "0", "a wish")
        if page.text("#wanted") == "banana":
            page.page.keyboard.press("n")
        page.wait(lambda: int(page.text("#found")) >= 1, "the person")
        assert page.text("#last") == "That is a person!" and page.text("#wanted") == "banana"
        page.check_clean()
