"""The page of every app: frames, reconnecting, a refused camera, no request to elsewhere."""

import pytest

import zoo
from tests.gallery.browser import opened, panned, shown, write_camera
from tests.helpers import ROOT, require_opencv
from tests.zoo.web.servers import running
from zoo.web import App, button, slider
from zoo.web.gallery import load_app

require_opencv()

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture(scope="module")
def astronaut(tmp_path_factory):
    """A camera that sees the astronaut."""
    path = tmp_path_factory.mktemp("camera") / "astronaut.mjpeg"
    return write_camera(path, panned(zoo.read_image(ASTRONAUT)))


def test_pose_mirror(astronaut):
    with shown(load_app("pose_mirror"), camera=astronaut) as found:
        found.wait_for_frames()
        found.wait(lambda: found.text("#people") == "1", "one person")
        found.wait(lambda: "higher" in found.text("#tilt") or found.text("#tilt") == "level", "tilt")
        assert found.outside == [] and found.problems == []


def test_a_camera_that_is_refused_is_said_so():
    with shown(App("Empty"), allowed=False) as found:
        found.page.context.clear_permissions()
        notice = found.wait(
            lambda: "camera" in found.text("#notice") and found.text("#notice"), "a notice"
        )
        found.wait(lambda: found.data.get("camera") == "refused", "the refusal")
        assert "not allowed to use the camera" in found.text("#notice"), notice


def brightness_app():
    app = App("Brightness", slider("factor", 0, 10, 1), button("again", key="a"))

    @app.on_frame
    def brightness(frame, factor):
        return [{"label": "light", "score": min(1.0, frame.image.mean() / 255 * factor)}]

    @app.on("again")
    def again(factor):
        return factor

    return app


def test_a_killed_server_is_said_and_reconnected_to():
    with running(brightness_app()) as first:
        port = first.port
        with opened(first) as found:
            found.wait_for_frames()
            found.page.focus("[name=factor]")
            found.page.keyboard.press("Home")
            first.stop()
            found.wait(
                lambda: "connection to the program is lost" in found.text("#notice"), "words"
            )
            assert found.data["connection"] == "lost"
            answered = int(found.data["answered"])
            with running(brightness_app(), port=port) as second:
                found.wait(lambda: found.data["connection"] == "open", "a connection")
                found.wait_for_frames(answered + 3)
                (page,) = second.server.pages.values()
                assert page.client.values["factor"] == 0  # the page says what was chosen


def test_keys_press_buttons():
    heard = []
    app = brightness_app()
    app.message_functions["again"] = lambda: heard.append(1)
    with shown(app) as found:
        found.wait_for_frames(1)
        found.page.keyboard.press("a")
        found.wait(lambda: heard, "a message")
