"""Published pages in Chromium: photos, camera, keyboard, and each failure in words."""

import functools
import http.server
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from PIL import Image

import zoo
from tests.gallery.browser import empty_page, opened
from tests.gallery.clips import panned, write_camera
from tests.helpers import ROOT, require_llvmlite
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.images.reading import read_image

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"
SIZE = 257  # of the network: smaller than by default, and so faster

READY = "Open a photo, drop one here, or start the camera."

_WATCH = """() => {
  globalThis.results = [];
  const tag = document.querySelector("zoo-pose");
  tag.addEventListener("result", ({ detail }) => results.push(detail));
}"""


@dataclass
class Site:
    """A web host of a folder, which notes the paths that are asked for."""

    host: str
    stop: object
    asked: list[str] = field(default_factory=list)


@contextmanager
def hosted(folder):
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def stop():
        if thread.is_alive():
            server.shutdown()
            thread.join()
            server.server_close()

    try:
        yield Site(f"127.0.0.1:{server.server_port}", stop, asked)
    finally:
        stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A published folder of the bundled PoseNet, with its page."""
    require_llvmlite()
    path = tmp_path_factory.mktemp("site") / "pose"
    zoo.publish("posenet.tiny", path, page=True, input_size=SIZE, quantise="float16")
    return path


@pytest.fixture(scope="module")
def expected(folder):
    """The people in the photo, as Python finds them."""
    with zoo.load("posenet.tiny", backend="cpu", input_size=SIZE) as model:
        return model.estimate_multiple_poses(PHOTO)


def said(page):
    return page.evaluate(
        "document.querySelector('zoo-pose').shadowRoot.querySelector('p').textContent"
    )


def wait_for(shown, words):
    """Wait until the sentence of the page has some words, and return it."""
    shown.wait(lambda: words in said(shown.page), words)
    return said(shown.page)


def open_photo(shown, path):
    """Open a photo in a page that is ready; return the first result."""
    wait_for(shown, READY)
    shown.page.evaluate(_WATCH)
    shown.page.locator("zoo-pose input").set_input_files(path)
    shown.wait(lambda: shown.page.evaluate("results.length"), "a result")
    return shown.page.evaluate("results[0]")


def copy_of(folder, target):
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def assert_near(found, expected):
    """Results of weights of 16 bits are near those of 32."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one["score"] == pytest.approx(other["score"], abs=0.01)
        for point, known in zip(one["keypoints"], other["keypoints"], strict=True):
            assert point["part"] == known["part"]
            if known["score"] > 0.5:
                assert point["position"] == pytest.approx(known["position"], abs=1.0)


def test_a_photo_is_drawn_and_said_offline_with_its_own_files_alone(folder, expected):
    with hosted(folder) as site, opened(site) as shown:
        wait_for(shown, READY)
        site.stop()  # all is loaded
        found = open_photo(shown, PHOTO)
        assert_near(found, expected)
        score = round(100 * found[0]["score"])
        assert wait_for(shown, "1 person") == f"1 person: {score} % sure"
        label = "document.querySelector('zoo-pose').shadowRoot.querySelector('canvas').ariaLabel"
        assert shown.page.evaluate(label) == f"1 person: {score} % sure"
        assert set(site.asked) <= {f"/{path.name}" for path in folder.iterdir()} | {"/"}
        assert "/zoo.js" in site.asked
        shown.check_clean()


def test_lines_are_drawn_over_the_photo(folder, expected):
    with hosted(folder) as site, opened(site) as shown:
        open_photo(shown, PHOTO)
        places = {k["part"]: k["position"] for k in expected[0]["keypoints"]}
        middle = [
            (places["left_shoulder"][axis] + places["right_shoulder"][axis]) / 2 for axis in "xy"
        ]
        read = """([x, y]) => [...document.querySelector("zoo-pose").context
            .getImageData(x, y, 1, 1).data]"""
        drawn = shown.page.evaluate(read, [round(each) for each in middle])
        assert drawn[:3] == [0x56, 0xB4, 0xE9]  # the first colour, of the line of shoulders


def test_nobody_is_said_in_words(folder, tmp_path):
    Image.new("RGB", (320, 240), "gray").save(tmp_path / "grey.png")
    with hosted(folder) as site, opened(site) as shown:
        assert open_photo(shown, tmp_path / "grey.png") == []
        assert said(shown.page).startswith("Nobody was found. A person is found more surely")


