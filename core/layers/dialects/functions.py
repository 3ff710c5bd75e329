"""Functions between layers, such as ``x + y``, as layers: for files that have layers only."""

from typing import Any

from core.layers.dialects.configs import NotExpressibleError
from core.layers.keras_config import KerasCall, LayerSpec, ModelSpec, Source, sources

#: Functions that are layers, too, for tensors of one rank; layers align others otherwise.
_OF_TWO = frozenset({"Add", "Subtract", "Multiply", "Maximum", "Minimum"})


#: Names of functions in tf.keras 2 by those of Keras 3.
_NAMES = {
    **{"add": "Add", "subtract": "Subtract", "multiply": "Multiply", "truediv": "TrueDivide"},
    **{"sub": "Subtract", "mul": "Multiply", "divide": "TrueDivide", "negative": "Negative"},
    **{"maximum": "Maximum", "minimum": "Minimum"},
}


def as_layer(spec: LayerSpec, model: ModelSpec) -> LayerSpec:
    """Return a layer that computes what a function of Keras 3, or of tf.keras 2, does.

    Two tensors become the inputs of a merging layer, a number the scale or offset of a Rescaling.

    Args:
        spec: the function with its call.
        model: its model, which knows the shapes of tensors.

    Raises:
        NotExpressibleError: there is no such layer.
    """
    name, arguments = _NAMES.get(spec.class_name, spec.class_name), _arguments(spec)
    tensors = [each for each in arguments if isinstance(each, Source)]
    config: dict[str, Any] = {"name": spec.name}
    if len(tensors) == len(arguments) == 2:
        ranks = {model.rank(source) for source in tensors}
        if name not in _OF_TWO or len(ranks) != 1 or None in ranks:
            raise _without_layer(spec)
        class_name, call = name, KerasCall([tensors], {})
    else:
        scale, offset = _scale_and_offset(name, spec, arguments)
        if len(tensors) != 1 or not _is_float(model, tensors[0]):
            raise _without_layer(spec)
        config |= {"scale": scale, "offset": offset}
        class_name, call = "Rescaling", KerasCall(tensors, {})
    return spec._replace(
        class_name=class_name, config=config, calls=(call,), is_function=False, module=""
    )


def as_row_layer(spec: LayerSpec, model: ModelSpec) -> LayerSpec:
    """Return the layer for a Flatten of flat rows, which TensorFlow.js refuses."""
    first = next(sources([call.arguments for call in spec.calls], spec.name), None)
    if first is None or model.rank(first) != 2:
        return spec
    return spec._replace(
        class_name="Activation", config={"name": spec.name, "activation": "linear"}
    )


def _arguments(spec: LayerSpec) -> list[Any]:
    """Return the arguments of a function that is called once; tf.keras 2 names the second "y"."""
    if len(spec.calls) != 1:
        raise _without_layer(spec)
    given, keywords = spec.calls[0].arguments, {**spec.calls[0].keywords}
    arguments = list(given) if isinstance(given, (list, tuple)) else [given]
    if "y" in keywords:
        arguments.append(keywords.pop("y"))
    if any(value is not None for value in keywords.values()):
        raise _without_layer(spec)
    return arguments


def _scale_and_offset(name: str, spec: LayerSpec, arguments: list[Any]) -> tuple[float, float]:
    """Return the factor and the addend by which a function of a tensor and a number is linear."""
    numbers = [n for n in arguments if isinstance(n, (int, float)) and not isinstance(n, bool)]
    is_last = isinstance(arguments[0], Source)
    match name, numbers:
        case "Negative", []:
            return -1.0, 0.0
        case "Add", [n]:
            return 1.0, float(n)
        case "Multiply", [n]:
            return float(n), 0.0
        case "Subtract", [n]:
            return (1.0, -float(n)) if is_last else (-1.0, float(n))
        case "TrueDivide" | "Divide", [n] if is_last and n:
            return 1 / n, 0.0
    raise _without_layer(spec)


def _is_float(model: ModelSpec, source: Source) -> bool:
    known = model.tensors.get(source)
    return known is not None and known.dtype == "float32"


def _without_layer(spec: LayerSpec) -> NotExpressibleError:
    library = "Keras 3" if spec.dialect == "keras3" else "TensorFlow"
    return NotExpressibleError(f"is the function {spec.class_name} of {library}, not a layer")
