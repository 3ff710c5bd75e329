"""Many steps of `fit`: memory stays flat, Ctrl-C leaves a usable model, a seed gives the losses."""

import gc
import json
import os
import random
import signal
import subprocess
import sys
from threading import Timer

import numpy as np
import pytest

import core
from tests.core.autodiff.test_tape_memory import resident_bytes
from tests.helpers import ROOT, garbage_stays

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def made_model(features: int = 8) -> core.Sequential:
    """A model with what keeps state: batch norm, dropout, and an optimizer with two slots."""
    layers = core.layers
    model = core.Sequential(
        [
            layers.Input((features,)),
            layers.Dense(16, use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.Dropout(0.2),
            layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile(core.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["acc"])
    return model


def endless_batches(rng: np.random.Generator) -> core.data.Dataset:
    x = rng.normal(size=(200, 8)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32) + (x[:, 1] > 0)
    rows = core.data.Dataset.from_arrays((x, y))
    return rows.shuffle(100, seed=1).batch(16).prefetch(2).repeat()


@pytest.mark.parametrize("steps", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_memory_stays_flat_over_steps_of_fit(steps, rng):
    model, batches = made_model(), endless_batches(rng)
    history = model.fit(batches, steps_per_epoch=50, epochs=4, verbose=0).history
    with garbage_stays():
        before, resident = core.memory(), resident_bytes()
        model.fit(batches, steps_per_epoch=50, epochs=steps // 50, verbose=0)
        gc.collect()
        assert core.memory() == before
    if steps > 1000:  # beside which what other threads of the process take is little
        assert resident_bytes() - resident < 2**20
    after = model.evaluate(batches, steps=20, return_dict=True)
    assert after["loss"] < history["loss"][0] and after["acc"] > 0.8


#: Trains until it is interrupted, over and over, and prints whether the model is usable.
CHILD = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background jobs ignore it
import numpy as np
import core
from tests.core.models.test_long_fits import endless_batches, made_model

model, batches = made_model(), endless_batches(np.random.default_rng(0))
checkpoint = core.callbacks.ModelCheckpoint(sys.argv[1], save_freq=3)
model.fit(batches, steps_per_epoch=3, epochs=1, verbose=0, callbacks=[checkpoint])
for _ in range(int(sys.argv[2])):
    try:
        print("fits", flush=True)
        model.fit(batches, steps_per_epoch=5, epochs=10**6, verbose=0, callbacks=[checkpoint])
    except KeyboardInterrupt:
        pass
    finite = all(np.isfinite(each).all() for each in model.get_weights())
    steps = model.optimizer.iterations
    loss = model.fit(batches, steps_per_epoch=2, verbose=0).history["loss"][0]
    after = model.optimizer.iterations
    print(json.dumps({"finite": finite, "loss": loss, "steps": [steps, after]}), flush=True)
"""


def check_interrupts(tmp_path, count: int) -> None:
    chance, path = random.Random(5), tmp_path / "kept" / "model.keras"
    command = [sys.executable, "-c", CHILD, str(path), str(count)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)
    end = Timer(600, process.kill)  # if a signal is lost
    end.daemon = True
    end.start()
    with process:
        for _ in range(count):
            assert process.stdout.readline() == "fits\n", process.stderr.read()
            try:
                process.wait(chance.uniform(0.02, 0.2))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            found = json.loads(process.stdout.readline() or "{}")
            assert found, process.stderr.read()
            assert found["finite"] and np.isfinite(found["loss"])
            assert found["steps"][1] == found["steps"][0] + 2
        errors = process.stderr.read()
    end.cancel()
    assert (process.returncode, errors) == (0, "")
    assert os.listdir(path.parent) == [path.name]
    again = core.load_layers_model(path)
    x = np.random.default_rng(1).normal(size=(30, 8)).astype(np.float32)
    again.fit(x, np.zeros(30, np.int32), verbose=0)
    assert all(np.isfinite(each).all() for each in again.get_weights())


@needs_signals
@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.long)])
def test_ctrl_c_leaves_a_usable_model_and_a_whole_checkpoint(count, tmp_path):
    pytest.importorskip("h5py", reason="files of Keras need h5py")
    check_interrupts(tmp_path, count)


@pytest.fixture
def pythons_handler():
    """Python's own handler of SIGINT, which background jobs of shells lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@needs_signals
@pytest.mark.usefixtures("pythons_handler")
def test_ctrl_c_in_a_step_waits_for_its_end(rng):
    """The signal comes while the loss is computed; its step still changes the weights."""

    def loss(labels, outputs):
        signal.raise_signal(signal.SIGINT)
        return core.mean(core.square(outputs - labels))

    model = core.Sequential([core.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", loss, run_eagerly=True)
    x, y = rng.normal(size=(4, 2)).astype(np.float32), np.ones((4, 1), np.float32)
    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y, epochs=5, verbose=0)
    assert model.optimizer.iterations == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


REPRODUCED = """
import json
import numpy as np
import core
from tests.core.models.test_long_fits import made_model

core.set_random_seed(7)
rng = np.random.default_rng(3)
x, y = rng.normal(size=(100, 8)).astype(np.float32), rng.integers(0, 3, 100).astype(np.int32)
history = made_model().fit(x, y, epochs=4, verbose=0, validation_split=0.2).history
print(json.dumps(history))
"""


def test_a_seed_gives_the_same_losses_in_two_processes():
    found = [
        subprocess.run(
            [sys.executable, "-c", REPRODUCED], capture_output=True, text=True, cwd=ROOT, check=True
        ).stdout
        for _ in range(2)
    ]
    assert found[0] == found[1] and len(json.loads(found[0])["val_loss"]) == 4
