"""The sides of `dense_networks` that are in Python, each served in a process of its own."""

import json
import sys
from abc import ABC, abstractmethod
from time import perf_counter
from typing import Any

import numpy as np

#: Samples of a batch.
BATCH = 64

#: Steps before the turns, of which the losses are compared.
LOSSES = 3

RATE = 0.02


class Data:
    """The data and weights of a file.

    Args:
        path: without ``.npz``.
    """

    def __init__(self, path: str):
        with np.load(f"{path}.npz") as file:
            arrays = dict(file)
        self.x, self.y = arrays.pop("x"), arrays.pop("y")
        self.weights = [arrays[name] for name in sorted(arrays)]

    def batches(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return batches of pixels and labels."""
        starts = range(0, len(self.x), BATCH)
        return [(self.x[i : i + BATCH], self.y[i : i + BATCH]) for i in starts]


class PythonSide(ABC):
    """A network with one library.

    Args:
        data: its weights, and what it is trained on.
        threads: how many threads the library may use.
    """

    def __init__(self, data: Data, threads: int):
        self.data, self.threads = data, threads
        self.widths = [each.shape[1] for each in data.weights[::2]]
        self.make()

    @abstractmethod
    def make(self) -> None:
        """Make the network with the weights of the data."""

    @abstractmethod
    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        """Train on a batch, and return the loss before it."""

    @abstractmethod
    def train(self) -> None:
        """Train on all batches in turn."""

    @abstractmethod
    def predict(self) -> None:
        """Compute the probabilities for all batches in turn."""


class Core(PythonSide):
    """Here, in the generated tier, whose code is made beforehand."""

    def make(self) -> None:
        """Make a `core.Sequential`."""
        self._model = _sequential(_core(), self.data, self.widths)

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        """Train on a batch."""
        return float(self._model.train_on_batch(x, y))

    def train(self) -> None:
        """Fit the model for one epoch."""
        self._model.fit(self.data.x, self.data.y, BATCH, verbose=0, shuffle=False)

    def predict(self) -> None:
        """Predict all."""
        self._model.predict(self.data.x, BATCH)


class Keras(PythonSide):
    """Keras with TensorFlow, in the graph mode that it chooses by itself."""

    def make(self) -> None:
        """Make a `keras.Sequential`."""
        import tensorflow

        tensorflow.config.threading.set_intra_op_parallelism_threads(self.threads)
        tensorflow.config.threading.set_inter_op_parallelism_threads(self.threads)
        self._model = _sequential(tensorflow.keras, self.data, self.widths)

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        """Train on a batch."""
        return float(self._model.train_on_batch(x, y))

    def train(self) -> None:
        """Fit the model for one epoch."""
        self._model.fit(self.data.x, self.data.y, BATCH, verbose=0, shuffle=False)

    def predict(self) -> None:
        """Predict all."""
        self._model.predict(self.data.x, BATCH, verbose=0)


class Torch(PythonSide):
    """PyTorch, eager, over tensors made beforehand."""

    def make(self) -> None:
        """Make a `torch.nn.Sequential`."""
        import torch

        torch.set_num_threads(self.threads)
        layers: list[Any] = []
        for kernel in self.data.weights[::2]:
            linear = torch.nn.Linear(*kernel.shape)
            with torch.no_grad():
                linear.weight.copy_(torch.from_numpy(kernel.T.copy()))
                linear.bias.zero_()
            layers += [linear, torch.nn.Sigmoid()]
        self._model = torch.nn.Sequential(*layers[:-1])
        self._sgd = torch.optim.SGD(self._model.parameters(), lr=RATE)
        self._loss = torch.nn.CrossEntropyLoss()
        self._torch = torch
        self._batches = [
            (torch.from_numpy(x), torch.from_numpy(y.argmax(1))) for x, y in self.data.batches()
        ]

    def step(self, x: np.ndarray, y: np.ndarray) -> float:
        """Train on a batch."""
        return self._step(self._torch.from_numpy(x), self._torch.from_numpy(y.argmax(1)))

    def _step(self, x: Any, y: Any) -> float:
        self._sgd.zero_grad()
        loss = self._loss(self._model(x), y)
        loss.backward()
        self._sgd.step()
        return float(loss.item())

    def train(self) -> None:
        """Train on all batches in turn."""
        for x, y in self._batches:
            self._step(x, y)

    def predict(self) -> None:
        """Compute the probabilities for all batches in turn."""
        with self._torch.inference_mode():
            for x, _ in self._batches:
                self._torch.softmax(self._model(x), 1)


PYTHON_SIDES: dict[str, type[PythonSide]] = {"core": Core, "torch": Torch, "keras": Keras}


def _core() -> Any:
    import core

    return core


def _sequential(library: Any, data: Data, widths: list[int]) -> Any:
    """Return the model of a library with Keras's names, compiled."""
    layers = library.layers
    hidden = [layers.Dense(width, activation="sigmoid") for width in widths[:-1]]
    inputs = layers.Input(shape=(data.x.shape[1],))
    model = library.Sequential([inputs, *hidden, layers.Dense(widths[-1], activation="softmax")])
    model.set_weights(data.weights)
    model.compile(
        optimizer=library.optimizers.SGD(learning_rate=RATE), loss="categorical_crossentropy"
    )
    return model


def serve(name: str, threads: int) -> None:
    """Answer each line of input: the first losses, or the milliseconds of a batch."""
    side: PythonSide | None = None
    for line in sys.stdin:
        wish = json.loads(line)
        if wish["do"] == "start":
            side = PYTHON_SIDES[name](Data(wish["file"]), threads)
            answer: Any = [side.step(x, y) for x, y in side.data.batches()[:LOSSES]]
            side.train()
            side.predict()
        else:
            assert side is not None
            started = perf_counter()
            side.train() if wish["do"] == "train" else side.predict()
            answer = 1e3 * (perf_counter() - started) / len(side.data.batches())
        print(json.dumps(answer), flush=True)
