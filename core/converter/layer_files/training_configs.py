"""Translation of what a model was compiled with: optimizer, loss and metrics.

Sources: ``compile_config`` of Keras 3.15, ``training_config`` of tf_keras 2.21, ``trainingConfig``
of TensorFlow.js 4.22.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core.converter.layer_files.optimizer_state import RUNS
from core.errors import CoreError
from core.keras.configured import snake_case
from core.keras.documents import is_user_document
from core.layers.dialects.tables import OBJECT_MODULES

Config = dict[str, Any]

_LOSSES = ("loss", "metrics", "weighted_metrics")

#: Options of optimizers that only Keras 3 or only Keras 2 has, with values that change nothing.
_OPTIONS_OF_KERAS3 = {"loss_scale_factor": None, "gradient_accumulation_steps": None}
_OPTIONS_OF_KERAS2 = ("jit_compile", "is_legacy_optimizer", "schedule_decay")

_SCHEDULES = "keras.optimizers.schedules"

#: Full names of losses and metrics.
_FULL_NAMES = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
    "bce": "binary_crossentropy",
}

#: Options of losses that TensorFlow.js computes with, and does not write.
_LOSS_DEFAULTS = {
    "reduction": ("sum_over_batch_size", "auto", "mean"),
    "from_logits": (False,),
    "label_smoothing": (0, 0.0),
    "axis": (-1,),
    "ignore_class": (None,),
}

#: Losses of TensorFlow.js that Keras 3 names otherwise.
_TFJS_NAMES = {
    "kl_divergence": "kullback_leibler_divergence",
    "cosine_similarity": "cosine_proximity",
    "log_cosh": "logcosh",
}

_TFJS_LOSSES = """
mean_squared_error mean_absolute_error mean_absolute_percentage_error
mean_squared_logarithmic_error squared_hinge hinge categorical_hinge logcosh
categorical_crossentropy sparse_categorical_crossentropy binary_crossentropy
kullback_leibler_divergence poisson cosine_proximity
"""

#: Metrics of TensorFlow.js, which knows errors by their short names only.
_TFJS_METRICS = """
accuracy acc binary_accuracy categorical_accuracy precision crossentropy ce mse mae mape
categorical_crossentropy sparse_categorical_crossentropy
"""
_SHORT_NAMES = {full: short for short, full in _FULL_NAMES.items()}


class TfjsOptimizer(NamedTuple):
    """An optimizer of TensorFlow.js: its class, arguments by Keras 3's names, and slots."""

    class_name: str
    arguments: Mapping[str, str]
    slots: Mapping[str, str] = {}
    keeps_state: bool = True


_RATE = {"learning_rate": "learningRate"}
_BETAS = {**_RATE, "beta_1": "beta1", "beta_2": "beta2", "epsilon": "epsilon"}

#: Optimizers of TensorFlow.js by Keras 3's class; SGD with momentum has a class of its own.
TFJS_OPTIMIZERS = {
    "SGD": TfjsOptimizer("SGD", _RATE),
    "Adam": TfjsOptimizer("Adam", _BETAS, {"momentum": "m", "velocity": "v"}),
    "Adamax": TfjsOptimizer("Adamax", _BETAS, keeps_state=False),
    "Adagrad": TfjsOptimizer(
        "Adagrad",
        {**_RATE, "initial_accumulator_value": "initialAccumulatorValue"},
        {"accumulator": "accumulator"},
    ),
    "Adadelta": TfjsOptimizer(
        "Adadelta",
        {**_RATE, "rho": "rho", "epsilon": "epsilon"},
        {"accumulated_grad": "accum_grad", "accumulated_delta_var": "accum_var"},
    ),
    "RMSprop": TfjsOptimizer(
        "RMSProp",
        {
            **_RATE,
            "rho": "decay",
            "momentum": "momentum",
            "epsilon": "epsilon",
            "centered": "centered",
        },
        {"velocity": "rms", "momentum": "momentum", "average_gradient": "mg"},
    ),
}
TFJS_MOMENTUM = TfjsOptimizer(
    "Momentum",
    {**_RATE, "momentum": "momentum", "nesterov": "useNesterov"},
    {"momentum": "momentum"},
)

