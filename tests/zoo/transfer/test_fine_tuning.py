"""Fine-tuning: cuts of networks, views of images, training, stopping, errors."""

import tempfile

import numpy as np
import pytest

import zoo
from core import GraphModel, load_model
from core.converter.web_writer import write_web
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, Quantization
from core.graph_model.network_tails import find_tail
from tests.zoo.transfer.colours import COLOURS, coloured
from weights_cache.common.errors import ZooError
from zoo.images.pixels import ImageError
from zoo.transfer.features.extractor import embedding_extractor, feature_extractor
from zoo.transfer.tuning import training_views
from zoo.transfer.tuning.fine_tuning import FineTuned, fine_tuned_network
from zoo.transfer.tuning.settings import TuningSettings, held_out_images
from zoo.transfer.tuning.tail_training import batches
from zoo.transfer.tuning.training_views import Views, maps_of, views_of

QUICK = TuningSettings(epochs=2, views=1, learning_rate=0.01, layers=2)


@pytest.fixture(scope="module")
def model():
    return zoo.load("posenet.tiny")


@pytest.fixture(scope="module")
def examples():
    """Images of three colours, and their labels."""
    rng = np.random.default_rng(3)
    labels = [label for label in COLOURS for _ in range(4)]
    return [coloured(COLOURS[label], rng) for label in labels], labels


@pytest.fixture(scope="module")
def tuned(model, examples) -> FineTuned:
    return fine_tuned_network(model, *examples, settings=QUICK._replace(epochs=6))


def features_of(found, images):
    vectors = embedding_extractor("posenet.tiny", found.network, found.node).of_images(images)
    return np.stack([vector.values for vector in vectors])


def changed(before, after):
    return {name for name, array in after.items() if not np.array_equal(array, before[name])}


# --- tails ------------------------------------------------------------------------------------


def layered(nodes, quantizations=None):
    """A network of nodes; "w" is a kernel that keeps what it is given, "x" the input."""
    weights = {"w": np.ones((1, 1, 1, 1), np.float32), "six": np.array(6, np.float32)}
    ends = [Endpoint(name, PartialSpec((None, None, None, 1))) for name in ("x", "end")]
    made = [Node("x", "Placeholder"), Node("w", "Const"), Node("six", "Const")]
    made += [
        Node(name, kind, inputs, CONVOLUTION if kind == "Conv2D" else attributes)
        for name, kind, inputs, attributes in nodes
    ]
    graph = Graph(made, weights, {"x": ends[0]}, {"end": ends[1]})
    return GraphModel(graph._replace(quantizations=quantizations or {}))


CONVOLUTION = {"strides": [1, 1, 1, 1], "padding": "SAME"}


def test_the_cut_is_the_last_node_before_so_many_convolutions():
    network = layered(
        [
            ("a", "Conv2D", ("x", "w"), {}),
            ("relu", "Relu", ("a",), {}),
            ("b", "Conv2D", ("relu", "w"), {}),
            ("end", "Conv2D", ("b", "w"), {}),
        ]
    )
    assert [find_tail(network, "end", n).cut for n in (1, 2)] == ["b", "relu"]
    with pytest.raises(ZooError, match="no 3 last convolutions .* of 3"):
        find_tail(network, "end", 3)


def test_the_cut_separates_the_graph():
    network = layered(
        [
            ("a", "Conv2D", ("x", "w"), {}),
            ("b", "Conv2D", ("a", "w"), {}),
            ("c", "Conv2D", ("b", "w"), {}),
            ("sum", "AddV2", ("a", "c"), {}),
            ("end", "Conv2D", ("sum", "w"), {}),
        ]
    )
    assert [find_tail(network, "end", n).cut for n in (1, 2)] == ["sum", "a"]


