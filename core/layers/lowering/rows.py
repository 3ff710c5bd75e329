"""The rows of the tables of layers, and how they are found."""

import os
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from core.layers.keras_config import LayerSpec
from core.layers.layer_config import Options


def no_weights(_: Options) -> Sequence[str]:
    """For layers that have none."""
    return ()


def no_children(_: LayerSpec) -> Sequence[LayerSpec]:
    """For layers that hold no others."""
    return ()


def weighted(*always: str, **optional: str) -> Callable[[Options], Sequence[str]]:
    """Names of weights in Keras's order; an optional one is there if its flag is not false.

    >>> weighted("kernel", use_bias="bias")(Options({"use_bias": False}, "layer 'dense'"))
    ('kernel',)
    """
    return lambda options: (
        *always,
        *(weight for flag, weight in optional.items() if options.flag(flag, True)),
    )


class LayerType(NamedTuple):
    """How a layer becomes nodes.

    Attributes:
        lower: takes a `core.layers.builder.LayerCall` and the values that the layer is called on;
            gives the value, or a list of them, that it returns.
        weights: the names of its own weights in Keras's order, from its options.
        children: the layers that it holds.
        keeps_mask: what it gives is masked as its first input is, unless ``lower`` says otherwise.
    """

    lower: Callable[..., Any]
    weights: Callable[[Options], Sequence[str]] = no_weights
    children: Callable[[LayerSpec], Sequence[LayerSpec]] = no_children
    keeps_mask: bool = True


def find_layer_type(class_name: str) -> LayerType | None:
    """The row of a class of layers, or None."""
    for family in _families():
        found = _rows(family).get(class_name)
        if found is not None:
            return found
    return None


def layer_type_names() -> list[str]:
    """Every class of layers that there is."""
    return sorted(name for family in _families() for name in _rows(family))


@cache
def _families() -> tuple[str, ...]:
    """Files of this folder that hold a table; first those that most networks need."""
    first = ("convolution", "core", "activation", "normalization")
    folder = __file__.rpartition(os.sep)[0]
    shared = {"rows", "common_nodes", "cells", "loops"}
    names = {m.name for m in pkgutil.iter_modules([folder])} - shared
    return (*(n for n in first if n in names), *sorted(names - set(first)))


@cache
def _rows(family: str) -> dict[str, LayerType]:
    return import_module(f"core.layers.lowering.{family}").LAYER_TYPES
