"""Networks of the zoo as WebAssembly modules, in wasmtime and in Node.js, beside the cpu tier."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import zoo
from core.wasm import validate
from core.wasm.plans import compile_plans
from tests.core.wasm.plans.module_runs import run_module
from tests.helpers import require_llvmlite, skip_or_fail

#: Networks of all tasks; of those with parts the network that has its name.
NAMES = (
    "posenet.tiny",
    "topdown.tiny",
    "mobilenet.v1_025",
    "mobilenet.v1_025_quant",
    "hands.lite",
    "facemesh.base",
    "blazeface.short",
    "selfie.base",
    "gesture.keypoints",
)

_NODE = """
import fs from "node:fs";
const { weights, inputs, outputs } = JSON.parse(fs.readFileSync("places.json", "utf8"));
const { instance } = await WebAssembly.instantiate(fs.readFileSync("model.wasm"), {});
const { memory, run } = instance.exports;
const bytes = new Uint8Array(memory.buffer);
bytes.set(fs.readFileSync("weights.bin"), weights);
for (const [name, { address }] of Object.entries(inputs))
  bytes.set(fs.readFileSync(`${name}.in`), address);
run();
Object.values(outputs).forEach(({ address, bytes: size }, number) => (
  fs.writeFileSync(`${number}.out`, bytes.slice(address, address + size))));
"""


@pytest.fixture(autouse=True)
def _compiler_and_weights(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


def network_of(name, rng):
    """The plan of a model's network, its input by name, and its outputs."""
    model = zoo.load(name, backend="cpu")
    given = model.network_input(None)
    if given is None:
        ((_, spec),) = model.inputs.items()
        given = np.zeros(spec.smallest, spec.dtype)
    if given.dtype == np.float32:
        given = rng.uniform(-1, 1, given.shape).astype(np.float32)
    else:
        given = rng.integers(0, 256, given.shape).astype(given.dtype)
    plan = model.network.plan(given, model.output_names)
    ((key, spec),) = plan.inputs.items()
    outputs = model.outputs_of(given)
    names = model.network.planned_names(outputs)
    expected = {names[output]: value for output, value in outputs.items()}
    return plan, {key: given.astype(spec.dtype)}, expected


def assert_close(found, expected, plan):
    for name, value in zip(plan.outputs, found, strict=True):
        wanted = expected[name]
        extent = np.ptp(wanted) if wanted.size > 1 else np.abs(wanted).max()
        assert np.abs(value - wanted).max() <= 1e-4 * extent, name


@pytest.mark.parametrize("relaxed", [False, True], ids=["simd", "relaxed"])
@pytest.mark.parametrize("name", NAMES)
def test_outputs_in_wasmtime_are_those_of_the_cpu_tier(name, relaxed, rng):
    plan, given, expected = network_of(name, rng)
    made = compile_plans({"run": plan}, relaxed=relaxed)
    validate(made.module)
    assert_close(run_module(made, given), expected, plan)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_in_node_are_those_of_the_cpu_tier(name, rng, tmp_path):
    node = shutil.which("node") or skip_or_fail("Node.js is not installed")
    plan, given, expected = network_of(name, rng)
    made = compile_plans({"run": plan})
    (tmp_path / "model.wasm").write_bytes(made.binary())
    (tmp_path / "weights.bin").write_bytes(made.weights)
    for key, value in given.items():
        (tmp_path / f"{key}.in").write_bytes(value.tobytes())
    function = made.functions["run"]
    outputs = {
        key: {"address": value.address, "bytes": plan.outputs[key].bytes}
        for key, value in function.outputs.items()
    }
    inputs = {key: value._asdict() for key, value in function.inputs.items()}
    places = {"weights": made.weights_address, "inputs": inputs, "outputs": outputs}
    (tmp_path / "places.json").write_text(json.dumps(places))
    command = [node, "--input-type=module", "--eval", _NODE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [
        np.frombuffer((tmp_path / f"{n}.out").read_bytes(), spec.dtype).reshape(spec.shape)
        for n, spec in enumerate(plan.outputs.values())
    ]
    assert_close(found, expected, plan)
