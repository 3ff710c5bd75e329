"""Writes keras3_optimizers.json and keras2_optimizers.json: what Keras's optimizers do.

Run ``python keras_optimizers.py`` where Keras 3 is; with ``TF_USE_LEGACY_KERAS=1`` and tf_keras for
Keras 2. A case has the config, values of the variables after some steps, and the state at the end
by the names and in the order of Keras.
"""

import importlib
import json
import os
import tempfile
from pathlib import Path

import numpy as np

LEGACY = bool(os.environ.get("TF_USE_LEGACY_KERAS"))
if __name__ == "__main__":  # the suite looks into this file, and needs no Keras
    keras = importlib.import_module("tf_keras" if LEGACY else "keras")
    h5py = importlib.import_module("h5py")

RNG = np.random.default_rng(3)
SHAPES = {"layer/kernel": (2, 3), "layer/bias": (3,), "scale": (), "cube": (2, 1, 2)}
STEPS, RECORDED = 12, (1, 2, 3, 6, 12)
START = {n: RNG.normal(size=s).astype(np.float32).round(3) for n, s in SHAPES.items()}
GRADIENTS = [
    {n: (RNG.normal(size=s) * RNG.choice([0.1, 1, 3])).round(3) for n, s in SHAPES.items()}
    for _ in range(STEPS)
]

EXPONENTIAL = (
    "ExponentialDecay",
    {"initial_learning_rate": 0.1, "decay_steps": 4, "decay_rate": 0.5},
)
PIECES = ("PiecewiseConstantDecay", {"boundaries": [2, 5], "values": [0.1, 0.05, 0.01]})

#: Class and arguments; "schedule" and "excluded" are put in by `made`.
CASES = [
    ("SGD", {}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"learning_rate": 0.1, "clipnorm": 0.5}),
    ("SGD", {"learning_rate": 0.1, "clipvalue": 0.3}),
    ("SGD", {"learning_rate": 0.1, "global_clipnorm": 0.7}),
    ("SGD", {"learning_rate": 0.1, "loss_scale_factor": 8.0}),
    ("SGD", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.8}),
    ("SGD", {"schedule": EXPONENTIAL, "momentum": 0.5}),
    ("SGD", {"schedule": PIECES, "weight_decay": 0.2}),
    ("SGD", {"schedule": EXPONENTIAL, "gradient_accumulation_steps": 3}),
    ("RMSprop", {}),
    ("RMSprop", {"learning_rate": 0.01, "rho": 0.8, "momentum": 0.9}),
    ("RMSprop", {"learning_rate": 0.01, "centered": True, "epsilon": 1e-4}),
    ("RMSprop", {"learning_rate": 0.01, "centered": True, "momentum": 0.5, "weight_decay": 0.1}),
    ("Adam", {}),
    ("Adam", {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}),
    ("Adam", {"learning_rate": 0.1, "amsgrad": True, "beta_2": 0.9}),
    ("Adam", {"learning_rate": 0.1, "weight_decay": 0.3, "global_clipnorm": 1.0}),
    ("Adam", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.5,
              "ema_overwrite_frequency": 3}),
    ("Adam", {"learning_rate": 0.1, "gradient_accumulation_steps": 4, "clipnorm": 0.6,
              "use_ema": True, "ema_overwrite_frequency": 2, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.4, "excluded": ["bias", "scale"]}),
    ("AdamW", {"learning_rate": 0.1, "amsgrad": True, "gradient_accumulation_steps": 2}),
    ("Adadelta", {}),
    ("Adadelta", {"learning_rate": 1.0, "rho": 0.8, "epsilon": 1e-3}),
    ("Adagrad", {}),
    ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.5, "epsilon": 1e-2}),
    ("Adamax", {}),
    ("Adamax", {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}),
    ("Nadam", {}),
    ("Nadam", {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}),
    ("Ftrl", {}),
    ("Ftrl", {"learning_rate": 0.1, "l1_regularization_strength": 0.2, "beta": 0.1,
              "l2_regularization_strength": 0.1, "l2_shrinkage_regularization_strength": 0.05}),
    ("Ftrl", {"learning_rate": 0.1, "learning_rate_power": -0.7, "clipvalue": 0.5}),
    ("Lion", {}),
    ("Lion", {"learning_rate": 0.01, "beta_1": 0.8, "beta_2": 0.9, "weight_decay": 0.1}),
    ("Adafactor", {}),
    ("Adafactor", {"learning_rate": 0.5, "beta_2_decay": -0.5, "epsilon_2": 0.1,
                   "clip_threshold": 0.7, "weight_decay": 0.01}),
]  # fmt: skip

#: What tf.keras does not take.
NEW = {"schedule", "excluded", "loss_scale_factor", "gradient_accumulation_steps"}

