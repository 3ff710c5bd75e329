"""Writes keras_names.json: arguments and configs of Keras 3's layers, and logs of its `fit`.

Run ``python -m tests.core.models.keras_names`` where Keras 3 and TensorFlow are.
"""

import importlib
import inspect
import json
import warnings
from pathlib import Path

import core
from tests.core.models.fit_runs import RUNS, run
from tests.core.models.layer_cases import CASES, layer_of

#: Arguments that all layers have.
COMMON = {"name", "dtype", "trainable", "weights"}


def plain(value):
    """A default as JSON has it."""
    if value is inspect.Parameter.empty:
        return "required"
    return value if isinstance(value, (bool, int, float, str, type(None), list, tuple)) else "?"


def signature(made):
    """Arguments with their defaults, in order."""
    parameters = list(inspect.signature(made.__init__).parameters.values())[1:]
    named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    return {p.name: plain(p.default) for p in named if p.name not in COMMON}


def classes():
    """The classes of `core` by their names, without other names of them."""
    found = {getattr(core.layers, name).__name__ for name in core.layers.class_names().values()}
    return sorted(found)


def first_cases():
    """The first case of each class."""
    found = {}
    for case in CASES.values():
        found.setdefault(case.layer, case)
    return found


def main():
    """Write everything."""
    warnings.simplefilter("ignore")
    keras = importlib.import_module("keras")
    there = {name: getattr(keras.layers, name, None) for name in classes()}
    configs = {
        name: layer_of(keras.layers, case).get_config() for name, case in first_cases().items()
    }
    document = {
        "keras": keras.__version__,
        "signatures": {name: signature(made) for name, made in there.items() if made},
        "configs": configs,
        "runs": {name: run(keras, name) for name in RUNS},
    }
    path = Path(__file__).with_name("keras_names.json")
    path.write_text(json.dumps(document, indent=0, default=str) + "\n")


if __name__ == "__main__":
    main()
