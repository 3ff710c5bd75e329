"""The weights of layers, and their binding by name or by order in the lists of layers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError
from core.layers.keras_config import LayerSpec, read_topology
from core.layers.layer_config import Options
from core.layers.lookup import find_layer_class
from core.process.context_vars import reset
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
        is_open: whether the class is a user's, so that the layer may have other weights, too.
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


#: Built-in classes of layers by the names of user-defined ones that derive from them.
_BASES: ContextVar[Mapping[str, str]] = ContextVar("bases", default=MappingProxyType({}))


@contextmanager
def derived_classes(bases: Mapping[str, str]) -> Iterator[None]:
    """Give layers of user-defined classes the weights of built-in ones, inside the block.

    A file does not say from which class another one derives; the program that has it does.

    Args:
        bases: names of built-in classes, such as "LSTM", by those of user-defined ones.
    """
    token = _BASES.set(bases)
    try:
        yield
    finally:
        reset(_BASES, token)


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
    bases = _BASES.get()
    base = bases.get(layer.name_in(bases) or "")
    described = layer if base is None else layer._replace(class_name=base, registered_name="")
    is_known = layer.model is None and not described.registered_name
    kind = find_layer_class(described.class_name) if is_known else None
    options = Options(layer.config, f"layer {'/'.join(path)!r}")
    trainable = trainable and options.flag("trainable", True)
    own: Sequence[str] = ()
    children: Sequence[LayerSpec] = ()
    if layer.model is not None:
        children = [child for child in layer.model.layers if not child.is_function]
    elif kind is not None and not layer.is_function:
        own, children = kind.weight_names(options), kind.children(described)
    return WeightSlots(
        path,
        layer.class_name,
        layer.holder,
        tuple(own),
        trainable,
        tuple(slots_of(child, (*path, child.name), trainable) for child in children),
        is_open=base is not None
        or (kind is None and layer.model is None and layer.class_name != "InputLayer"),
    )


#: Weights by name, for each layer by its path.
Bound = dict[tuple[str, ...], dict[str, np.ndarray]]

#: Other names of weights in some dialects.
_OTHER_NAMES = {"depthwise_kernel": ("kernel",), "scale": ("gamma",)}

#: State of random number generators, which inference does not need.
_IGNORED = ("seed_generator_state", "count")


#: Numbered names of weights, by their last part and a layer in them.
_Index = dict[tuple[str, str], list[tuple[int, str]]]


class _Slot(NamedTuple):
    path: tuple[str, ...]
    needed: frozenset[str]  # the weight's name must contain one of these layers
    weight: str


def bind_by_names(slots: Sequence[WeightSlots], weights: Mapping[str, Any]) -> Bound:
    """Bind weights by flat names, as in TensorFlow.js and h5 files.

    A name consists of the layer's name and the weight's. Names of surrounding models and of the
    cell of a recurrent layer are optional; the most similar name is used.

    Raises:
        CoreError: weights are left over, or one weight fits two layers.
    """
    tokens = {name: tuple(name.removesuffix(":0").split("/")) for name in weights}
    index = _indexed(tokens)
    bound: Bound = {}
    owners: dict[str, tuple[str, ...]] = {}
    for slot in (slot for top in slots for slot in _named(top)):
        check_time()
        scores = {name: _likeness(slot, tokens[name]) for name in _candidates(index, slot)}
        best = max(scores, key=lambda name: scores[name], default=None)
        if best is None or scores[best] <= (0, 0):
            continue
        _check_single(owners, best, slot)
        bound.setdefault(slot.path, {})[slot.weight] = _array(weights[best], best)
    for slots_ in (s for top in slots for s in top.flattened() if s.is_open):
        check_time()
        own = [n for n in weights if n not in owners and slots_.path[-1] in tokens[n][:-1]]
        owners.update(dict.fromkeys(own, slots_.path))
        bound[slots_.path] = {tokens[n][-1]: _array(weights[n], n) for n in own}
    _check_all_used(set(weights) - set(owners), {n: np.shape(a) for n, a in weights.items()})
    return bound


def _indexed(tokens: Mapping[str, tuple[str, ...]]) -> _Index:
    """Return the numbered names of weights by last part and by each layer in the name."""
    found: _Index = {}
    for number, (name, (*layers, weight)) in enumerate(tokens.items()):
        for layer in dict.fromkeys(layers):
            found.setdefault((weight, layer), []).append((number, name))
    return found


def _candidates(index: _Index, slot: _Slot) -> Iterator[str]:
    """Yield the names that may fit a slot, in the order of the file."""
    for weight in (slot.weight, *_OTHER_NAMES.get(slot.weight, ())):
        numbered = {pair for layer in slot.needed for pair in index.get((weight, layer), ())}
        yield from (name for _, name in sorted(numbered))


def _check_single(owners: dict[str, tuple[str, ...]], name: str, slot: _Slot) -> None:
    other = owners.setdefault(name, slot.path)
    if not _are_same_layer(other, slot.path):
        layer = "/".join(slot.path)
        raise CoreError(
            f"the weight {name!r} fits the layers {'/'.join(other)!r} and {layer!r}: "
            f"add the names of surrounding models to the names of weights, as in "
            f"{layer + '/' + slot.weight!r}"
        )


def _are_same_layer(path: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two paths may name a layer, or a model of layers, that two models share."""
    return path[-2:] == other[-2:] or (min(len(path), len(other)) == 1 and path[-1] == other[-1])


