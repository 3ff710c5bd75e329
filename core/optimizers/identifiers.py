"""Optimizers from names and configs, in the spelling of Keras 3, tf.keras or TensorFlow.js."""

from collections.abc import Mapping
from typing import Any

from core.keras.configured import NamedClasses, snake_case
from core.optimizers import tfjs
from core.optimizers.adafactor import Adafactor
from core.optimizers.adam import Adam, Adamax, AdamW, Nadam
from core.optimizers.adaptive import Adadelta, Adagrad, RMSprop
from core.optimizers.base import Optimizer
from core.optimizers.ftrl import Ftrl
from core.optimizers.momentum import SGD, Lion
from core.optimizers.schedules import InverseTimeDecay

_ALL = (SGD, RMSprop, Adam, AdamW, Adadelta, Adagrad, Adamax, Nadam, Ftrl, Lion, Adafactor)
_KERAS = NamedClasses("optimizer", Optimizer, {kind.__name__: kind for kind in _ALL})
_TENSORFLOW_JS = NamedClasses("optimizer", Optimizer, {k.__name__: k for k in tfjs.CLASSES})

#: Arguments as TensorFlow.js spells them; its classes Momentum and RMSProp are known by name.
_ONLY_THERE = {"beta1", "beta2", "use_nesterov"}

#: Entries of configs of tf.keras that say nothing about the numbers.
_WITHOUT_MEANING = ("jit_compile", "is_legacy_optimizer", "dtype")


#: Types from which `get` makes an optimizer.
OptimizerLike = str | Mapping[str, Any] | type[Optimizer] | Optimizer


def get(identifier: OptimizerLike) -> Optimizer:
    """Return an optimizer for a name, a config or an optimizer.

    Args:
        identifier: an optimizer, which is returned as it is; a class; a name such as "adam"; or a
            dict of "class_name" and "config" as Keras 3, tf.keras and TensorFlow.js write them.
            A config of TensorFlow.js, which has arguments such as beta1 or learningRate, makes
            an optimizer of `core.train`.

    Raises:
        CoreError: there is no such optimizer, or an argument does not fit; the message lists the
            valid names.

    >>> import core
    >>> core.optimizers.get("rmsprop")
    RMSprop(learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-07, centered=False)
    >>> core.optimizers.get({"class_name": "Adam", "config": {"learningRate": 0.1}})
    Adam(learning_rate=0.1, beta1=0.9, beta2=0.999, epsilon=None)
    """
    if not isinstance(identifier, Mapping):
        return _KERAS.get(identifier)
    name, config = identifier.get("class_name"), identifier.get("config") or {}
    if not isinstance(name, str) or not isinstance(config, Mapping):
        return _KERAS.get(identifier)
    name = name.rpartition(">")[2]
    spelled = {_spelled(key): value for key, value in config.items()}
    if _is_of_tensorflow_js(name, config, spelled):
        return _TENSORFLOW_JS.get({"class_name": name, "config": spelled})
    return _KERAS.get({"class_name": name, "config": _of_keras(name, spelled)})


def _spelled(key: str) -> str:
    """Return an argument in the spelling of Python: learningRate becomes learning_rate."""
    return key if key == key.lower() else snake_case(key)


def _is_of_tensorflow_js(name: str, config: Mapping[str, Any], spelled: Mapping[str, Any]) -> bool:
    if name == "Momentum" or name == "RMSProp" or _ONLY_THERE & {*spelled}:
        return True
    return any(key != key.lower() for key in config)


def _of_keras(name: str, config: dict[str, Any]) -> dict[str, Any]:
    """Return a config of any version of Keras as one of Keras 3."""
    for key in _WITHOUT_MEANING:
        config.pop(key, None)
    if "lr" in config:
        config["learning_rate"] = config.pop("lr")
    decay = config.pop("decay", None)
    if decay and name != "Nadam":  # Nadam's decay is another number, which Keras ignores since 2.11
        config["learning_rate"] = InverseTimeDecay(config["learning_rate"], 1, decay)
    if config.get("use_ema") is False:
        config.pop("ema_overwrite_frequency", None)
    return config
