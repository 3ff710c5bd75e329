"""Hands that the script of published models finds, beside those of Python."""

import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.module_files import option_records, results_in_node, write_files
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.images.reading import read_image
from zoo.shared.skeletons import HAND_21

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


def grid_of(detector):
    """The grid of a palm detector; of one whose outputs are one, that one."""
    grid = detector.entry.decode._asdict()
    if detector.name != "handpose.palm":
        return grid
    output = [detector.entry.output]
    return {**grid, "regressors": output, "scores": output, "joint": True}


def assert_same_hands(folder, model, calls):
    """The script finds the hands that a model finds; return how many by call."""
    detector = model.part("detector")
    facts = {
        "options": {"estimateHands": option_records(model, "estimate_hands")},
        "skeleton": HAND_21._asdict(),
        "decode": {
            "grid": grid_of(detector),
            "detector": detector.entry.defaults,
            "outputs": model.entry.decode._asdict(),
        },
    }
    write_files(folder, {"detector": detector, "landmarks": model}, facts)
    expected = [model.estimate_hands(image, **options) for image, options in calls]
    found = results_in_node(folder, "hands.js", "Hands", calls)
    for one, other in zip(found, expected, strict=True):
        assert_same_items(one, other)
    return [len(hands) for hands in expected]


def test_hands_are_those_of_python(photo, tmp_path):
    calls = [(photo(name), options) for name in PHOTOS for options in OPTIONS]
    with zoo.load("hands.lite", backend="cpu") as model:
        counts = assert_same_hands(tmp_path, model, calls)
    assert counts[:: len(OPTIONS)] == [*PHOTOS.values()]


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
        assert assert_same_hands(tmp_path, model, calls) == [2, 0]
