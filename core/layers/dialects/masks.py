"""Masks by the rules of a dialect: which layers of a model would get others in another one."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from core.layers.keras_config import Dialect, LayerSpec, ModelSpec
from core.layers.layer_call import Value
from core.layers.lookup import kind_of
from core.layers.model_run import ModelRun, bound_arguments

#: Names of the masks that a layer is called with, by its path and the number of the call.
Given = dict[tuple[tuple[str, ...], int], tuple[Hashable, ...]]

#: More results than a layer has.
_RESULTS = 16


def other_masks(model: LayerSpec, target: Dialect) -> list[str]:
    """Return the layers that would use other masks if all layers were of a dialect.

    Args:
        model: a model, whose layers have the dialects by which it computes now.
        target: the dialect.
    """
    assert model.model is not None
    now: Given = {}
    then: Given = {}
    for given, spec in ((now, model.model), (then, _in_dialect(model.model, target))):
        values = [Value(None, None) for _ in spec.inputs]
        _MaskRun(spec, (), given).results(values)
    return sorted({"/".join(path) for path, n in now if now[path, n] != then.get((path, n))})


def _in_dialect(model: ModelSpec, dialect: Dialect) -> ModelSpec:
    layers = []
    for layer in model.layers:
        inner = None if layer.model is None else _in_dialect(layer.model, dialect)
        layers.append(layer._replace(dialect=dialect, model=inner))
    return model._replace(layers=tuple(layers))


class _MaskRun(ModelRun):
    """A run of a model on nothing but the names of masks.

    Args:
        model: the model.
        path: names of the surrounding models.
        given: where the masks are noted that layers use.
    """

    def __init__(self, model: ModelSpec, path: tuple[str, ...], given: Given):
        super().__init__(model, "the model")
        self._path, self._given = path, given

    def called(self, spec: LayerSpec, index: int) -> list[Value]:
        """Return results with the names of their masks."""
        call = spec.calls[index].with_values(self.inputs_of(spec, spec.calls[index]))
        values, keywords = bound_arguments(call)
        path = (*self._path, spec.name)
        if spec.model is not None:
            found = _MaskRun(spec.model, path, self._given).results(values)
        else:
            names = tuple(_name_of(value.mask) for value in values)
            if _uses_masks(spec):
                self._given[path, index] = (*names, *_named(keywords))
            found = [Value(None, None, mask=_mask(_result(spec, (*path, index), names)))]
        return [*found, *[Value(None, None)] * (_RESULTS - len(found))]

    def either(self, mask: Value, other: Value) -> Value:
        """Return the mask of what one of two masks keeps."""
        names = frozenset((_name_of(mask), _name_of(other)))
        return mask if len(names) == 1 else mask._replace(reference=("or", names))


def _mask(name: Hashable) -> Value | None:
    return None if name is None else Value(name, None, "bool")


def _name_of(mask: Value | None) -> Hashable:
    return None if mask is None else mask.reference


def _named(keywords: Mapping[str, Any]) -> Sequence[Hashable]:
    return [_name_of(v) for v in keywords.values() if isinstance(v, Value)]


def _uses_masks(spec: LayerSpec) -> bool:
    kind = kind_of(spec)
    return kind is not None and (kind.takes_mask or "Attention" in spec.class_name)


def _result(spec: LayerSpec, call: tuple[Any, ...], names: Sequence[Hashable]) -> Hashable:
    """Return the name of the mask of a layer's first result, or None."""
    kind = kind_of(spec)
    if spec.class_name == "Masking" or spec.config.get("mask_zero"):
        return call
    given = [name for name in names if name is not None]
    if kind is None or not given:
        return given[0] if given and kind is None else None
    if kind.merges_masks:
        if spec.dialect == "keras3" and len(given) < len(names):
            return None
        if len(set(given)) == 1:
            return given[0]
        return "or" if spec.dialect == "keras3" else "and", frozenset(given)
    if kind.keeps_mask:
        return names[0]
    if spec.class_name == "Concatenate":  # inputs without a mask are masked nowhere
        return given[0] if len(set(given)) == 1 else (call, *names)
    keeps = spec.class_name == "Bidirectional" or spec.config.get("return_sequences")
    return (call, *names) if keeps else None
