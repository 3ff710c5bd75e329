"""Writes by what editors and type checkers know `core`: ``python -m tests.rules.public_stubs``.

Its names are imported at their first use, and tensors get the methods that are ops when the ops are
imported: no checker sees either. The stubs import them from the files that define them.
"""

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import core
from core import ops
from core.engine.operation import Op
from core.engine.registry import FUNCTIONS, METHODS, OPS
from core.layers import class_names
from core.layers.built_in_layer import layer_class
from core.public.namespaces import NAMESPACES, names_in
from tests.rules.sources import ROOT

FOLDER = ROOT / "core"

#: The longest line of imports.
WIDTH = 96


def stubs() -> dict[str, str]:
    """The name of each stub in the folder of `core`, and its text.

    >>> "from core.ops.unary import abs as abs, " in stubs()["ops/__init__.pyi"]
    True
    """
    names = sorted(name for name in declared() if is_ours(name))
    methods = sorted(name for name in METHODS if is_ours(name))
    of_tensors = [f"    {name} = ops.{name}" for name in methods]
    return {
        "__init__.pyi": _text("What `core` has.", [*_homes(), *_imported("core.ops", names)]),
        "ops/__init__.pyi": _text("Every op.", ["from typing import Any", *_defined(names)])
        + "\ndef load_families() -> dict[str, Any]: ...\n",
        "engine/tensor_methods.pyi": _text("Methods of tensors.", ["from core import ops"])
        + "\n".join(["\nclass TensorMethods:", *of_tensors, ""]),
        "layers/__init__.pyi": _layers(),
        **{
            f"{name}.pyi": _text(NAMESPACES[name][0], _imported("core.ops", names_in(name)))
            for name in NAMESPACES
        },
    }


def declared() -> dict[str, Any]:
    """Every op, and every function made of ops, by name."""
    ops.load_families()
    return {**OPS, **FUNCTIONS}


def is_ours(name: str) -> bool:
    """Whether an op or function is of this package, not of a program."""
    return _module_of(name).startswith("core.")


def _module_of(name: str) -> str:
    found = declared()[name]
    module: str = (found.rule if isinstance(found, Op) else found).__module__
    return module


def _homes() -> Iterator[str]:
    """Import lines of the names that ``core/__init__.py`` imports at their first use."""
    for name, module in {**vars(core)["_HOMES"], **{n: f"core.{n}" for n in NAMESPACES}}.items():
        yield from _imported("core" if module == f"core.{name}" else module, [name])


def _imported(module: str, names: Iterable[str]) -> Iterator[str]:
    """Import lines of names, as many as fit into each."""
    line = ""
    for each in [f"{name} as {name}" for name in names]:
        if line and len(line) + len(each) > WIDTH:
            yield line
            line = ""
        line += f", {each}" if line else f"from {module} import {each}"
    if line:
        yield line


def _defined(names: Iterable[str]) -> Iterator[str]:
    """Imports of ops from their files, where the name of one may be another."""
    files: dict[str, list[str]] = {}
    for name in names:
        module, found = _module_of(name), declared()[name]
        members = vars(importlib.import_module(module))
        if members.get(name) is found:
            files.setdefault(module, []).append(name)
        else:
            own = next(n for n in members if members[n] is found)
            yield f"from {module} import {own}\n{name} = {own}"
    for module, several in files.items():
        yield from _imported(module, several)


def _layers() -> str:
    """The classes of layers from their files, and their other names."""
    classes = {name: layer_class(name).__name__ for name in class_names().values()}
    homes = {name: f"core.layers.{home}" for name, home in vars(core.layers)["_HOMES"].items()}
    homes |= {name: layer_class(name).__module__ for name in classes.values()}
    others = {name: own for name, own in classes.items() if name != own}
    others |= {function: classes[name] for function, name in class_names().items()}
    others |= vars(core.layers)["_FUNCTIONS"]
    imports = [line for name, home in homes.items() for line in _imported(home, [name])]
    aliases = sorted(f"{name} = {own}" for name, own in others.items())
    lines = ["", *aliases, "", "def class_names() -> dict[str, str]: ...", ""]
    return _text("Layers.", imports) + "\n".join(lines)


def _text(summary: str, imports: Iterable[str]) -> str:
    head = f'"""{summary} Written by ``python -m tests.rules.public_stubs``."""\n'
    return "\n".join([head, *sorted(imports), ""])


def main() -> None:
    """Write the stubs into the folder of `core`."""
    for name, text in stubs().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
