"""Teaching in the browser: three classes, examples, training, held-back frames, downloads."""

import asyncio
import os
import stat
import tempfile
import zipfile
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.core.converter import test_tfjs_node
from tests.gallery.browser import opened, shown
from tests.gallery.clips import jpeg, panned
from tests.gallery.scenes.teachable import drawing, record
from tests.helpers import require_opencv
from tests.zoo.transfer.test_exports import NETWORK_TOLERANCE, run_in_node
from tests.zoo.web.servers import running
from zoo.catalog.entries import find_entry
from zoo.images.reading import read_image
from zoo.pipeline.preprocess import prepare
from zoo.transfer.targets import NONE
from zoo.web.client import Client
from zoo.web.gallery import load_app
from zoo.web.messages import message_of

require_opencv()
modules = test_tfjs_node.modules

CLASSES = ("boats", "houses", "trees")
EXAMPLES = 20


class Scenes:
    """A source of frames of one class after the other, 25 each second."""

    def __init__(self, frames):
        self.frames, self.part, self.scene = frames, "learnt", CLASSES[0]
        self._count = 0

    async def watch(self):
        await asyncio.sleep(0.04)
        frames = self.frames[self.part][self.scene]
        self._count += 1
        return message_of({"time": 0.04 * self._count}, frames[self._count % len(frames)])

    def close(self):
        pass


@pytest.fixture(scope="module")
def clip():
    """Frames of a camera that moves over drawings, those to learn from and others, by class."""
    frames = {"learnt": {}, "held back": {}}
    for name in CLASSES:
        every = [jpeg(frame) for frame in panned(np.asarray(drawing(name, 1)), 120, (320, 240))]
        frames["learnt"][name], frames["held back"][name] = every[0::2], every[1::2]
    return frames


@pytest.fixture(scope="module")
def taught(clip, tmp_path_factory):
    """What the page showed of held-back frames, and the two files that it offered."""
    scenes, folder, found = Scenes(clip), tmp_path_factory.mktemp("downloads"), {}
    with shown(load_app("teachable"), source=scenes) as page:
        page.wait(lambda: page.data.get("connection") == "open", "a connection")
        page.page.select_option("[name=features]", "posenet.tiny")
        for name in CLASSES:
            page.page.fill("#label", name)
            page.page.press("#label", "Enter")
        for name in CLASSES:
            scenes.scene = name
            record(page, name, EXAMPLES)
        page.page.click("#train")
        page.wait(lambda: page.page.is_visible("#try"), "a model")
        found["warnings"] = page.text("#warnings")
        scenes.part = "held back"
        for name in CLASSES:
            scenes.scene = name
            page.wait_for_frames(int(page.data["answered"]) + 5)
            found[name] = [best(page) for _ in range(EXAMPLES)]
        for name in ("zoo", "teachable"):
            with page.page.expect_download() as download:
                page.page.click(f"#{name}")
            found[f"{name} file"] = folder / download.value.suggested_filename
            download.value.save_as(found[f"{name} file"])
        page.check_clean()
    return found


def best(page):
    """The class with the longest bar, once another frame is answered."""
    page.wait_for_frames(int(page.data["answered"]) + 1)
    bars = page.page.evaluate(
        "[...document.querySelectorAll('.bar')].map((bar) => ({...bar.dataset}))"
    )
    return max(bars, key=lambda bar: float(bar["score"]))["label"]


def test_held_back_frames_are_recognized(taught):
    right = sum(label == name for name in CLASSES for label in taught[name])
    assert right > 0.95 * len(CLASSES) * EXAMPLES
    # All examples of a class are frames of one scene: nothing like them is left to learn from.
    assert "cannot be scored" in taught["warnings"]


