"""Runs exported files of Keras in a process of TensorFlow's own.

``python tests/zoo/transfer/keras_exports.py FOLDER``: for each ``.keras`` and ``.h5`` file in the
folder, ``NAME.input.npy`` is its input and ``NAME.output.npy`` will be what Keras computes. With
``TF_USE_LEGACY_KERAS=1`` Keras 2 loads the files.
"""

import importlib
import os
import sys
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    """Run all models of a folder."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    # oneDNN's kernels, which newer CPUs get, round sums differently.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    keras = importlib.import_module("keras")
    for file in sorted([*folder.glob("*.keras"), *folder.glob("*.h5")]):
        model = keras.models.load_model(file, compile=False)
        values = np.load(folder / f"{file.name}.input.npy")
        np.save(folder / f"{file.name}.output.npy", np.asarray(model(values, training=False)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