def test_behind_the_cut_roundings_become_clipping_and_the_network_stays():
    rounding = {"scale": 0.5, "zero_point": 2, "low": 0, "high": 10}
    network = layered(
        [
            ("a", "Conv2D", ("x", "w"), {}),
            ("cut", "QuantiseRound", ("a",), rounding),
            ("b", "Conv2D", ("cut", "w"), {}),
            ("end", "QuantiseRound", ("b",), rounding),
        ],
        {name: Quantization(0.5, 2, "uint8") for name in ("cut", "end")},
    )
    tail = find_tail(network, "end", 1)
    assert tail.cut == "cut" and tail.trained == ("w",)
    assert [*tail.graph.quantizations] == ["cut"]
    made, given = GraphModel(tail.graph), np.float32([-9, 0.2, 1.3, 9]).reshape(1, 4, 1, 1)
    assert made.predict({"x": given})["end"].numpy().ravel().tolist() == [-1, 0, 1.5, 4]
    inside = made.execute({"cut": given}, ["end"])["end"].numpy().ravel()
    assert inside.tolist() == np.float32([-1, 0.2, 1.3, 4]).tolist()
    kept = network.execute({"cut": given}, ["end"])["end"].numpy().ravel()
    assert kept.tolist() == [-1, 0, 1.5, 4]


def test_a_quantised_input_takes_the_integers_also_when_written(tmp_path):
    network = layered([("a", "Conv2D", ("x", "w"), {}), ("end", "Conv2D", ("a", "w"), {})])
    end = network.graph.inputs["x"]._replace(quantization=Quantization(0.25, 128, "uint8"))
    quantised = GraphModel(network.graph._replace(inputs={"x": end}))
    given = np.arange(126, 132, dtype=np.uint8).reshape(1, 6, 1, 1)
    expected = quantised.predict(given)["end"].numpy()
    assert expected.ravel().tolist() == [-0.5, -0.25, 0, 0.25, 0.5, 0.75]
    graph = find_tail(quantised, "end", 1).graph
    assert np.array_equal(GraphModel(graph).predict(given)["end"].numpy(), expected)
    read = load_model(write_web(graph, tmp_path))
    assert np.array_equal(read.predict(given)["end"].numpy(), expected)


def test_a_network_without_rounding_gives_equal_features(model, examples):
    tail = find_tail(model.network, model.entry.embedding, 4)
    values = model.network_input(examples[0][0])
    found = GraphModel(tail.graph).execute(values, [tail.features])[tail.features]
    assert np.array_equal(found.numpy(), model.infer(examples[0][0], embedding=True).numpy())
    assert len(tail.trained) == 8  # kernels and biases of two blocks


# --- views ------------------------------------------------------------------------------------


def test_views_depend_on_the_seed_and_the_image_alone(model, examples):
    image, views = examples[0][0], Views(3, seed=1)
    found = views_of(image, model, views, 0)
    assert found.shape == (4, *model.input_size, 3)
    assert np.array_equal(found[:1], model.network_input(image))
    assert np.array_equal(found, views_of(image, model, views, 0))
    assert not np.array_equal(found, views_of(image, model, views, 1))
    assert not np.array_equal(found, views_of(image, model, views._replace(seed=2), 0))


def test_views_are_flipped_only_if_they_may_be(model):
    image = np.zeros((40, 40, 3), np.uint8)
    image[:, 20:] = 200

    def lighter_on_the_left(mirror):
        found = views_of(image, model, Views(16, mirror), 0)
        middle = found.shape[2] // 2
        return (found[:, :, :middle].mean((1, 2, 3)) > found[:, :, middle:].mean((1, 2, 3))).sum()

    assert lighter_on_the_left(mirror=False) == 0
    assert 2 < lighter_on_the_left(mirror=True) < 14


