"""What users do with files: they load and run them, train a step, replay them, go through them.

Each use takes the path that is opened, a function to call once the file has been loaded, and the
generator of the case. What is raised from then on is an error of running.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import core
import zoo
from core.converter import convert, inspect_model
from core.engine.dtypes import DTYPES
from weights_cache import ZooError, load_weights
from zoo.jobs.reading import ImageReader
from zoo.jobs.sources import Listing
from zoo.live.sound import has_sound
from zoo.pipeline.loaded_model import LoadedModel
from zoo.tasks.classification.file_classifier import FileClassifier
from zoo.tasks.classification.ml5 import Ml5Classifier, Ml5Model
from zoo.transfer.image_sets import read_image_set

Rng = np.random.Generator
Loaded = Callable[[], None]
Use = Callable[[Path, Loaded, Rng], None]

#: Of models that load, so many in a hundred are also converted and inspected.
CONVERTED = 12
#: Lengths for those that a model leaves open.
LENGTHS = (1, 1, 2, 5)
#: Shapes for inputs of any rank.
SHAPES: tuple[tuple[int | None, ...], ...] = ((), (2,), (2, 3), (1, 8, 8, 3))

#: An image that is shown to models.
IMAGE = np.zeros((9, 11, 3), np.uint8)

#: Values of an input that a caller may have.
_MOST_FED = 2**24
#: Frames and images that a caller looks at.
_MOST_SEEN = 50
#: What `zoo.batch` tells of an image whose decoder has a defect.
_DEFECT = re.compile(r"cannot be read \(\w+: ")


class Shaped(Protocol):
    """What an input declares."""

    @property
    def shape(self) -> Sequence[int | None] | None: ...

    @property
    def dtype(self) -> str: ...


# Models


def run_model(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load a model, sometimes convert it, and run it once."""
    model = zoo.load(str(path))
    loaded()
    if isinstance(model, LoadedModel):
        if rng.integers(100) < CONVERTED:
            _convert(path)
        run(model, rng)


def run(model: Any, rng: Rng) -> None:
    """Run a model once with zeros, ones or random values of the shapes that it declares."""
    how = ("zeros", "ones", "random")[int(rng.integers(3))]
    length = LENGTHS[int(rng.integers(len(LENGTHS)))]
    if isinstance(model, Ml5Model):
        values = [value.choices[0] if value.choices else 0.5 for value in model.meta.inputs]
        model.classify(values) if isinstance(model, Ml5Classifier) else model.predict(values)
    else:
        model.predict({n: fed(spec, how, length, rng) for n, spec in model.inputs.items()})
    if isinstance(model, FileClassifier):
        model.classify(IMAGE)


def fed(spec: Shaped, how: str, length: int, rng: Rng) -> np.ndarray:
    """An input of the declared shape; a single value where that is too large for a caller's."""
    shape = SHAPES[int(rng.integers(len(SHAPES)))] if spec.shape is None else spec.shape
    lengths = tuple(length if n is None else n for n in shape)
    count = float(np.prod([float(n) for n in lengths]))
    one = np.zeros if how == "zeros" else np.ones
    dtype = DTYPES[spec.dtype]
    if how == "random" and count < 1e6 and spec.dtype != "string":
        return (rng.normal(size=lengths) * 3).astype(dtype)
    lengths = () if count > _MOST_FED else lengths
    value = np.array(b"owl", object) if spec.dtype == "string" else one((), dtype)
    try:
        return np.broadcast_to(value, lengths)
    except ValueError:  # no array can have that shape
        return value


def _convert(path: Path) -> None:
    """The file is converted, read again, and what a conversion loses is measured."""
    target = path.parent / "converted"
    convert(path, target, optimise=True)
    zoo.load(str(target))
    inspect_model(path, measure=True)


