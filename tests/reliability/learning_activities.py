"""What signals interrupt in teaching, training and live video: activities with answers to compare.

What is struck starts anew each time, from the same seed, beside what stays loaded: a struck run
that left anything behind in a network, an optimizer or a cache gives the next one other bits.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import core
import zoo
from tests.core.models.test_long_fits import made_model
from tests.reliability.activities import IMAGE, Activity
from tests.zoo.transfer.colours import COLOURS, FEATURES, coloured, images_of, write_classes
from zoo.images.reading import read_image


def folder_of_images(stack: ExitStack) -> Path:
    """Return a folder of images of three classes; features are kept in a folder beside it."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    os.environ["ZOO_FEATURE_CACHE"] = str(folder / "features")
    return write_classes(folder / "colours", 4, np.random.default_rng(3))


def classifying(stack: ExitStack) -> Activity:
    """Of a model that was taught."""
    model = stack.enter_context(zoo.teach(folder_of_images(stack), features=FEATURES))
    return Activity(lambda: repr(model.classify(IMAGE)))


def teaching(stack: ExitStack) -> Activity:
    """With features that are in the cache after the first time."""
    folder, given = folder_of_images(stack), coloured(COLOURS["red"], np.random.default_rng(5))

    def run() -> str:
        with zoo.teach(folder, features=FEATURES) as model:
            return repr((model.lesson.head.kernel.tobytes(), model.classify(given)))

    return Activity(run)


def adding(stack: ExitStack) -> Activity:
    """Examples to a model, and away again; one that was struck has all of them, or none."""
    model = stack.enter_context(zoo.teach(folder_of_images(stack), features=FEATURES))
    more = images_of(np.random.default_rng(6), red=2, blue=2)
    count = len(model.lesson.examples)

    def undo_all() -> None:
        while len(model.lesson.examples) > count:
            model.undo()

    def run() -> bytes:
        undo_all()
        return model.add(more).lesson.head.kernel.tobytes()

    return Activity(run, undo_all)


def fitting(stack: ExitStack) -> Activity:
    """Of a layers model, which is usable wherever a fit of it was struck."""
    x = np.random.default_rng(7).normal(size=(64, 8)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32) + (x[:, 1] > 0)
    struck: list[core.Model] = []

    def run() -> list[bytes]:
        core.set_random_seed(1)
        struck[:] = [made_model()]
        struck[0].fit(x, y, batch_size=16, epochs=3, verbose=0)
        return [each.tobytes() for each in struck[0].get_weights()]

    def prepare() -> None:
        for model in struck:
            assert np.isfinite(model.predict(x, verbose=0)).all()

    return Activity(run, prepare)


def fine_tuning(stack: ExitStack) -> Activity:
    folder = folder_of_images(stack)
    quick: dict[str, Any] = {"model": FEATURES, "epochs": 2, "views": 0, "layers": 1}

    def run() -> str:
        with zoo.fine_tune(folder, **quick) as model:
            return repr((model.history, model.classify(IMAGE)))

    return Activity(run)


def live_video(stack: ExitStack) -> Activity:
    """Sessions of a loaded model, each of three frames."""
    model = stack.enter_context(zoo.load("posenet.tiny"))
    photo = read_image(IMAGE)
    frames = [np.roll(photo, 4 * shift, axis=1) for shift in range(3)]

    def run() -> str:
        session = model.session("estimate_multiple_poses")
        moments = [session(frame, number / 30) for number, frame in enumerate(frames)]
        return repr([(moment["result"], moment["ids"]) for moment in moments])

    return Activity(run)


#: By name; what makes one takes what ends with it.
LEARNING: dict[str, Callable[[ExitStack], Activity]] = {
    "classifying": classifying,
    "teaching": teaching,
    "adding": adding,
    "fitting": fitting,
    "fine_tuning": fine_tuning,
    "live_video": live_video,
}
