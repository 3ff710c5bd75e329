"""Writes keras_augmentation.json: what Keras's layers give for parameters that are not random.

Run ``python keras_augmentation.py`` where Keras 3 is.
"""

import importlib
import json
import os
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
#: But for "wrap": between the last pixel and the first TensorFlow does not interpolate.
FILL_MODES = ("constant", "nearest", "reflect")


def images(high):
    """Two images 6 high and 7 wide, up to a value."""
    drawn = np.random.default_rng(3).random((2, 6, 7, 3)) * high
    return np.round(drawn, 3).astype(np.float32)


#: Layer, arguments, largest value of the images.
CASES = [
    *[
        (
            kind,
            {**options, "fill_mode": mode, "interpolation": interpolation, "fill_value": 9.0},
            255,
        )
        for kind, options in (
            ("RandomRotation", {"factor": (0.07, 0.07)}),
            ("RandomRotation", {"factor": (-0.31, -0.31)}),
            ("RandomTranslation", {"height_factor": (0.22, 0.22), "width_factor": (-0.4, -0.4)}),
            ("RandomZoom", {"height_factor": (0.3, 0.3), "width_factor": (-0.2, -0.2)}),
            ("RandomZoom", {"height_factor": (0.45, 0.45)}),
        )
        for mode in FILL_MODES
        for interpolation in ("bilinear", "nearest")
    ],
    ("RandomBrightness", {"factor": (0.2, 0.2)}, 255),
    ("RandomBrightness", {"factor": (-0.3, -0.3), "value_range": (0, 1)}, 1),
    ("RandomSaturation", {"factor": (0.8, 0.8), "value_range": (0, 1)}, 1),
    ("RandomSaturation", {"factor": (0.1, 0.1), "value_range": (0, 1)}, 1),
]

#: Layer, its random parameter by name, largest value of the images.
AMOUNTS = [
    ("RandomContrast", "contrast_factor", [0.4, 1.7], 255),
    ("RandomHue", "factor", [0.3, -0.45], 255),
]

#: Sizes of crops that are larger than the images, and the part of the images that is resized:
#: Keras documents it, and takes another one.
RESIZED = [((9, 5), np.s_[:, :, 2:5]), ((4, 8), np.s_[:, 1:4])]


def main():
    os.environ["KERAS_BACKEND"] = "tensorflow"
    keras = importlib.import_module("keras")
    layers = keras.layers
    found = []
    for kind, options, high in CASES:
        layer, x = getattr(layers, kind)(**options), images(high)
        found.append(layer.transform_images(x, layer.get_random_transformation(x)))
    for kind, name, amounts, high in AMOUNTS:
        shape = (2, 1, 1, 1) if kind == "RandomContrast" else (2,)
        amount = np.array(amounts, np.float32).reshape(shape)
        layer = getattr(layers, kind)(0.5)
        found.append(layer.transform_images(images(high), {name: amount}))
    found += [keras.ops.image.resize(images(255)[part], size) for size, part in RESIZED]
    texts = [json.dumps([float(f"{v:.6g}") for v in np.asarray(f).ravel()]) for f in found]
    FILE.write_text("[\n" + ",\n".join(texts) + "\n]\n")


if __name__ == "__main__":
    main()
