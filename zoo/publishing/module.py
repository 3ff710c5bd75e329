"""Networks as WebAssembly modules that describe themselves in a section of their own."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.wasm import CustomSection, write_module
from core.wasm.plans import ModuleValue, ProgramModule, compile_plans
from zoo.pipeline.model import Model
from zoo.pipeline.preprocess import prepare
from zoo.publishing.recipes.recipe import NetworkUse

#: Name of the section with the description, which is JSON.
SECTION = "zoo"


class Modules(NamedTuple):
    """Networks compiled twice, which share their weights.

    Attributes:
        simd: for every engine with vectors.
        relaxed: for engines that have a fused multiply-add for them.
        outputs: for each network the names of its outputs in the module, by those of the model.
    """

    simd: ProgramModule
    relaxed: ProgramModule
    outputs: Mapping[str, Mapping[str, str]]


def compile_networks(networks: Mapping[str, NetworkUse]) -> Modules:
    """Compile networks of models on the backend cpu into one module.

    Args:
        networks: the networks by the names of their functions.

    Raises:
        CoreError: there is no kernel for some step; the error names it.
    """
    plans, outputs = {}, {}
    for name, (model, size) in networks.items():
        black, _ = prepare(np.zeros((*size, 3), np.uint8), model.entry.preprocess, size)
        plans[name] = model.network.plan(black, model.output_names)
        outputs[name] = model.network.planned_names(model.output_names)
    simd, relaxed = compile_plans(plans), compile_plans(plans, relaxed=True)
    assert simd.weights == relaxed.weights
    return Modules(simd, relaxed, outputs)


def networks_record(
    made: ProgramModule,
    networks: Mapping[str, NetworkUse],
    outputs: Mapping[str, Mapping[str, str]],
) -> dict[str, object]:
    """Return where each function of a module reads and writes, and how images become its input."""
    record: dict[str, object] = {}
    for name, (model, _) in networks.items():
        function = made.functions[name]
        ((_, given),) = function.inputs.items()
        record[name] = {
            "input": given._asdict(),
            "preprocess": _preprocess_record(model),
            "outputs": {
                own: _record(function.outputs[planned]) for own, planned in outputs[name].items()
            },
        }
    return record


def _preprocess_record(model: Model) -> dict[str, object]:
    """Return how an image becomes an input: of a level p, ``p / divide - subtract``.

    Networks that take levels as they are get the real values for which these stand.
    """
    how = model.entry.preprocess
    assert (how.resize, how.channels, how.axes) == ("pillow", "rgb", "nhwc")
    divide, subtract = how.divide, how.subtract
    ((_, end),) = model.network.graph.inputs.items()
    if how.dtype != "float32" and end.quantization is not None:
        scale, zero = float(end.quantization.scale), float(end.quantization.zero_point)
        divide, subtract = 1 / scale, zero * scale
    return {
        "fit": how.fit,
        "divide": divide,
        "subtract": subtract,
        "level": how.level,
        "border": how.border,
    }


def _record(value: ModuleValue) -> dict[str, object]:
    return value._asdict()


def described(made: ProgramModule, description: Mapping[str, object]) -> bytes:
    """Return a module as a file that holds its description."""
    content = json.dumps(description, ensure_ascii=False, separators=(",", ":")).encode()
    module = replace(made.module, custom=(*made.module.custom, CustomSection(SECTION, content, 11)))
    return write_module(module)
