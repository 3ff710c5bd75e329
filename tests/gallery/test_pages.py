"""The page of every app: frames, reconnecting, a refused camera, no request to elsewhere."""

import time

import pytest

import zoo
from tests.gallery.browser import WATCH_AGES, opened, shown
from tests.gallery.clips import panned, write_camera
from tests.helpers import ROOT, require_opencv
from tests.zoo.web.servers import running
from zoo.web import App, button, slider, switch
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
        found.wait(
            lambda: "higher" in found.text("#tilt") or found.text("#tilt") == "level", "tilt"
        )
        found.check_clean()


def test_a_camera_that_is_refused_is_said_so():
    with shown(App("Empty"), allowed=False) as found:
        found.page.context.clear_permissions()
        notice = found.wait(
            lambda: "camera" in found.text("#notice") and found.text("#notice"), "a notice"
        )
        found.wait(lambda: found.data.get("camera") == "refused", "the refusal")
        assert "not allowed to use the camera" in found.text("#notice"), notice


def brightness_app(seconds=0.0, title="Brightness"):
    app = App(title, slider("factor", 0, 10, 1), button("again", key="a"))

    @app.on_frame
    def brightness(frame, factor):
        time.sleep(seconds)
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


def test_keys_press_buttons_after_a_colour_is_chosen():
    heard = []
    app = brightness_app()
    app.message_functions["again"] = lambda: heard.append(1)
    with shown(app) as found:
        found.wait_for_frames(1)
        found.page.evaluate(
            """() => {
              const radio = Object.assign(document.createElement("input"), { type: "radio" });
              document.querySelector("#panel").append(radio);
              radio.focus();
            }"""
        )
        found.page.keyboard.press("a")
        found.wait(lambda: heard, "a message")


def test_a_page_may_handle_a_button_itself_also_without_the_program():
    heard = []
    app = brightness_app()
    app.message_functions["again"] = lambda: heard.append(1)
    with running(app) as server, opened(server) as found:
        found.wait_for_frames(1)
        found.page.evaluate("globalThis.pressed = 0; zoo.onPress('again', () => { pressed += 1; })")
        found.page.click("[name=again]")
        server.stop()
        found.wait(lambda: found.data["connection"] == "lost", "the end of the connection")
        found.page.keyboard.press("a")
        found.page.click("[name=again]")
        assert found.page.evaluate("pressed") == 3 and heard == []


def test_another_app_at_the_address_gets_a_page_of_its_own():
    with running(brightness_app()) as first, opened(first) as found:
        found.wait_for_frames()
        first.stop()
        with running(App("Another one"), port=first.port):
            found.wait(lambda: found.text("h1") == "Another one", "the other page")
            found.wait_for_frames()


def test_a_page_waits_for_a_server_that_does_not_answer_yet():
    with running(brightness_app()) as server, opened(server) as found:
        found.page.route("**/settings*", lambda route: route.abort())
        found.page.reload()
        found.wait(lambda: "Trying again" in found.text("#notice"), "words")
        found.page.unroute("**/settings*")
        found.wait_for_frames()
        assert found.text("#notice") == ""


class Wire:
    """Stands between a page and its server, and can keep back what either sends."""

    def __init__(self, page):
        self.cut, self.opened = 0, 0  # the first so many connections are silent
        page.route_web_socket("**/connection*", self._join)

    def _join(self, socket):
        server = socket.connect_to_server()
        self.opened += 1
        number = self.opened
        socket.on_message(lambda message: number <= self.cut or server.send(message))
        server.on_message(lambda message: number <= self.cut or socket.send(message))


def test_frames_that_get_no_answer_do_not_block_the_page():
    with running(brightness_app()) as server, opened(server) as found:
        wire = Wire(found.page)
        found.page.reload()
        found.wait_for_frames()
        found.page.evaluate("zoo.connection.patience = {frame: 300, silence: 600000}")
        before = wire.cut = wire.opened  # the first page may have connected, too
        found.wait(lambda: flying(found) == 2, "frames on their way")
        answered, number = int(found.data["answered"]), found.page.evaluate("zoo.number")
        found.wait(lambda: found.page.evaluate("zoo.number") > number + 2, "newer frames")
        wire.cut = 0
        found.wait_for_frames(answered + 5)
        assert wire.opened == before and found.data["connection"] == "open"


#: Silence is noticed soon, and once: the machine may be slow when the program answers again.
IMPATIENT = """() => {
  zoo.connection.patience = { frame: 500, silence: 3000 };
  zoo.on("hello", () => { zoo.connection.patience.silence = 600000; });
}"""


