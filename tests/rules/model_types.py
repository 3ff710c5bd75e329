"""Writes generated files of zoo: ``python -m tests.rules.model_types``.

The names of models and the types of what `zoo.load` returns are facts of the entries, and public
names are imported when first used: type checkers see neither. So they are written out, and
test_types.py compares.
"""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import zoo
from core.engine.backends import AUTO, backend_names
from tests.rules.sources import ROOT
from zoo.catalog.entries import all_entries, choices, chosen_name, is_entry, tasks
from zoo.catalog.entry import Entry
from zoo.catalog.option import Option
from zoo.catalog.unknown_models import able_models

NAMES = ROOT / "zoo" / "catalog" / "model_names.py"
LOADERS = ROOT / "zoo" / "pipeline" / "loaders.pyi"
PACKAGE = ROOT / "zoo" / "__init__.pyi"

COMMAND = "``python -m tests.rules.model_types`` writes it: do not edit it."

HEAD_OF_NAMES = f'''"""Names of models and backends, as editors and type checkers know them.

{COMMAND}
"""

from typing import Literal

'''

HEAD_OF_LOADERS = f'''"""What `zoo.load` returns, by the name, for editors and type checkers.

{COMMAND}
"""

# mypy: disable-error-code="overload-overlap"
'''

HEAD_OF_PACKAGE = f'''"""The public names of `zoo`, as editors and type checkers know them.

{COMMAND}
"""
'''

ANY_MODEL = '''
class AnyModel(Model):
    """A model whose name or path is known only when the program runs.

    Type checkers let it have every verb; when it runs, it has those of its task.
    """

    labels: tuple[str, ...]
'''


#: Of options, as signatures write them.
TYPES = {
    "number": "float",
    "integer": "int",
    "flag": "bool",
    "names": "Iterable[str]",
    "size": "int | tuple[int, int]",
}


def literal(values: Iterable[object]) -> str:
    return f"Literal[{', '.join(repr(v) for v in values)}]"


def model_names() -> str:
    """The text of the first file, before it is formatted."""
    aliases = [_alias(verb) for verb in sorted(choices())]
    names = [AUTO, *backend_names()]
    backends = f"#: Names of backends.\nBackendName = {literal(names)}\n"
    return "\n".join([HEAD_OF_NAMES, backends, *aliases])


def _alias(verb: str) -> str:
    own = [chosen_name("default", verb)] if not is_entry(chosen_name("default", verb)) else []
    names = ["fast", "best", *own, *sorted(able_models(verb))]
    return f"#: Names of the models of `zoo.{verb}`.\n{name_of_alias(verb)} = {literal(names)}\n"


def name_of_alias(verb: str) -> str:
    """Such as ``EstimateHandsModelName``."""
    return f"{verb.title().replace('_', '')}ModelName"


def loaders() -> str:
    """The text of the second file, before it is formatted."""
    verbs = sorted(choices().keys() - {"infer"})  # which `Model` has
    groups: dict[tuple[str, str, str], list[str]] = {}
    for name, entry in names_to_load().items():
        module, cls = entry.model.split(":")
        key = f"zoo.tasks.{entry.task}.{module}", cls, _parameters(entry.options)
        groups.setdefault(key, []).append(name)
    imports = {(module, cls) for module, cls, _ in groups} | {(zoo._modules()[v], v) for v in verbs}
    imports |= {("zoo.catalog.model_names", "BackendName"), ("zoo.pipeline.model", "Model")}
    imports |= {("core.engine.limits", "Limits"), ("core.converter.input_shapes", "InputShapes")}
    ways = [_overload(f"name: {literal(n)}", o, cls) for (_, cls, o), n in sorted(groups.items())]
    every = sorted({name for entry in all_entries().values() for name in entry.options})
    options = "".join(f"{name}: {_union(name)} = ..., " for name in every)
    of_files = (
        "kernels: Mapping[str, Callable[..., object]] | None = None, limits: Limits | None = None, "
        "isolate: bool = False, "
        "signature: str | None = None, inputs: InputShapes | None = None, "
    )
    general = _overload("name: str | os.PathLike[str]", of_files + options, "AnyModel")
    return "\n".join(
        [
            HEAD_OF_LOADERS,
            "import os",
            "from collections.abc import Callable, Mapping",
            "from typing import Literal, overload",
            *_imports(imports),
            ANY_MODEL,
            *(f"    {verb} = {verb}" for verb in verbs),
            *ways,
            general,
        ]
    )


def package() -> str:
    """The text of the third file, before it is formatted."""
    modules = zoo._modules() | {"load": "zoo.pipeline.loaders"}
    imports = _imports((module, name) for name, module in modules.items())
    names = f"__all__ = {sorted(modules)!r}"
    return "\n".join([HEAD_OF_PACKAGE, *imports, "", "__version__: str", names])


def _imports(wanted: Iterable[tuple[str, str]]) -> list[str]:
    """A statement for each module, in the order of ruff's."""
    modules: dict[str, list[str]] = {}
    for module, name in sorted(wanted, key=lambda pair: (pair[0], pair[1].islower(), pair[1])):
        modules.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(names)}" for module, names in modules.items()]


def names_to_load() -> dict[str, Entry]:
    """What `zoo.load` takes as names: those of entries, and "fast" and "best" of a task or verb."""
    entries = all_entries()
    owners = [*tasks(), *choices()]
    short = [f"{owner}.{choice}" for owner in owners for choice in ("fast", "best")]
    meant = {name: chosen_name(name) for name in short}
    return {**entries, **{name: entries[its] for name, its in meant.items() if its in entries}}


def _parameters(options: Mapping[str, Option]) -> str:
    return "".join(f"{name}: {_type(option)} = ..., " for name, option in options.items())


def _type(option: Option) -> str:
    if not option.choices:
        return TYPES[option.type]
    return literal(option.choices) + (" | Model" if option.type == "model" else "")


def _union(name: str) -> str:
    options = [e.options[name] for e in all_entries().values() if name in e.options]
    types = " | ".join(_type(option) for option in options)
    return " | ".join(dict.fromkeys(types.split(" | ")))


def _overload(name: str, options: str, returned: str) -> str:
    weights = "weights: str | os.PathLike[str] | None = None, "
    head = f"{name}, *, backend: BackendName | None = None, {weights}{options}"
    return f"@overload\ndef load({head}) -> {returned}: ..."


def formatted(text: str, path: Path) -> str:
    """As ruff writes it."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--select", "I", "--fix", "-q"], ["format", "-q"]):
        given = [*ruff, *command, "--stdin-filename", str(path), "-"]
        done = subprocess.run(given, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


if __name__ == "__main__":
    NAMES.write_text(formatted(model_names(), NAMES))
    LOADERS.write_text(formatted(loaders(), LOADERS))
    PACKAGE.write_text(formatted(package(), PACKAGE))
