"""npm's @tensorflow/tfjs in Node loads what the converter writes, and agrees with us.

With ``ZOO_CI=1`` the package, of 300 MB, is installed into the cache of the user on the first
run, as for `tests.core.ops.tfjs_specs`; ``ZOO_NODE_MODULES`` names another folder that has it.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from platformdirs import user_cache_path

import core
from core.converter import convert, load_model
from core.converter.web import read_web_source
from core.converter.web_writer import write_web
from core.graph.nodes import DataType, Endpoint, Function, FunctionName, Graph, Node, PartialSpec
from tests.core.ops.tfjs_specs.packages import INSTALLING, CannotRunError, run_checked
from tests.helpers import skip_or_fail
from weights_cache import StoredArray

RUNNER = Path(__file__).parent / "tfjs_node" / "runner.mjs"
PACKAGE = "@tensorflow/tfjs@4.22.0"
ANY = PartialSpec(None)


@pytest.fixture(scope="session")
def modules() -> Path:
    """The folder that holds TensorFlow.js."""
    if not shutil.which("node"):
        skip_or_fail("there is no node")
    folder = Path(os.environ.get("ZOO_NODE_MODULES") or installed())
    package = folder / "@tensorflow" / "tfjs" / "package.json"
    assert f"@tensorflow/tfjs@{json.loads(package.read_text())['version']}" == PACKAGE
    return folder


def installed() -> Path:
    folder = user_cache_path("friendly-zoo") / "tfjs_node"
    stamp = folder / "node_modules" / "installed"
    if not stamp.is_file():
        if os.environ.get("ZOO_CI") != "1":
            pytest.skip(
                f"{PACKAGE} is not installed: npm install --prefix FOLDER {PACKAGE}, "
                "and set ZOO_NODE_MODULES to FOLDER/node_modules"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "installing.lock"):  # other test processes want it, too
            if not stamp.is_file():
                _install(folder)
                stamp.write_text(PACKAGE)
    return stamp.parent


def _install(folder: Path) -> None:
    try:
        run_checked(["npm", "install", *INSTALLING, "--prefix", folder, PACKAGE])
    except (CannotRunError, OSError) as error:
        skip_or_fail(f"{PACKAGE} cannot be installed: {error}")


def encoded(array: np.ndarray) -> dict:
    data = base64.b64encode(array.tobytes()).decode()
    return {"shape": array.shape, "dtype": array.dtype.name, "data": data}


def decoded(array: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(array["data"]), array["dtype"]).reshape(array["shape"])


def run_in_node(modules: Path, folder: Path, jobs: list[tuple[Path, dict]]) -> list[dict]:
    """What TensorFlow.js computes: of each model its outputs, by name."""
    documents = [
        {"model": str(path), "inputs": {name: encoded(a) for name, a in inputs.items()}}
        for path, inputs in jobs
    ]
    asked, answers = folder / "jobs.json", folder / "answers.json"
    asked.write_text(json.dumps(documents))
    command = ["node", RUNNER, modules.resolve(), asked, answers]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return [{n: decoded(a) for n, a in o.items()} for o in json.loads(answers.read_text())]


def inputs_of(path: Path, rng: np.random.Generator) -> dict[str, np.ndarray]:
    inputs = {}
    for name, spec in load_model(path).inputs.items():
        values = rng.random([n or 1 for n in spec.shape], np.float32)
        inputs[name] = values if spec.dtype == "float32" else (values * 255).astype(spec.dtype)
    return inputs


def assert_agree(found: dict, path: Path, inputs: dict, tolerance: float) -> None:
    """Relative to the range of each output; of one number to the number."""
    expected = {name: t.numpy() for name, t in load_model(path).predict(inputs).items()}
    # A model of layers has outputs in order, without names.
    assert list(found) in (list(expected), [str(i) for i in range(len(expected))])
    for array, right in zip(found.values(), expected.values(), strict=True):
        assert (array.shape, array.dtype) == (right.shape, right.dtype)
        limit = tolerance * max(np.ptp(right), np.abs(right).max() if right.size == 1 else 0)
        np.testing.assert_allclose(array, right, rtol=0, atol=limit)


def kinds_of(path: Path) -> set[str]:
    """How weights of more than one value are stored."""
    arrays = [
        a.values if isinstance(a, StoredArray) else a for a in read_web_source(path).stored.values()
    ]
    return {a.dtype.name for a in arrays if a.size > 1 and a.dtype != np.int32}


#: Model, how it is converted, how weights are stored then, tolerance.
CASES = [
    ("blazeface-tfjs-float", "model.json", {"optimise": True}, {"float32"}, 1e-5),
    ("facemesh-tfjs-fp16", "model.json", {}, {"float16"}, 1e-5),
    ("blazeface-front-tfjs-float", "model.json", {"quantise": "uint8"}, {"uint8"}, 1e-5),
    ("mobilenet-v1-025-224-float-tflite", "*_quant.tflite", {}, {"float32", "uint8"}, 0),
    (
        "mobilenet-v1-025-224-tfjs-layers-float",
        "model.json",
        {"quantise": "float16"},
        {"float16"},
        1e-5,
    ),
    (
        "mobilenet-v1-025-224-tfjs-layers-float",
        "model.json",
        {"format": "graph", "optimise": True},
        {"float32"},
        1e-5,
    ),
]


def test_staged_models(shared, modules, rng, tmp_path):
    jobs = []
    for number, (name, file, options, kinds, _) in enumerate(CASES):
        source = next(iter(sorted((shared / "weights" / name).glob(file))))
        path = convert(source, tmp_path / str(number), tolerance=None, **options)
        assert kinds_of(path) == kinds, name
        jobs.append((path, inputs_of(path, rng)))
    answers = run_in_node(modules, tmp_path, jobs)
    for (path, inputs), found, case in zip(jobs, answers, CASES, strict=True):
        assert_agree(found, path, inputs, case[-1])


def converted_networks(folder: Path, rng: np.random.Generator) -> Iterator[tuple[Path, dict]]:
    """Loops, whose bodies have constants, and equations with letters in upper case."""
    layers = core.layers
    x = layers.Input((5, 8))
    networks = {
        "lstm": core.Sequential([layers.Input((None, 4)), layers.LSTM(6)]),
        "gru": core.Sequential(
            [
                layers.Input((80, 4)),
                layers.Bidirectional(layers.GRU(5, return_sequences=True)),
                layers.SimpleRNN(3),
            ]
        ),
        "attention": core.Model(x, layers.MultiHeadAttention(2, 4)(x, x)),
    }
    for name, model in networks.items():
        model.save(folder / f"{name}.keras")
        path = convert(folder / f"{name}.keras", folder / name)
        shape = [n or 70 for n in model.inputs[0].shape[1:]]
        yield path, {next(iter(load_model(path).inputs)): rng.random((2, *shape), np.float32)}


def test_loops_and_attention(modules, rng, tmp_path):
    jobs = list(converted_networks(tmp_path, rng))
    for (path, inputs), found in zip(jobs, run_in_node(modules, tmp_path, jobs), strict=True):
        assert_agree(found, path, inputs, 1e-5)


def graph_of(nodes: list[Node], outputs: list[str], weights: dict, spec: PartialSpec) -> Graph:
    constants = [Node(name, "Const") for name in weights]
    return Graph(
        [Node("x", "Placeholder"), *constants, *nodes],
        weights,
        {"x": Endpoint("x", spec)},
        {name: Endpoint(name, ANY) for name in outputs},
    )


def with_table() -> Graph:
    """Strings are looked up in a table that the initializer fills."""
    types = {"key_dtype": DataType("DT_STRING"), "value_dtype": DataType("DT_FLOAT")}
    weights = {
        "keys": np.array([b"shark", "räy".encode()], object),
        "values": np.float32([3, 5]),
        "asked": np.array(["räy".encode(), b"", b"shark"], object),
        "default": np.float32(-1),
    }
    nodes = [
        Node(
            "found",
            "LookupTableFindV2",
            ("handle", "asked", "default"),
            {"Tin": types["key_dtype"], "Tout": types["value_dtype"]},
        ),
        Node("y", "AddV2", ("found", "x")),
    ]
    graph = graph_of(nodes, ["y"], weights, PartialSpec((3,)))
    steps = [
        Node("keys", "Const"),
        Node("values", "Const"),
        Node("table", "HashTableV2", (), types),
        Node(
            "fill",
            "LookupTableImportV2",
            ("table", "keys", "values"),
            {"Tin": types["key_dtype"], "Tout": types["value_dtype"]},
        ),
        Node("t", "Identity", ("table", "^fill")),
    ]
    initializer = Graph(steps, weights, {}, {"t": Endpoint("t", PartialSpec(None, "resource"))})
    handle = Node("handle", "Placeholder", (), {"dtype": DataType("DT_RESOURCE")})
    return graph._replace(
        nodes=[*graph.nodes, handle], initializer=initializer, resources={"handle": "t"}
    )


def with_branches() -> Graph:
    """A function is called, several outputs are of one node, and one is an input."""
    body = Function("double", [Node("twice", "Mul", ("a", "two"))], ("a",), ("twice:z:0",))
    other = Function("back", [Node("less", "Neg", ("a",))], ("a",), ("less",))
    branches = {"then_branch": FunctionName("double"), "else_branch": FunctionName("back")}
    nodes = [
        Node("total", "Sum", ("x", "axes"), {"keep_dims": False}),
        Node("positive", "Greater", ("total", "zero")),
        Node("chosen", "StatelessIf", ("positive", "x"), branches),
        Node("halves", "Split", ("axis", "chosen"), {"num_split": 2}),
        Node(
            "rounded",
            "QuantiseRound",
            ("x",),
            {"scale": 0.1, "zero_point": 3, "low": -128, "high": 127},
        ),
    ]
    weights = {
        "axes": np.int32([0]),
        "axis": np.int32(0),
        "zero": np.float32(0),
        "two": np.float32(2),
    }
    graph = graph_of(nodes, ["rounded"], weights, PartialSpec((None,)))
    body = body._replace(nodes=[*body.nodes, Node("two", "Const")])
    references = {"a:b": "halves:1", "first": "halves", "again": "halves:0", "same": "x"}
    outputs = {**graph.outputs, **{k: Endpoint(r, ANY) for k, r in references.items()}}
    return graph._replace(functions={"double": body, "back": other}, outputs=outputs)


def test_tables_functions_outputs_and_keras(modules, tmp_path):
    from tests.core.converter.test_keras_files import write_h5

    paths = [write_web(g, tmp_path / str(i)) for i, g in enumerate((with_table(), with_branches()))]
    jobs = [
        (paths[0], {"x": np.float32([1, 2, 3])}),
        (paths[1], {"x": np.float32([-1, 5, 0.25, 0.35])}),
        (paths[1], {"x": np.float32([1, -5, -0.25, 0.15])}),
    ]
    write_h5(tmp_path / "model.h5")
    jobs.append((convert(tmp_path / "model.h5", tmp_path / "h5"), {"x": np.float32([[1, 2, 3]])}))
    answers = run_in_node(modules, tmp_path, jobs)
    for (path, inputs), found in zip(jobs, answers, strict=True):
        assert_agree(found, path, inputs, 0)
    assert answers[0]["y"].tolist() == [6, 1, 6]
    assert answers[1]["first"].tolist() == [-2, 10]
    assert answers[2]["a:b"].tolist() == [0.25, np.float32(-0.15)]
