"""One script of several: their imports are left out, and each name is there once."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files

from zoo.publishing.recipes.recipe import Recipe

_IMPORT = re.compile(r'^import (?:type )?\{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)

#: Names that pages may import, beside the class of the model.
_PUBLIC = ("ZooError",)

#: Scripts that every model needs beside that of its class.
_ALWAYS = ("errors.js", "loading.js", "elements.js")


def joined_script(recipe: Recipe) -> bytes:
    """Return the script of a model: an ES module that exports `load` and the model's class."""
    public = (*_PUBLIC, recipe.class_name)
    body = "\n".join(_without_exports(text, public) for text in _texts(recipe, _script))
    return f"{body}{_ending(recipe)}".encode()


def _texts(recipe: Recipe, read: Callable[[str], str]) -> Iterable[str]:
    """Return what is read for each script of a model, each after those that it imports."""
    order: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in order:
            text = read(name)
            for needed in imports_of(text):
                add(needed)
            order[name] = _IMPORT.sub("", text).strip("\n") + "\n"

    for name in (*_ALWAYS, recipe.script):
        add(name)
    return order.values()


def imports_of(text: str) -> Iterator[str]:
    """Yield the names of the files that a script imports.

    >>> [*imports_of('import { ZooError } from "./errors.js";' + chr(10))]
    ['errors.js']
    """
    return (match[1] for match in _IMPORT.finditer(text))


def _without_exports(text: str, public: tuple[str, ...]) -> str:
    return _EXPORT.sub(lambda found: found[0] if found[1] in public else "", text)


def _ending(recipe: Recipe) -> str:
    return f"""
/** Load the model; by default from the folder of this script. */
export async function load(source) {{
  return new {recipe.class_name}(await loadNetworks(source));
}}

defineElement("{recipe.element}", load);
"""


def joined_types(recipe: Recipe) -> bytes:
    """Return the types of `joined_script`."""
    body = "\n".join(_texts(recipe, _types_of))
    return f"{body}\n{_types_ending(recipe)}".encode()


def _types_ending(recipe: Recipe) -> str:
    return f"""/** Load the model; by default from the folder of this script. */
export function load(source?: Source): Promise<{recipe.class_name}>;
"""


@cache
def _script(name: str) -> str:
    return (files("zoo.publishing") / "scripts" / name).read_text("utf-8")


def _types_of(name: str) -> str:
    """Return the types of a script, or those that scripts share."""
    return _script(f"types/{name.removesuffix('.js')}.d.ts")
