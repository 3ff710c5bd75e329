"""Checks of options against their records (`zoo.catalog.option`), and errors about wrong ones."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import verb_options
from zoo.catalog.option import OWN, Option, Options

Given = ParamSpec("Given")
Result = TypeVar("Result")
Value = TypeVar("Value")

#: Names of options in other libraries, and their earlier names.
_NAMES_ELSEWHERE = {
    "conf": "score_threshold",
    "confidence": "score_threshold",
    "min_score": "score_threshold",
    "min_detection_confidence": "score_threshold",
    "iou": "iou_threshold",
    "nms_threshold": "iou_threshold",
    "cuda": "backend",
    "delegate": "backend",
    "device": "backend",
    "gpu": "backend",
    "providers": "backend",
    "use_gpu": "backend",
    "flip_horizontal": "mirror",
    "flipHorizontal": "mirror",
    "selfie_mode": "mirror",
    "classes": "labels",
    "max_det": "max_detections",
    "max_results": "max_detections",
    "num_hands": "max_hands",
    "max_num_hands": "max_hands",
    "num_faces": "max_faces",
    "max_num_faces": "max_faces",
    "num_poses": "max_poses",
    "top": "top_k",
    "topk": "top_k",
    "imgsz": "input_size",
    "second_look": "refine",
}

#: Names of other libraries for the backend that runs on a GPU.
_GPU_NAMES = ("gpu", "cuda", "mps", "metal", "opengl", "rocm", "webgl", "webgpu", "vulkan", "xpu")
_ON_GPUS = "backend='auto' (a real GPU where it is faster, else the CPU) or backend='shader'"


def checked(
    owner: str, options: Mapping[str, Option], given: Mapping[str, Any], also: Iterable[str] = ()
) -> dict[str, Any]:
    """Return all options as plain values, with defaults for those that are not given or None.

    Args:
        owner: whose options they are, for the error.
        options: by name.
        given: values by name.
        also: further names that the caller could have meant, for the error.

    Raises:
        ZooError: an unknown option, or an invalid value.
    """
    unknown = given.keys() - options.keys()
    if unknown:
        raise unknown_option(owner, unknown, [*also, *options])
    values = {}
    for name, option in options.items():
        value = given.get(name)
        is_left_out = value is None or value is OWN
        values[name] = option.default if is_left_out else checked_value(option, value, owner)
    return values


def checked_for(model: Any, method: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a model's verb as plain values, with the model's own defaults.

    Raises:
        ZooError: an unknown option, one that is chosen when the model is loaded, or an invalid
            value.
    """
    verb, options = method.__name__, options_of(method)
    entry = getattr(model, "entry", None)  # a model from a path has none
    for name in sorted(given.keys() - options.keys()):
        if entry is not None and name in entry.options:
            raise ZooError(
                f"{name!r} is chosen when the model is loaded: zoo.load({model.name!r}, {name}=...)"
            )
    values = checked(verb, options, given)
    if OWN in values.values():
        own = model.entry.defaults_of(verb)
        for name, value in values.items():
            if value is OWN:
                values[name] = own.get(name)
    return values


@cache
def options_of(method: Callable[..., Any]) -> Options:
    """Return those options of a verb that a model's method of that name has."""
    known: Any = method.__kwdefaults__
    its = verb_options(method.__name__)
    return {name: its[name] for name in known}


def checked_value(option: Option, value: Any, owner: str = "") -> Any:
    """Return the value of an option as a plain Python one.

    Args:
        option: which values are valid.
        value: to be checked; None is invalid here.
        owner: whose option it is, for the error.

    Raises:
        ZooError: the value is invalid.

    >>> from zoo.catalog.option import count
    >>> checked_value(count("max_poses", "maximum number of people", 20), 0)
    Traceback (most recent call last):
    zoo.ZooError: max_poses=0 must be an integer of at least 1; leave it out for 20
    """
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if option.choices:
        if hasattr(value, "entry") and value.entry.name in option.choices:
            return value  # a loaded model
        for choice in option.choices:
            if type(choice) is type(plain) and choice == plain:
                return choice
    elif option.type == "flag":
        if isinstance(plain, bool):
            return plain
    elif option.type not in ("number", "integer"):
        return plain  # the model knows which are valid
    elif _is_in_range(option, plain):
        return int(plain) if option.type == "integer" else float(plain)
    of_owner = f" of {owner}" if owner and option.choices else ""
    default = "" if option.type == "flag" else option.default_text
    hint = f"; leave it out for {default}" if default else ""
    raise ZooError(f"{option.name}={value!r}{of_owner} must be {option.expected}{hint}")


def _is_in_range(option: Option, value: Any) -> bool:
    kind: Any = Integral if option.type == "integer" else Real
    if not isinstance(value, kind) or isinstance(value, bool) or option.low is None:
        return False
    return bool(option.low <= value and (option.high is None or value <= option.high))


def refuse_unknown(owner: str, given: Iterable[str], valid: Iterable[str]) -> None:
    """Raise if there is an unknown option.

    Args:
        owner: whose options they are, for the error.
        given: names of options.
        valid: names of the options that there are.

    Raises:
        ZooError: an option is unknown.
    """
    unknown = {*given}.difference(valid)
    if unknown:
        raise unknown_option(owner, unknown, valid)


def refusing_unknown(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorate a function: an unknown keyword argument is an error that lists the valid ones."""
    known = list(signature(function).parameters)

    @wraps(function)
    def call(*arguments: Given.args, **options: Given.kwargs) -> Result:
        refuse_unknown(function.__name__, options, known)
        return function(*arguments, **options)

    return call


def under_two_names(
    name: str, value: Value, default: Value, other: str, given: Value | None
) -> Value:
    """Return the value of an option that has two names.

    Args:
        name: its first name.
        value: what was given under that.
        default: the value of the first name if nothing is given.
        other: its second name.
        given: what was given under that; None for nothing.

    Raises:
        ZooError: both were given.

    >>> under_two_names("features", "pose", "pose", "model", "hand")
    'hand'
    """
    if given is None:
        return value
    if value != default:
        raise ZooError(
            f"{name}={value!r:.80} and {other}={given!r:.80} are one option under two names: leave "
            "one out"
        )
    return given


def unknown_option(owner: str, unknown: Iterable[str], valid: Iterable[str]) -> ZooError:
    """Return the error about the first of some unknown options, which lists those that exist."""
    name, valid = min(unknown), list(valid)
    ours = _NAMES_ELSEWHERE.get(name)
    hint = f": did you mean {ours!r}?" if ours in valid else did_you_mean(name, valid)
    if ours in valid and ours == "backend":
        hint += f" {_ON_GPUS} runs on a GPU"
    return ZooError(f"unknown option {name!r} of {owner}{hint}; valid options: {', '.join(valid)}")


def check_backend(name: Any) -> None:
    """Raise for a name that other libraries give to the shader backend.

    Whether there is a backend of another name is found when it starts.

    >>> check_backend("cuda")
    Traceback (most recent call last):
    zoo.ZooError: backend='cuda': use backend='auto' (a real GPU where it is faster, else the CPU) \
or backend='shader'
    """
    if isinstance(name, str) and name.lower().partition(":")[0] in _GPU_NAMES:
        raise ZooError(f"backend={name!r}: use {_ON_GPUS}")
