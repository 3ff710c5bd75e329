"""Translation of the config of one layer between dialects, without its inner layers."""

from collections.abc import Container, Mapping
from typing import Any

from core.errors import CoreError
from core.keras.documents import is_user_document
from core.layers.dialects.tables import (
    ABSENT,
    ACTIVATION_NAMES,
    ACTIVATIONS,
    KERAS2_DTYPES,
    KERAS2_INITIALIZERS,
    LACKED,
    LACKED_BY_CLASS,
    NOT_IN_KERAS3,
    OBJECT_MODULES,
    OTHER_ACTIVATIONS,
    PAIRS_IN_TFJS,
    RENAMED,
    SEEDED_IN_KERAS3,
    TFJS_INITIALIZERS,
    TITLES,
    UNUSED,
    WITHOUT_EFFECT,
)
from core.layers.keras_config import Dialect
from core.layers.lookup import find_layer_class

Config = dict[str, Any]

#: Arguments of every layer.
_COMMON = frozenset({"name", "trainable", "dtype"})

#: Arguments for which null is a value other than the default.
_NULLS = frozenset({"merge_mode"})

_VARIANCE = "VarianceScaling"


class NotExpressibleError(CoreError):
    """A dialect cannot express a config; the text completes "layer 'x' ...".

    >>> raise NotExpressibleError("has groups=2")
    Traceback (most recent call last):
    core.layers.dialects.configs.NotExpressibleError: has groups=2
    """


def keras3_config(
    class_name: str, config: Mapping[str, Any], source: Dialect, target: Dialect = "keras3"
) -> Config:
    """Return the config of a layer of another dialect as Keras 3 has it.

    Args:
        class_name: class of the layer.
        config: its config.
        source: dialect of the config.
        target: the dialect for which it is translated; activations of others than Keras 3 remain.

    Raises:
        NotExpressibleError: Keras 3 has no equal argument or activation.

    >>> keras3_config("LeakyReLU", {"name": "a", "alpha": 0.1}, "tfjs")
    {'name': 'a', 'negative_slope': 0.1}
    """
    names = {old: new for new, old in RENAMED.get(class_name, {}).items()}
    found = {names.get(key, key): value for key, value in config.items()}
    if class_name == "InputLayer":
        return _input_layer(found)
    found.pop("batch_input_shape", None)
    found = {**ABSENT[source].get(class_name, {}), **found}
    found = {key: _keras3_value(key, value, target) for key, value in found.items()}
    kind = find_layer_class(class_name)
    if kind is None or kind.only_in_files:
        return found
    known = {*kind.arguments, *_COMMON}
    unused = {*UNUSED.get(class_name, ()), *WITHOUT_EFFECT["keras3"]}
    for key in [key for key in found if key not in known]:
        value = found.pop(key)
        if key not in unused and value not in (None, LACKED["keras3"].get(key)):
            raise NotExpressibleError(f"has {key}={value!r:.80}")
    if source == "tfjs":  # null is what was not given
        found = {k: v for k, v in found.items() if v is not None or k in _NULLS}
    return found


def derived_config(
    class_name: str, config: Mapping[str, Any], source: Dialect, own: Container[str]
) -> Config:
    """Return the config of a class that derives from a built-in one as Keras 3 has it.

    Args:
        class_name: the built-in class.
        config: the config of the file.
        source: its dialect.
        own: arguments of the class itself, which stay as they are.

    >>> config = {"units": 3, "power": 2, "quantization_config": None}
    >>> derived_config("Dense", config, "keras3", {"power"})
    {'units': 3, 'power': 2}
    """
    kind = find_layer_class(class_name)
    known = {*((kind and kind.arguments) or ()), *_COMMON, *RENAMED.get(class_name, {}).values()}
    unused = {*UNUSED.get(class_name, ()), *WITHOUT_EFFECT["keras3"], "batch_input_shape"}
    neutral = {**LACKED["keras2"], **LACKED["keras3"]}
    given = {k: v for k, v in config.items() if k in known and k not in own}
    found = given if source == "keras3" else keras3_config(class_name, given, source)
    others = {
        key: value
        for key, value in config.items()
        if key in own
        or not (key in known or key in unused or value is None or value == neutral.get(key))
    }
    return {**found, **others}


