"""What is saved over an older version: a table of writers in two versions, and of their readers."""

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import core
import zoo
from core.converter import convert
from core.converter.class_labels import GENERATOR
from core.converter.layer_files import read_document
from core.graph_model.graph_model import GraphModel
from tests.core.converter.teachable_bundles import write_bundle
from tests.core.graph.control_graphs import model
from tests.core.models.test_long_fits import made_model
from tests.zoo.transfer.colours import FEATURES, write_classes
from weights_cache import load_weights, write_kit, write_weights
from zoo.live.recording import Recorder, replay
from zoo.tasks.gestures.gesture_files import read_gestures, write_gestures
from zoo.tasks.gestures.rules import GestureRules
from zoo.transfer.exports.exporting import check_target
from zoo.transfer.exports.labels_files import labels_file
from zoo.transfer.exports.teachable_files import (
    metadata_file,
    write_export,
    write_file,
    write_folder,
    zip_of,
)

GIVEN = np.linspace(-1, 1, 40, dtype=np.float32).reshape(5, 8)


class Save(NamedTuple):
    """A thing that is saved under one name.

    Attributes:
        name: of the file or folder.
        versions: write the first and the second version to a path.
        read: gives the answer of what is at a path, to the bit.
        has_parts: whether a version that is being written counts up to its last whole part: the
            answer is a list of parts.
        unlabelled: gives what of an answer may be left where labels are a file of their own, which
            no system replaces together with the network at one moment.
    """

    name: str
    versions: tuple[Callable[[Path], object], Callable[[Path], object]]
    read: Callable[[Path], Any]
    has_parts: bool = False
    unlabelled: Callable[[Any], Any] | None = None


def networks() -> tuple[core.Sequential, core.Sequential]:
    """Two models that were trained differently, with the state of an optimizer."""
    both = made_model(), made_model()
    for number, network in enumerate(both):
        core.set_random_seed(number)
        labels = np.array([0, 1, 2, 0, number])
        network.fit(GIVEN, labels, epochs=2, verbose=0)
    return both


def state_at(path: Path) -> tuple[list[bytes], bytes]:
    """The state of the optimizer and the answer of a network of layers."""
    state = read_document(path).optimizer_variables or ()
    answer = core.load_layers_model(path).predict(GIVEN).numpy().tobytes()
    return [each.tobytes() for each in state], answer


def of_layers(name: str) -> Callable[[ExitStack], Save]:
    """A whole model of layers, whose format the ending says."""

    def made(stack: ExitStack) -> Save:
        one, other = networks()
        return Save(name, (one.save, other.save), state_at)

    return made


def of_weights(name: str) -> Callable[[ExitStack], Save]:
    """The weights of a model of layers."""

    def made(stack: ExitStack) -> Save:
        network, other = networks()

        def write(weights: list[np.ndarray]) -> Callable[[Path], object]:
            def save(path: Path) -> None:
                network.set_weights(weights)
                network.save_weights(path)

            return save

        def read(path: Path) -> list[bytes]:
            network.load_weights(path)
            return [each.tobytes() for each in network.get_weights()]

        return Save(name, (write(network.get_weights()), write(other.get_weights())), read)

    return made


def shards(stack: ExitStack) -> Save:
    """Weights alone, in several shards, which are as many and as large in each version."""

    def write(value: int) -> Callable[[Path], object]:
        weights = {f"w{i}": np.full(50, value + i, np.float32) for i in range(3)}
        return lambda path: write_weights(path, weights, shard_bytes=200)

    def read(path: Path) -> list[bytes]:
        return [each.tobytes() for each in load_weights(path).values()]

    return Save("weights", (write(1), write(5)), read)


def graph(value: float) -> GraphModel:
    weights = {"w": np.full((8, 3), value, np.float32)}
    return model("x = Placeholder\ny = MatMul x w", "y", weights, {})


def graphs(stack: ExitStack) -> Save:
    """A graph, written for TensorFlow.js."""
    from core.converter.web_writer import save_graph

    def write(value: float) -> Callable[[Path], object]:
        made = graph(value).graph
        return lambda path: save_graph(made, path, overwrite=True)

    return Save("graph", (write(1.5), write(-2.0)), answer_of)


def answer_of(path: Path) -> list[bytes]:
    return [each.numpy().tobytes() for each in core.load_model(path).predict(GIVEN).values()]


def converted(stack: ExitStack) -> Save:
    """A model with labels in a file beside it, converted over one with others."""
    source = folder_of(stack)

    def write(number: int) -> Callable[[Path], object]:
        bundle = write_bundle(source / str(number))
        about = json.loads((bundle / "metadata.json").read_text())
        about["labels"] = [f"{label} {number}" for label in about["labels"]]
        (bundle / "metadata.json").write_text(json.dumps(about))
        weights = bundle / "weights.bin"
        numbers = np.frombuffer(weights.read_bytes(), np.float32) * (number + 1)
        weights.write_bytes(numbers.tobytes())
        return lambda path: convert(bundle, path, overwrite=True, tolerance=None)

    def read(path: Path) -> tuple[bytes, bytes]:
        beside = path / "metadata.json"
        network = b"".join(each.tobytes() for each in load_weights(path).values())
        return network, beside.read_bytes() if beside.exists() else b""

    return Save("converted", (write(0), write(1)), read, unlabelled=lambda found: (found[0], b""))