def test_downloads_are_made_in_a_folder_of_the_user_alone(tmp_path, monkeypatch):
    """And are gone when they are sent."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    modes = []

    def written(path):
        modes.append(stat.S_IMODE(path.parent.stat().st_mode))
        path.write_bytes(b"x") if path.suffix else path.mkdir()
        return SimpleNamespace(path=path)

    client = SimpleNamespace(state={"model": SimpleNamespace(save=written, export=written)})
    for function in load_app("teachable").download_functions.values():
        assert function(client).data
    assert modes == [0o700] * 2 and not os.listdir(tmp_path)


def test_the_download_is_a_model_of_the_zoo(taught, clip, tmp_path):
    with zipfile.ZipFile(taught["zoo file"]) as packed:
        packed.extractall(tmp_path)
    model = zoo.load(tmp_path / "my_model")
    for name in CLASSES:
        labels = [model.predict(frame)["label"] for frame in clip["held back"][name][:20]]
        assert labels.count(name) >= 19


def test_tensorflow_js_classifies_as_the_page_did(taught, clip, modules, tmp_path):
    """Teachable Machine's bundle in Node, on the pixels that the network of the zoo gets."""
    with zipfile.ZipFile(taught["teachable file"]) as packed:
        packed.extractall(tmp_path / "bundle")
    with zipfile.ZipFile(taught["zoo file"]) as packed:
        packed.extractall(tmp_path)
    model = zoo.load(tmp_path / "my_model")
    frames = [clip["held back"][name][at] for name in CLASSES for at in (0, 20, 40)]
    how = find_entry("posenet.tiny").preprocess
    values = np.concatenate([prepare(read_image(frame), how, (257, 257))[0] for frame in frames])
    pixels = np.rint((values + 1) * 127.5).astype(np.uint8)
    np.testing.assert_allclose(pixels / np.float32(127.5) - 1, values, atol=1e-6)
    (found,) = run_in_node(modules, tmp_path, [(tmp_path / "bundle", pixels)])
    assert (*found["labels"], NONE) == model.labels and found["labels"] == list(CLASSES)
    for outputs, frame in zip(found["outputs"], frames, strict=True):
        scores = model.predict(frame)["scores"]
        known = np.array([scores[name] for name in CLASSES])  # which share what NONE leaves
        np.testing.assert_allclose(outputs, known / known.sum(), rtol=0, atol=NETWORK_TOLERANCE)


@contextmanager
def teachable(clip, app=None):
    """The page, connected, with the quickest features, and its frames."""
    scenes = Scenes(clip)
    with shown(app or load_app("teachable"), source=scenes) as page:
        page.wait(lambda: page.data.get("connection") == "open", "a connection")
        page.page.select_option("[name=features]", "posenet.tiny")
        page.wait_for_frames(2)
        yield page, scenes


def count(page, name):
    return int(page.page.inner_text(f".class[data-label='{name}'] .count"))


def add_files(page, name, *files):
    page.page.set_input_files(f".class[data-label='{name}'] input[type=file]", [*map(str, files)])


def test_classes_are_renamed_and_removed_and_recorded_by_keys(clip):
    with teachable(clip) as (page, _):
        assert "Collect at least 2 examples" in page.text("#scores")
        page.page.focus("[data-label='Class 1'] .hold")
        for key in ("Enter", " "):
            before = count(page, "Class 1")
            page.page.keyboard.down(key)
            page.wait(lambda before=before: count(page, "Class 1") >= before + 2, "examples")
            page.page.keyboard.up(key)
            page.wait(lambda: not page.page.locator(".recording").count(), "the end of recording")
        held = count(page, "Class 1")
        assert page.page.locator("[data-label='Class 1'] .thumb").count() == held
        assert page.text("#scores") == "Still fewer than 2 examples: Class 2"
        assert page.page.is_disabled("#train")
        name = page.page.locator("[data-label='Class 1'] .name")
        name.fill("Boats")
        name.press("Tab")
        page.wait(lambda: count(page, "Boats") == held, "the other name")
        name = page.page.locator("[data-label='Class 2'] .name")
        name.fill("Boats")
        name.press("Tab")  # a name that is in use
        assert name.input_value() == "Class 2"
        page.page.click("[aria-label='Remove Boats']")
        page.wait(lambda: "Collect at least 2" in page.text("#scores"), "no example")
        assert page.page.locator(".class").count() == 1
        page.check_clean()


