"""The content of a file of a layer model: topology, weights, training configuration and state."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.converter.layer_files.optimizer_state import state_of
from core.converter.read_back import not_equal
from core.errors import CoreError
from core.layers.keras_config import Dialect
from core.layers.weight_slots import NOT_TRAINED, WeightSlots, weight_slots
from weights_cache.read_back import same_values

#: Weights by name, for each layer by its path.
LayerWeights = Mapping[tuple[str, ...], Mapping[str, np.ndarray]]


class LayersDocument(NamedTuple):
    """A layer model as plain values, independent of the classes of layers.

    Attributes:
        topology: class name and config of a Sequential or Functional model, in its dialect.
        weights: arrays by path of layer, such as ("encoder", "lstm", "lstm_cell"), and by name.
        compile_config: ``optimizer``, ``loss``, ``metrics``, ``loss_weights`` and so on, always
            in the serialized form of Keras 3; None for a model that was not compiled.
        optimizer_variables: state of the optimizer, always in Keras 3's order (iteration,
            learning_rate, slots); None if it has no state.
        dialect: dialect of the topology, by which activations such as "hard_sigmoid" differ.
        state_fault: why the state in the file is not in ``optimizer_variables``; empty if it is.
    """

    topology: Mapping[str, Any]
    weights: LayerWeights
    compile_config: Mapping[str, Any] | None = None
    optimizer_variables: Sequence[np.ndarray] | None = None
    dialect: Dialect = "keras3"
    state_fault: str = ""


class TrainedWeight(NamedTuple):
    """A weight that the optimizer changes: path of its layer, name, and value."""

    path: tuple[str, ...]
    name: str
    value: np.ndarray


def slots_with_weights(document: LayersDocument) -> tuple[WeightSlots, ...]:
    """Return the slots of a document's topology, of which each has its weights.

    Raises:
        CoreError: weights are missing, or the topology has no place for some.
    """
    slots = tuple(map(_closed(document), weight_slots(document.topology)))
    needed = {(s.path, name) for top in slots for s in top.flattened() for name in s.weights}
    given = {(path, name) for path, named in document.weights.items() for name in named}
    for what, pairs in (("lacks", needed - given), ("has no layer for", given - needed)):
        if pairs:
            listed = ", ".join(sorted("/".join((*path, name)) for path, name in pairs))
            raise CoreError(f"the model {what} these weights: {listed:.900}")
    return slots


def check_document(
    document: LayersDocument, found: LayersDocument, *, has_state: bool = True
) -> None:
    """Raise a CoreError unless a document that was read back has the numbers of the written one.

    Args:
        document: the document that was to be written, in the dialect of the file.
        found: what was read.
        has_state: whether the file has the optimizer's state, if the document has one.
    """
    _check_weights(document, found)
    if has_state and document.optimizer_variables is not None:
        _check_state(document, found)


def _check_weights(document: LayersDocument, found: LayersDocument) -> None:
    """Compare weights; files number those of user-defined layers, so only their order counts."""
    written, read = (
        {path: list(named.values()) for path, named in each.weights.items() if named}
        for each in (document, found)
    )
    if written.keys() != read.keys():
        raise not_equal(f"other layers have weights: {sorted(written.keys() ^ read.keys())!r:.300}")
    for path, arrays in written.items():
        pairs = zip(arrays, read[path], strict=False)
        if len(arrays) != len(read[path]) or not all(same_values(a, b) for a, b in pairs):
            raise not_equal(f"the layer {'/'.join(path)!r:.300} has other weights")


def _check_state(document: LayersDocument, found: LayersDocument) -> None:
    """Compare the state of the optimizer; TensorFlow.js and Keras 2 have it in another form."""
    written, read = document.optimizer_variables or (), found.optimizer_variables or ()
    if document.dialect == "keras3":
        pairs = zip(map(np.asarray, written), map(np.asarray, read), strict=False)
        is_same = len(written) == len(read) and all(same_values(a, b) for a, b in pairs)
    else:
        optimizer = (document.compile_config or {}).get("optimizer") or {}
        is_same = bool(read) and state_of(read, optimizer).is_near(state_of(written, optimizer))
    if not is_same:
        raise not_equal(
            f"the optimizer has another state{found.state_fault and ': '}{found.state_fault}"
        )


def _closed(document: LayersDocument) -> Callable[[WeightSlots], WeightSlots]:
    """Return a function that gives layers of unknown classes the weights of the document."""

    def closed(slots: WeightSlots) -> WeightSlots:
        children = tuple(map(closed, slots.children))
        if not slots.is_open:
            return slots._replace(children=children)
        names = tuple(document.weights.get(slots.path, {}))
        return slots._replace(weights=names, children=children)

    return closed


def trained_weights(document: LayersDocument) -> Iterator[TrainedWeight]:
    """Yield the weights that an optimizer changes, in Keras's order."""
    seen = set()
    for top in slots_with_weights(document):
        for slots in top.flattened():
            for name in slots.weights if slots.trainable else ():
                value = document.weights[slots.path][name]
                if name not in NOT_TRAINED and id(value) not in seen:
                    seen.add(id(value))  # a layer of two models is trained once
                    yield TrainedWeight(slots.path, name, value)
