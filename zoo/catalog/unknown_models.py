"""Errors about unknown names of models: close names, and files that are not read at all."""

from typing import Any

from weights_cache.common.similar_names import close_names, did_you_mean
from zoo.catalog.choices import Choices
from zoo.catalog.entries import all_entries, choices, chosen_name, model_class

_FOREIGN_ENDINGS = (".pt", ".pth", ".safetensors", ".ckpt", ".engine", ".mlmodel", ".task")

#: Families of models that other libraries have, and for which verb people take them.
_FOREIGN = {
    "yolo": "detect",
    "rtdetr": "detect",
    "fasterrcnn": "detect",
    "resnet": "classify",
    "vgg": "classify",
    "efficientnet": "classify",
    "vit": "classify",
    "clip": "classify",
    "sam": "segment",
    "maskrcnn": "segment_persons",
    "openpose": "estimate_multiple_poses",
}


def unknown_model(name: Any, verb: str = "") -> str:
    """The text of the error: few names, of the family, verb or task that is closest.

    >>> unknown_model("selfie.bas")
    "unknown model 'selfie.bas': did you mean 'selfie.base'? (models: selfie.base, \
selfie.landscape, selfie.tfjs)"
    """
    if not isinstance(name, str):
        return (
            f"unknown model {name!r:.80}: give a name of zoo.models(), a path, or a model that "
            "zoo.load returned"
        )
    if name in Choices._fields:
        return f"unknown model {name!r}: zoo.load needs a task or function, such as 'pose.{name}'"
    if chosen_name(name) in [its.default for its in choices().values()]:
        return f"unknown model {name!r}: it is no network but rules, zoo.GestureRecognizer()"
    foreign = _foreign_verb(name)
    near = _near(name, verb or foreign)
    if foreign or name.lower().endswith(_FOREIGN_ENDINGS):
        return (
            f"unknown model {name!r}: export it as an ONNX file and give the path of that "
            f"(models: {near})"
        )
    return f"unknown model {name!r}{did_you_mean(name.lower(), all_entries())} (models: {near})"


def _foreign_verb(name: str) -> str:
    plain = name.lower().replace("-", "").replace("_", "")
    return next((verb for start, verb in _FOREIGN.items() if plain.startswith(start)), "")


def _near(name: str, verb: str) -> str:
    """Names of the family or task that was meant, else those of the verb, else all families."""
    entries = all_entries()
    families = {n: (n.partition(".")[0], entry.task) for n, entry in entries.items()}
    close = close_names(name.partition(".")[0].lower(), {*sum(families.values(), ())})
    its = [n for n, groups in families.items() if close and close[0] in groups]
    if its or verb:
        return ", ".join(its or able_models(verb))
    every = dict.fromkeys(f"{family}.*" for family, _ in families.values())
    return f"{', '.join(every)}; zoo.models() lists all"


def able_models(verb: str) -> list[str]:
    """Names of the models that have a verb, the default one first."""
    able = [e.name for e in all_entries().values() if hasattr(model_class(e), verb)]
    chosen = choices()[verb].default if verb in choices() else ""
    return sorted(able, key=lambda name: name != chosen)