def test_large_maps_are_in_a_file_that_goes(model, examples, monkeypatch, tmp_path):
    tail = find_tail(model.network, model.entry.embedding, 2)
    arguments = model.network, tail.cut, model, examples[0], np.array([0, 7]), Views(2)
    expected = maps_of(*arguments)
    monkeypatch.setattr(training_views, "MOST_IN_MEMORY", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = maps_of(*arguments)
    assert isinstance(found, np.memmap) and not isinstance(expected, np.memmap)
    assert np.array_equal(found, expected) and not [*tmp_path.iterdir()]


def test_more_images_have_fewer_views_and_at_last_an_error(model, examples, monkeypatch):
    tail = find_tail(model.network, model.entry.embedding, 2)
    arguments = model.network, tail.cut, model, examples[0], np.arange(2)
    each = maps_of(*arguments, Views(0))[0].nbytes
    monkeypatch.setattr(training_views, "MOST_IN_FILE", 7 * each)
    assert maps_of(*arguments, Views(8)).shape[1] == 3
    monkeypatch.setattr(training_views, "MOST_IN_FILE", each)
    with pytest.raises(ZooError, match="give at most 1 images"):
        maps_of(*arguments, Views(8))


def test_an_image_that_cannot_be_read_is_named(model, examples):
    images = [*examples[0][:-1], b"no image"]
    with pytest.raises(ImageError, match="image at index 11"):
        fine_tuned_network(model, images, examples[1], settings=QUICK)


# --- training ---------------------------------------------------------------------------------


def test_batches_have_one_size_and_all_images_in_turn():
    rng = np.random.default_rng(0)
    assert sorted(np.concatenate([*batches(12, 4, rng)])) == [*range(12)]
    assert [len(b) for b in batches(13, 4, rng)] == [4, 4, 4]
    assert {*np.concatenate([*batches(15, 4, rng)])} == {*range(15)}


def test_the_loss_falls_and_only_the_last_layers_change(tuned, model, examples):
    loss = tuned.history["loss"]
    assert len(loss) == 6 and loss[-1] < 0.8 * loss[0]
    assert (tuned.best, tuned.stopped) == (6, "all epochs ran")
    tail = find_tail(model.network, model.entry.embedding, QUICK.layers)
    assert changed(model.network.graph.weights, tuned.network.graph.weights) == {*tail.trained}
    found = tuned.head.scores(features_of(tuned, examples[0])).argmax(1)
    assert [tuned.head.labels[i] for i in found] == examples[1]


def test_results_depend_on_the_seed_alone(tuned, model, examples):
    again = fine_tuned_network(model, *examples, settings=QUICK._replace(epochs=6))
    assert again.history == tuned.history
    assert not changed(tuned.network.graph.weights, again.network.graph.weights)
    other = fine_tuned_network(model, *examples, settings=QUICK._replace(epochs=1, seed=1))
    assert other.history["loss"] != tuned.history["loss"][:1]


def test_the_written_network_gives_equal_features(tuned, examples, tmp_path):
    read = load_model(write_web(tuned.network.graph, tmp_path / "network"))
    found = embedding_extractor("posenet.tiny", read, tuned.node).of_image(examples[0][0])
    assert np.array_equal(found.values, features_of(tuned, examples[0][:1])[0])


def test_without_progress_the_weights_before_training_are_kept(model, examples):
    labels = [*examples[1]]
    held = [0, 4, 8]  # with wrong labels, so that training makes it worse
    for index, label in zip(held, ["red", "blue", "green"], strict=True):
        labels[index] = label
    settings = QUICK._replace(epochs=9, patience=2)
    found = fine_tuned_network(model, examples[0], labels, validation=held, settings=settings)
    assert (found.best, found.stopped) == (0, "no smaller loss for 2 epochs")
    assert [len(found.history[name]) for name in ("loss", "val_loss", "val_accuracy")] == [2] * 3
    assert found.before["val_loss"] <= min(found.history["val_loss"])
    assert not changed(model.network.graph.weights, found.network.graph.weights)


def test_the_weights_of_the_best_epoch_are_kept(model, examples):
    settings = QUICK._replace(epochs=4)
    seen = []
    found = fine_tuned_network(
        model,
        *examples,
        validation=0.25,
        settings=settings,
        on_epoch=lambda epoch, record: seen.append((epoch, record["val_loss"])),
    )
    losses = [found.before["val_loss"], *found.history["val_loss"]]
    assert found.best == int(np.argmin(losses)) > 0
    assert seen == [*enumerate(found.history["val_loss"], 1)]
    assert {len(values) for values in found.history.values()} == {4}  # a data frame's columns
    truth = [found.head.labels.index(examples[1][i]) for i in found.held_out]
    likely = found.head.predict(features_of(found, [examples[0][i] for i in found.held_out]))
    expected = -np.log(likely[np.arange(len(truth)), truth]).mean()
    assert losses[found.best] == pytest.approx(expected, rel=0.05, abs=1e-4)  # maps are halves


@pytest.mark.parametrize(
    ("rate", "epochs", "message"),
    [
        (1.0, 2, "the loss is [0-9.]+ in epoch 2 .* below 1, such as 0.1"),
        (1e38, 1, r"in epoch 1 .* below 1e\+38, such as 1e\+37"),
    ],
)
def test_training_that_fails_names_the_cause(rate, epochs, message, model, examples):
    before = {name: array.copy() for name, array in model.network.graph.weights.items()}
    settings = QUICK._replace(learning_rate=rate, epochs=epochs)
    with pytest.raises(ZooError, match=message):
        fine_tuned_network(model, *examples, settings=settings)
    assert not changed(before, model.network.graph.weights)


@pytest.mark.parametrize("kind", ["multi_label", "regression"])
def test_labels_and_values_are_learnt_as_well(kind, model, examples):
    images, labels = examples
    targets = [[label, "coloured"] for label in labels]
    if kind == "regression":
        targets = [float(label == "red") for label in labels]
    found = fine_tuned_network(
        model, images, targets, kind=kind, validation=0.25, settings=QUICK._replace(epochs=1)
    )
    assert found.head.kind == kind
    likely = found.head.predict(features_of(found, images))
    red = likely[:, found.head.labels.index("red") if kind == "multi_label" else 0]
    assert np.array_equal(red > 0.5, np.array(labels) == "red")


# --- arguments --------------------------------------------------------------------------------


def test_images_for_validation_are_of_all_classes_and_drawn_by_the_seed():
    labels = ["a"] * 10 + ["b"] * 10
    found = held_out_images(0.2, "classification", labels, 0)
    assert len(found) == 4 and sum(found < 10) == 2
    assert not np.array_equal(found, held_out_images(0.2, "classification", labels, 1))
    assert held_out_images([3, 1, 3], "classification", labels, 0).tolist() == [1, 3]
    assert not len(held_out_images(None, "classification", labels, 0))


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (0, "above 0"),
        (0.7, "at most 0.5"),
        (True, "above 0"),
        ([0.5], "or indices"),
        ([], "or indices"),
        ([-1], "must be some of 0 to 11"),
        ([*range(12)], "leave images"),
        ([*range(4)], "'blue' has no example"),
    ],
)
def test_invalid_validation(validation, message, model, examples):
    with pytest.raises(ZooError, match=message):
        fine_tuned_network(model, *examples, validation=validation)