def folder_of(stack: ExitStack) -> Path:
    import tempfile

    return Path(stack.enter_context(tempfile.TemporaryDirectory()))


def taught_models(stack: ExitStack) -> tuple[Any, Any]:
    """Two models that were taught with different images."""
    folder = folder_of(stack)
    os.environ["ZOO_FEATURE_CACHE"] = "0"
    made = []
    for number in (1, 2):
        images = write_classes(folder / str(number), 2, np.random.default_rng(number))
        made.append(stack.enter_context(zoo.teach(images, features=FEATURES)))
    return made[0], made[1]


def taught(stack: ExitStack) -> Save:
    one, other = taught_models(stack)

    def read(path: Path) -> tuple[bytes, bytes, str]:
        lesson = zoo.load(path).lesson
        return lesson.head.kernel.tobytes(), lesson.examples.features.tobytes(), lesson.source

    return Save("taught", (one.save, other.save), read)


def exported(name: str) -> Callable[[ExitStack], Save]:
    """Files in the layout of Teachable Machine, in a folder or a zip."""

    def write(number: int) -> Callable[[Path], object]:
        about = {"userMetadata": {"generator": GENERATOR}, "labels": [f"cat {number}"]}
        files = metadata_file(about)
        files |= dict.fromkeys(("weights.bin", "model.json"), b"%d" % number)

        def export(path: Path) -> None:
            check_target(path)
            if path.suffix:
                write_file(path, zip_of(files))
            else:
                write_export(path, files)

        return export

    return lambda stack: Save(name, (write(1), write(2)), content_of)


def labelled(stack: ExitStack) -> Save:
    """A file of Keras, with its labels beside it."""

    def write(label: str) -> Callable[[Path], object]:
        def export(path: Path) -> None:
            path.mkdir(exist_ok=True)
            beside = labels_file([label], path / "model.keras")
            write_folder(path, {**beside, "model.keras": label.encode()})

        return export

    def unlabelled(found: Mapping[str, bytes]) -> Mapping[str, bytes]:
        return {"model.keras": found["model.keras"]}

    return Save("keras", (write("cat"), write("dog")), content_of, unlabelled=unlabelled)


def content_of(path: Path) -> Mapping[str, bytes]:
    """The bytes of all files."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir() if file.suffix != ".tmp"}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def examples(name: str) -> Callable[[ExitStack], Save]:
    """The examples of nearest neighbours."""

    def write(value: float) -> Callable[[Path], object]:
        classifier = zoo.KNNClassifier()
        for label in "ab":
            classifier.add_example([value, 1.0, float(ord(label))], label)
        return classifier.save

    def read(path: Path) -> list[tuple[Any, bytes]]:
        dataset = zoo.KNNClassifier.load(path).get_classifier_dataset()
        return [(label, rows.tobytes()) for label, rows in dataset.items()]

    return lambda stack: Save(name, (write(1.0), write(2.0)), read)


def gestures(stack: ExitStack) -> Save:
    rules = {"one": GestureRules({"thumb": {"no_curl": 1.0}}, {}, {})}

    def write(score: float) -> Callable[[Path], object]:
        return lambda path: write_gestures(path, rules, {}, score)

    return Save(
        "gestures.json", (write(0.5), write(0.75)), lambda path: repr(read_gestures(path)[::2])
    )


def kits(stack: ExitStack) -> Save:
    """Kits of one bundled model, with different texts."""

    def write(text: str) -> Callable[[Path], object]:
        return lambda path: write_kit(path, {"posenet-tiny": ["model.json"]}, {"README.md": text})

    return Save("kit.zip", (write("first"), write("second")), content_of)


def recordings(stack: ExitStack) -> Save:
    """Five frames each, of two sizes."""

    def write(level: int) -> Callable[[Path], object]:
        def record(path: Path) -> None:
            with Recorder(path, {"task": "pose"}) as recorder:
                for index in range(5):
                    recorder.add(moment(level, index))

        return record

    def read(path: Path) -> list[tuple[int, bytes]]:
        return [(found["index"], found["frame"].tobytes()) for found in replay(path)]

    return Save("session.zoo", (write(40), write(90)), read, has_parts=True)


def moment(level: int, index: int) -> Any:
    frame = np.full((16, 24 + 8 * (index > 2), 3), level + index, np.uint8)
    return {"index": index, "time": index / 25, "frame": frame, "result": [], "events": []}


def plots(stack: ExitStack) -> Save:
    def write(value: float) -> Callable[[Path], object]:
        return core.plots.line_chart([1.0, value], scale=1).save

    return Save("curves.png", (write(2.0), write(3.0)), Path.read_bytes)


#: By name; what makes one takes what ends with it.
SAVES: dict[str, Callable[[ExitStack], Save]] = {
    "layers for TensorFlow.js": of_layers("layers"),
    "layers .keras": of_layers("layers.keras"),
    "layers .h5": of_layers("layers.h5"),
    "weights .weights.h5": of_weights("layers.weights.h5"),
    "weights .npz": of_weights("layers.npz"),
    "weights in shards": shards,
    "a graph": graphs,
    "a conversion": converted,
    "a taught model": taught,
    "an export as a folder": exported("export"),
    "an export as a zip": exported("export.zip"),
    "an export for Keras": labelled,
    "examples .npz": examples("cups.npz"),
    "examples .json": examples("cups.json"),
    "gestures": gestures,
    "a kit": kits,
    "a recording": recordings,
    "a plot": plots,
}
