"""Weights find their layers: by their names, or by their order in the lists of layers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError
from core.layers.weight_slots import NOT_TRAINED, WeightSlots
from weights_cache.reading_budgets import check_time

#: Weights by name, for each layer by its path.
Bound = dict[tuple[str, ...], dict[str, np.ndarray]]

#: What is called otherwise in some dialect.
_OTHER_NAMES = {"depthwise_kernel": ("kernel",), "scale": ("gamma",)}

#: State of random numbers, which inference does not need.
_IGNORED = ("seed_generator_state", "count")


class _Slot(NamedTuple):
    path: tuple[str, ...]
    needed: frozenset[str]  # one of these layers must be in the name
    weight: str


def bind_by_names(slots: Sequence[WeightSlots], weights: Mapping[str, Any]) -> Bound:
    """Weights from flat names, as TensorFlow.js and h5 files have them.

    A name is that of the layer and that of the weight. Names of the models around and of the
    cell of a recurrent layer may be there or not; the most similar name is taken.

    Raises:
        CoreError: weights are left over, or two layers want the same.
    """
    tokens = {name: tuple(name.removesuffix(":0").split("/")) for name in weights}
    candidates = _Candidates(tokens)
    bound: Bound = {}
    takers: dict[str, tuple[str, ...]] = {}
    for slot in (slot for top in slots for slot in _named(top)):
        check_time()
        scores = {name: _likeness(slot, tokens[name]) for name in candidates.of(slot)}
        best = max(scores, key=lambda name: scores[name], default=None)
        if best is None or scores[best] <= (0, 0):
            continue
        _check_single(takers, best, slot)
        bound.setdefault(slot.path, {})[slot.weight] = _array(weights[best], best)
    for slots_ in (s for top in slots for s in top.everywhere() if s.is_open):
        check_time()
        own = [n for n in weights if n not in takers and slots_.path[-1] in tokens[n][:-1]]
        takers.update(dict.fromkeys(own, slots_.path))
        bound[slots_.path] = {tokens[n][-1]: _array(weights[n], n) for n in own}
    _check_all_used(set(weights) - set(takers), {n: np.shape(a) for n, a in weights.items()})
    return bound


class _Candidates:
    """The names of weights by what they end with and by the layers in them."""

    def __init__(self, tokens: Mapping[str, tuple[str, ...]]):
        self._names = list(tokens)
        self._places: dict[tuple[str, str], list[int]] = {}
        for place, (*layers, weight) in enumerate(tokens.values()):
            for layer in dict.fromkeys(layers):
                self._places.setdefault((weight, layer), []).append(place)

    def of(self, slot: _Slot) -> Iterator[str]:
        """Names that may be those of a slot, in the order of the file."""
        for weight in (slot.weight, *_OTHER_NAMES.get(slot.weight, ())):
            places = {p for layer in slot.needed for p in self._places.get((weight, layer), ())}
            yield from (self._names[place] for place in sorted(places))


def _check_single(takers: dict[str, tuple[str, ...]], name: str, slot: _Slot) -> None:
    other = takers.setdefault(name, slot.path)
    if not _are_same_layer(other, slot.path):
        layer = "/".join(slot.path)
        raise CoreError(
            f"the weight {name!r} could be that of layer {'/'.join(other)!r} or of {layer!r}: "
            f"write the models around into the names of weights, as in "
            f"{layer + '/' + slot.weight!r}"
        )


def _are_same_layer(path: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a layer, or the model around it, is in two models at once, by its names."""
    return path[-2:] == other[-2:] or (min(len(path), len(other)) == 1 and path[-1] == other[-1])


def _named(slots: WeightSlots, needed: frozenset[str] = frozenset()) -> Iterator[_Slot]:
    """The slots of a layer and of those in it, with what their names must hold."""
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
    """How well the layers of a name fit a slot; nothing above 0 if not at all."""
    layers = list(parts[:-1])
    if not slot.needed.intersection(layers):
        return (0, 0)
    common = _common(slot.path, layers)
    exact = parts[-1] == slot.weight
    return (2 * common + exact + 1, -len(layers))


def _common(path: Sequence[str], layers: Sequence[str]) -> int:
    """How many names both have, in the same order."""
    count = 0
    for name in path:
        if name in layers:
            count += 1
            layers = layers[layers.index(name) + 1 :]
    return count


def bind_by_lists(slots: Sequence[WeightSlots], weights: Mapping[str, Sequence[Any]]) -> Bound:
    """Weights from lists in Keras's order, by path of layer ("outer/inner").

    The list of a layer that holds others has all weights in it, first those that are trained.

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
        names = _in_order(slots)
        if slots.is_open:
            names = [(slots.path, str(i)) for i in range(len(arrays))]
        if len(arrays) != len(names):  # a .keras file has the layer's own alone
            names = [(slots.path, name) for name in slots.weights]
        if len(arrays) != len(names):
            raise CoreError(
                f"layer {key!r} ({slots.class_name}) has {len(names)} weights "
                f"{[name for _, name in names]}, and the file has {len(arrays)} of shapes "
                f"{[np.shape(a) for a in arrays]}"
            )
        for (path, name), array in zip(names, arrays, strict=True):
            bound.setdefault(path, {})[name] = _array(array, f"{key}/{name}")
    for child in slots.children:
        _bind_lists(child, weights, bound, used)


def _share(slots: Sequence[WeightSlots], bound: Bound) -> None:
    """A layer that is in two models is in the file once."""
    for slot in (slot for top in slots for slot in top.everywhere() if slot.weights):
        if slot.path not in bound:
            check_time()
            same = next((p for p in bound if _are_same_layer(p, slot.path)), None)
            if same is not None:
                bound[slot.path] = bound[same]


def _in_order(slots: WeightSlots) -> list[tuple[tuple[str, ...], str]]:
    """Paths and names of all weights in a layer: trained ones, then the others."""
    every = [(s, name) for s in slots.everywhere() for name in s.weights]
    trained = [(s.path, n) for s, n in every if s.trainable and n not in NOT_TRAINED]
    rest = [(s.path, n) for s, n in every if not (s.trainable and n not in NOT_TRAINED)]
    return trained + rest


def _array(value: Any, name: str) -> np.ndarray:
    """A weight as float32, or as it is if it holds no floats."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return array.astype(np.float32, copy=False)
    if array.dtype.kind not in "iub":
        raise CoreError(f"the weight {name!r} holds {array.dtype}, and should hold numbers")
    return array


def _check_all_used(left: Collection[str], shapes: Mapping[str, Any]) -> None:
    left = sorted(name for name in left if name.removesuffix(":0").split("/")[-1] not in _IGNORED)
    if left:
        listed = ", ".join(f"{name} {shapes[name]}" for name in left)
        raise CoreError(f"the topology has no layer for these weights: {listed}")
