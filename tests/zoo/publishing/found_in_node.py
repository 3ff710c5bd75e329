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

_RUN = """
import { load } from "./published/zoo.js";
const modules = { simd: bytesOf("published/model.wasm") };
const shards = given.shards.map((name) => bytesOf(`published/${name}`));
const model = await load({ modules, shards });
answer(given.calls.map(({ image, options }) => model.find(imageOf(image), options)));
"""


def assert_same_in_node(folder: Path, model: Model, verb: str, calls: Sequence[Call]) -> list[Any]:
    """Check that a published model finds what the function of the model does; return that."""
    published = zoo.publish(model, folder / "published")
    shards = [name for name in published.bytes if name.startswith("weights-")]
    found = run_script(folder, _RUN, {"shards": shards, "calls": _given(folder, calls)})
    expected = [getattr(model, verb)(image, **options) for image, options in calls]
    for one, other in zip(found, expected, strict=True):
        assert_same_items(one, other)
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
