"""What published models find in Node.js, beside what they find in Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from tests.zoo.publishing.node_scripts import image_file, run_script
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.pipeline.model import Model

#: An image, and the options of a verb by their names in Python.
Call = tuple[np.ndarray, Mapping[str, Any]]

#: Begins scripts about what `publish_here` wrote: imports `load`, and reads the files.
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


def publish_here(folder: Path, model: Model, **options: Any) -> list[str]:
    """Publish a model in a folder, for scripts that begin with `LOADING`; return its shards."""
    files = zoo.publish(model, folder / "published", **options).bytes
    return [name for name in files if name.startswith("weights-")]


def assert_same_in_node(folder: Path, model: Model, verb: str, calls: Sequence[Call]) -> list[Any]:
    """Check that a published model finds what the function of the model does; return that."""
    shards = publish_here(folder, model)
    given = {"shards": shards, "verb": _camel_case(verb), "calls": _given(folder, calls)}
    found = run_script(folder, LOADING + _RUN, given)
    expected = [getattr(model, verb)(image, **options) for image, options in calls]
    for one, other in zip(found, expected, strict=True):
        assert_same_items([one], [other])
    return expected


def _given(folder: Path, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Return the calls as the script is given them."""
    given = []
    for number, (image, options) in enumerate(calls):
        named = {_camel_case(option): value for option, value in options.items()}
        given.append({"image": image_file(folder, image, f"image{number}"), "options": named})
    return given


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