@pytest.mark.parametrize("silent", [1, 2])
def test_a_silent_server_is_connected_to_again(silent):
    """Once for each silence; the second one says nothing from the start."""
    with running(brightness_app()) as server, opened(server) as found:
        wire = Wire(found.page)
        found.page.reload()
        found.wait_for_frames()
        found.page.evaluate(IMPATIENT)
        wire.cut = wire.opened + silent - 1  # the first page may have connected, too
        found.wait(lambda: wire.opened > wire.cut, "another connection")
        found.wait(lambda: found.data["connection"] == "open", "its greeting")
        found.wait_for_frames(int(found.data["answered"]) + 5)
        assert wire.opened == 1 + wire.cut and found.text("#notice") == ""
        found.wait(lambda: len(server.server.pages) == 1, "the end of the silent connections")


def test_nothing_is_shown_or_sent_before_the_script_of_the_app_is_there():
    with running(load_app("background")) as server, opened(server) as found:
        held, loaded = [], "performance.getEntriesByType('resource').map(({ name }) => name)"
        found.page.route("**/app/page.js*", lambda route: held.append(route))
        found.page.reload(wait_until="commit")
        found.wait(lambda: held, "the request for the script")
        found.wait(
            lambda: any("sources.js" in name for name in found.page.evaluate(loaded)), "the others"
        )
        found.page.evaluate(
            """() => new Promise((done) => {
              let left = 30;
              const next = () => { left -= 1; if (left) requestAnimationFrame(next); else done(); };
              next();
            })"""
        )
        assert found.page.evaluate("globalThis.zoo === undefined")
        held[0].continue_()
        found.wait(lambda: found.page.evaluate("Boolean(globalThis.zoo?.conceal)"), "the script")


def flying(found):
    return found.page.evaluate("zoo.connection.flights.size + Number(zoo.capturing)")


def test_slow_answers_are_not_drawn_and_words_say_so():
    with shown(brightness_app(seconds=0.7)) as found:
        found.wait(lambda: found.page.evaluate("Boolean(globalThis.zoo)"), "the script")
        found.page.evaluate(WATCH_AGES)
        found.wait(lambda: "too long to be drawn" in found.text("#notice"), "words")
        found.wait_for_frames(4)
        assert found.page.evaluate("oldest") <= 500


def test_words_that_are_higher_than_the_picture_can_be_read():
    """Weights that are missing take a dozen lines, beside slides or on a phone."""
    app = App("Errors")

    @app.on_frame
    def fail(frame):
        raise zoo.ZooError("first " + "and so on " * 60 + "last")

    with shown(app, size=(340, 800)) as found:
        found.wait(lambda: found.text("#notice").endswith("last"), "the error")
        boxes = {
            name: found.page.evaluate(
                f"document.querySelector('#{name}').getBoundingClientRect().toJSON()"
            )
            for name in ("stage", "picture", "notice")
        }
        assert boxes["notice"]["height"] > boxes["picture"]["height"] > 100
        assert boxes["notice"]["top"] > boxes["stage"]["top"]
        assert boxes["notice"]["bottom"] < boxes["stage"]["bottom"]


def test_hidden_pages_send_nothing():
    with shown(brightness_app()) as found:
        found.wait_for_frames()
        hide(found, "true")
        found.wait(lambda: flying(found) == 0, "the last answers")
        answered = found.data["answered"]
        let_camera_run(found)
        assert found.data["answered"] == answered
        hide(found, "false")
        found.wait_for_frames(int(answered) + 3)


def let_camera_run(found):
    seconds = "zoo.source.video.currentTime"
    until = 1 + found.page.evaluate(seconds)
    found.wait(lambda: found.page.evaluate(seconds) > until, "a second of the camera")


def hide(found, value):
    found.page.evaluate(
        f"Object.defineProperty(document, 'hidden', {{get: () => {value}, configurable: true}})"
    )


FIGURES = """async () => {
  const { Figures } = await import("/assets/figures.js");
  const figures = new Figures();
  for (const second of [1, 2, 3]) figures.take(1000 * second, 40 * second);
  figures.show(3200);
  return ["fps", "round-trip"].map((id) => document.getElementById(id).textContent);
}"""


def test_a_paused_page_stands_still_and_shows_no_rate():
    with shown(brightness_app()) as found:
        found.wait_for_frames()
        found.wait(lambda: "frames/s" in found.text("#fps"), "a rate")
        found.page.click("#pause")
        found.wait(lambda: flying(found) == 0, "the last answers")
        assert found.text("#notice") == "Paused."
        assert found.page.get_attribute("#pause", "aria-pressed") == "true"
        before, answered = found.pixels(), int(found.data["answered"])
        let_camera_run(found)
        assert (found.pixels() == before).all() and int(found.data["answered"]) == answered
        found.wait(lambda: found.text("#fps") == found.text("#round-trip") == "", "no rate")
        assert found.page.evaluate(FIGURES) == [
            "1.0 frames/s",
            "Round trip 80 ms, 95 of 100 within 120 ms",
        ]
        found.page.click("#pause")
        found.wait_for_frames(answered + 3)
        assert found.text("#notice") == ""


