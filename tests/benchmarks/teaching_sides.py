"""The sides of `teaching`: who trains a head on features, each in a process of its own.

A side is a function of the data and of how many threads it may use, which returns one training as a
function without arguments, and a function that gives probabilities of all rows afterwards.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.turns import Turn, turn, waited_ms

#: Weight of the losses against that of the squared weights: `Head`'s, scikit-learn's C.
PENALTY = 0.3

#: Keras: samples of a batch, and how often all are seen at most.
BATCH, MOST_EPOCHS = 32, 200

#: A training of more milliseconds is a turn of its own.
LONG_MS = 500


class Data(NamedTuple):
    """Features [n, size] and classes [n] to train on, and rows to be recognized."""

    x: np.ndarray
    y: np.ndarray
    others: np.ndarray
    loss: float  # mean log loss of ours on x, at which Keras ends; 0 for the others

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1


class Training(NamedTuple):
    """What a side does.

    Attributes:
        train: trains from nothing.
        predict: returns the probabilities of rows [n, classes] after it.
        squares: returns the sum of the squared weights of standardised features; 0 for sides that
            do not penalise it.
    """

    train: Callable[[], Any]
    predict: Callable[[np.ndarray], np.ndarray]
    squares: Callable[[], float] = float


def ours(data: Data, threads: int) -> Training:
    """`Head`; OpenBLAS has been given its threads."""
    from zoo.transfer.heads import Head

    head = Head("classification", penalty=PENALTY)
    labels = [f"{number:03}" for number in data.y]

    def squares() -> float:
        weights = head.kernel * data.x.std(axis=0, dtype=np.float64)[:, None]
        one = weights[:, 1:] - weights[:, :1]  # of two classes, which have one vector of weights
        return float(((one if data.classes == 2 else weights) ** 2).sum())

    return Training(lambda: head.fit(data.x, labels), head.predict, squares)


def scikit_learn(data: Data, threads: int, tolerance: float = 1e-4) -> Training:
    """The usual pipeline: features are standardised, then logistic regression by its L-BFGS.

    The tolerance is of the largest gradient; 1e-4 is its default.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    regression = LogisticRegression(C=PENALTY, tol=tolerance, max_iter=1000)
    model = make_pipeline(StandardScaler(), regression)

    def squares() -> float:
        return float((regression.coef_.astype(np.float64) ** 2).sum())

    return Training(lambda: model.fit(data.x, data.y), model.predict_proba, squares)


class Keras:
    """A dense layer with softmax on standardised features, trained by Adam in batches of 32.

    Training ends after the epoch that has the loss of `ours`.
    """

    def __init__(self, data: Data, threads: int):
        import tensorflow

        tensorflow.config.threading.set_intra_op_parallelism_threads(threads)
        tensorflow.config.threading.set_inter_op_parallelism_threads(threads)
        self.keras, self.data = tensorflow.keras, data
        self.make()

    def make(self) -> None:
        """Make and compile a new model."""
        layers = self.keras.layers
        scale = layers.Normalization()
        scale.adapt(self.data.x)
        outputs = layers.Dense(self.data.classes, activation="softmax")
        inputs = layers.Input(shape=(self.data.x.shape[1],))
        self.model = self.keras.Sequential([inputs, scale, outputs])
        self.model.compile(self.keras.optimizers.Adam(), "sparse_categorical_crossentropy")

    def set_back(self) -> None:
        """Give the traced model new weights and a new state of Adam."""
        layer, optimizer = self.model.layers[-1], self.model.optimizer
        layer.kernel.assign(self.keras.initializers.GlorotUniform()(layer.kernel.shape))
        for variable in [layer.bias, *optimizer.variables]:
            if variable is not optimizer.learning_rate:
                variable.assign(self.keras.ops.zeros_like(variable))

    def fit(self) -> None:
        """Fit until the loss is reached."""

        def end_of_epoch(epoch: int, logs: dict[str, float]) -> None:
            self.model.stop_training = logs["loss"] <= self.data.loss
            self.epochs = epoch + 1

        until = self.keras.callbacks.LambdaCallback(on_epoch_end=end_of_epoch)
        x, y = self.data.x, self.data.y
        self.model.fit(x, y, BATCH, MOST_EPOCHS, verbose=0, callbacks=[until])

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return probabilities."""
        print(f"keras: {self.epochs} epochs", file=sys.stderr)
        return self.model.predict(rows, verbose=0)


def keras(data: Data, threads: int) -> Training:
    """Keras with a new model for each training, which is traced anew."""
    side = Keras(data, threads)

    def train() -> None:
        side.make()
        side.fit()

    return Training(train, side.predict)


def keras_traced(data: Data, threads: int) -> Training:
    """Keras with a model that was made, standardises and was traced before."""
    side = Keras(data, threads)
    side.model.train_on_batch(data.x[:BATCH], data.y[:BATCH])

    def train() -> None:
        side.set_back()
        side.fit()

    return Training(train, side.predict)


SIDES: dict[str, Callable[[Data, int], Training]] = {
    "ours": ours,
    "scikit-learn": scikit_learn,
    "scikit-learn, tol=1e-5": partial(scikit_learn, tolerance=1e-5),
    "keras": keras,
    "keras, traced before": keras_traced,
}


def read(path: str) -> Data:
    """Return the data of a file."""
    with np.load(path) as file:
        return Data(file["x"], file["y"], file["others"], float(file["loss"]))


def one_turn(train: Callable[[], Any]) -> Turn:
    """One training if it takes long, else those of `turn`."""
    before, started = waited_ms(), perf_counter()
    train()
    taken = 1e3 * (perf_counter() - started)
    return turn(train) if taken < LONG_MS else Turn([taken], (waited_ms() - before) / taken)


def main(name: str, data_file: str, output: str, threads: int) -> None:
    """Write probabilities after a training and print `squares`; then a turn for each line."""
    data = read(data_file)
    side = SIDES[name](data, threads)
    side.train()
    np.save(output, side.predict(np.concatenate([data.x, data.others])))
    print(json.dumps(side.squares()), flush=True)
    for _ in sys.stdin:
        print(json.dumps(one_turn(side.train)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
