"""Writes keras_curves.json: the losses of 200 steps of five small models in Keras 3.

Run ``python -m tests.core.models.keras_curves`` where Keras 3 and TensorFlow are.
"""

import importlib
import json
from functools import partial
from pathlib import Path

from tests.core.models.curve_models import MODELS, curve
from tests.core.models.keras_layers import with_whole_gradients


def main():
    """Write everything."""
    keras, tf = importlib.import_module("keras"), importlib.import_module("tensorflow")
    whole = partial(with_whole_gradients, tf=tf)
    curves = {name: [float(f"{x:.7g}") for x in curve(keras, name, whole)] for name in MODELS}
    for name, values in curves.items():
        print(name, values[0], values[-1])
    document = {"keras": keras.__version__, "curves": curves}
    path = Path(__file__).with_name("keras_curves.json")
    path.write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
