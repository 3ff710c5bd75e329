"""The type of the rows in the tables of layers, lookup of the rows, and their use in a call."""

import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from core.errors import CoreError
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Masked, Operand, Value, with_masks
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
        lower: function from a `core.layers.layer_call.LayerCall` and the operands that are the
            layer's inputs to its result, or a list of results, each perhaps with a mask.
        weights: function from options to the names of the layer's weights in Keras's order.
        children: function from the layer to its inner layers.
        keeps_mask: whether an output without a mask gets the mask of the first input.
        merges_masks: whether the masks of several inputs become one; see `merging`.
        takes_mask: whether the class in Keras 3 has an argument ``mask``.
        removes_masks: whether the layer takes the masks off its inputs when a model of Keras 3
            runs; see `core.layers.model_run`.
        arguments: the arguments of the layer's class; None if programs cannot make such a layer.
        is_published: whether Keras has the class for programs; models of its applications have
            more classes in their files.
        other_names: other names of the class.
        starts: initializers of weights that have no argument for them; by default zeros.
        several: whether calls may return several tensors, by an argument or a layer inside.
        freezes: whether a layer that does not train runs as in inference, as batch norm does.
    """

    lower: Callable[..., Any]
    weights: Callable[[Options], Sequence[str]] = lambda _: ()
    children: Callable[[LayerSpec], Sequence[LayerSpec]] = lambda _: ()
    keeps_mask: bool = True
    merges_masks: bool = False
    takes_mask: bool = False
    removes_masks: bool = False
    arguments: Arguments | None = None
    is_published: bool = True
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
    """Return the type of a layer, or of a function between layers; none of a user's class."""
    if spec.registered_name:
        return None
    as_function = f"ops.{spec.class_name.lower()}"
    if spec.is_function:
        return find_layer_type(as_function)
    return find_layer_type(spec.class_name) or find_layer_type(as_function)


def results(
    call: LayerCall, values: Sequence[Any], masks: Sequence[Operand | None] = ()
) -> list[Masked]:
    """Return the results of a layer called on operands, with their masks.

    Args:
        call: call of the layer.
        values: the inputs.
        masks: the masks of the inputs; those after the last one given have none.
    """
    call.masks = [*masks, *[None] * (len(values) - len(masks))]
    kind = None if call.spec.model or call.spec.layer else kind_of(call.spec)
    return call.layer_results(values) if kind is None else results_of_row(kind, call, values)


def results_of_row(kind: LayerType, call: LayerCall, values: Sequence[Any]) -> list[Masked]:
    """Return the results of a row; an input that it returns as it is keeps its mask."""
    try:
        found = kind.lower(call, *values)
    except TypeError as error:
        if "positional argument" not in str(error):
            raise
        raise call.error(f"does not take {len(values)} tensors") from error
    except CoreError as error:
        is_plain = call.has_tensors and error.__class__ is CoreError
        if not is_plain or str(error).startswith("layer "):
            raise  # it is of another kind, or names the layer already
        raise call.error(str(error)) from error
    given = []
    for each in found if isinstance(found, list) else [found]:
        given.append(each if isinstance(each, Masked) else _masked(each, call, values))
    if given[0].mask is None and kind.keeps_mask and call.masks:
        given[0] = given[0]._replace(mask=call.masks[0])
    return given


def _masked(found: Any, call: LayerCall, values: Sequence[Any]) -> Masked:
    for value, mask in zip(values, call.masks, strict=False):
        if value is found:
            return Masked(found, mask)
    return Masked(found)


def results_of_values(call: LayerCall, values: Sequence[Value]) -> list[Value]:
    """Return the results of a layer called on values of a graph or of shapes."""
    found = results(call, values, [value.mask for value in values])
    return with_masks([each.value for each in found], [each.mask for each in found])


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
