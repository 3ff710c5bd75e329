"""Models as files that scripts of published models load, and what these find with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.zoo.publishing.node_scripts import image_file, run_script
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.pipeline.model import Model
from zoo.publishing.module import compile_networks, described, networks_record
from zoo.publishing.publishing import _camel_case, _facts
from zoo.publishing.recipes import recipe_of
from zoo.publishing.stored_weights import store_weights

#: An image, and the options of a verb by their names in Python.
Call = tuple[np.ndarray, Mapping[str, Any]]

_RUN = """
import { loadNetworks } from "./scripts/loading.js";
import { %(class)s } from "./scripts/%(script)s";
const modules = { simd: bytesOf("model.wasm") };
const model = new %(class)s(await loadNetworks({ modules, shards: given.shards.map(bytesOf) }));
answer(given.calls.map(({ image, options }) => model.find(imageOf(image), options)));
"""


def assert_same_in_node(folder: Path, model: Model, calls: Sequence[Call]) -> list[Any]:
    """Check that the script of a model finds what the model does; return what that is."""
    recipe = recipe_of(model)
    modules = compile_networks(recipe.networks)
    weights = store_weights(modules.simd)
    description = {
        **_facts(model, recipe),
        "networks": networks_record(modules.simd, recipe.networks, modules.outputs),
        "weights": weights.record,
    }
    (folder / "model.wasm").write_bytes(described(modules.simd, description))
    for name, shard in weights.shards.items():
        (folder / name).write_bytes(shard)
    script = _RUN % {"class": recipe.class_name, "script": recipe.script}
    given = {"shards": [*weights.shards], "calls": _given(folder, calls)}
    found = run_script(folder, script, given)
    verb = getattr(model, recipe.verbs[-1])
    expected = [verb(image, **options) for image, options in calls]
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
