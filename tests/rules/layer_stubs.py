"""The names of `core.layers` for editors and type checkers: ``python -m tests.rules.layer_stubs``.

The package imports a class at its first use, which no checker sees. The stub has imports alone: the
classes themselves are the source of types and documentation.
"""

from pathlib import Path

import core
from core.layers import class_names
from core.layers.built_in_layer import layer_class

FILE = Path(core.__file__).parent / "layers" / "__init__.pyi"

_HEAD = '''"""Layers. Written by ``python -m tests.rules.layer_stubs``."""

'''


def stub() -> str:
    """The text of ``core/layers/__init__.pyi``."""
    classes = {name: layer_class(name).__name__ for name in class_names().values()}
    homes = {name: f"core.layers.{home}" for name, home in vars(core.layers)["_HOMES"].items()}
    homes |= {name: layer_class(name).__module__ for name in classes.values()}
    imports = sorted(f"from {home} import {name} as {name}" for name, home in homes.items())
    others = {name: own for name, own in classes.items() if name != own}
    others |= {function: classes[name] for function, name in class_names().items()}
    others |= vars(core.layers)["_FUNCTIONS"]
    aliases = sorted(f"{name} = {own}" for name, own in others.items())
    lines = [*imports, "", *aliases, "", "def class_names() -> dict[str, str]: ..."]
    return _HEAD + "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    FILE.write_text(stub(), encoding="utf-8", newline="\n")