def _input_layer(config: Config) -> Config:
    shape = config.get("batch_input_shape", config.get("batch_shape"))
    dtype = _policy_name(config.get("dtype")) or "float32"
    found = {"batch_shape": shape, "dtype": dtype, "sparse": bool(config.get("sparse"))}
    return {**found, "ragged": bool(config.get("ragged")), "name": config.get("name")}


def _keras3_value(key: str, value: Any, target: Dialect) -> Any:
    if key == "dtype":
        name = _policy_name(value)
        return name and {"module": "keras", **_object("DTypePolicy", {"name": name})}
    if key.endswith("activation"):
        return _keras3_activation(value, target)
    if key == "axis" and isinstance(value, list) and len(value) == 1:
        return value[0]
    if isinstance(value, Mapping) and key.endswith(("_initializer", "_regularizer", "_constraint")):
        return _keras3_object(key, value)
    return value


def _keras3_activation(value: Any, target: Dialect) -> Any:
    if not isinstance(value, str):
        return value
    if value in NOT_IN_KERAS3 and target == "keras3":
        raise NotExpressibleError(
            f"has the activation {value!r} for Keras 3, {NOT_IN_KERAS3[value]}"
        )
    names = {old: new for new, old in ACTIVATION_NAMES.items()}
    return names.get(value, value)


def _keras3_object(key: str, document: Mapping[str, Any]) -> Config:
    names = {old: new for new, old in TFJS_INITIALIZERS.items() if not new.endswith("Initializer")}
    class_name = str(document.get("class_name"))
    class_name = names.get(class_name, class_name)
    if is_user_document(document):
        return dict(document)
    config = dict(document.get("config") or {})
    if key.endswith("_initializer"):
        config.pop("dtype", None)  # of TensorFlow 1; the weight has one
    if class_name == _VARIANCE and config.get("distribution") == "normal":
        config["distribution"] = "truncated_normal"
    return {"module": module_of(key), **_object(class_name, config)}


def module_of(key: str) -> str | None:
    """Return the module of Keras 3 that has the object of an argument, or None."""
    return next((module for end, module in OBJECT_MODULES.items() if key.endswith(end)), None)


def _object(class_name: str, config: Mapping[str, Any]) -> Config:
    return {"class_name": class_name, "config": dict(config), "registered_name": None}


def _policy_name(value: Any) -> str | None:
    """Return the name of a dtype or of a policy of dtypes."""
    if isinstance(value, Mapping):
        config = value.get("config")
        value = config.get("name") if isinstance(config, Mapping) else None
    return value if isinstance(value, str) else None


def config_from_keras3(
    class_name: str, config: Mapping[str, Any], target: Dialect, source: Dialect = "keras3"
) -> Config:
    """Return a config of Keras 3 as another dialect has it.

    Args:
        class_name: class of the layer.
        config: its config.
        target: the other dialect.
        source: the dialect from which it was translated, whose activations have equal names.

    Raises:
        NotExpressibleError: the dialect has no equal argument, activation or initializer.

    >>> config_from_keras3("LeakyReLU", {"name": "a", "negative_slope": 0.1}, "tfjs")
    {'name': 'a', 'alpha': 0.1}
    """
    names = RENAMED.get(class_name, {})
    found: Config = {}
    for key, value in config.items():
        if key not in names and _is_lacked(class_name, key, value, target):
            continue
        if target == "tfjs" and value is None and key not in _NULLS:
            if key.endswith("activation"):  # whose default is not always linear
                found[key] = "linear"
            continue  # null is no default there: with "data_format" it means channels first
        key = "batch_input_shape" if key == "batch_shape" else names.get(key, key)
        value = _value_for(key, value, target, source)
        pairs = target == "tfjs" and key in PAIRS_IN_TFJS.get(class_name, ())
        found[key] = [value, value] if pairs and isinstance(value, int) else value
    if target == "keras2" and class_name in KERAS2_DTYPES:
        _complete_lookup(class_name, found)
    return found