#: Options of optimizers that TensorFlow.js lacks, and which change nothing by these values.
_HARMLESS = {"ema_momentum", "name", "ema_overwrite_frequency"}


def tfjs_optimizer(optimizer: Mapping[str, Any]) -> TfjsOptimizer:
    """Return the optimizer of TensorFlow.js for one of Keras 3.

    Raises:
        CoreError: TensorFlow.js has none of the class.
    """
    name = _name_of(optimizer)
    if name == "SGD" and optimizer["config"].get("momentum"):
        return TFJS_MOMENTUM
    if name not in TFJS_OPTIMIZERS or is_user_document(optimizer):
        raise CoreError(
            f"TensorFlow.js has no optimizer {name}: compile with one of "
            f"{', '.join(TFJS_OPTIMIZERS)}, or save without the optimizer"
        )
    return TFJS_OPTIMIZERS[name]


def h5_training_config(compiled: Mapping[str, Any], dialect: str) -> Config:
    """Return the training configuration of an .h5 file of Keras 2 or 3."""
    found = {
        key: _mapped(_plain(value), _full_name) if key in _LOSSES else value
        for key, value in compiled.items()
        if key != "optimizer"
    }
    found.setdefault("loss_weights", None)
    optimizer = compiled.get("optimizer")
    if isinstance(optimizer, str):
        optimizer = {"class_name": optimizer, "config": {}}
    if optimizer is not None:
        optimizer = {"class_name": _name_of(optimizer), "config": optimizer["config"]}
    if dialect == "keras2" and optimizer:
        config = _plain(optimizer["config"])
        for option, default in _OPTIONS_OF_KERAS3.items():
            if config.pop(option, default) != default:
                raise CoreError(f"Keras 2 has no optimizer with {option}: save as .keras")
        optimizer["config"] = {**config, "is_legacy_optimizer": False}
        found = {key: found.get(key) for key in (*_LOSSES, "loss_weights")}
        found = {key: _mapped(value, _loss_of_keras2) for key, value in found.items()}
    return {**found, "optimizer_config": optimizer}


def completed_compile_config(compiled: Mapping[str, Any]) -> Config:
    """Return a configuration of Keras 3 with the module of every object."""
    found = dict(compiled)
    for key in (*_LOSSES, "optimizer"):
        if key in found:
            module = OBJECT_MODULES[key.removeprefix("weighted_")]
            found[key] = _mapped(found[key], _completed_in(module))
    config = found["optimizer"]["config"] if isinstance(found.get("optimizer"), Mapping) else {}
    if isinstance(config.get("learning_rate"), Mapping):
        schedule = _completed_in(_SCHEDULES)(config["learning_rate"])
        found["optimizer"] = {**found["optimizer"], "config": {**config, "learning_rate": schedule}}
    return found


def compile_config_of_archive(compiled: Mapping[str, Any]) -> Config:
    """Return the configuration of a .keras file of Keras 2 or 3 in the form of Keras 3."""
    found = dict(compiled)
    optimizer = found.get("optimizer")
    if isinstance(optimizer, Mapping) and isinstance(optimizer.get("config"), Mapping):
        found["optimizer"] = {**optimizer, "config": _options_of_keras3(optimizer)}
    return {k: _mapped(v, _of_keras3) if k in _LOSSES else v for k, v in found.items()}


def _options_of_keras3(optimizer: Mapping[str, Any]) -> Config:
    """Return the options of an optimizer of Keras 2 or 3 as Keras 3 has them."""
    config = dict(optimizer.get("config") or {})
    for option in _OPTIONS_OF_KERAS2:
        config.pop(option, None)
    if "lr" in config:
        config["learning_rate"] = config.pop("lr")
    if not str(optimizer.get("class_name")).endswith("Nadam"):  # whose decay is another number
        _replace_decay(config)
    return config


