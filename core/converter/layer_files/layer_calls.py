"""Calls of layers in the forms of the dialects: objects in Keras 3, lists of tensors elsewhere."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from core.converter.layer_files.dialect_tables import CALL_ARGUMENTS, RECURRENT
from core.converter.layer_files.document import Dialect
from core.converter.layer_files.layer_configs import NotExpressibleError
from core.layers.keras_config import KerasCall, LayerSpec, Source, sources

#: Shape and dtype of a tensor.
ShapeOf = Callable[[Source], tuple[list[Any], str]]


def endpoint(source: Source, late: Collection[str]) -> list[Any]:
    """Return a tensor as layer, call and output; calls of some layers are counted from 1."""
    return [source.layer, source.call + (source.layer in late), source.output]


def keras3_call(layer: LayerSpec, call: KerasCall, shape_of: ShapeOf) -> dict[str, Any]:
    """Return a call of a layer as Keras 3 writes it."""
    arguments, keywords = _arguments(layer, call)
    tensors = _mapped(
        [arguments, keywords],
        lambda source: {
            "class_name": "__keras_tensor__",
            "config": {
                "shape": shape_of(source)[0],
                "dtype": shape_of(source)[1],
                "keras_history": list(source),
            },
        },
    )
    return {"args": tensors[0], "kwargs": tensors[1]}


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
    arguments, keywords = _arguments(layer, call)
    first, keywords = _named(layer, arguments, keywords)
    tensors = list(sources(first, f"a call of {layer.name!r}"))
    if layer.class_name in RECURRENT:
        tensors += sources(keywords.pop("initial_state", None), "the initial states")
        if keywords.get("training") is False:  # Keras 3 writes it for every recurrent layer
            del keywords["training"]
    kept = {name: value for name, value in keywords.items() if value is not None}
    held = [name for name, value in kept.items() if list(sources(value, name))]
    if held and target == "tfjs":
        raise NotExpressibleError(f"is called with tensors as {', '.join(held)}")
    kept = _mapped(kept, lambda source: endpoint(source, late))
    return [[*endpoint(source, late), kept] for source in tensors]


def _named(
    layer: LayerSpec, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return the first argument, and all others by name."""
    names = CALL_ARGUMENTS.get(layer.class_name, ("inputs",))
    if not arguments or len(arguments) > len(names):
        raise NotExpressibleError(f"is called with {len(arguments)} positional arguments")
    others = dict(zip(names[1:], arguments[1:], strict=False))
    return arguments[0], {**others, **keywords}


def _arguments(layer: LayerSpec, call: KerasCall) -> tuple[list[Any], dict[str, Any]]:
    """Return the positional arguments of a call and the others, as Keras 3 has them."""
    keywords = dict(call.keywords)
    given = call.arguments
    tensors = [given] if isinstance(given, Source) else list(given)
    if layer.dialect == "keras3" or len(tensors) < 2:
        return tensors, keywords
    if layer.class_name in RECURRENT:
        return tensors[:1], {"initial_state": tensors[1:], **keywords}
    return [tensors], keywords


def _mapped(value: Any, made: Callable[[Source], Any]) -> Any:
    """Return nested arguments with something else in place of each tensor."""
    if isinstance(value, Source):
        return made(value)
    if isinstance(value, Mapping):
        return {key: _mapped(item, made) for key, item in value.items()}
    return [_mapped(item, made) for item in value] if isinstance(value, (list, tuple)) else value
