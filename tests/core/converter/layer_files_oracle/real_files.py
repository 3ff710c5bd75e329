"""Model files of others: loaded, saved again for each program, and loaded there.

``python -m tests.core.converter.layer_files_oracle.real_files FOLDER [LIST]``: the folder has files
``.h5``, ``.keras`` and folders with a ``model.json``, at any depth; LIST is a JSON list of objects
with "file", relative to the folder, and "maker". Prints a JSON object for each file: what happened
when our engine loaded it, and by target "equal", the difference, "refused here: ..." before
anything was written, or "refused there: ..." by the program. The last line is the table.

Keras 3, tf_keras and npm's tfjs in Node load the files.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import numpy as np

import core
from core.errors import CoreError
from tests.core.converter.test_layer_files_peers import job, run_in_node
from tests.core.converter.test_tfjs_node import installed
from weights_cache.common.errors import WeightsError

#: Endings of the files by target, and options of `save`.
TARGETS = {
    "keras3": ("model.keras", {}),
    "keras3.h5": ("model.h5", {}),
    "keras2": ("keras2.h5", {"keras_version": 2}),
    "tfjs": ("tfjs", {}),
}

#: The largest difference of an output, as a share of its range.
TOLERANCE = 1e-5

#: A network whose own outputs change with the last bits of its inputs may differ by so many times
#: this change.
TIMES = 10

#: The same for layers that Keras computes in half precision, and we in float32.
HALF = 5e-3

#: Lengths of axes that may have any: the first that the model takes.
OPEN = (32, 1024, 12288)


def inputs_of(model: core.Model, length: int = OPEN[0]) -> list[np.ndarray]:
    """Noise for a model; small integers for integers and embeddings."""
    rng = np.random.default_rng(3)
    found = []
    for symbol in model.inputs:
        shape = [1, *(n or length for n in symbol.shape[1:])]
        values = rng.uniform(0, 1, shape).astype(np.float32)
        is_integer = symbol.dtype == "int32" or any(
            type(layer).__name__ == "Embedding" for layer in model.layers[:3]
        )
        values = np.floor(values * 2).astype(np.float32) if is_integer else values
        found.append(values.astype(symbol.dtype))
    return found


def listed(found) -> list[np.ndarray]:
    return [np.asarray(y) for y in (found if isinstance(found, (list, tuple)) else [found])]


def run_in_keras(path: Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
    keras.backend.clear_session()
    model = keras.models.load_model(path, compile=False)
    return listed(model(inputs if len(inputs) > 1 else inputs[0], training=False))


def outputs_of(model: core.Model, inputs: list[np.ndarray]) -> list[np.ndarray]:
    found = model(inputs if len(inputs) > 1 else inputs[0])
    return [y.numpy() for y in (found if isinstance(found, list) else [found])]


def taken(model: core.Model) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs of a length that the model takes, and its outputs."""
    for length in OPEN[:-1]:
        try:
            inputs = inputs_of(model, length)
            return inputs, outputs_of(model, inputs)
        except CoreError:  # too short for its windows
            continue
    inputs = inputs_of(model, OPEN[-1])
    return inputs, outputs_of(model, inputs)