def classify_by_labels(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load the network beside a file of labels for these."""
    network = str(next(path.parent.glob("*.tflite")))
    model: Any = zoo.load(network, task="classification", labels=path, range=(-1, 1))
    loaded()
    model.classify(IMAGE)


# Training


def train_model(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load a model of layers and train it one step."""
    model = core.load_layers_model(path)
    loaded()
    train_a_step(model, rng)


def train_topology(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Make a model of the JSON of its topology and train it one step."""
    model = core.model_from_json(path.read_text("utf-8", "replace"))
    loaded()
    train_a_step(model, rng)


def train_a_step(model: core.Model, rng: Rng) -> None:
    """Fit two samples, towards zeros; as it was compiled, or by plain descent."""
    if not model.is_compiled:
        model.compile("sgd", "mean_squared_error")
    how = ("zeros", "ones", "random")[int(rng.integers(3))]
    specs = getattr(model, "inputs", [core.PartialSpec(None, "float32")])  # known after a call
    samples = [fed(_of_batch(spec), how, 2, rng) for spec in specs]
    found: Any = model.predict(samples)
    found = found if isinstance(found, list) else [found]
    given = [np.zeros_like(each.numpy()) for each in found]
    model.fit(samples, given, batch_size=2, epochs=1, verbose=0)


def _of_batch(spec: Shaped) -> core.PartialSpec:
    """An input whose number of samples is free."""
    shape = spec.shape
    return core.PartialSpec(None if shape is None else (None, *shape[1:]), spec.dtype)


def learn_classes(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load a nearest-neighbour classifier, add an example, and ask for the class of another."""
    classifier = zoo.KNNClassifier.load(path)
    loaded()
    classifier.add_example(rng.normal(size=4), "new")
    classifier.predict_class(rng.normal(size=4))


def learn_images(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load a taught model, ask it about an image, and teach it that image."""
    model: Any = zoo.load(str(path))
    loaded()
    model.predict(IMAGE)
    targets = {"classification": "red", "multi_label": ["red"], "regression": [0.5]}
    model.add([IMAGE], [targets[model.kind]])
    model.predict(IMAGE)


def learn_gestures(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load gestures, add an example, and ask for the gesture of another hand."""
    recognizer = zoo.GestureRecognizer.load(path)
    loaded()
    recognizer.add_example(_hand(rng), "new")
    recognizer.recognize([_hand(rng)])


def _hand(rng: Rng) -> dict[str, Any]:
    points = [{"position": {"x": float(x), "y": float(y)}} for x, y in rng.normal(size=(21, 2))]
    return {"keypoints": points, "handedness": "right"}


# Arrays and tables


def read_weights(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Load arrays of a manifest."""
    load_weights(path)


def go_through_table(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Go through the rows of a table, and through the lines of the text."""
    dataset = core.data.from_csv(path)
    loaded()
    go_through(dataset.batch(2))
    go_through(core.data.text_lines(path))


def go_on_with_log(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Append the results of an epoch to the table of a training."""
    log = core.callbacks.CSVLogger(path, append=True)
    log.on_train_begin()
    loaded()
    log.on_epoch_end(1, {"loss": 0.25, "val_loss": 0.5})


def list_examples(path: Path, loaded: Loaded, rng: Rng) -> None:
    """List the images and targets of a table to learn from."""
    found = read_image_set(path)
    loaded()
    go_through(found.examples)


def go_through_folder(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Go through the images of a folder with a folder for each class."""
    dataset = core.data.image_folder(path, size=8)
    loaded()
    go_through(dataset.batch(2))


def go_through(items: Iterable[Any]) -> None:
    """Take each item, up to as many as a caller looks at."""
    for _ in islice(items, _MOST_SEEN):
        pass


# Images, videos and what lists them


def read_image(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Read an image, as every verb does."""
    _check_pixels(zoo.read_image(str(path)))


def go_through_frames(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Go through the frames of a video, from its beginning or from a time on."""
    with zoo.frames(str(path), start=(None, 0.2)[int(rng.integers(2))]) as frames:
        loaded()
        for frame in islice(frames, _MOST_SEEN):
            _check_pixels(frame.image)
    has_sound(str(path))


def read_listed_images(path: Path, loaded: Loaded, rng: Rng) -> None:
    """List the images of a table, an archive or a video, and read each, as `zoo.batch` does."""
    listing = Listing(column=None, every=1, recursive=False, report=lambda line: None)
    items = list(islice(listing.items([str(path)]), _MOST_SEEN))
    loaded()
    reader = ImageReader()
    try:
        faults = [image.error for image in reader.ahead(items) if image.pixels is None]
    finally:
        reader.close()
    defects = [fault for fault in faults if _DEFECT.search(fault)]
    assert not defects, defects[0]
    if faults:
        raise ZooError(faults[0])


def _check_pixels(pixels: np.ndarray) -> None:
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3, pixels.shape


# What Zoo wrote of its results


def replay_session(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Replay a recording, and go through its frames."""
    moments = zoo.replay(path)
    loaded()
    for moment in islice(moments, _MOST_SEEN):
        _check_pixels(moment["frame"])
    with zoo.frames(path) as frames:
        go_through(frames)


def read_results(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Go through the results of a job, count them, and make tables of them."""
    results = zoo.read_results(path)
    loaded()
    ways: list[Callable[[], object]] = [
        lambda: (len(results), results.errors, results.is_complete, repr(results)),
        partial(results.to_pandas, flat=bool(rng.integers(2))),
        results.to_arrow,
        partial(go_through, results),
    ]
    refused = []
    for way in ways:
        try:
            way()
        except ZooError as error:
            refused.append(error)
    if refused:
        raise max(refused, key=lambda error: len(str(error)))  # too long ones are faults
