"""`zoo.load(name, weights=path)`: the same network from a file of one's own, or a clear error."""

import pytest

import zoo
from weights_cache.common.errors import WeightsError

PALMS = "mediapipe-palm-detection-tflite"
SELFIES = "mediapipe-selfie-segmentation-tflite"


@pytest.fixture(autouse=True)
def mirror(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.mark.parametrize(
    "name, weights",
    [
        ("palm.lite", f"{PALMS}/palm_detection_lite.tflite"),
        ("palm.lite", PALMS),  # a folder with the entry's file
        ("facemesh.base", "facemesh-tfjs-fp16"),
        ("mobilenet.v1_025", "mobilenet-v1-025-224-tfjs-layers-float/model.json"),
        ("bodypix.mobilenet_075", "bodypix-mobilenet-v1-075-quant-decoder-tflite"),
    ],
)
def test_the_same_weights_from_a_path(name, weights, shared):
    photo = shared / "images" / "photos" / "two_hands.jpg"
    own = zoo.load(name, weights=shared / "weights" / weights)
    assert (own.infer(photo).numpy() == zoo.load(name).infer(photo).numpy()).all()


@pytest.mark.parametrize(
    "name, weights, message",
    [
        ("palm.lite", f"{SELFIES}/selfie_segmentation.tflite", "has no 'Identity'"),
        ("selfie.base", f"{SELFIES}/selfie_segmentation_landscape.tflite", "no 'activation_10'"),
        ("hands.lite", f"{PALMS}/palm_detection_lite.tflite", r"input is \(1, 192, 192, 3\)"),
        ("bodypix.mobilenet_075", "deeplabv3-257-mv-gpu-float-tflite", "is not a supported model"),
        ("mobilenet.v1_100_quant", PALMS, "consists of two files"),
        ("palm.lite", "nowhere", "there is no file or folder"),
    ],
)
def test_weights_of_another_network(name, weights, message, shared):
    with pytest.raises(WeightsError, match=message):
        zoo.load(name, weights=shared / "weights" / weights)
