"""Every app of the gallery sees its scene by Chromium's camera, as a user's browser does."""

from importlib import import_module

import pytest

from tests.gallery.browser import shown
from tests.gallery.scenes import teachable
from zoo.web.gallery import app_names, load_app

pytestmark = pytest.mark.usefixtures("weights")

#: What the page of an app says once it works; others are ready as for their pictures.
FIRST = {
    "air_drawing": lambda page: page.wait(lambda: page.text("#strokes") != "0", "a stroke"),
    # A swipe is short: on a busy machine frames of it are dropped, as a user's would be.
    "gesture_slides": lambda page: page.wait(lambda: "Likes" in page.text("#hint"), "a like"),
    "teachable": lambda page: teach(page),
}


def teach(page):
    page.page.fill("#label", "Boats")
    page.page.press("#label", "Enter")
    teachable.record(page, "Boats", 3)


@pytest.mark.sweep("long")
@pytest.mark.parametrize("name", app_names())
def test_each_app_sees_its_scene_by_a_camera(name, tmp_path):
    scene = import_module(f"tests.gallery.scenes.{name}")
    camera = scene.source().camera(tmp_path / "camera.mjpeg")
    with shown(load_app(name), camera=camera) as page:
        page.wait_for_frames()
        FIRST.get(name, scene.ready)(page)
        assert page.pixels().std() > 20  # neither black nor of one colour
        page.check_clean()
