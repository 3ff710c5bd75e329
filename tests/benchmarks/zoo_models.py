"""What each model of the zoo takes from the file of a photo to the result, stage by stage.

Run: ``python -m tests.benchmarks.zoo_models [ROUNDS] [NODE_FOLDER] [NAME ...]``; names may be
patterns, and ``-`` stands for no folder. Weights and photos are among the reference files
(``ZOO_SHARED``). Every round takes each model once, and beside it other runtimes with the very
inputs that its networks were given: LiteRT with one and with two threads for TFLite files,
TensorFlow.js's cpu backend in Node for web models (``npm install @tensorflow/tfjs@4.22.0`` in a
folder makes the argument; slow, so only in the first rounds). Networks of which only the weights
are published have no peer. A first round that does not count loads everything.

Prints medians in milliseconds and the medians of the ratios within a round, ours to the peer's;
then a line of JSON. Stages: ``read`` the photo, ``preprocess`` it or its parts, ``run`` all
networks, and ``decode``, which is the rest.
"""

import importlib
import json
import os
import pkgutil
import statistics
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zoo
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.zoo_peers import Call, LiteRt, Peer, TensorFlowJs
from zoo.catalog.entries import all_entries
from zoo.catalog.entry import Entry

ROOT = Path(__file__).resolve().parent.parent.parent
SHARED = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared"))

#: TensorFlow.js takes part in so many rounds.
SLOW_ROUNDS = 3

#: A photo for the models of each task.
PHOTOS = {
    "classification": "coral_cat_720p.jpg",
    "detection": "dogs_demo.jpg",
    "faces": "portrait.jpg",
    "gestures": "two_hands.jpg",
    "hands": "two_hands.jpg",
    "pose": "yoga_beach.jpg",
    "segmentation": "three_people.jpg",
}

#: What is timed is the first of these that a model has; parts of others have but the last.
VERBS = (
    *("classify", "estimate_single_pose", "estimate_hands", "recognize_gestures"),
    *("detect_faces", "estimate_faces", "segment", "segment_person", "detect", "infer"),
)

STAGES = ("read", "preprocess", "run")
Times = dict[str, float]


