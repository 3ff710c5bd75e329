"""Classifies images with an exported file of Keras as Teachable Machine's program does.

``python tests/zoo/transfer/keras_program.py MODEL IMAGE ...``: ``labels.txt`` is beside the model.
The last line that is printed is a JSON list of ``{"label": of the best class, "scores": of all}``.

Source: the steps of the program that Teachable Machine shows beside its export for Keras.
"""

import importlib
import json
import os
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps


def main(path: Path, images: list[str]) -> None:
    """Print the classes of images."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    keras = importlib.import_module("keras")
    model = keras.models.load_model(path, compile=False)
    lines = path.with_name("labels.txt").read_text("utf-8").splitlines()
    found = []
    for file in images:
        picture = ImageOps.fit(Image.open(file), (224, 224), Image.Resampling.LANCZOS)
        values = np.asarray(picture).astype(np.float32) / 127.5 - 1
        scores = np.asarray(model(values[None], training=False))[0]
        found.append({"label": lines[scores.argmax()][2:], "scores": scores.tolist()})
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