def _of_keras3(value: Any) -> Any:
    """Return a loss or metric of Keras 2 or 3 with the options that Keras 3 has."""
    config = value.get("config") if isinstance(value, Mapping) else None
    if not isinstance(config, Mapping):
        return value
    config = {k: v for k, v in config.items() if k != "fn" or not isinstance(v, str)}
    if config.get("reduction") == "auto":
        config["reduction"] = "sum_over_batch_size"
    return {**value, "config": config}


def compile_config_of_h5(training: Mapping[str, Any]) -> Config:
    """Return the configuration of an .h5 file of Keras 2 or 3 in the form of Keras 3."""
    found = {key: value for key, value in training.items() if key != "optimizer_config"}
    optimizer = training.get("optimizer_config")
    if isinstance(optimizer, Mapping):
        config = _options_of_keras3(optimizer)
        name = str(optimizer.get("class_name"))
        class_name = name.rpartition(">")[2]
        document: Config = {"class_name": class_name, "config": config}
        if name != class_name and class_name not in RUNS:  # Keras 2 wrote "Custom>Adam"
            document = {**_object(None, class_name, config), "registered_name": name}
        found = {"optimizer": document, **found}
    return completed_compile_config(found)


def _full_name(value: Any) -> Any:
    """Return the full name of a loss or metric: Keras 3 cannot read some others from .h5 files."""
    return _FULL_NAMES.get(value, value) if isinstance(value, str) else value


def _replace_decay(config: Config) -> None:
    """Replace the decay of old optimizers by a schedule."""
    decay = config.pop("decay", None)
    if decay:
        schedule = {
            "initial_learning_rate": config.get("learning_rate", 0.01),
            "decay_steps": 1,
            "decay_rate": decay,
            "staircase": False,
            "name": "InverseTimeDecay",
        }
        config["learning_rate"] = {"class_name": "InverseTimeDecay", "config": schedule}


def tfjs_training_config(compiled: Mapping[str, Any]) -> Config:
    """Return the ``trainingConfig`` of a model.json.

    Raises:
        CoreError: TensorFlow.js has no equal optimizer, loss or metric, or no loss weights.
    """
    for key in ("loss_weights", "weighted_metrics"):
        if compiled.get(key) is not None:
            raise CoreError(f"TensorFlow.js reads no {key}: compile without, or save as .keras")
    optimizer = compiled.get("optimizer")
    if not isinstance(optimizer, Mapping):
        raise CoreError("the model has no optimizer to write: compile it first")
    kind = tfjs_optimizer(optimizer)
    config = {}
    for key, value in optimizer["config"].items():
        if key in kind.arguments and isinstance(value, (int, float)):
            config[kind.arguments[key]] = value
        elif value not in (None, False, 0) and key not in _HARMLESS and not _is_epsilon(key, value):
            raise CoreError(
                f"the optimizer {kind.class_name} of TensorFlow.js has no {key}={value!r:.80}"
            )
    full = {short: _TFJS_NAMES.get(name, name) for short, name in _FULL_NAMES.items()}
    names = {**full, **_TFJS_NAMES}
    loss = _mapped(compiled.get("loss"), _tfjs_namer("loss", _TFJS_LOSSES, names))
    to_metric = _tfjs_namer("metric", _TFJS_METRICS, _SHORT_NAMES)
    metrics = _mapped(compiled.get("metrics") or [], to_metric)
    optimizer_config = {"class_name": kind.class_name, "config": config}
    return {"loss": loss, "metrics": metrics, "optimizer_config": optimizer_config}


def _is_epsilon(key: str, value: Any) -> bool:
    """Whether an option is Keras's epsilon, which TensorFlow.js has as a constant."""
    return bool(key == "epsilon" and value == 1e-7)


