"""Trainings that are killed, and go on from the last checkpoint."""

import os
import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import core
from tests.core.models.test_long_fits import made_model
from tests.reliability.forking import forked

#: Samples of the data, of a batch, and epochs.
SAMPLES, BATCH, EPOCHS = 64, 16, 6

#: Endings of checkpoints.
ENDINGS = (".keras", ".h5")


class Training:
    """A training with checkpoints after each epoch, in a folder of its own.

    Args:
        ending: of the checkpoint.
        stack: what the folder ends with.
    """

    def __init__(self, ending: str, stack: ExitStack):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._begin, self._last = folder / "begin.keras", folder / f"last{ending}"
        self._x = np.random.default_rng(2).normal(size=(SAMPLES, 8)).astype(np.float32)
        self._y = (self._x[:, 0] > 0).astype(np.int32)
        core.set_random_seed(1)
        made_model().save(self._begin)
        self._expected = self.go_on()  # compiles what the children run
        self._last.unlink()
        started = time.perf_counter()
        self.go_on()
        self._seconds = time.perf_counter() - started

    def go_on(self) -> list[bytes]:
        """Train from the last checkpoint on, or from the start, and return the weights."""
        network, first = core.load_layers_model(self._begin), 0
        if self._last.exists():
            network = core.load_layers_model(self._last)
            first = int(network.optimizer.iterations) * BATCH // SAMPLES
        core.set_random_seed(7)
        seeded = {"on_epoch_begin": lambda epoch, logs: core.set_random_seed(epoch)}
        saved = core.callbacks.ModelCheckpoint(self._last)
        how = {"epochs": EPOCHS, "initial_epoch": first, "callbacks": [saved, seeded]}
        network.fit(self._x, self._y, BATCH, verbose=0, **how)
        return [each.tobytes() for each in network.get_weights()]

    def killed(self, kills: int, seed: int) -> dict[str, int]:
        """Kill it so many times, each time anew, and count what going on leads to."""
        delays, found = random.Random(seed), Counter[str]()
        for _ in range(kills):
            self._last.unlink(missing_ok=True)
            process = forked(self.go_on)
            time.sleep(delays.uniform(0, 1.5 * self._seconds))
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            begun = self._last.exists()
            equal = self.go_on() == self._expected
            found[("resumed" if begun else "anew") if equal else "other weights"] += 1
        return dict(found)
