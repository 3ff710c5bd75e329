"""The type of the rows in the tables of layers, lookup of the rows, and their use in a call."""

import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Value
from core.layers.layer_config import Options
from core.layers.lowering.arguments import Arguments


def weighted(*always: str, **optional: str) -> Callable[[Options], Sequence[str]]:
    """Return a function to the names of weights in Keras's order; flags select optional ones.

    >>> weighted("kernel", use_bias="bias")(Options({"use_bias": False}, "layer 'dense'"))
    ('kernel',)
    """
    return lambda options: (
        *always,
        *(weight for flag, weight in optional.items() if options.flag(flag, True)),
    )


class LayerType(NamedTuple):
    """The lowering of a class of layers.

    Attributes:
        lower: function from a `core.layers.layer_call.LayerCall` and the values of the layer's
            inputs to its output value, or a list of them.
        weights: function from options to the names of the layer's weights in Keras's order.
        children: function from the layer to its inner layers.
        keeps_mask: whether an output without a mask gets the mask of the first input.
        removes_masks: whether its inputs have no masks any more for later layers of a model of
            Keras 3, in which the layer takes them off the tensors.
        arguments: the arguments of the layer's class; None if programs cannot make such a layer.
        other_names: other names of the class.
        starts: initializers of weights that have no argument for them; by default zeros.
        several: whether calls may return several tensors, by an argument or a layer inside.
        freezes: whether a layer that does not train runs as in inference, as batch norm does.
    """

    lower: Callable[..., Any]
    weights: Callable[[Options], Sequence[str]] = lambda _: ()
    children: Callable[[LayerSpec], Sequence[LayerSpec]] = lambda _: ()
    keeps_mask: bool = True
    removes_masks: bool = False
    arguments: Arguments | None = None
    other_names: tuple[str, ...] = ()
    starts: Mapping[str, str] = {}
    several: bool = False
    freezes: bool = False


def find_layer_type(class_name: str) -> LayerType | None:
    """Return the row of a class of layers, or None."""
    return next((rows[class_name] for rows in layer_tables() if class_name in rows), None)


def find_layer_name(name: str) -> str | None:
    """Return the name of the class that has a name or another name, or None."""
    for rows in layer_tables():
        if name in rows:
            row = rows[name]
            return next(key for key, value in rows.items() if value is row)
    return None


def kind_of(spec: LayerSpec) -> LayerType | None:
    """Return the type of a layer, or of a function between layers."""
    as_function = f"ops.{spec.class_name.lower()}"
    if spec.is_function:
        return find_layer_type(as_function)
    return find_layer_type(spec.class_name) or find_layer_type(as_function)


def results(call: LayerCall, values: Sequence[Value]) -> list[Value]:
    """Return the results of a layer called on values."""
    kind = None if call.spec.model or call.spec.layer else kind_of(call.spec)
    if kind is None:
        return call.layer_results(values)
    try:
        found = kind.lower(call, *values)
    except TypeError as error:
        if "positional argument" not in str(error):
            raise
        raise call.error(f"does not take {len(values)} tensors") from error
    given = list(found) if isinstance(found, list) else [found]
    mask = values[0].mask if values and kind.keeps_mask else None
    if given[0].mask is None and mask is not None:
        given[0] = given[0]._replace(mask=mask)
    return given


def layer_tables() -> Iterator[Mapping[str, LayerType]]:
    """Yield the tables of layers, each imported when it is reached; common layers come first."""
    for family in _families():
        yield _rows(family)


@cache
def _families() -> tuple[str, ...]:
    first = ("convolution", "core", "activation", "normalization")
    folder = __file__.rpartition(os.sep)[0]
    names = {m.name for m in pkgutil.iter_modules([folder])} - {"rows"}
    return (*(n for n in first if n in names), *sorted(names - set(first)))


@cache
def _rows(family: str) -> dict[str, LayerType]:
    module = import_module(f"core.layers.lowering.{family}")
    rows: dict[str, LayerType] = getattr(module, "LAYER_TYPES", {})
    return {**rows, **{name: row for row in rows.values() for name in row.other_names}}
