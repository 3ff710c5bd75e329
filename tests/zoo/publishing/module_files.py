"""What the scripts of published models find, beside what Python finds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from tests.zoo.publishing.node_scripts import image_file, run_script
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.pipeline.model import Model
from zoo.publishing.recipes import recipe_of

#: An image, and the options of a verb by their names in Python.
Call = tuple[np.ndarray, Mapping[str, Any]]

#: Imports ``load`` of what `publish_here` wrote; ``filesOf(shards)`` are its files.
LOADING = """
import { load } from "./published/zoo.js";
const published = (name) => bytesOf(`published/${name}`);
const filesOf = (shards) => ({
  modules: { simd: published("model.wasm"), relaxed: published("relaxed.wasm") },
  shards: shards.map(published),
});
"""

_RUN = """
const model = await load(filesOf(given.shards));
answer(given.calls.map(({ image, options }) => model[given.verb](imageOf(image), options)));
"""


def assert_same_in_node(
    folder: Path, model: Model, calls: Sequence[Call], verb: str | None = None
) -> list[Any]:
    """Check that the script of a model finds what the model does; return what that is.

    Args:
        folder: where it is published.
        model: on the backend cpu.
        calls: the images, and the options.
        verb: one of the recipe's; by default the last one, for which ``find`` stands.
    """
    given = {
        "shards": publish_here(folder, model),
        "verb": camel_case(verb) if verb else "find",
        "calls": _given(folder, calls),
    }
    found = run_script(folder, LOADING + _RUN, given)
    find = getattr(model, verb or recipe_of(model).verbs[-1])
    expected = [find(image, **options) for image, options in calls]
    for one, other in zip(found, expected, strict=True):
        assert_same_items([one], [other])
    return expected


def publish_here(folder: Path, model: Model, **options: Any) -> list[str]:
    """Publish a model in a folder for scripts that begin with `LOADING`; return its shards."""
    files = zoo.publish(model, folder / "published", **options).bytes
    return [name for name in files if name.startswith("weights-")]


def camel_case(name: str) -> str:
    """Return a name of Python as scripts write it."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _given(folder: Path, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Return the calls as the script is given them."""
    given = []
    for number, (image, options) in enumerate(calls):
        named = {camel_case(option): value for option, value in options.items()}
        given.append({"image": image_file(folder, image, f"image{number}"), "options": named})
    return given