def test_the_camera_gives_mirrored_frames_until_it_is_stopped(folder, tmp_path):
    clip = write_camera(tmp_path / "camera.mjpeg", panned(read_image(PHOTO), 8))
    with hosted(folder) as site, opened(site, camera=clip) as shown:
        wait_for(shown, READY)
        shown.page.evaluate(_WATCH)
        shown.page.keyboard.press("Tab")  # to the button of the camera
        shown.page.keyboard.press("Enter")
        (pose,) = shown.wait(
            lambda: shown.page.evaluate("results.length > 2 && results.at(-1)"), "results"
        )
        places = {k["part"]: k["position"]["x"] for k in pose["keypoints"]}
        # In a mirror the person's left is on the left.
        assert places["left_shoulder"] < places["right_shoulder"]
        button = shown.page.locator("zoo-pose button.camera")
        assert button.inner_text() == "Stop the camera"
        button.click()
        assert button.inner_text() == "Start the camera"
        assert said(shown.page) == "The camera is off."
        shown.check_clean()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("Object.defineProperty(navigator, 'mediaDevices', {value: undefined})", "pages of https"),
        *(
            (
                "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', "
                f"'{name}'); }}",
                words,
            )
            for name, words in (
                ("NotAllowedError", "may not use the camera: allow it beside the address"),
                ("NotFoundError", "no camera was found: connect one"),
                ("NotReadableError", "close other programs that use it"),
            )
        ),
    ],
)
def test_a_camera_that_cannot_be_used_is_said(script, words, folder):
    with hosted(folder) as site, opened(site) as shown:
        shown.page.add_init_script(script)
        shown.page.reload()
        wait_for(shown, READY)
        shown.page.locator("zoo-pose button.camera").click()
        wait_for(shown, words)


def test_a_browser_without_simd_is_told_so(folder):
    with hosted(folder) as site, opened(site) as shown:
        shown.page.add_init_script("WebAssembly.validate = () => false")
        shown.page.reload()
        assert "has no SIMD for WebAssembly" in wait_for(shown, "update it")


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("relaxed.wasm", lambda content: content[: len(content) // 2], "damaged or incomplete"),
        ("weights-1.bin", lambda content: content[:-1], "upload it again"),
        ("weights-1.bin", lambda content: bytes(len(content)), "is not of this module"),
        ("weights-1.bin", None, "cannot be loaded (HTTP 404)"),
    ],
)
def test_wrong_files_are_said(name, damage, words, folder, tmp_path):
    broken = copy_of(folder, tmp_path / "broken")
    content = (broken / name).read_bytes()
    (broken / name).unlink()
    if damage is not None:
        (broken / name).write_bytes(damage(content))
    with hosted(broken) as site, opened(site) as shown:
        assert name in wait_for(shown, words)


def test_a_file_that_is_no_picture_is_said(folder, tmp_path):
    (tmp_path / "notes.txt").write_text("no picture")
    with hosted(folder) as site, opened(site) as shown:
        wait_for(shown, READY)
        shown.page.locator("zoo-pose input").set_input_files(tmp_path / "notes.txt")
        assert wait_for(shown, "no picture").startswith("notes.txt is no picture")


def test_a_tag_takes_a_folder_and_a_photo(folder, expected, tmp_path):
    copy_of(folder, tmp_path / "model")
    (tmp_path / "photo.jpg").write_bytes(PHOTO.read_bytes())
    (tmp_path / "index.html").write_text(
        '<script type="module" src="model/zoo.js"></script>'
        '<zoo-pose src="model" photo="photo.jpg"></zoo-pose>'
    )
    with hosted(tmp_path) as site, opened(site) as shown:
        wait_for(shown, "1 person")


def test_a_single_file_needs_no_server_and_asks_for_nothing(folder, expected, tmp_path):
    path = tmp_path / "pose.html"
    zoo.publish("posenet.tiny", path, single_file=True, input_size=SIZE)
    with empty_page() as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.get_by_text(READY).wait_for()
        page.evaluate(_WATCH)
        page.locator("zoo-pose input").set_input_files(PHOTO)
        page.get_by_text("1 person").wait_for()
        assert_same_items(page.evaluate("results[0]"), expected)
        # A blob or data address is in the page itself.
        assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [path.as_uri()]


def test_a_folder_opened_as_a_file_says_what_to_do(folder):
    with empty_page() as page:
        page.goto((folder / "index.html").as_uri())
        assert "python -m http.server" in page.inner_text("#hint")