def compile_config_of_tfjs(training: Mapping[str, Any]) -> Config:
    """Return the ``trainingConfig`` of a model.json in the form of Keras 3."""
    names = {tfjs: keras for keras, tfjs in _TFJS_NAMES.items()}

    def named(value: Any) -> Any:
        return names.get(snake_case(value), snake_case(value)) if isinstance(value, str) else value

    given = training.get("optimizer_config")
    if not isinstance(given, Mapping):
        raise CoreError("the trainingConfig has no optimizer_config")
    class_name, config = str(given.get("class_name")), dict(given.get("config") or {})
    keras_name, kind = next(
        (
            (name, kind)
            for name, kind in (("SGD", TFJS_MOMENTUM), *TFJS_OPTIMIZERS.items())
            if kind.class_name.lower() == class_name.lower()
        ),
        (class_name, None),
    )
    if kind is not None:
        arguments = {_camel(tfjs): keras for keras, tfjs in kind.arguments.items()}
        config = {arguments.get(_camel(k), k): v for k, v in config.items() if v is not None}
        config = {k: v for k, v in config.items() if k in kind.arguments}
    return {
        "optimizer": _object(OBJECT_MODULES["optimizer"], keras_name, config),
        "loss": _mapped(training.get("loss"), named),
        "metrics": _mapped(training.get("metrics"), named),
    }


def _camel(name: str) -> str:
    """Return a name without underscores and in lower case, for comparisons."""
    return name.replace("_", "").lower()


def _tfjs_namer(what: str, known: str, names: Mapping[str, str]) -> Callable[[Any], Any]:
    """Return a function to the name in TensorFlow.js of a loss or metric of Keras 3.

    Args:
        what: "loss" or "metric".
        known: the names that TensorFlow.js has.
        names: its names by others.
    """

    def named(value: Any) -> Any:
        config = value.get("config") if isinstance(value, Mapping) else None
        name = value
        if isinstance(value, Mapping):
            is_function = value.get("class_name") == "function"
            name = config if is_function else value.get("class_name")
        name = snake_case(str(name)) if name is not None else None
        name = names.get(str(name), name)
        options = config if isinstance(config, Mapping) else {}
        changed = [k for k, v in options.items() if v not in _LOSS_DEFAULTS.get(k, (v,))]
        is_custom = isinstance(value, Mapping) and is_user_document(value)
        if changed or is_custom or (name is not None and name not in known.split()):
            options_text = f" with {', '.join(changed)}" if changed else ""
            raise CoreError(
                f"TensorFlow.js has no {what} {name}{options_text}: compile without it, or save "
                f"as .keras"
            )
        return name

    return named


def _loss_of_keras2(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    config = {k: v for k, v in value["config"].items() if k != "dtype" or v == "float32"}
    if "reduction" in config:
        config.pop("dtype", None)
    return {**value, "config": config}


def _completed_in(module: str) -> Callable[[Any], Any]:
    def completed(value: Any) -> Any:
        if not isinstance(value, Mapping) or "module" in value:
            return _of_keras3(value)
        config = value.get("config")
        if not isinstance(config, Mapping):
            return config  # a function
        if value.get("class_name") == "MeanMetricWrapper":
            return config.get("fn")
        name, config = str(value.get("class_name")), _of_keras3(value)["config"]
        if ">" in name:
            return {**_object(None, name.rpartition(">")[2], config), "registered_name": name}
        return _object(module, name, config)

    return completed


def _object(module: str | None, class_name: str, config: Config) -> Config:
    found = {"module": module, "class_name": class_name, "config": config}
    return {**found, "registered_name": None}


def _mapped(value: Any, made: Callable[[Any], Any]) -> Any:
    """Return nested lists and objects by output with losses or metrics replaced."""
    if isinstance(value, Mapping) and "class_name" not in value:
        return {key: _mapped(item, made) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, made) for item in value]
    return made(value)


def _name_of(document: Mapping[str, Any]) -> str:
    """Return the name of a class in .h5 files: the registered one of a user-defined class."""
    return str(document["registered_name" if is_user_document(document) else "class_name"])


def _plain(value: Any) -> Any:
    """Return objects without module and registered name, as .h5 files have them."""
    if isinstance(value, Mapping):
        is_object = "class_name" in value and "config" in value
        if is_object:
            value = {**value, "class_name": _name_of(value)}
        left_out = ("module", "registered_name", "shared_object_id", "build_config")
        return {k: _plain(v) for k, v in value.items() if not (is_object and k in left_out)}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
