"""Results of a layer called on operands, with their masks."""

from collections.abc import Sequence
from typing import Any

from core.errors import CoreError
from core.layers.layer_call import LayerCall, Masked, Operand, Value, with_masks
from core.layers.layer_kind import LayerKind
from core.layers.lookup import INPUT, kind_of


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
    if kind is not None:
        return results_of_kind(kind, call, values)
    if call.spec.class_name == INPUT:
        raise call.error("computes nothing: give another layer in its place")
    return call.layer_results(values)


def results_of_kind(kind: type[LayerKind], call: LayerCall, values: Sequence[Any]) -> list[Masked]:
    """Return the results by the rule of a kind; an input that is a result keeps its mask."""
    try:
        found = kind.compute(call, *values)
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