#: Of tf.keras before 2.11, whose state stands in another order.
OLD_CASES = [
    ("SGD", {"learning_rate": 0.1}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "decay": 0.25}),
    ("RMSprop", {"learning_rate": 0.01, "momentum": 0.9, "centered": True}),
    ("Adam", {"learning_rate": 0.1, "clipvalue": 0.5}),
    ("Adam", {"learning_rate": 0.1, "amsgrad": True}),
    ("Adadelta", {"learning_rate": 1.0}),
    ("Adagrad", {"learning_rate": 0.1}),
    ("Adamax", {"learning_rate": 0.1}),
    ("Nadam", {"learning_rate": 0.1}),
    ("Ftrl", {"learning_rate": 0.1}),
]

SCHEDULES = [
    EXPONENTIAL,
    ("ExponentialDecay", {**EXPONENTIAL[1], "staircase": True}),
    PIECES,
    ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 7}),
    ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 7, "power": 2.0,
                         "end_learning_rate": 0.01, "cycle": True}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 3, "decay_rate": 0.5}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 3, "decay_rate": 0.5,
                          "staircase": True}),
    ("CosineDecay", {"initial_learning_rate": 0.1, "decay_steps": 11, "alpha": 0.1}),
    ("CosineDecay", {"initial_learning_rate": 0.01, "decay_steps": 11, "warmup_target": 0.1,
                     "warmup_steps": 4}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 5}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 4, "t_mul": 1.5,
                             "m_mul": 0.8, "alpha": 0.1}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 4, "t_mul": 1.0}),
]  # fmt: skip


def numbers(array):
    """Flat list of float32 numbers in few digits."""
    return [float(f"{v:.9g}") for v in np.ravel(np.asarray(array, np.float64))]


def made(module, name, arguments):
    """An optimizer."""
    options = {n: a for n, a in arguments.items() if n not in ("schedule", "excluded")}
    if "schedule" in arguments:
        kind, config = arguments["schedule"]
        options["learning_rate"] = getattr(keras.optimizers.schedules, kind)(**config)
    optimizer = getattr(module, name)(**options)
    if "excluded" in arguments:
        optimizer.exclude_from_weight_decay(var_names=arguments["excluded"])
    return optimizer


def variables():
    """New variables of Keras 3 or TensorFlow."""
    if LEGACY:
        tf = importlib.import_module("tensorflow")
        return [tf.Variable(v, name=n) for n, v in START.items()]
    found = [keras.Variable(v, name=n.split("/")[-1]) for n, v in START.items()]
    for variable, name in zip(found, START, strict=True):
        variable._path = name
    return found


def state_of(optimizer):
    """Names, shapes and values in Keras's order, as an .h5 file has them."""
    if not LEGACY:
        found = [(v.path, v.numpy()) for v in optimizer.variables]
    else:
        hdf5 = importlib.import_module("tf_keras.src.saving.legacy.hdf5_format")
        with tempfile.TemporaryDirectory() as folder, h5py.File(f"{folder}/a.h5", "w") as file:
            hdf5.save_optimizer_weights_to_hdf5_group(file, optimizer)
            group = file["optimizer_weights"]
            found = [(n, group[n][()]) for n in group.attrs["weight_names"]]
    return [
        {"name": n if isinstance(n, str) else n.decode(), "shape": np.shape(a),
         "values": numbers(a)}
        for n, a in found
    ]  # fmt: skip


def recorded(module, name, arguments):
    """What one optimizer does."""
    keras.backend.clear_session()
    optimizer, several, values = made(module, name, arguments), variables(), {}
    middle = None
    for step, gradients in enumerate(GRADIENTS, 1):
        g = [np.asarray(g, np.float32) for g in gradients.values()]
        if LEGACY:
            g = [importlib.import_module("tensorflow").constant(a) for a in g]
        optimizer.apply_gradients(zip(g, several, strict=True))
        if step in RECORDED:
            values[step] = [numbers(v.numpy()) for v in several]
        if LEGACY and step == 3:
            middle = state_of(optimizer)
    config = optimizer.get_config()
    found = {"class_name": name, "arguments": arguments, "config": config, "values": values}
    if LEGACY:
        return {**found, "state": middle}
    if optimizer.use_ema:
        optimizer.finalize_variable_values(several)
        found["final"] = [numbers(v.numpy()) for v in several]
    return {**found, "state": state_of(optimizer)}


def main():
    """Write the file beside this one."""
    taken = [case for case in CASES if not LEGACY or not NEW & {*case[1]}]
    cases = [recorded(keras.optimizers, *case) for case in taken]
    document = {
        "version": keras.__version__,
        "start": {n: v.tolist() for n, v in START.items()},
        "gradients": [{n: g.tolist() for n, g in each.items()} for each in GRADIENTS],
        "cases": cases,
    }
    if LEGACY:
        document["old_cases"] = [recorded(keras.optimizers.legacy, *case) for case in OLD_CASES]
    else:
        kinds = keras.optimizers.schedules
        document["schedules"] = [
            {"class_name": name, "config": config,
             "values": numbers([getattr(kinds, name)(**config)(step) for step in range(30)])}
            for name, config in SCHEDULES
        ]  # fmt: skip
    file = Path(__file__).with_name(f"keras{2 if LEGACY else 3}_optimizers.json")
    text = json.dumps(document, separators=(",", ":"), default=float)
    file.write_text(text.replace('{"class', '\n{"class') + "\n")


if __name__ == "__main__":
    main()
