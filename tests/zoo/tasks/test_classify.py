"""Teachable Machine's image models: `zoo.load(path).classify(picture)`."""

import io
import itertools

import numpy as np
import pytest
from PIL import Image

import core
import zoo
from tests.conftest import ROOT
from tests.core.converter.teachable_bundles import (
    LABELS,
    conv,
    layer,
    sequential,
    write_bundle,
    zip_of,
)
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import WeightsError, ZooError
from zoo.tasks.classification.teachable import center_square, prepare_square

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_bundle(tmp_path_factory.mktemp("teachable") / "bundle")


@pytest.fixture(scope="module")
def model(folder):
    return zoo.load(folder)


def seeing(folder, size, head, kernel, labels, channels=3):
    """A bundle whose scores say which pixels the network sees: the softmax of a linear layer."""
    shape = [None, size, size, channels]
    first = {"name": "first", "batch_input_shape": shape}
    dense = {"name": "dense", "units": len(labels), "activation": "softmax", "use_bias": False}
    topology = sequential("model", [layer(head, first), layer("Dense", dense)])
    arrays = {"dense/kernel": np.asarray(kernel, np.float32)}
    return zoo.load(
        write_bundle(folder, model=topology, arrays=arrays, labels=labels, imageSize=size)
    )


# --- results ------------------------------------------------------------------------------------


def test_the_result_is_plain(model):
    result = model.classify(PHOTO)
    assert sorted(label["label"] for label in result) == sorted(LABELS)
    for label in result:
        assert list(label) == ["label", "score", "index"]
        assert (type(label["score"]), type(label["index"])) == (float, int)
        assert LABELS[label["index"]] == label["label"]
    scores = [label["score"] for label in result]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1, abs=1e-6)
    assert zoo.to_json(result)


def test_top_k(model):
    best = model.classify(PHOTO)
    assert model.classify(PHOTO, top_k=1) == best[:1]
    assert model.classify(PHOTO, top_k=np.int64(99)) == best
    assert model.labels == tuple(LABELS)


def test_the_scores_are_those_of_predict(model):
    prepared = prepare_square(zoo.read_image(PHOTO), 16)
    assert prepared.shape == (1, 16, 16, 3) and prepared.dtype == np.float32
    (scores,) = model.predict(prepared).values()
    for label in model.classify(PHOTO):
        assert label["score"] == scores.numpy()[0, label["index"]]


def test_every_kind_of_source_gives_the_same(model):
    pixels = zoo.read_image(PHOTO)
    expected = model.classify(pixels)
    sources = [
        str(PHOTO),
        PHOTO,
        PHOTO.read_bytes(),
        io.BytesIO(PHOTO.read_bytes()),
        Image.open(PHOTO),
        pixels / 255,
        core.tensor(pixels),
    ]
    for source in sources:
        assert model.classify(source) == expected, type(source)


@pytest.mark.parametrize("wrap", [list, tuple, iter, np.stack])
def test_several_pictures(model, wrap):
    pixels = zoo.read_image(PHOTO)
    pictures = [pixels, pixels[::-1].copy(), 255 - pixels]
    results = iter(model.classify(wrap(pictures), top_k=2))
    assert next(results) == model.classify(pixels, top_k=2)
    assert list(results) == [model.classify(p, top_k=2) for p in pictures[1:]]


def test_several_pictures_are_lazy(model):
    taken = []
    results = model.classify(taken.append(i) or PHOTO for i in itertools.count())
    assert taken == []
    assert next(results) == model.classify(PHOTO) and taken == [0]


def test_a_zip_is_the_same(model, folder):
    with zoo.load(zip_of(folder, "my model/")) as zipped:
        assert zipped.classify(PHOTO) == model.classify(PHOTO)


def test_a_real_photo_of_any_shape(model, shared):
    for name in ("cat_demo.jpg", "portrait.jpg"):
        result = model.classify(shared / "images" / "photos" / name)
        assert sum(label["score"] for label in result) == pytest.approx(1, abs=1e-6)


# --- what the network sees ----------------------------------------------------------------------


def bars(height, width):
    """Green in the square in the middle, red on the left or above, blue on the right or below."""
    picture = np.zeros((height, width, 3), np.uint8)
    short = min(height, width)
    top, left = (height - short) // 2, (width - short) // 2
    picture[:top, :, 0] = picture[:, :left, 0] = 255
    picture[top + short :, :, 2] = picture[:, left + short :, 2] = 255
    picture[top : top + short, left : left + short] = (0, 255, 0)
    return picture


