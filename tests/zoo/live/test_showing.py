"""Pictures in windows and notebooks, while a program runs."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require_opencv
from tests.zoo.drawing.test_drawing import blank, person
from weights_cache.common.errors import ZooError
from zoo.images.opencv import load_opencv
from zoo.live import preview_window, showing

require_opencv()

RED = np.full((48, 64, 3), (250, 10, 20), np.uint8)


class FakeScreen:
    """OpenCV's windows: what they show, and what the user presses or closes."""

    def __init__(self):
        self.shown, self.open, self.keys = [], set(), []
        self.namedWindow = lambda title, how: self.open.add(title)
        self.resizeWindow = lambda title, width, height: None
        self.imshow = lambda title, pixels: self.shown.append((title, pixels))
        self.waitKey = lambda pause: self.keys.pop(0) if self.keys else -1
        self.getWindowProperty = lambda title, which: float(title in self.open)
        self.destroyWindow = self.open.discard

    def __getattr__(self, name):
        return getattr(load_opencv(), name)


@pytest.fixture
def screen(monkeypatch):
    fake = FakeScreen()
    monkeypatch.setattr(preview_window, "cv2", fake)
    monkeypatch.setattr(showing, "_windows", {})
    monkeypatch.setenv("DISPLAY", ":0")
    return fake


def test_pictures_of_a_title_share_a_window(screen):
    assert zoo.show(RED) and zoo.show(RED[::-1]) and zoo.show(Image.new("RGB", (9, 9)), "other")
    assert [title for title, _ in screen.shown] == ["zoo", "zoo", "other"]
    assert screen.open == {"zoo", "other"}
    np.testing.assert_array_equal(screen.shown[0][1], RED[..., ::-1])  # OpenCV's order


@pytest.mark.parametrize("key", ["q", "Q", "\x1b"])
def test_a_key_ends_it(screen, key):
    screen.keys = [-1, ord(key)]
    assert [zoo.show(RED), zoo.show(RED)] == [True, False]
    assert screen.open == set()
    assert zoo.show(RED) and screen.open == {"zoo"}  # shown again


def test_the_closing_button_ends_it(screen):
    assert zoo.show(RED)
    screen.open.clear()
    assert not zoo.show(RED)


def test_a_single_picture_waits_for_a_key_or_the_closing_button(screen):
    screen.keys = [-1, -1, -1, ord("x")]
    assert not zoo.show(RED, wait=True)
    assert screen.keys == [] and screen.open == set()


def test_moments_are_painted(screen):
    moment = {"time": 0.0, "frame": blank(300, 300), "result": [person(50, 50)], "ids": [3]}
    zoo.show(moment)
    np.testing.assert_array_equal(screen.shown[0][1], zoo.paint(moment, order="bgr"))


def test_without_a_display_the_error_says_what_else_there_is(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ZooError, match=r"there is no display .* zoo\.VideoFile"):
        zoo.show(RED)


def test_a_notebook_has_an_image_for_each_title_and_cell(monkeypatch):
    done = []
    shell = SimpleNamespace(kernel=object(), execution_count=1)

    def display(image, display_id):
        done.append(("new", image))
        return SimpleNamespace(update=lambda image: done.append(("update", image)))

    monkeypatch.setattr(showing, "_displays", {})
    module = SimpleNamespace(Image=lambda data, format: (data, format), display=display)
    fake = SimpleNamespace(get_ipython=lambda: shell, display=module)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    for title in ("zoo", "other", "zoo"):
        assert zoo.show(RED, title)
    shell.execution_count = 2
    assert zoo.show(RED)
    assert [how for how, _ in done] == ["new", "new", "update", "new"]
    data, form = done[0][1]
    with Image.open(io.BytesIO(data)) as image:
        assert form == image.format.lower() == "jpeg"
        assert np.abs(np.asarray(image).astype(int) - RED).max() < 8