def _named(slots: WeightSlots, needed: frozenset[str] = frozenset()) -> Iterator[_Slot]:
    """Yield the slots of a layer and its inner layers, with the layers that names must contain."""
    name = slots.path[-1]
    if slots.holder == "cell" or slots.holder == "layer":
        needed = needed | {name}
    else:
        needed = frozenset({name})
    for weight in slots.weights:
        yield _Slot(slots.path, needed, weight)
    for i, child in enumerate(slots.children):
        if child.holder == "cells":
            for slot in _named(child):
                yield slot._replace(needed=slot.needed | {f"RNNCell_{i}"})
        else:
            yield from _named(child, needed)


def _likeness(slot: _Slot, parts: Sequence[str]) -> tuple[int, int]:
    """Return a score of a weight's name for a slot, (0, 0) if the name does not fit."""
    layers = list(parts[:-1])
    if not slot.needed.intersection(layers):
        return (0, 0)
    common = _common(slot.path, layers)
    exact = parts[-1] == slot.weight
    return (2 * common + exact + 1, -len(layers))


def _common(path: Sequence[str], layers: Sequence[str]) -> int:
    """Return the number of names that occur in both, in order."""
    count = 0
    for name in path:
        if name in layers:
            count += 1
            layers = layers[layers.index(name) + 1 :]
    return count


def bind_by_lists(slots: Sequence[WeightSlots], weights: Mapping[str, Sequence[Any]]) -> Bound:
    """Bind lists of weights in Keras's order, by path of layer ("outer/inner").

    The list of a layer with inner layers has all their weights, trainable ones first.

    Raises:
        CoreError: lists are left over, or one is too short or too long.
    """
    bound: Bound = {}
    used = set[str]()
    for slot in slots:
        _bind_lists(slot, weights, bound, used)
    _share(slots, bound)
    left = [key for key in set(weights) - used if len(weights[key])]
    _check_all_used(left, {key: [np.shape(a) for a in weights[key]] for key in left})
    return bound


def _bind_lists(
    slots: WeightSlots, weights: Mapping[str, Sequence[Any]], bound: Bound, used: set[str]
) -> None:
    key = "/".join(slots.path)
    if key in weights:
        used.add(key)
        arrays = weights[key]
        names = weights_in_order(slots)
        if len(arrays) != len(names):
            is_alone = any("/".join(child.path) in weights for child in slots.children)
            names = _other_names(slots, len(arrays), is_alone)
        if len(arrays) != len(names):
            raise CoreError(
                f"layer {key!r} ({slots.class_name}) has {len(names)} weights "
                f"{[name for _, name in names]}, but the file has {len(arrays)} of shapes "
                f"{[np.shape(a) for a in arrays]}"
            )
        for (path, name), array in zip(names, arrays, strict=True):
            bound.setdefault(path, {})[name] = _array(array, f"{key}/{name}")
    for child in slots.children:
        _bind_lists(child, weights, bound, used)


def _other_names(
    slots: WeightSlots, count: int, is_alone: bool
) -> list[tuple[tuple[str, ...], str]]:
    """Return paths and names for a list of another length than that of all known weights.

    Args:
        slots: the layer.
        count: length of the list.
        is_alone: whether the file lists the weights of inner layers elsewhere.
    """
    is_open = [each for each in slots.flattened() if each.is_open]
    if slots.is_open and is_alone:
        return [(slots.path, str(i)) for i in range(count)]
    if len(is_open) != 1:  # a .keras file lists the layer's own weights only
        return [(slots.path, name) for name in slots.weights]
    others = sum(len(each.weights) for each in slots.flattened() if not each.is_open)
    return weights_in_order(_numbered(slots, count - others))


def _numbered(slots: WeightSlots, count: int) -> WeightSlots:
    """Return slots in which layers of unknown weights have so many, by numbers."""
    weights = tuple(map(str, range(count))) if slots.is_open else slots.weights
    children = tuple(_numbered(child, count) for child in slots.children)
    return slots._replace(weights=weights, children=children)


def _share(slots: Sequence[WeightSlots], bound: Bound) -> None:
    """Bind the weights of a layer in two models, which the file stores once, to both."""
    for slot in (slot for top in slots for slot in top.flattened() if slot.weights):
        if slot.path not in bound:
            check_time()
            same = next((p for p in bound if _are_same_layer(p, slot.path)), None)
            if same is not None:
                bound[slot.path] = bound[same]


def weights_in_order(slots: WeightSlots) -> list[tuple[tuple[str, ...], str]]:
    """Return paths and names of all weights in a layer: trainable ones, then the others."""
    every = [(s, name) for s in slots.flattened() for name in s.weights]
    every.sort(key=lambda each: not each[0].trainable or each[1] in NOT_TRAINED)
    return [(s.path, name) for s, name in every]


def _array(value: Any, name: str) -> np.ndarray:
    """Return a weight of floats as float32, another one unchanged."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return array.astype(np.float32, copy=False)
    if array.dtype.kind not in "iub":
        raise CoreError(f"the weight {name!r} has dtype {array.dtype}: expected numbers")
    return array


def _check_all_used(left: Collection[str], shapes: Mapping[str, Any]) -> None:
    left = sorted(name for name in left if name.removesuffix(":0").split("/")[-1] not in _IGNORED)
    if left:
        listed = ", ".join(f"{name} {shapes[name]}" for name in left)
        raise CoreError(f"the topology has no layer for these weights: {listed}")
