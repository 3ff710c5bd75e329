"""The public names with their parameters: ``python -m tests.rules.public_api`` writes the list.

A name that goes, or a parameter that changes, breaks programs of users: the list in
``public_api.txt`` shows it in the diff of a change. Types are checked by `tests.rules.test_types`.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.engine.operation import Op

FILE = Path(__file__).with_name("public_api.txt")

#: Every module whose public names programs import.
MODULES = (
    "weights_cache",
    "core",
    *(f"core.{name}" for name in ("image", "linalg", "random", "signal")),
    *(f"core.{name}" for name in ("converter", "data", "data.augmentation", "plots", "callbacks")),
    *(f"core.{name}" for name in ("initializers", "regularizers", "constraints", "layers")),
    *(f"core.{name}" for name in ("losses", "metrics", "optimizers", "optimizers.schedules")),
    "core.train",
    "core.utils",
    "zoo",
    "zoo.web",
)

#: Classes of which the methods are listed, too: they have no siblings with the same ones.
WITH_METHODS = (
    *("Tensor", "Variable", "GraphModel", "Model", "Layer", "Dataset", "Backend", "Loss", "Metric"),
    *("Optimizer", "Callback", "LoadedModel", "TaughtModel", "GestureRecognizer", "KNNClassifier"),
    *("Head", "Frames", "App", "BatchResults", "VideoFile", "LineZone", "PolygonZone", "Trails"),
)


def api() -> str:
    """A line for each public name of each module, and for each public method of some classes."""
    return "".join(f"{line}\n" for module in MODULES for line in _lines_of(module))


def _lines_of(name: str) -> Iterator[str]:
    module = importlib.import_module(name)
    for each in sorted(getattr(module, "__all__", None) or dir(module)):
        value = getattr(module, each)
        if each.startswith("_") or (inspect.ismodule(value) and not _is_public(value)):
            continue
        yield f"{name}.{each}{_signature(value)}"
        if inspect.isclass(value) and each in WITH_METHODS:
            yield from _members(f"{name}.{each}", value)


def _is_public(module: Any) -> bool:
    return module.__name__ in MODULES


def _members(name: str, kind: type) -> Iterator[str]:
    for each in sorted(n for n in dir(kind) if not n.startswith("_")):
        value = inspect.getattr_static(kind, each)
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        is_method = inspect.isfunction(value) or isinstance(value, Op)
        yield f"{name}.{each}{_signature(value) if is_method else ''}"


def _signature(value: Any) -> str:
    if not callable(value) or (inspect.isclass(value) and issubclass(value, dict)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=empty))
    return re.sub(r" at 0x\w+", "", text)


if __name__ == "__main__":
    FILE.write_text(api(), encoding="utf-8")
