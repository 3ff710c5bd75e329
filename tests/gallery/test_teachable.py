"""Teaching in the browser: three classes, examples, training, held-back frames, downloads."""

import asyncio
import zipfile

import cv2
import numpy as np
import pytest

import zoo
from tests.core.converter import test_tfjs_node
from tests.gallery.browser import panned, shown
from tests.helpers import ROOT, require_opencv
from tests.zoo.transfer.test_exports import run_in_node
from zoo.catalog import find_entry
from zoo.images.reading import read_image
from zoo.pipeline.preprocess import prepare
from zoo.transfer.targets import NONE
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


def encoded(image):
    return cv2.imencode(".jpg", image[..., ::-1])[1].tobytes()


@pytest.fixture(scope="module")
def clip():
    """Frames of a camera that moves over drawings, those to learn from and others, by class."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "gallery" / "teach_in_a_minute"))
        from drawings import draw
    frames = {"learnt": {}, "held back": {}}
    for name in CLASSES:
        every = [encoded(frame) for frame in panned(np.asarray(draw(name, 1)), 120, (320, 240))]
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
            page.wait_for_frames(int(page.data.get("answered", 0)) + 5)
            card = page.page.locator(f"[data-label={name}].class")
            hold = card.get_by_role("button").first
            hold.dispatch_event("pointerdown")
            page.wait(lambda card=card: int(card.locator(".count").inner_text()) >= EXAMPLES, name)
            hold.dispatch_event("pointerup")
        page.page.click("#train")
        page.wait(lambda: page.page.is_visible("#confusion"), "scores")
        found["scores"] = page.text("#scores")
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
        assert page.outside == [] and page.problems == []
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
    assert "cannot be scored" in taught["scores"]


def test_the_download_is_a_model_of_the_zoo(taught, clip, tmp_path):
    with zipfile.ZipFile(taught["zoo file"]) as packed:
        packed.extractall(tmp_path)
    model = zoo.load(tmp_path / "my_model")
    for name in CLASSES:
        labels = [model.predict(frame)["label"] for frame in clip["held back"][name][:20]]
        assert labels.count(name) >= 19


def test_tensorflow_js_classifies_as_the_page_did(taught, clip, modules, tmp_path):
    """Teachable Machine's bundle in Node, on the pixels that the model of the zoo gets."""
    with zipfile.ZipFile(taught["teachable file"]) as packed:
        packed.extractall(tmp_path / "bundle")
    with zipfile.ZipFile(taught["zoo file"]) as packed:
        packed.extractall(tmp_path)
    model = zoo.load(tmp_path / "my_model")
    frames = [clip["held back"][name][at] for name in CLASSES for at in (0, 20, 40)]
    how = find_entry("posenet.tiny").preprocess
    pixels = np.concatenate([prepare(read_image(frame), how, (257, 257))[0] for frame in frames])
    (found,) = run_in_node(modules, tmp_path, [(tmp_path / "bundle", pixels)])
    assert (*found["labels"], NONE) == model.labels and found["labels"] == list(CLASSES)
    for outputs, frame in zip(found["outputs"], frames, strict=True):
        scores = model.predict(frame)["scores"]
        known = np.array([scores[name] for name in CLASSES])  # which share what NONE leaves
        np.testing.assert_allclose(outputs, known / known.sum(), atol=1e-4)
