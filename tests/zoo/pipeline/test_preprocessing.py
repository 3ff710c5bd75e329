"""`zoo.load(path, preprocessing={..})`: images as networks from files want them."""

import pickle

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.conftest import ROOT
from tests.core.converter.onnx import protos
from weights_cache.common.errors import ZooError
from zoo.images.reading import read_image

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


def write_same(path, shape=(1, 3, 8, 8), kind="float32"):
    """A network that gives its input."""
    made = protos.graph(
        [protos.node("Identity", ["x"], ["y"])],
        [protos.value("x", shape, kind)],
        [protos.value("y", shape, kind)],
    )
    return protos.write(path, protos.model(made))


def write_linear(path, softmax=False, classes=2, metadata=None):
    """A classifier as of PyTorch: the means of red, green and blue, and a linear layer."""
    nodes = [
        protos.node("GlobalAveragePool", ["x"], ["means"]),
        protos.node("Flatten", ["means"], ["rows"]),
        protos.node("Gemm", ["rows", "weight"], ["scores"]),
    ]
    if softmax:
        nodes.append(protos.node("Softmax", ["scores"], ["likely"]))
    made = protos.graph(
        nodes,
        [protos.value("x", ("n", 3, 8, 8))],
        [protos.value("likely" if softmax else "scores", ("n", classes))],
        [protos.tensor(np.float32([[2, 0], [0, 1], [0, 3]]), "weight")],
    )
    return protos.write(path, protos.model(made, metadata=metadata))


def seen(path, image, **preprocessing):
    outputs, _ = zoo.load(path, preprocessing=preprocessing).run_on_image(image)
    return outputs["y"]


COLOUR = np.full((8, 8, 3), (255, 51, 0), np.uint8)


def test_colours_and_scales(tmp_path):
    path = write_same(tmp_path)
    assert seen(path, COLOUR)[0, :, 3, 3].tolist() == [255, 51, 0]
    assert seen(path, COLOUR, colors="BGR", mean=(1, 2, 3))[0, :, 3, 3].tolist() == [-1, 49, 252]
    found = seen(path, COLOUR, scale=1 / 255, mean=(0.5, 0.25, 0), std=(0.5, 0.5, 2))
    np.testing.assert_allclose(found[0, :, 3, 3], [1, -0.1, 0], atol=1e-6)
    grey = seen(path, COLOUR, colors="GREY", mean=6)[0, :, 3, 3]
    assert grey.tolist() == [100, 100, 100]


def test_a_network_for_grey_images(tmp_path):
    found = seen(write_same(tmp_path, (1, 1, 8, 8)), COLOUR)
    assert found.shape == (1, 1, 8, 8) and (found == 106).all()


def test_sizes_and_layouts(tmp_path):
    free = write_same(tmp_path, ("n", "c", "h", "w"))
    assert seen(free, COLOUR, size=(16, 12), layout="NCHW").shape == (1, 3, 16, 12)
    assert seen(free, COLOUR, size=4, layout="NHWC").shape == (1, 4, 4, 3)
    with pytest.raises(ZooError, match="takes images of any size, .*: give the one to bring"):
        seen(free, COLOUR, layout="NCHW")
    last = write_same(tmp_path, (1, 8, 8, 3))
    assert seen(last, COLOUR)[0, 3, 3].tolist() == [255, 51, 0]
    with pytest.raises(ZooError, match=r"size=\(16, 16\) does not fit the input"):
        seen(last, COLOUR, size=16)


def test_pixels_as_they_are_for_integers(tmp_path):
    path = write_same(tmp_path, kind="uint8")
    assert seen(path, COLOUR)[0, :, 3, 3].tolist() == [255, 51, 0]
    with pytest.raises(ZooError, match="is int32, pixels as they are: leave scale"):
        seen(path, COLOUR, scale=1 / 255)


