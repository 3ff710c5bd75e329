"""Keras runs model files: ``python -m tests.core.converter.files_in_keras FOLDER ENDING ...``.

``FOLDER/NAME.npz`` has the inputs (x0, x1, ...) for the files ``FOLDER/NAME ENDING``. The outputs
are written to ``FOLDER/NAME ENDING.npz``; the last line printed is a JSON object with the errors of
files that Keras refuses. ``TF_USE_LEGACY_KERAS=1`` takes Keras 2.
"""

import importlib
import json
import os
import sys
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np


def outputs_of(keras, path: Path, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """What Keras computes with the model of a file."""
    keras.backend.clear_session()
    model = keras.models.load_model(path, compile=False)
    found = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    return [np.asarray(y) for y in (found if isinstance(found, (list, tuple)) else [found])]


def main(folder: Path, endings: list[str]) -> dict[str, str]:
    """Run all files; return the errors by file."""
    legacy = os.environ.get("TF_USE_LEGACY_KERAS")
    keras = importlib.import_module("tf_keras" if legacy else "keras")
    refused = {}
    for given in sorted(folder.glob("*.npz")):
        inputs = list(np.load(given).values())
        for path in [folder / f"{given.stem} {ending}" for ending in endings]:
            if path.exists():
                try:
                    np.savez(path, *outputs_of(keras, path, inputs))
                except Exception as error:  # the other files are run, too
                    refused[path.name] = f"{type(error).__name__}: {error}"[:500]
    return refused


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2:])))
