"""Hands that the script of published models finds, beside those of Python."""

import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.found_in_node import assert_same_in_node
from zoo.images.reading import read_image

#: With the number of hands that are found: one, two, nobody.
PHOTOS = {"hand_pakutaso": 1, "two_hands": 2, "three_people": 2, "coffee": 0}

OPTIONS = (
    {},
    {"mirror": True},
    {"max_hands": 5, "score_threshold": 0.2, "detector_threshold": 0.3, "iou_threshold": 0.5},
    {"max_hands": 1, "refine": False},
)


@pytest.fixture(autouse=True)
def _compiler_and_weights(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture
def photo(shared):
    return lambda name: read_image(shared / "images" / "photos" / f"{name}.jpg")


def test_hands_are_those_of_python(photo, tmp_path):
    calls = [(photo(name), options) for name in PHOTOS for options in OPTIONS]
    with zoo.load("hands.lite", backend="cpu") as model:
        found = assert_same_in_node(tmp_path, model, "estimate_hands", calls)
    assert [len(hands) for hands in found[:: len(OPTIONS)]] == [*PHOTOS.values()]


@pytest.mark.parametrize(
    ("name", "detector"),
    [
        ("hands.full", "palm.full"),
        ("hands.lite_tfjs", "palm.lite"),
        ("hands.lite", "handpose.palm"),
    ],
)
def test_hands_of_other_models_are_those_of_python(name, detector, photo, tmp_path):
    calls = [(photo(name), {}) for name in ("two_hands", "coffee")]
    with zoo.load(name, backend="cpu", detector=detector) as model:
        hands, nobody = assert_same_in_node(tmp_path, model, "estimate_hands", calls)
    assert len(hands) == 2
    assert nobody == []