def test_borders_and_places(tmp_path):
    path = write_same(tmp_path)
    wide = np.full((4, 8, 3), 200, np.uint8)
    boxed = seen(path, wide, resize="letterbox", border=7)[0, 0, :, 0]
    assert boxed.tolist() == [7, 7, 200, 200, 200, 200, 7, 7]
    padded = seen(path, wide, resize="pad", border=7)[0, 0, :, 0]
    assert padded[:3].tolist() == [200, 200, 200] and padded[-3:].tolist() == [7, 7, 7]
    assert (seen(path, wide, resize="stretch") == 200).all()
    model = zoo.load(path, preprocessing={"resize": "letterbox"})
    _, placement = model.run_on_image(np.zeros((40, 80, 3), np.uint8))
    assert placement.to_image(4.0, 4.0) == (40.0, 20.0)


def test_without_antialias_four_pixels_count(tmp_path):
    """As OpenCV's INTER_LINEAR: of a large image most pixels are not seen."""
    path = write_same(tmp_path)
    image = np.zeros((80, 80, 3), np.uint8)
    image[::2] = 255
    sharp = seen(path, image, antialias=False)
    assert set(np.unique(sharp)) == {128.0}
    photo = read_image(PHOTO)
    at = (np.arange(8) + 0.5) * (512 / 8) - 0.5  # between two pixels
    low = np.floor(at).astype(int)
    four = [photo[a][:, b].astype(float) for a in (low, low + 1) for b in (low, low + 1)]
    expected = np.rint(sum(four) / 4).transpose(2, 0, 1)
    np.testing.assert_array_equal(seen(path, photo, antialias=False)[0], expected)


@pytest.mark.parametrize(
    "given, words",
    [
        ({"color": "BGR"}, "no key 'color': did you mean 'colors'"),
        ({"colors": "YUV"}, r"\['colors'\]='YUV' must be one of 'RGB', 'BGR', 'GREY'"),
        ({"layout": "CHW"}, "must be one of 'NHWC', 'NCHW'"),
        ({"resize": "fit"}, "must be one of 'crop', 'stretch', 'letterbox', 'pad'"),
        ({"std": 0}, "none of them 0"),
        ({"std": (1, 0, 1)}, "none of them 0"),
        ({"mean": (1, 2)}, "a number, or three"),
        ({"mean": float("nan")}, "a number, or three"),
        ({"scale": "1/255"}, "must be a number other than 0"),
        ({"size": (0, 5)}, "height and width"),
        ({"size": 10**9}, "height and width"),
        ({"border": 256}, "a level from 0 to 255"),
        ({"antialias": 1}, "True or False"),
        ("BGR", "must be a dict with keys of size, layout"),
    ],
    ids=str,
)
def test_wrong_values_have_one_clear_error(tmp_path, given, words):
    with pytest.raises(ZooError, match=words):
        zoo.load(write_same(tmp_path), preprocessing=given)


def test_what_does_not_go_together(tmp_path):
    path = write_same(tmp_path)
    with pytest.raises(ZooError, match="range= and preprocessing= say the same"):
        zoo.load(path, task="classification", range=(0, 1), preprocessing={})
    with pytest.raises(ZooError, match="preprocessing= is for models from a path or URL"):
        zoo.load("posenet.tiny", preprocessing={})
    with pytest.raises(ZooError, match="preprocessing= alone is for models of this process"):
        zoo.load(path, isolate=True, preprocessing={})
    with pytest.raises(ZooError, match=r"takes float32 \[1, 5\], not an image"):
        zoo.load(write_same(tmp_path, (1, 5)), preprocessing={})


