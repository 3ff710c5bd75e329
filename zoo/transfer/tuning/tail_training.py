"""Training of a network's tail together with a dense head, from maps at the cut."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import core
from core import GraphModel, Tensor, Variable
from core.graph_model.network_tails import Tail
from weights_cache.common.errors import ZooError
from zoo.transfer.heads import EPSILON, Head
from zoo.transfer.targets import Kind

if TYPE_CHECKING:
    from core.graph_model.trainable_graph import TrainableGraph

#: Images in a step of training.
BATCH = 32

#: Momentum of the optimizer. In cross-validation on ants and bees, three networks forget less
#: than with Adam, whose first steps move all weights equally far.
_MOMENTUM = 0.9


class State(NamedTuple):
    """Values of the variables of a tail by name, and of its head."""

    network: dict[str, np.ndarray]
    kernel: np.ndarray
    bias: np.ndarray


class TailTraining:
    """A tail and a head that train together, by gradient descent with momentum.

    Args:
        tail: the tail; the network that it is of stays as it is.
        backend: where it trains.
        batch: images in a step.
        learning_rate: of the first step.

    Attributes:
        network: the network up to the features, with the values before training.
        batch: images in a step.
    """

    def __init__(self, tail: Tail, backend: str, batch: int, learning_rate: float):
        self.network = GraphModel(tail.graph, backend)
        self.batch, self._tail = batch, tail
        trained = frozenset(tail.trained)
        self._graph: TrainableGraph[GraphModel] = self.network.trainable(
            trained.__contains__, outputs=tail.features
        )
        self._optimizer = core.train.momentum(learning_rate, _MOMENTUM)
        self._compiled = core.compile(self._rows)

    def begin(self, head: Head) -> None:
        """Train with a head from now on, which stays as it is."""
        self._head = head
        self._kernel: Variable = core.variable(head.kernel, name="kernel")
        self._bias: Variable = core.variable(head.bias, name="bias")
        loss = _LOSSES[head.kind]

        def step(maps: Tensor, targets: Tensor) -> Tensor:
            def cost() -> Tensor:
                rows = self._rows(maps)
                if head.normalize:
                    rows = _normalized(rows)
                return loss(core.matmul(rows, self._kernel) + self._bias, targets)

            found = self._optimizer.minimize(cost, return_cost=True)
            assert found is not None
            return found

        self._step = core.compile(step)

    def step(self, maps: np.ndarray, targets: np.ndarray, learning_rate: float) -> float:
        """Train on a batch of maps and targets, [batch, ...]; return the loss before."""
        self._optimizer.learning_rate = learning_rate
        with core.backend(self.network.backend):
            found = self._step(core.tensor(maps.astype(np.float32)), core.tensor(targets))
            return float(found.numpy())

    def features(self, maps: np.ndarray) -> np.ndarray:
        """Return the features of maps [n, ...], float32 [n, size]."""
        count = len(maps)
        found = []
        with core.backend(self.network.backend):
            for start in range(0, count, self.batch):
                part = np.asarray(maps[start : start + self.batch], np.float32)
                full = np.resize(part, (self.batch, *part.shape[1:]))  # one program for all
                found.append(self._compiled(core.tensor(full)).numpy()[: len(part)])
        return np.concatenate(found)

    def head(self) -> Head:
        """Return the head with its present weights."""
        return self._head.with_weights(
            self._head.labels, self._kernel.numpy().copy(), self._bias.numpy().copy()
        )

    def state(self) -> State:
        """Return copies of all values that training changes."""
        values = {name: v.numpy().copy() for name, v in self._graph.variables.items()}
        return State(values, self._kernel.numpy().copy(), self._bias.numpy().copy())

    def restore(self, state: State) -> None:
        """Set all values that training changes."""
        for name, value in state.network.items():
            self._graph.variables[name].assign(value)
        self._kernel.assign(state.kernel)
        self._bias.assign(state.bias)

    def trained_network(self) -> GraphModel:
        """Return the network up to its features, with the present weights."""
        return self._graph.freeze()

    def _rows(self, maps: Tensor) -> Tensor:
        """Return features [batch, size]; maps are averaged over height and width.

        Batch norm keeps its statistics: those of a few images of a few classes are others.
        """
        found = self._graph({self._tail.cut: maps})
        assert isinstance(found, Tensor)
        if found.shape[0] != maps.shape[0]:
            raise ZooError(
                f"the network gives {found.shape[0]} rows of features for {maps.shape[0]} images "
                "at once, so it cannot be fine-tuned: train only a head"
            )
        if len(found.shape) == 4:
            return core.mean(found, axis=(1, 2))
        return core.reshape(found, (found.shape[0], -1))


def batches(count: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield batches of an epoch, indices of images in random order, all of one size.

    As many as are nearest to the number of images: some images are missed, or come twice.

    >>> rng = np.random.default_rng(0)
    >>> [batch.tolist() for batch in batches(5, 3, rng)]
    [[2, 4, 3], [0, 1, 2]]
    """
    steps = max(1, round(count / size))
    order = np.resize(rng.permutation(count), steps * size)
    return iter(order.reshape(steps, size))


def _normalized(rows: Tensor) -> Tensor:
    """Return rows of mean 0 and variance 1, as `zoo.transfer.heads.Head` does."""
    centred = rows - core.mean(rows, axis=1, keep_dims=True)
    variance = core.mean(core.square(centred), axis=1, keep_dims=True)
    return centred / core.sqrt(variance + EPSILON)


def _of_classes(logits: Tensor, targets: Tensor) -> Tensor:
    return -core.mean(core.sum(targets * core.log_softmax(logits), axis=1))


def _of_labels(logits: Tensor, targets: Tensor) -> Tensor:
    return core.mean(core.softplus(logits) - targets * logits)


def _of_values(logits: Tensor, targets: Tensor) -> Tensor:
    return core.mean(core.square(logits - targets))


#: The loss of logits and targets, both [batch, outputs].
_LOSSES: dict[Kind, Callable[[Tensor, Tensor], Tensor]] = {
    "classification": _of_classes,
    "multi_label": _of_labels,
    "regression": _of_values,
}