def test_a_camera_that_is_allowed_later_is_used():
    with shown(brightness_app(), allowed=False) as found:
        found.page.context.clear_permissions()
        found.wait(lambda: found.data.get("camera") == "refused", "the refusal")
        found.page.context.grant_permissions(["camera"])
        if found.data["camera"] == "refused":
            found.page.click("#again")
        found.wait_for_frames()
        assert found.text("#notice") == "" and not found.page.is_visible("#again")


def test_an_unplugged_camera_is_said_and_may_come_back():
    with shown(brightness_app()) as found:
        found.wait_for_frames()
        found.page.evaluate(
            "zoo.source.stream.getVideoTracks()[0].dispatchEvent(new Event('ended'))"
        )
        found.wait(lambda: "disconnected" in found.text("#notice"), "words")
        answered = int(found.data["answered"])
        found.page.evaluate("navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
        found.wait_for_frames(answered + 5)
        assert found.text("#notice") == ""


SECOND_CAMERA = """
const known = navigator.mediaDevices.enumerateDevices.bind(navigator.mediaDevices);
navigator.mediaDevices.enumerateDevices = async () =>
  [...await known(), { kind: "videoinput", deviceId: "second", label: "Second" }];
"""


def test_one_of_several_cameras_is_chosen():
    with running(brightness_app()) as server, opened(server) as found:
        found.wait_for_frames()
        assert not found.page.is_visible("#camera")
        found.page.add_init_script(SECOND_CAMERA)
        found.page.reload()
        found.wait(lambda: found.page.is_visible("#camera"), "a choice")
        first = found.page.input_value("#camera")
        found.page.select_option("#camera", "second")  # which does not exist
        found.wait(lambda: "No camera was found" in found.text("#notice"), "words")
        answered = int(found.data.get("answered", 0))
        found.page.select_option("#camera", first)
        found.wait_for_frames(answered + 3)


COUNTED_IMAGES = """
const decode = createImageBitmap;
globalThis.open = 0;
globalThis.createImageBitmap = async (...given) => {
  const made = await decode(...given);
  open += 1;
  return made;
};
const close = ImageBitmap.prototype.close;
ImageBitmap.prototype.close = function () { open -= 1; close.call(this); };
"""


def test_decoded_images_are_freed():
    with running(brightness_app()) as server, opened(server) as found:
        found.page.add_init_script(COUNTED_IMAGES)
        found.page.reload()
        found.wait_for_frames()
        found.page.evaluate("zoo.synchronous = true")
        found.wait_for_frames(int(found.data["answered"]) + 30)
        # The latest one, those on their way, and one that is being captured.
        assert 1 <= found.page.evaluate("globalThis.open") <= 4


def test_keys_go_through_the_page_in_order():
    with shown(brightness_app()) as found:
        found.wait_for_frames(1)
        focused = "document.activeElement"
        for name in ("skip", "factor", "again", "pause"):
            found.page.keyboard.press("Tab")
            assert name in found.page.evaluate(f"{focused}.outerHTML").partition(">")[0]
            assert found.page.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"


def test_a_switch_stands_beside_its_label_also_where_that_is_long():
    app = App("Switch", switch("turned", label="Turn the pages the other way, with either hand"))
    with shown(app) as found:
        found.wait(lambda: found.page.is_visible("[name=turned]"), "the switch")
        box, words = (
            found.page.locator(f"label.switch {part}").bounding_box() for part in ("input", "span")
        )
        assert words["y"] <= box["y"] <= words["y"] + words["height"] and box["width"] == 22


def test_a_page_with_a_token_loads_all_its_files(astronaut):
    with (
        running(load_app("pose_mirror"), token="right") as server,
        opened(server, "/?token=right", camera=astronaut) as found,
    ):
        found.wait(lambda: found.text("#people") == "1", "the app's own script")
        found.check_clean()


def test_the_policy_keeps_pages_from_other_servers():
    """Nothing was asked of others in the tests above, and could not have been."""
    with shown(brightness_app()) as found:
        found.wait_for_frames(1)
        found.check_clean()
        asked = found.page.evaluate("fetch('http://127.0.0.2:9/').catch(() => 'refused')")
        assert asked == "refused"
        found.wait(
            lambda: any("Content Security Policy" in p for p in found.problems), "the policy"
        )
        assert found.outside == []
