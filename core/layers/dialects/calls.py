"""Calls of layers in the forms of the dialects: objects in Keras 3, lists of tensors elsewhere."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.layers.dialects.configs import NotExpressibleError
from core.layers.dialects.tables import CALL_ARGUMENTS
from core.layers.keras_config import (
    RECURRENT,
    Dialect,
    KerasCall,
    LayerSpec,
    ModelSpec,
    Source,
    TensorFacts,
    sources,
)
from core.layers.nested import replaced

_UNKNOWN = TensorFacts((None,), "float32")


def endpoint(source: Source, late: Collection[str]) -> list[Any]:
    """Return a tensor as layer, call and output; calls of some layers are counted from 1."""
    return [source.layer, source.call + (source.layer in late), source.output]


def keras3_call(call: KerasCall, tensors: Mapping[Source, TensorFacts]) -> dict[str, Any]:
    """Return a call of a layer as Keras 3 writes it.

    Args:
        call: the call.
        tensors: what is known of its tensors; Keras computes shapes again when it reads them.
    """

    def document(source: Source) -> dict[str, Any]:
        shape, dtype = tensors.get(source, _UNKNOWN)
        lengths = None if shape is None else list(shape)
        config = {"shape": lengths, "dtype": dtype, "keras_history": list(source)}
        return {"class_name": "__keras_tensor__", "config": config}

    arguments, keywords = (
        replaced(part, Source, document) for part in (_listed(call.arguments), {**call.keywords})
    )
    return {"args": arguments, "kwargs": keywords}


def listed_call(
    layer: LayerSpec, call: KerasCall, late: Collection[str], target: Dialect
) -> list[Any]:
    """Return a call of a layer as Keras 2 and TensorFlow.js write it: a list of its tensors.

    Args:
        layer: the layer.
        call: its call.
        late: names of layers whose calls are counted from 1, as they were called when made.
        target: "keras2" or "tfjs".

    Raises:
        NotExpressibleError: TensorFlow.js has no form for an argument, or its name is unknown.
    """
    first, keywords = _named(layer, _listed(call.arguments), call.keywords)
    tensors = list(sources(first, f"a call of {layer.name!r}"))
    if layer.class_name in RECURRENT:
        tensors += sources(keywords.pop("initial_state", None), "the initial states")
        if keywords.get("training") is False:  # Keras 3 writes it for every recurrent layer
            del keywords["training"]
    kept = {name: value for name, value in keywords.items() if value is not None}
    held = [name for name, value in kept.items() if list(sources(value, name))]
    if held and target == "tfjs":
        raise NotExpressibleError(f"is called with tensors as {', '.join(held)}")
    kept = replaced(kept, Source, lambda source: endpoint(source, late))
    return [[*endpoint(source, late), kept] for source in tensors]


def attention_shapes(layer: LayerSpec, model: ModelSpec) -> dict[str, Any]:
    """Return the shapes of query, value and key that Keras 2 has among the arguments of a layer.

    Args:
        layer: a MultiHeadAttention with its calls.
        model: its model; None stands for shapes that it does not know.
    """
    first, others = _named(layer, _listed(layer.calls[0].arguments), layer.calls[0].keywords)
    given = {"query": first, **others}
    given["key"] = given.get("key") or given.get("value")
    known = {name: model.tensors.get(given[name]) for name in ("query", "value", "key")}
    return {
        f"{name}_shape": None if facts is None or facts.shape is None else list(facts.shape)
        for name, facts in known.items()
    }


def _named(
    layer: LayerSpec, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the first argument, and all others by name."""
    names = CALL_ARGUMENTS.get(layer.class_name, ("inputs",))
    if not arguments or len(arguments) > len(names):
        raise NotExpressibleError(f"is called with {len(arguments)} positional arguments")
    others = dict(zip(names[1:], arguments[1:], strict=False))
    return arguments[0], {**others, **keywords}


def _listed(arguments: Any) -> list[Any]:
    """Return the positional arguments of a call as a list."""
    return [arguments] if isinstance(arguments, Source) else list(arguments)