def test_examples_from_files(clip, tmp_path):
    large, small, text = tmp_path / "large.png", tmp_path / "small.jpg", tmp_path / "notes.txt"
    tiles = np.kron(np.arange(12).reshape(3, 4), np.ones((900, 900)))
    Image.fromarray(tiles.astype(np.uint8)).save(large)
    small.write_bytes(clip["learnt"]["boats"][0])
    text.write_text("no image")
    with teachable(clip) as (page, _):
        add_files(page, "Class 1", large, text, small)
        page.wait(lambda: "Not readable" in page.text("#scores"), "words")
        assert "notes.txt" in page.text("#scores") and count(page, "Class 1") == 2
        add_files(page, "Class 2", small)
        page.wait(lambda: "fewer than 2 examples: Class 2" in page.text("#scores"), "words")
        add_files(page, "Class 2", large)
        page.wait(lambda: page.page.is_enabled("#train"), "two of each")
        page.page.click("#train")
        page.wait(lambda: "have equal images" in page.text("#warnings"), "the mistake")
        assert page.text("#scores") == "Not trained:" and "index" not in page.text("#warnings")
        assert page.page.is_enabled("#train") and not page.page.is_visible("#try")
        page.check_clean()


def add_same_drawing(page, clip, folder):
    """Give both classes two drawings, of which one looks like one of the other class."""
    frames = clip["learnt"]
    (folder / "again.jpg").write_bytes(jpeg(read_image(frames["boats"][0]), 60))
    for name, data in (("boat", frames["boats"][0]), ("tree", frames["trees"][0])):
        (folder / f"{name}.jpg").write_bytes(data)
    (folder / "house.jpg").write_bytes(frames["houses"][0])
    add_files(page, "Class 1", folder / "boat.jpg", folder / "house.jpg")
    page.wait(lambda: count(page, "Class 1") == 2, "files")
    add_files(page, "Class 2", folder / "tree.jpg", folder / "again.jpg", folder / "house.jpg")
    page.wait(lambda: count(page, "Class 2") == 3, "files")


def test_warnings_show_the_examples_that_are_to_be_removed(clip, tmp_path):
    with teachable(clip) as (page, _):
        add_same_drawing(page, clip, tmp_path)
        page.page.click("#train")
        page.wait(lambda: page.page.is_visible("#try"), "a model")
        assert "labelled differently" in page.text("#warnings")
        assert "index" not in page.text("#warnings")
        names = page.page.eval_on_selector_all("#warnings .example", "all => all.map(b => b.title)")
        assert names == ["Remove example 1 of Class 1", "Remove example 2 of Class 2"]
        page.page.click(f"#warnings [aria-label='{names[1]}']")
        assert count(page, "Class 2") == 2 and page.text("#scores").startswith("The examples")
        page.page.click("#train")
        page.wait(lambda: "Trained" in page.text("#scores"), "another model")
        assert "labelled differently" not in page.text("#warnings")
        page.check_clean()


def test_examples_are_removed_by_mouse_and_keys(clip, tmp_path):
    with teachable(clip) as (page, _):
        add_same_drawing(page, clip, tmp_path)
        thumbs = page.page.locator("[data-label='Class 2'] .thumb")
        thumbs.nth(1).click()
        assert thumbs.evaluate_all("all => all.map((thumb) => thumb.ariaLabel)") == [
            "Remove example 1 of Class 2",
            "Remove example 3 of Class 2",
        ]
        assert page.page.evaluate("document.activeElement.ariaLabel").endswith("3 of Class 2")
        page.page.keyboard.press("ArrowLeft")
        page.page.keyboard.press("Enter")
        assert count(page, "Class 2") == 1
        page.page.keyboard.press(" ")
        assert count(page, "Class 2") == 0
        assert page.page.evaluate("document.activeElement.className") == "hold"
        page.check_clean()


def test_a_click_without_a_pointer_records_and_ends_a_pause(clip):
    with teachable(clip) as (page, _):
        page.page.fill("#label", "constructor")
        page.page.press("#label", "Enter")
        assert count(page, "constructor") == 0
        page.page.click("#pause")
        page.page.evaluate("document.querySelector('[data-label=constructor] .hold').click()")
        page.wait(lambda: count(page, "constructor") == 1, "an example")
        assert page.page.evaluate("zoo.isPaused") is False
        page.page.click("[aria-label='Remove constructor']")
        assert page.page.locator(".class").count() == 2
        page.check_clean()


