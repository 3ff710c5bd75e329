"""Writes keras_layers.json: results, gradients and trained weights of the layers of Keras 3.

Run ``python -m tests.core.models.keras_layers NAMES OF CASES`` where Keras 3 and TensorFlow are.
"""

import base64
import importlib
import json
import sys
import warnings
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from tests.core.models.layer_cases import CASES, Case, models_of, start_values, values_of

OPTIMIZERS = {
    "SGD": {"learning_rate": 0.1, "momentum": 0.9},
    "Adam": {"learning_rate": 0.01, "epsilon": 1e-4},
}
STEPS = 3


def packed(arrays):
    """Shapes, and all numbers as compressed bytes of float32."""
    arrays = [np.asarray(array, np.float32) for array in arrays]
    content = b"".join(array.tobytes() for array in arrays)
    return [
        [list(array.shape) for array in arrays],
        base64.b85encode(zlib.compress(content, 9)).decode(),
    ]


def unpacked(document):
    """The arrays of `packed`."""
    shapes, text = document
    numbers = np.frombuffer(zlib.decompress(base64.b85decode(text)), np.float32)
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    return [numbers[a:b].reshape(s) for s, a, b in zip(shapes, ends[:-1], ends[1:], strict=True)]


def start(model):
    """Give the variables of a model of any library the numbers that both have."""
    values = [start_values(v.name, v.shape, i) for i, v in enumerate(model.weights)]
    model.set_weights(values)


def projections(outputs):
    """Random factors of the outputs, whose sum is differentiated."""
    rng = np.random.default_rng(77)
    return [rng.uniform(-1, 1, tuple(output.shape)).astype("float32") for output in outputs]


def target_of(model, inputs):
    """What a model learns: one array, or one for each output."""
    shapes = model.output_shape
    several = isinstance(shapes[0], (list, tuple))
    rng = np.random.default_rng(5)
    found = [
        rng.uniform(-1, 1, (len(inputs[0]), *shape[1:])).astype("float32")
        for shape in (shapes if several else [shapes])
    ]
    return found if several else found[0]


def listed(found):
    return list(found) if isinstance(found, (list, tuple)) else [found]


def gradients(tf, model, inputs):
    """Gradients of the projection in training, of the weights and of inputs of numbers."""
    tensors = [tf.convert_to_tensor(x) for x in inputs]
    wanted = [x for x in tensors if x.dtype == tf.float32]
    with tf.GradientTape() as tape:
        for x in wanted:
            tape.watch(x)
        outputs = listed(model(tensors, training=True))
        total = sum(
            tf.reduce_sum(p * o) for p, o in zip(projections(outputs), outputs, strict=True)
        )
    sources = [*model.trainable_variables, *wanted]
    found = tape.gradient(total, sources)
    found = [
        tf.zeros_like(s) if g is None else tf.convert_to_tensor(g)
        for g, s in zip(found, sources, strict=True)
    ]
    return outputs, found


def with_whole_gradients(optimizer, tf):
    """An optimizer that adds up the rows of a table's gradient; Keras squares each in Adam."""

    class Whole(optimizer):
        def apply(self, grads, trainable_variables=None):
            grads = [None if grad is None else tf.convert_to_tensor(grad) for grad in grads]
            return super().apply(grads, trainable_variables)

    return Whole


def record(keras, tf, case: Case):
    """What a layer gives."""
    inputs = [values_of(data, i) for i, data in enumerate(case.inputs)]
    model, trained = models_of(keras, case)
    start(model)
    # TensorFlow refuses channels first without XLA, or returns wrong numbers (Conv3D).
    is_first = case.config.get("data_format") == "channels_first"
    compiled = partial(tf.function, jit_compile=True, autograph=False) if is_first else lambda f: f
    outputs = compiled(lambda: model([tf.constant(x) for x in inputs]))()
    found = {"weights": len(model.weights), "output": packed(listed(outputs))}
    outputs, gradient = compiled(lambda: gradients(tf, model, inputs))()
    found["training"], found["gradients"] = packed(outputs), packed(gradient)
    target = target_of(trained, inputs)
    for name, config in OPTIMIZERS.items():
        start(trained)
        how = {"jit_compile": True} if is_first else {"run_eagerly": True}
        optimizer = with_whole_gradients(getattr(keras.optimizers, name), tf)
        trained.compile(optimizer(**config), "mse", **how)
        losses = [float(trained.train_on_batch(inputs, target)) for _ in range(STEPS)]
        found[name] = packed([losses, *trained.get_weights()])
    return found


def main():
    """Write the cases whose names are arguments, and those that are not there yet."""
    warnings.simplefilter("ignore")
    keras, tf = importlib.import_module("keras"), importlib.import_module("tensorflow")
    path = Path(__file__).with_name("keras_layers.json")
    found = json.loads(path.read_text())["cases"] if path.exists() else {}
    for name, case in CASES.items():
        if name in sys.argv[1:] or name not in found:
            found[name] = record(keras, tf, case)
            ordered = {key: found[key] for key in CASES if key in found}
            text = json.dumps({"keras": keras.__version__, "cases": ordered}, indent=0)
            path.write_text(text + "\n")
            keras.backend.clear_session()


if __name__ == "__main__":
    main()