@pytest.mark.parametrize("shape", [(60, 200), (200, 60), (61, 200), (64, 65), (100, 100)])
def test_what_is_over_is_cut_off(shape, tmp_path):
    colours = ["red", "green", "blue"]
    model = seeing(tmp_path, 8, "GlobalAveragePooling2D", 9 * np.eye(3), colours)
    best, other, last = model.classify(bars(*shape))
    assert best["label"] == "green"
    # A border of one source pixel may show; all of red or blue would give 1.5e-8 or 1.
    assert best["score"] > 0.99 and other["score"] < 0.01 > last["score"]


def halves(shape=(40, 90)):
    """The left half white."""
    picture = np.zeros((*shape, 3), np.uint8)
    picture[:, : shape[1] // 2] = 255
    return picture


def test_mirror_images(tmp_path):
    sides = np.zeros((4, 4, 3, 2))
    sides[:, :2, :, 0] = sides[:, 2:, :, 1] = 0.1
    model = seeing(tmp_path, 4, "Flatten", sides.reshape(-1, 2), ["left", "right"])
    picture = halves()
    assert model.classify(picture)[0]["label"] == "left"
    assert model.classify(picture, mirror=True)[0]["label"] == "right"
    assert list(model.classify([picture], mirror=True)) == [model.classify(picture, mirror=True)]


@pytest.mark.parametrize("shape", [(512, 512), (301, 512), (512, 200)])
def test_a_flipped_picture_as_a_mirror_image_is_the_picture(model, shape):
    picture = zoo.read_image(PHOTO)[: shape[0], : shape[1]]
    flipped = np.ascontiguousarray(picture[:, ::-1])
    assert model.classify(flipped, mirror=True) == model.classify(picture)
    assert model.classify(flipped) != model.classify(picture)


@pytest.mark.parametrize("shape", [(60, 200), (333, 100), (17, 16), (500, 499)])
def test_the_square_is_that_of_the_whole_picture_resized(shape, rng):
    """As the library for the browser does it: resize all, cut the middle out."""
    picture = rng.integers(0, 256, (*shape, 3), np.uint8)
    size, short = 16, min(shape)
    high, wide = (-(-n * size // short) for n in shape)
    whole = Image.fromarray(picture).resize((wide, high), Image.Resampling.BILINEAR)
    left, top = (wide - size) // 2, (high - size) // 2
    expected = np.asarray(whole.crop((left, top, left + size, top + size)), int)
    assert np.abs(center_square(picture, size) - expected).max() <= 1


def test_pixels_become_numbers_as_in_the_browser():
    picture = np.full((4, 4, 3), (0, 127, 255), np.uint8)
    np.testing.assert_allclose(prepare_square(picture, 2)[0, 0, 0], [-1, 0, 255 / 127 - 1])


def test_a_grey_network(tmp_path):
    model = seeing(tmp_path, 4, "GlobalAveragePooling2D", [[3, -3]], ["light", "dark"], 1)
    assert model.classify(np.full((9, 9), 200, np.uint8))[0]["label"] == "light"
    assert model.classify(np.full((9, 9), 50, np.uint8))[0]["label"] == "dark"
    green = np.full((2, 2, 3), (0, 255, 0), np.uint8)
    np.testing.assert_allclose(prepare_square(green, 2, 1), 0.587 * 255 / 127 - 1, rtol=1e-6)


def test_a_network_that_gives_no_row_of_scores(tmp_path):
    model = seeing(tmp_path, 4, "ReLU", [[1, 0]] * 3, ["light", "dark"])
    with pytest.raises(ZooError, match=r"output of the shape \(1, 4, 4, 2\) .* not 2 scores"):
        model.classify(np.zeros((9, 9, 3), np.uint8))


@pytest.mark.parametrize("shape", [(1, 1), (1, 30_000), (30_000, 1), (3, 2000)])
def test_odd_shapes(model, shape, rng):
    result = model.classify(rng.integers(0, 256, (*shape, 3), np.uint8))
    audit(result, shape)
    assert sum(label["score"] for label in result) == pytest.approx(1, abs=1e-6)


# --- expert access ------------------------------------------------------------------------------


def test_features(model):
    scores = model.infer(PHOTO)
    assert scores.shape == (1, 3)
    features = model.infer(PHOTO, embedding=True)
    assert features.shape == (1, 8)
    prepared = prepare_square(zoo.read_image(PHOTO), 16)
    relu = next(n.name for n in model.network.graph.nodes if "out_relu" in n.name)
    values = model.execute(prepared, [relu])[relu].numpy()
    np.testing.assert_allclose(features.numpy(), values.mean((1, 2)), rtol=1e-5)


def with_head(folder, *head, **arrays):
    """A bundle of a convolution, pooling and some layers."""
    shape = {"batch_input_shape": [None, 16, 16, 3]}
    first = conv("first", (), filters=5, activation="relu", **shape)
    pooling = layer("GlobalAveragePooling2D", {"name": "pooling"})
    model = sequential("model", [first, pooling, *head])
    rng = np.random.default_rng(3)
    weights = {"first/kernel": rng.normal(size=(3, 3, 3, 5)), **arrays}
    weights = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    return zoo.load(write_bundle(folder, model=model, arrays=weights, labels=list("abcde")))


def test_features_before_a_convolution(tmp_path):
    """As MobileNet of Keras ends."""
    model = with_head(
        tmp_path,
        layer("Reshape", {"name": "rows", "target_shape": [1, 1, 5]}),
        layer("Dropout", {"name": "dropout", "rate": 0.1}),
        conv("last", (), kernel_size=[1, 1], filters=5),
        layer("Reshape", {"name": "flat", "target_shape": [5]}),
        layer("Activation", {"name": "scores", "activation": "softmax"}),
        **{"last/kernel": np.arange(25).reshape(1, 1, 5, 5) / 9},
    )
    features = model.infer(PHOTO, embedding=True).numpy()
    assert features.shape == (1, 1, 1, 5)
    np.testing.assert_array_equal(features[:, 0, 0], pooled(model))
    assert not np.allclose(features[:, 0, 0], model.infer(PHOTO).numpy())


def test_features_before_dense_layers_after_convolutions(tmp_path):
    dense = {"name": "dense", "units": 5, "use_bias": False}
    model = with_head(tmp_path, layer("Dense", dense), **{"dense/kernel": np.eye(5) * 2})
    np.testing.assert_array_equal(model.infer(PHOTO, embedding=True).numpy(), pooled(model))


def pooled(model):
    return model.execute(prepare_square(zoo.read_image(PHOTO), 16), ["pooling"])["pooling"].numpy()


def test_no_layers_to_have_features_of(tmp_path):
    first = {"name": "first", "batch_input_shape": [None, 16, 16, 3], "scale": False, "axis": -1}
    pooling = layer("GlobalAveragePooling2D", {"name": "pooling"})
    topology = sequential("model", [layer("BatchNormalization", first), pooling])
    arrays = {f"first/{n}": np.float32([1, 2, 3]) for n in ("beta", "moving_mean")}
    arrays["first/moving_variance"] = np.ones(3, np.float32)
    model = zoo.load(write_bundle(tmp_path, model=topology, arrays=arrays, labels=list("rgb")))
    assert model.infer(PHOTO).shape == (1, 3)
    with pytest.raises(ZooError, match="has no embedding.*: execute gives any node"):
        model.infer(PHOTO, embedding=True)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.classify(PHOTO, topk=3), "'topk' of classify: did you mean 'top_k'"),
        (lambda m: m.classify(PHOTO, top_k=0), "top_k=0 must be an integer of at least 1"),
        (lambda m: m.classify(PHOTO, top_k=1.5), "top_k=1.5"),
        (lambda m: m.classify("nowhere.jpg"), "there is no file 'nowhere.jpg'"),
    ],
)
def test_bad_calls(model, call, message):
    with pytest.raises(ZooError, match=message):
        call(model)


def test_a_closed_model(folder):
    with zoo.load(folder) as model:
        pass
    for use in (model.classify, model.infer):
        with pytest.raises(ZooError, match="is closed: load it again"):
            use(PHOTO)


@pytest.mark.parametrize(
    "metadata, kind",
    [
        ({"packageName": "@teachablemachine/pose"}, "pose"),
        ({"tfjsSpeechCommandsVersion": "0.4.0", "wordLabels": ["a", "b", "c"]}, "audio"),
    ],
)
def test_models_for_pose_and_audio_have_predict(tmp_path, metadata, kind):
    model = zoo.load(write_bundle(tmp_path, **metadata))
    assert len(model.labels) == 3
    (scores,) = model.predict(np.zeros((1, 16, 16, 3), np.float32)).values()
    assert scores.shape == (1, 3)
    for use in (model.classify, model.infer):
        with pytest.raises(ZooError, match=f"model for {kind}, not for images: .* predict takes"):
            use(PHOTO)


def test_labels_and_classes_must_agree(tmp_path):
    with pytest.raises(WeightsError, match="lists 2 labels, the network gives 3 classes"):
        zoo.load(write_bundle(tmp_path, labels=["a", "b"]))
