"""Classes that the script of a published classifier finds, beside those of Python."""

from operator import itemgetter

import pytest

import zoo
from tests.helpers import ROOT, require_llvmlite
from tests.zoo.publishing.found_in_node import LOADING, assert_same_in_node, publish_here
from tests.zoo.publishing.node_scripts import image_file, run_script
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.images.reading import read_image

#: Wide and high, of objects and people.
PHOTOS = ("cat_demo", "coral_parrot", "coffee", "three_people")

OPTIONS = ({}, {"mirror": True}, {"top_k": 1})


@pytest.fixture(autouse=True)
def _compiler_and_weights(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture
def photos(shared):
    folder = shared / "images" / "photos"
    astronaut = read_image(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
    return [*(read_image(folder / f"{name}.jpg") for name in PHOTOS), astronaut]


@pytest.mark.parametrize(
    "name", ["mobilenet.v1_025", "mobilenet.v1_025_quant", "nsfwjs.mobilenet_v2"]
)
def test_classes_are_those_of_python(name, photos, tmp_path):
    calls = [(photo, options) for photo in photos for options in OPTIONS]
    with zoo.load(name, backend="cpu") as model:
        found = assert_same_in_node(tmp_path, model, "classify", calls)
    assert [len(labels) for labels in found] == [3, 3, 1] * len(photos)


_ALL = """
const model = await load(filesOf(given.shards));
const image = imageOf(given.image);
answer([model.classify(image, { topK: 5000 }), model.find(image, { topK: 5000 })]);
"""


def test_all_classes_have_the_scores_of_python(photos, tmp_path):
    with zoo.load("mobilenet.v1_025", backend="cpu") as model:
        shards = publish_here(tmp_path, model)
        expected = model.classify(photos[0], top_k=5000)
    given = {"shards": shards, "image": image_file(tmp_path, photos[0])}
    found, same = run_script(tmp_path, LOADING + _ALL, given)
    assert found == same
    scores = [label["score"] for label in found]
    assert scores == sorted(scores, reverse=True)
    # Of scores near 0 the order may be another one.
    in_order = [sorted(labels, key=itemgetter("index")) for labels in (found, expected)]
    assert [label["index"] for label in in_order[0]] == [*range(1000)]
    assert_same_items(*in_order)