def test_a_class_that_is_removed_while_its_files_are_read_gets_no_more(clip, tmp_path):
    with teachable(clip) as (page, _):
        path = tmp_path / "boat.jpg"
        path.write_bytes(clip["learnt"]["boats"][0])
        page.page.evaluate("""() => {
            const { sendImage } = zoo;
            globalThis.sent = 0;
            zoo.sendImage = async (...all) => {
                globalThis.sent += 1;
                const answer = await sendImage.apply(zoo, all);
                document.querySelector("[aria-label='Remove Class 1']")?.click();
                return answer;
            };
        }""")
        add_files(page, "Class 1", path, path, path)
        page.wait(lambda: not page.page.locator("[data-label='Class 1']").count(), "the end")
        page.wait(lambda: "Collect" in page.text("#scores"), "words")
        assert page.page.evaluate("sent") == 1
        state = next(iter(page.server.server.pages.values())).client.state
        page.wait(lambda: state["examples"] == {}, "no example in the program")
        page.check_clean()


def test_errors_of_frames_do_not_end_the_training(clip, tmp_path):
    with teachable(clip) as (page, _):
        add_same_drawing(page, clip, tmp_path)
        page.page.evaluate("""() => {
            document.querySelector("#train").click();
            zoo.hear({ type: "error", number: 1, message: "a bad frame" });
        }""")
        assert page.text("#scores") == "Training…"
        page.wait(lambda: "Trained" in page.text("#scores"), "a model")


def test_examples_are_kept_small(clip):
    app = load_app("teachable")
    client = Client(1, app.controls, lambda content: None)
    noise = np.random.default_rng(0).integers(0, 2, (480, 640, 3), np.uint8) * 255
    for number, image in enumerate((noise, read_image(clip["learnt"]["boats"][0]))):
        app.call(app.image_functions["example"], client, zoo.Frame(image, number, 0.0), {})
    sizes = [len(image) for image in client.state["examples"].values()]
    assert all(max(read_image(image).shape) == 256 for image in client.state["examples"].values())
    assert sizes[0] < 80_000 and sizes[1] < 20_000


def test_more_examples_than_the_limit_are_refused(clip):
    app = load_app("teachable")
    app.image_functions["example"].__globals__["MOST_EXAMPLES"] = 3
    with teachable(clip, app) as (page, _):
        page.page.focus("[data-label='Class 1'] .hold")
        page.page.keyboard.down("Enter")
        page.wait(lambda: "a page keeps 3 examples at most" in page.text("#notice"), "the limit")
        page.wait(lambda: not page.page.locator(".recording").count(), "the end of recording")
        assert count(page, "Class 1") == 3


def test_pages_have_models_of_their_own_which_end_with_the_server(clip, tmp_path):
    scenes = Scenes(clip)
    files = {"Class 1": "boats", "Class 2": "trees"}
    with running(load_app("teachable"), clip=scenes) as first, opened(first) as page:
        page.wait(lambda: page.data.get("connection") == "open", "a connection")
        other = page.page.context.browser.new_page()
        other.goto(page.page.url)
        page.page.bring_to_front()
        assert fetched(page.page) == [409, "train the model first"]
        for name, kind in files.items():
            for at in range(3):
                (tmp_path / f"{kind}{at}.jpg").write_bytes(clip["learnt"][kind][20 * at])
            add_files(page, name, *tmp_path.glob(f"{kind}*"))
            page.wait(lambda name=name: count(page, name) == 3, "files")
        page.page.select_option("[name=features]", "posenet.tiny")
        page.page.click("#train")
        page.wait(lambda: page.page.is_visible("#try"), "a model")
        assert "Trained" in page.text("#scores")
        page.wait(lambda: page.page.locator(".bar").count() == 3, "bars, with one of neither")
        assert page.page.inner_text(".bar:last-child span") == NONE
        assert fetched(page.page)[0] == 200
        record(page, "Class 1", 4)
        assert page.text("#scores") == "The examples changed: train again."
        assert fetched(other) == [409, "train the model first"]
        assert other.inner_text("#classes .count") == "0"
        other.close()
        port = first.port
        first.stop()
        page.wait(lambda: page.data["connection"] == "lost", "the end of the server")
        with running(load_app("teachable"), clip=scenes, port=port):
            page.wait(lambda: "no longer has the examples" in page.text("#scores"), "words")
            assert count(page, "Class 1") == 0 and not page.page.is_visible("#try")


def fetched(page):
    """Status and first words of the download of a page."""
    page.wait_for_function("zoo.page !== undefined")
    return page.evaluate(
        "fetch(zoo.download('zoo.zip'))"
        ".then(async (answer) => [answer.status, (await answer.text()).slice(0, 80)])"
    )