class Stopwatch:
    """Adds up what the stages take while the zoo works, and keeps what its networks are given."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.restart()
        for module in pkgutil.walk_packages(zoo.__path__, "zoo."):
            importlib.import_module(module.name)
        stages = {"read_image": "read", "prepare": "preprocess", "prepare_crops": "preprocess"}
        for name, stage in stages.items():
            home = "zoo.images.reading" if name == "read_image" else "zoo.pipeline.preprocess"
            self._replace(home, name, partial(self._timed, stage))
        self._replace("zoo.pipeline.model", "make_model", self._noted)
        execute = self._timed("run", GraphModel.execute)

        def kept(network: GraphModel, inputs: Any, *args: Any, **options: Any) -> Any:
            values = np.asarray(next(iter(inputs.values())) if isinstance(inputs, dict) else inputs)
            (spec,) = network.inputs.values()
            # What runs from a node in the middle on is the rest of the run before.
            if fits(spec.shape, values.shape):
                self.calls.append(Call(self.entries[id(network)], values))
            return execute(network, inputs, *args, **options)

        GraphModel.execute = kept

    def restart(self) -> None:
        """Forget what was."""
        self.spent = dict.fromkeys(STAGES, 0.0)
        self.calls: list[Call] = []

    def _timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def timed(*args: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                self.spent[stage] += 1e3 * (time.perf_counter() - start)

        return timed

    def _noted(self, make_model: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(make_model)
        def noted(entry: Entry, *args: Any, **options: Any) -> Any:
            model = make_model(entry, *args, **options)
            self.entries[id(model.network)] = entry
            return model

        return noted

    def _replace(self, home: str, name: str, wrap: Callable[..., Any]) -> None:
        """Wherever the zoo has imported a function."""
        original = getattr(sys.modules[home], name)
        wrapped = wrap(original)
        for module in [m for key, m in sys.modules.items() if key.partition(".")[0] == "zoo"]:
            if vars(module).get(name) is original:
                setattr(module, name, wrapped)


def fits(expected: tuple[int | None, ...] | None, shape: tuple[int, ...]) -> bool:
    """Whether pictures of a shape are of that of an input, however many they are."""
    if expected is None or len(expected) != len(shape):
        return expected is None
    return all(n in (None, m) for n, m in zip(expected[1:], shape[1:], strict=True))


class Subject(NamedTuple):
    """A model with what it does."""

    name: str
    verb: str
    work: Callable[[], Any]


def subject(name: str) -> Subject:
    """A loaded model, and the call that is timed."""
    model, task = zoo.load(name), all_entries()[name].task
    verb = next(verb for verb in VERBS if hasattr(model, verb))
    source: Any = SHARED / "images" / "photos" / PHOTOS[task]
    if task == "gestures":
        source = zoo.estimate_hands(source)
    return Subject(name, verb, partial(getattr(model, verb), source))


def ours(watch: Stopwatch, subject: Subject) -> Times:
    """Milliseconds of each stage of one photo."""
    watch.restart()
    start = time.perf_counter()
    subject.work()
    total = 1e3 * (time.perf_counter() - start)
    decode = total - sum(watch.spent.values())
    return {"total": total, **watch.spent, "decode": decode}


def measure(rounds: int, subjects: list[Subject], watch: Stopwatch, peers: dict[str, Peer]) -> Any:
    """Of each model the times of each round, with those of the peers by their names."""
    found: dict[str, list[Times]] = {subject.name: [] for subject in subjects}
    for turn in range(rounds + 1):
        for subject in subjects:
            times = ours(watch, subject)
            for name, peer in peers.items():
                if name != "tfjs" or turn <= SLOW_ROUNDS:
                    taken = peer(watch.calls)
                    times |= {} if taken is None else {name: taken}
            if turn:
                found[subject.name].append(times)
    return found


def row(rounds: list[Times], peers: dict[str, Peer]) -> Times:
    """Medians, and medians of the ratios within a round."""
    medians = {
        key: round(statistics.median(t[key] for t in rounds if key in t), 2) for key in rounds[0]
    }
    for name in peers:
        ratios = [times["run"] / times[name] for times in rounds if name in times]
        if ratios:
            medians[f"run/{name}"] = round(statistics.median(ratios), 3)
    return medians


def main(rounds: int, modules: str, patterns: list[str]) -> None:
    """Print a row for each model."""
    weights = SHARED / "weights"
    os.environ["ZOO_WEIGHTS_MIRROR"] = str(weights)
    watch = Stopwatch()
    peers: dict[str, Peer] = {f"litert_{n}": LiteRt(weights, threads=n) for n in (1, 2)}
    if modules != "-":
        peers["tfjs"] = TensorFlowJs(weights, modules)
    names = [n for n in all_entries() if any(fnmatchcase(n, p) for p in patterns)]
    subjects = [subject(name) for name in names]
    found = measure(rounds, subjects, watch, peers)
    columns = ["total", *STAGES, "decode", *peers, *(f"run/{name}" for name in peers)]
    print(f"{'milliseconds, medians':<46}", *(f"{c:>13}" for c in columns))
    rows = {subject.name: row(found[subject.name], peers) for subject in subjects}
    for subject_ in subjects:
        cells = (f"{rows[subject_.name].get(c, '-'):>13}" for c in columns)
        print(f"{subject_.name + ' ' + subject_.verb:<46}", *cells)
    print(json.dumps({"rounds": rounds, "results": rows}))


if __name__ == "__main__":
    arguments = [*sys.argv[1:], *("7", "-", "*")[len(sys.argv) - 1 :]]
    main(int(arguments[0]), arguments[1], arguments[2:])
