"""Models as files that scripts of published models load."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from core.wasm import CustomSection, write_module
from core.wasm.plans import compile_plans
from tests.zoo.publishing.node_scripts import image_file, run_script
from zoo.catalog.entries import verb_options
from zoo.catalog.option import OWN
from zoo.pipeline.model import Model
from zoo.pipeline.preprocess import prepare

#: An image, and the options of a verb by their names in Python.
Call = tuple[np.ndarray, Mapping[str, Any]]

_RUN = """
import { loadNetworks } from "./scripts/loading.js";
import { %(name)s } from "./scripts/%(script)s";
const modules = { simd: bytesOf("model.wasm"), relaxed: bytesOf("model.wasm") };
const model = new %(name)s(await loadNetworks({ modules, shards: [bytesOf("weights.bin")] }));
answer(given.calls.map(({ image, options }) => model.find(imageOf(image), options)));
"""


def write_files(folder: Path, networks: Mapping[str, Model], facts: Mapping[str, Any]) -> None:
    """Write a module of networks, which describes itself, and the weights."""
    plans, names = {}, {}
    for name, model in networks.items():
        size = model.input_size
        black, _ = prepare(np.zeros((*size, 3), np.uint8), model.entry.preprocess, size)
        plans[name] = model.network.plan(black, model.output_names)
        names[name] = model.network.planned_names(model.output_names)
    made = compile_plans(plans)
    records = {}
    for name, model in networks.items():
        function = made.functions[name]
        ((_, given),) = function.inputs.items()
        how = model.entry.preprocess._asdict()
        del how["size"], how["dtype"]
        outputs = {own: function.outputs[one]._asdict() for own, one in names[name].items()}
        records[name] = {"input": given._asdict(), "preprocess": how, "outputs": outputs}
    shard = {
        "path": "weights.bin",
        "bytes": len(made.weights),
        "sha256": hashlib.sha256(made.weights).hexdigest(),
    }
    weights = {"address": made.weights_address, "bytes": len(made.weights), "shards": [shard]}
    content = json.dumps({**facts, "networks": records, "weights": weights}).encode()
    module = replace(made.module, custom=(*made.module.custom, CustomSection("zoo", content, 11)))
    (folder / "model.wasm").write_bytes(write_module(module))
    (folder / "weights.bin").write_bytes(made.weights)


def option_records(model: Model, verb: str) -> dict[str, Any]:
    """The options of a verb as descriptions of modules have them."""
    records = {}
    for name in signature(getattr(model, verb)).parameters:
        option = verb_options(verb).get(name)
        if option is not None:
            own = option.default is OWN
            default = model.entry.default_of(verb, name) if own else option.default
            limits = {"low": option.low, "high": option.high}
            records[camel_case(name)] = {"type": option.type, "default": default, **limits}
    return records


def camel_case(name: str) -> str:
    """A name as scripts write it."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def results_in_node(
    folder: Path, script: str, name: str, calls: Sequence[Call]
) -> list[list[dict[str, Any]]]:
    """What the class of a script finds in images, by options, with the files in a folder."""
    given = []
    for number, (image, options) in enumerate(calls):
        named = {camel_case(option): value for option, value in options.items()}
        given.append({"image": image_file(folder, image, f"image{number}"), "options": named})
    found: list[list[dict[str, Any]]]
    found = run_script(folder, _RUN % {"name": name, "script": script}, {"calls": given})
    return found
