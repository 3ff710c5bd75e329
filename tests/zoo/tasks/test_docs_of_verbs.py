"""The examples that open the docstrings of verbs are right, also where they need weights."""

import doctest
import shutil

import pytest

import zoo
from tests.conftest import ROOT
from zoo.catalog.entries import choices

#: What the examples call their images, and the photo of the reference folder.
PHOTOS = {
    "cat.jpg": "cat_demo.jpg",
    "dogs.jpg": "dogs_demo.jpg",
    "hands.jpg": "two_hands.jpg",
    "people.jpg": "three_people.jpg",
    "gesture.jpg": "gesture_call_2.jpg",
}


@pytest.fixture
def folder(shared, tmp_path, monkeypatch):
    """A user's folder, where all weights can be had."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    for name, photo in PHOTOS.items():
        shutil.copy(shared / "images" / "photos" / photo, tmp_path / name)
    shutil.copytree(ROOT / "gallery" / "one_line_pose", tmp_path / "gallery" / "one_line_pose")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("verb", sorted(choices()))
def test_the_example_runs(verb, folder):
    text = getattr(zoo, verb).__doc__.replace("# doctest: +SKIP", "")
    names = {"recognize_gestures": zoo.recognize_gestures}
    example = doctest.DocTestParser().get_doctest(text, names, verb, None, None)
    said: list[str] = []
    result = doctest.DocTestRunner().run(example, out=said.append)
    assert result.attempted >= 3 and not result.failed, "".join(said)