def difference(found: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """The largest difference, as a share of an output's range."""
    worst = 0.0
    for mine, right in zip(found, expected, strict=True):
        span = max(float(np.ptp(right)), float(np.abs(right).max()), 1e-6)
        worst = max(worst, float(np.abs(mine - right).max()) / span)
    return worst


def compared(found: list[np.ndarray], expected: Sequence[np.ndarray]) -> str:
    """The verdict on outputs; the last of the expected arrays is the limit."""
    *right, limit = expected
    worst = difference(found, right)
    return "equal" if worst <= limit else f"differs by {worst:.1e}"


def report_of(path: Path, name: str, folder: Path) -> dict[str, str]:
    """What loading a file and saving it gave; files for tf_keras and Node stay in the folder."""
    report = {"loaded": "yes"}
    try:
        try:
            model = core.load_layers_model(path)
        except CoreError as error:
            if "compile=False" not in str(error):
                raise
            report["loaded"] = "yes, with compile=False"
            model = core.load_layers_model(path, compile=False)
    except (CoreError, WeightsError) as error:
        return {"loaded": str(error)[:300]}
    inputs, expected = taken(model)
    moved = outputs_of(model, [(x * (1 + 1e-6)).astype(x.dtype) for x in inputs])
    configs = [getattr(layer, "config", {}) for layer in model.layers]  # as the file has them
    is_half = any("float16" in str(config.get("dtype")) for config in configs)
    least = HALF if is_half else TOLERANCE
    expected.append(np.float32(max(least, TIMES * difference(moved, expected))))
    np.savez(folder / name, *inputs)
    with (folder / f"{name}.expected").open("wb") as stream:  # a .npz file has inputs
        np.savez(stream, *expected)
    for target, (ending, options) in TARGETS.items():
        saved = folder / f"{name} {ending}"
        try:
            model.save(saved, **options)
        except CoreError as error:
            report[target] = f"refused here: {error}"[:300]
            continue
        if target.startswith("keras3"):
            try:
                report[target] = compared(run_in_keras(saved, inputs), expected)
            except Exception as error:  # whatever Keras raises
                report[target] = f"refused there: {type(error).__name__}: {error}"[:300]
            saved.unlink()
    return report


def arrays(path: Path) -> list[np.ndarray]:
    return list(np.load(path).values())


def add_tf_keras(folder: Path, reports: dict[str, dict[str, str]]) -> None:
    """Add what tf_keras gives for the files in a folder."""
    command = [sys.executable, "-m", "tests.core.converter.files_in_keras", str(folder)]
    legacy = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
    done = subprocess.run([*command, "keras2.h5"], env=legacy, capture_output=True, text=True)
    refused = json.loads(done.stdout.splitlines()[-1])
    for name, report in reports.items():
        file = f"{name} keras2.h5"
        if file in refused:
            report["keras2"] = f"refused there: {refused[file]}"
        elif (folder / f"{file}.npz").exists():
            right = arrays(folder / f"{name}.expected")
            report["keras2"] = compared(arrays(folder / f"{file}.npz"), right)


def add_node(folder: Path, reports: dict[str, dict[str, str]]) -> None:
    """Add what npm's tfjs gives for the models in a folder."""
    for name, report in reports.items():
        model = folder / f"{name} tfjs" / "model.json"
        if model.exists():
            inputs = arrays(folder / f"{name}.npz")
            jobs = [job(inputs, [], folder / "again", model=str(model), optimizer=False)]
            try:
                (found,) = run_in_node(installed(), folder, jobs)
                report["tfjs"] = compared(found, arrays(folder / f"{name}.expected"))
            except (AssertionError, TypeError) as error:
                report["tfjs"] = f"refused there: {error}"[:300]


def main(folder: Path, entries: list[dict[str, str]]) -> None:
    reports: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as place:
        for number, entry in enumerate(entries):
            name = f"{number:03}"
            try:
                reports[name] = report_of(folder / entry["file"], name, Path(place))
            except Exception as error:  # the other files are run, too
                reports[name] = {"loaded": f"FOREIGN {type(error).__name__}: {error}"[:300]}
            print(name, entry["file"], reports[name], file=sys.stderr, flush=True)
        add_tf_keras(Path(place), reports)
        add_node(Path(place), reports)
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for entry, report in zip(entries, reports.values(), strict=True):
        print(json.dumps({**entry, "report": report}))
        for key, what in report.items():
            table[key][what.partition(":")[0].partition(" by")[0][:40]] += 1
    pairs = zip(entries, reports.values(), strict=True)
    makers = {entry["maker"] for entry, report in pairs if report["loaded"].startswith("yes")}
    print(json.dumps({"files": len(entries), "makers of loaded files": len(makers), **table}))


if __name__ == "__main__":
    place = Path(sys.argv[1])
    chosen = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else []
    if not chosen:
        paths = [p for end in ("*.h5", "*.keras", "*model.json") for p in place.rglob(end)]
        chosen = [
            {"file": str(p.relative_to(place)), "maker": p.relative_to(place).parts[0]}
            for p in sorted(paths)
        ]
    main(place, chosen)
