"""Options of models and verbs: what is valid, and what an error says of the rest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from weights_cache.errors import ZooError
from weights_cache.similar_names import did_you_mean

#: What other libraries call options of the zoo.
_NAMES_ELSEWHERE = {
    "conf": "score_threshold",
    "confidence": "score_threshold",
    "min_score": "score_threshold",
    "min_detection_confidence": "score_threshold",
    "iou": "iou_threshold",
    "nms_threshold": "iou_threshold",
    "device": "backend",
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
}

#: What other libraries call the backend that runs on a GPU.
_GPU_NAMES = ("gpu", "cuda", "mps", "metal", "opengl", "webgl", "webgpu", "vulkan")


@dataclass(frozen=True)
class Option:
    """One option of a model: its default, and the values that it may have (none: see its task).

    ``note`` says in the model's card what a default such as None stands for.
    """

    default: Any
    choices: tuple[Any, ...] = ()
    note: str = ""
    type: str = ""  # of values where there are no choices, as it is written in a signature


def check_options(
    owner: str, valid: Mapping[str, Option], given: Mapping[str, Any], also: Iterable[str] = ()
) -> dict[str, Any]:
    """The given options with defaults filled in.

    Args:
        owner: whose options they are, for the error.
        valid: options by name.
        given: what the caller wants.
        also: further names that the caller could have meant, for the error.

    Raises:
        ZooError: an unknown option, or a value that is not among the choices.
    """
    refuse_unknown(owner, given.keys() - valid.keys(), [*also, *valid])
    chosen = {name: _chosen(owner, name, valid[name], value) for name, value in given.items()}
    return {name: chosen.get(name, option.default) for name, option in valid.items()}


def _chosen(owner: str, name: str, option: Option, value: Any) -> Any:
    """A value as a plain Python one, if it is among the choices; or a loaded model of them."""
    if hasattr(value, "entry") and value.entry.name in option.choices:
        return value
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if not option.choices:
        return plain
    for choice in option.choices:
        if type(choice) is type(plain) and choice == plain:
            return choice
    raise ZooError(f"{name}={value!r} of {owner} must be one of {list(option.choices)}")


def refuse_unknown(owner: str, unknown: Iterable[str], valid: Iterable[str]) -> None:
    """Raise for an option that does not exist, and list those that do."""
    names = sorted(unknown)
    if names:
        valid = list(valid)
        ours = _NAMES_ELSEWHERE.get(names[0])
        hint = f": did you mean {ours!r}?" if ours in valid else did_you_mean(names[0], valid)
        raise ZooError(
            f"unknown option {names[0]!r} of {owner}{hint}; valid options: {', '.join(valid)}"
        )


def refuse_options(verb: Callable[..., Any], unknown: Iterable[str]) -> None:
    """Raise for options that a verb does not have; it has its keyword-only arguments.

    Those of the model itself are chosen when it is loaded.
    """
    model: Any = getattr(verb, "__self__", None)
    entry = getattr(model, "entry", None)  # a model from a path has none
    for name in sorted(unknown):
        if entry is not None and name in entry.options:
            raise ZooError(
                f"{name!r} is chosen when the model is loaded: zoo.load({model.name!r}, {name}=...)"
            )
    refuse_unknown(verb.__name__, unknown, verb.__kwdefaults__ or ())


def check_number(
    name: str, value: Any, *, low: float, high: float | None = None, whole: bool = False
) -> Any:
    """The value as a plain Python number; an error if it is none, or out of its range.

    >>> check_number("max_poses", 5, low=1, whole=True)
    5
    """
    kind = Integral if whole else Real
    limit = f"at least {low}" if high is None else f"between {low} and {high}"
    valid = isinstance(value, kind) and not isinstance(value, bool)
    if not valid or not (low <= value and (high is None or value <= high)):
        raise ZooError(f"{name}={value!r} must be a {'whole ' if whole else ''}number {limit}")
    return int(value) if whole else float(value)


def check_optional(
    name: str,
    value: Any,
    *,
    low: float,
    high: float | None = None,
    whole: bool = False,
    default: Any = None,
) -> Any:
    """As `check_number`, but None stands for a default, or stays None: for one elsewhere.

    >>> check_optional("score_threshold", None, low=0, high=1, default=0.5)
    0.5
    """
    if value is None:
        return default
    return check_number(name, value, low=low, high=high, whole=whole)


def check_flag(name: str, value: Any) -> bool:
    """The value as a plain bool; an error if it is none: "no" would count as yes.

    >>> check_flag("mirror", True)
    True
    """
    plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if not isinstance(plain, bool):
        raise ZooError(f"{name}={value!r} must be True or False")
    return plain


def check_backend(name: Any) -> None:
    """Raise for a name that other libraries give to what the zoo calls the shader backend.

    Whether there is a backend of another name is found when it starts.

    >>> check_backend("cuda")
    Traceback (most recent call last):
    zoo.ZooError: backend='cuda': the backend that runs on GPUs is backend='shader'
    """
    if isinstance(name, str) and name.lower().partition(":")[0] in _GPU_NAMES:
        raise ZooError(f"backend={name!r}: the backend that runs on GPUs is backend='shader'")