@pytest.mark.parametrize(
    "setting",
    [
        {"epochs": 0},
        {"epochs": 2.5},
        {"views": -1},
        {"layers": 0},
        {"patience": True},
        {"seed": -1},
        {"learning_rate": 0},
        {"learning_rate": float("inf")},
        {"learning_rate": "fast"},
    ],
)
def test_invalid_settings(setting, model, examples):
    with pytest.raises(ZooError, match=f"{next(iter(setting))}=.* must be"):
        fine_tuned_network(model, *examples, settings=TuningSettings()._replace(**setting))


def test_numbers_of_images_and_targets_differ(model, examples):
    with pytest.raises(ZooError, match="12 images have 11 targets"):
        fine_tuned_network(model, examples[0], examples[1][1:])


def test_a_model_of_a_file_cannot_be_fine_tuned(tuned, tmp_path, examples):
    other = zoo.load(write_web(tuned.network.graph, tmp_path / "network").parent)
    with pytest.raises(ZooError, match="no embedding of images.* models that can are .*posenet"):
        fine_tuned_network(other, *examples)


def test_features_of_the_model_and_of_its_copy_before_training_agree(model, examples):
    """The head is fitted to what `zoo.transfer.features.extractor` computes, but for rounding."""
    settings = QUICK._replace(views=0, epochs=1, learning_rate=1e-12)
    found = fine_tuned_network(model, *examples, settings=settings)
    vectors = feature_extractor("posenet.tiny").of_images(examples[0])
    expected = np.stack([vector.values for vector in vectors])
    assert np.allclose(features_of(found, examples[0]), expected, rtol=1e-4, atol=1e-4)
