"""Weights of the layers of a topology, and their paths in Keras."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from core.layers.keras_config import LayerSpec, read_topology
from core.layers.layer_config import Options
from core.layers.lowering import find_layer_type
from weights_cache.reading_budgets import check_time

#: Weights that no optimizer changes; Keras lists them after the others.
NOT_TRAINED = frozenset({"moving_mean", "moving_variance", "mean", "variance", "count"})


class WeightSlots(NamedTuple):
    """The weights of a layer and of its inner layers, in the structure of Keras 3.

    Attributes:
        path: names of layers from the top, such as ("encoder", "lstm", "lstm_cell").
        class_name: such as "Dense"; models are "Functional" or "Sequential".
        holder: the attribute of the parent that has the layer: "layers" and "cells" are lists,
            "cell", "layer", "forward_layer" and "backward_layer" single layers.
        weights: names of the layer's own weights, in the order of ``vars/0, vars/1, ...``.
        trainable: whether optimizers may change the weights.
        children: weights of the inner layers.
        is_open: whether the class is unknown, so that the layer may have any weights.
    """

    path: tuple[str, ...]
    class_name: str
    holder: str
    weights: tuple[str, ...]
    trainable: bool
    children: tuple["WeightSlots", ...]
    is_open: bool = False

    def flattened(self) -> Iterator["WeightSlots"]:
        """Yield the slots of the layer and of all inner layers."""
        yield self
        for child in self.children:
            yield from child.flattened()


def weight_slots(topology: Any) -> tuple[WeightSlots, ...]:
    """Return the weights of a model's layers, a tree in the order of the layers.

    Args:
        topology: topology in any dialect, see `core.layers.inference.layers_graph`.

    >>> dense = {"class_name": "Dense", "config": {"name": "dense", "units": 2}}
    >>> model = {"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}}
    >>> [(slots.path, slots.weights) for slots in weight_slots(model)][1:]
    [(('dense',), ('kernel', 'bias'))]
    """
    return slots_of_model(read_topology(topology))


def slots_of_model(model: LayerSpec) -> tuple[WeightSlots, ...]:
    """Return the weights of the layers of a model that was read."""
    return slots_of(model, ()).children


def slots_of(layer: LayerSpec, path: tuple[str, ...], trainable: bool = True) -> WeightSlots:
    """Return the weights of a layer that was read, with its path."""
    check_time()
    kind = find_layer_type(layer.class_name)
    options = Options(layer.config, f"layer {'/'.join(path)!r}")
    trainable = trainable and options.flag("trainable", True)
    own: Sequence[str] = ()
    children: Sequence[LayerSpec] = ()
    if layer.model is not None:
        children = [child for child in layer.model.layers if not child.is_function]
    elif kind is not None and not layer.is_function:
        own, children = kind.weights(options), kind.children(layer)
    return WeightSlots(
        path,
        layer.class_name,
        layer.holder,
        tuple(own),
        trainable,
        tuple(slots_of(child, (*path, child.name), trainable) for child in children),
        is_open=kind is None and layer.model is None and layer.class_name != "InputLayer",
    )
