"""One run of a model: the calls of its layers in execution order, each on the results of others.

Keras 3 looks for masks at two times. When a model is made, each tensor keeps its mask, and a layer
that is called on one tensor and takes a mask remembers it. When the model runs, all other layers
see the masks that tensors have then, and MultiHeadAttention takes them off its inputs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from inspect import signature
from typing import Any

from core.errors import CoreError
from core.graph.subgraph import running_order
from core.layers.keras_config import KerasCall, LayerSpec, ModelSpec, Source, sources
from core.layers.layer_call import Value
from core.layers.lookup import kind_of
from core.layers.nested import flattened

#: Keyword arguments that are tensors for some layers, and no inputs of theirs.
TENSOR_KEYWORDS = frozenset(
    {
        "mask",
        "count_weights",
        "attention_mask",
        "query_mask",
        "value_mask",
        "key_mask",
    }
)


class ModelRun(ABC):
    """A run of a model, with the results of the calls of its layers.

    Args:
        model: the model.
        where: description of the model, for errors.
    """

    def __init__(self, model: ModelSpec, where: str):
        self.model, self.where = model, where
        self.layers = {layer.name: layer for layer in model.layers}
        self.values: dict[tuple[str, int], list[Value]] = {}
        #: The masks that tensors had when the model was made, where they have others now.
        self._kept: dict[Source, Value | None] = {}

    @abstractmethod
    def called(self, spec: LayerSpec, index: int) -> list[Value]:
        """Return the results of a call of a layer.

        Args:
            spec: the layer.
            index: the number of the call among those of the layer.
        """

    def results(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the results of the model for values of its inputs.

        Raises:
            CoreError: there are more or fewer values than inputs.
        """
        if len(inputs) != len(self.model.inputs):
            raise CoreError(
                f"{self.where} has {len(self.model.inputs)} inputs, but is called "
                f"on {len(inputs)} tensors"
            )
        for source, value in zip(self.model.inputs, inputs, strict=True):
            self.values[source.layer, source.call] = [value]
            if getattr(value, "mask", None) is not None:  # of a surrounding model
                self._kept[source] = None
        self._compute(self.model.outputs)
        return [self.value(source) for source in self.model.outputs]

    def _compute(self, outputs: Sequence[Source]) -> None:
        """Call all layers that outputs need, in execution order."""
        calls = [(layer.name, i) for layer in self.model.layers for i in range(len(layer.calls))]
        known = set(calls)
        calls += [key for key in self.values if key not in known]
        labels = {key: f"{i} {key[0].replace(':', '_')}" for i, key in enumerate(calls)}
        keys = {label: key for key, label in labels.items()}

        def needs(label: str) -> list[str]:
            name, i = keys[label]
            call = self.layers[name].calls[i]
            found = sources([call.arguments, call.keywords], name)
            return [self._label(labels, source) for source in found]

        given = [labels[key] for key in self.values]
        for label in running_order(needs, given, [self._label(labels, s) for s in outputs]):
            name, i = keys[label]
            self.values[name, i] = self._called(name, i)

    def _label(self, labels: Mapping[tuple[str, int], str], source: Source) -> str:
        found = labels.get((source.layer, source.call))
        if found is None:
            raise CoreError(f"{self.where} has no call {source.call} of a layer {source.layer!r}")
        return found

    def value(self, source: Source) -> Value:
        """Return an output of a call."""
        found = self.values[source.layer, source.call]
        if source.output >= len(found):
            raise CoreError(f"layer {source.layer!r} has no output {source.output}")
        return found[source.output]

    def _called(self, name: str, index: int) -> list[Value]:
        spec = self.layers[name]
        if spec.class_name == "InputLayer":
            raise CoreError(f"the input {name!r} is not an input of its model")
        found = self.called(spec, index)
        if self._kept:
            self._keep_mask(spec, index)
        kind = kind_of(spec)
        if kind is not None and kind.removes_masks and spec.dialect == "keras3":
            self._remove_masks(spec.calls[index])
        return found

    def inputs_of(self, spec: LayerSpec, call: KerasCall) -> Callable[[Source], Value]:
        """Return a function to the inputs of a call, with their masks."""
        if not self._kept or not _remembers_mask(spec, call):
            return self.value
        return self._with_remembered_mask

    def _with_remembered_mask(self, source: Source) -> Value:
        value = self.value(source)
        return value._replace(mask=self._kept.get(source) or value.mask)

    def _keep_mask(self, spec: LayerSpec, index: int) -> None:
        """Note the mask that the result of a call had when the model was made, if it differs."""
        inputs = list(sources(spec.calls[index].arguments, "the arguments"))
        if self._kept.keys().isdisjoint(inputs):
            return
        masks = [self._kept.get(s, self.value(s).mask) for s in inputs]
        given = [mask for mask in masks if mask is not None]
        kind = kind_of(spec)
        keeps = kind.keeps_mask if kind else getattr(spec.layer, "supports_masking", True)
        merges = kind is not None and kind.merges_masks
        if not given or (merges and len(given) < len(masks)):
            self._kept[Source(spec.name, index, 0)] = None
        elif merges:
            merged = reduce(lambda a, b: a if a is b else self.either(a, b), given)
            self._kept[Source(spec.name, index, 0)] = merged
        elif keeps and not _remembers_mask(spec, spec.calls[index]):
            self._kept[Source(spec.name, index, 0)] = masks[0]

    def either(self, mask: Value, other: Value) -> Value:
        """Return the mask of what one of two masks keeps."""
        return Value(None, mask.shape, "bool")

    def _remove_masks(self, call: KerasCall) -> None:
        """Remove the masks of a call's inputs, for calls after it."""
        for source in sources([call.arguments, call.keywords], "the arguments"):
            found = self.values[source.layer, source.call]
            mask = found[source.output].mask
            if mask is not None:
                self._kept.setdefault(source, mask)
                found[source.output] = found[source.output]._replace(mask=None)


def _remembers_mask(spec: LayerSpec, call: KerasCall) -> bool:
    """Whether Keras 3 gives a layer the mask that its input had when the model was made."""
    given = call.arguments if isinstance(call.arguments, list) else [call.arguments]
    if call.keywords or len(given) != 1 or not isinstance(given[0], Source):
        return False
    kind = kind_of(spec)
    if spec.model is not None or kind is not None:
        return kind is None or kind.takes_mask
    return "mask" in signature(spec.layer.call).parameters if spec.layer else False


def bound_arguments(call: KerasCall) -> tuple[list[Value], dict[str, Any]]:
    """Return the inputs of a layer's call, and the other arguments by name.

    Args:
        call: a call with values in place of the sources.
    """
    values: list[Value] = flattened(call.arguments, Value)
    keywords: dict[str, Any] = {}
    for name, argument in call.keywords.items():
        given = flattened(argument, Value)
        if given and name not in TENSOR_KEYWORDS:
            values += given  # as in layer(query, value=...), or the initial_state
        elif name == "mask" and given and values:
            masks = argument if isinstance(argument, list) else [argument]
            for i, (value, mask) in enumerate(zip(values, masks, strict=False)):
                values[i] = value._replace(mask=mask if isinstance(mask, Value) else None)
        else:
            keywords[name] = given[0] if given else argument
    if isinstance(call.arguments, list):
        keywords["arguments"] = call.arguments
    return values, keywords