@pytest.mark.parametrize("softmax", [True, False])
def test_classifiers_with_labels_given(tmp_path, softmax):
    """One of PyTorch ends without a softmax, which then is applied."""
    path = write_linear(tmp_path, softmax)
    facts = {"scale": 1 / 255, "mean": (0.5, 0.5, 0.5), "std": (0.25, 0.25, 0.25)}
    model = zoo.load(path, labels=["warm", "cold"], preprocessing=facts)
    assert model.labels == ("warm", "cold")
    red, green, blue = (np.array([1, 0.2, 0]) - 0.5) / 0.25
    odds = np.exp([2 * red, green + 3 * blue])
    found = pickle.loads(pickle.dumps(model)).classify(COLOUR)
    assert found[0]["label"] == "warm"
    assert [row["score"] for row in found] == pytest.approx(list(odds / odds.sum()), rel=1e-5)


def features_of(images, model):
    return np.concatenate([np.asarray(rows) for rows in model.infer(images, embedding=True)])


@pytest.mark.parametrize("softmax", [False, True])
def test_features_are_the_input_of_the_last_layer(softmax, tmp_path):
    path = write_linear(tmp_path, softmax)
    model = zoo.load(path, labels=["red", "blue"], preprocessing={"scale": 1 / 255})
    images = [np.full((8, 8, 3), colour, np.uint8) for colour in (COLOUR[0, 0], 0, 255, (0, 51, 0))]
    rows = features_of(images, model)
    np.testing.assert_allclose(rows, [[1, 0.2, 0], [0] * 3, [1] * 3, [0, 0.2, 0]], atol=1e-6)
    head = zoo.Head(penalty=0.001).fit(rows, ["light", "dark"] * 2)
    assert [head.labels[i] for i in head.predict(rows).argmax(1)] == ["light", "dark"] * 2


def test_labels_of_ultralytics_classifiers(tmp_path):
    metadata = {"names": "{0: 'warm', 1: 'cold'}", "task": "classify", "imgsz": "[8, 8]"}
    made = protos.graph(
        [
            protos.node("GlobalAveragePool", ["x"], ["means"]),
            protos.node("Flatten", ["means"], ["rows"]),
            protos.node("Gemm", ["rows", "weight"], ["scores"]),
            protos.node("Softmax", ["scores"], ["likely"]),
        ],
        [protos.value("x", ("n", 3, "h", "w"))],
        [protos.value("likely", ("n", 2))],
        [protos.tensor(np.float32([[2, 0], [0, 1], [0, 3]]), "weight")],
    )
    model = zoo.load(protos.write(tmp_path, protos.model(made, metadata=metadata)))
    Image.fromarray(COLOUR).save(tmp_path / "red.png")
    (first, second) = model.classify(tmp_path / "red.png")
    odds = np.exp([2.0, 0.2])
    assert first["label"] == "warm"
    assert first["score"] == pytest.approx(odds[0] / odds.sum(), rel=1e-5)
    assert second["score"] == pytest.approx(odds[1] / odds.sum(), rel=1e-5)


def test_names_alone_are_labels(tmp_path):
    """Of as many classes as the network has; the range of pixels is asked for."""
    path = write_linear(tmp_path, metadata={"names": "{0: 'warm', 1: 'cold'}"})
    assert zoo.load(path).labels == ("warm", "cold")
    with pytest.raises(ZooError, match="does not say which range its network takes pixels in"):
        zoo.load(path).classify(COLOUR)
    model = zoo.load(path, task="classification", range=(0, 1))
    assert model.classify(COLOUR)[0]["label"] == "warm"
    other = write_linear(tmp_path, metadata={"names": "{0: 'warm'}"})
    assert not hasattr(zoo.load(other), "classify")


@pytest.mark.parametrize("fit, rows", [("crop", 0), ("letterbox", 4), ("other", 0)])
def test_exports_of_taught_models_say_how_images_fit(tmp_path, fit, rows):
    """Of a wide image half of the input is border."""
    names = {"names": "{0: 'warm', 1: 'cold'}", "task": "classify", "imgsz": "[8, 8]", "fit": fit}
    model = zoo.load(write_linear(tmp_path, metadata=names))
    values = model.network_input(np.full((4, 8, 3), 255, np.uint8))
    assert (values[0, 0, :, 0] == 0).sum() == rows