def _complete_lookup(class_name: str, config: Config) -> None:
    """Give a layer with a vocabulary a dtype and n-grams that Keras 2 reads."""
    dtype = KERAS2_DTYPES[class_name]
    if dtype == "string" or config.get("output_mode", "int") == "int":
        config["dtype"] = dtype
    if class_name == "TextVectorization" and config.get("output_mode") == "one_hot":
        raise NotExpressibleError("has output_mode='one_hot'")
    widths = config.get("ngrams")
    if isinstance(widths, (list, tuple)):  # it reads a number back, and no list
        if list(widths) != [*range(1, len(widths) + 1)]:
            raise NotExpressibleError(f"has ngrams={widths!r:.80}, which Keras 2 reads in no file")
        config["ngrams"] = len(widths)


def _is_lacked(class_name: str, key: str, value: Any, target: Dialect) -> bool:
    """Whether an argument is left out; an error if it would change results."""
    seed = target == "keras2" and key == "seed" and class_name in SEEDED_IN_KERAS3
    if seed or key in WITHOUT_EFFECT[target]:
        return True
    lacked = {**LACKED[target], **LACKED_BY_CLASS[target].get(class_name, {})}
    if key not in lacked:
        return False
    if value is not None and value != lacked[key]:
        raise NotExpressibleError(f"has {key}={value!r:.80}")
    return True


def without_unknown(class_name: str, config: Mapping[str, Any]) -> Config:
    """Return a config of Keras 3 without the arguments that Keras 3 does not take back."""
    unknown = LACKED_BY_CLASS["keras3"].get(class_name, {})
    return {key: value for key, value in config.items() if key not in unknown}


def _value_for(key: str, value: Any, target: Dialect, source: Dialect) -> Any:
    if key == "dtype":
        return _dtype_for(value, target)
    if key.endswith("activation"):
        return _activation_for(value, target, source)
    if isinstance(value, Mapping) and key.endswith(("_initializer", "_regularizer", "_constraint")):
        return _object_for(key, value, target)
    return value


def _dtype_for(value: Any, target: Dialect) -> Any:
    name = _policy_name(value)
    if name is None or not name.startswith("mixed"):
        return name
    if target == "tfjs":
        raise NotExpressibleError(f"has the dtype policy {name!r}")
    return {"class_name": "Policy", "config": {"name": name}}


def _activation_for(value: Any, target: Dialect, source: Dialect) -> Any:
    if isinstance(value, Mapping):  # a layer, as in Dense(activation=ReLU(6))
        if target == "tfjs":
            raise NotExpressibleError("has a layer as its activation")
        class_name = str(value.get("class_name"))
        inner = config_from_keras3(class_name, value.get("config") or {}, target, source)
        return {"class_name": class_name, "config": inner}
    name = ACTIVATION_NAMES.get(value, value)
    known = ACTIVATIONS[target] | (OTHER_ACTIVATIONS[target] & OTHER_ACTIVATIONS[source])
    if name is not None and name not in known:
        raise NotExpressibleError(f"has the activation {value!r}, which {TITLES[target]} lacks")
    return name


def _object_for(key: str, document: Mapping[str, Any], target: Dialect) -> Config:
    class_name = str(document.get("class_name"))
    if is_user_document(document):
        if target == "tfjs":
            raise NotExpressibleError(f"has {key}={class_name}, a user-defined class")
        return dict(document)
    config = {k: v for k, v in (document.get("config") or {}).items() if not k.endswith("put_axes")}
    if target == "tfjs":
        class_name, config = _tfjs_object(key, class_name, config)
    elif target == "keras2":
        class_name = KERAS2_INITIALIZERS.get(class_name, class_name)
    return {"class_name": class_name, "config": config}


def _tfjs_object(key: str, class_name: str, config: Config) -> tuple[str, Config]:
    if key.endswith("_regularizer"):
        if class_name not in ("L1", "L2", "L1L2"):
            raise NotExpressibleError(f"has the regularizer {class_name}")
        return "L1L2", {"l1": config.get("l1", 0.0), "l2": config.get("l2", 0.0)}
    if class_name == _VARIANCE:
        distribution = config.get("distribution")
        if distribution == "untruncated_normal":
            raise NotExpressibleError("has an initializer of an untruncated normal distribution")
        config["distribution"] = "normal" if distribution == "truncated_normal" else distribution
    return TFJS_INITIALIZERS.get(class_name, class_name), config
