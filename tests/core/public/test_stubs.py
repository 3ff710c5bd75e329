"""Type checkers and editors know what core has."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import core
from core.engine.registry import METHODS
from core.public.namespaces import NAMESPACES
from tests.helpers import require
from tests.rules.public_stubs import stubs

FOLDER = Path(core.__file__).parent

#: What a user writes who makes no mistake.
RIGHT = """
import numpy as np

import core
from core.engine.argument_types import TensorLike


def doubled(x: TensorLike) -> core.Tensor:
    return core.tensor(x) * 2 + 1 - np.float32(3)


x = doubled([[1, 2], [3.0, True]])
a: core.Tensor = core.mean(x, axis=1)
b: core.Tensor = x.sum(0).relu()
c: core.Tensor = core.topk(x, k=2).indices
values, places = x.topk()
d: list[core.Tensor] = core.split(x, 2)
e: core.Tensor = core.max_pool3d(np.zeros((1, 2, 2, 2, 1)), strides=2, pad=0)
e = core.avg_pool3d(np.zeros((1, 2, 2, 2, 1)), 2, 2, "valid")
f: core.Tensor = x[0, ::2, None, ...]
f = x[x > 1]
g: core.Tensor = -x @ x**2 / 3 // 1 % 2
h: core.Tensor = core.where(x == a, x, 0).cast("int32")
h = core.concat([x, np.ones((2, 2)), [[1, 2]]])
h = core.reshape(core.zeros(x.shape, x.dtype), (4,)).concat(x.flatten())
h = core.conv2d(x, filter=x, strides=1, pad="same")
w = core.variable([1.0], name="w")
w -= 0.1 * core.grad(lambda t: core.sum(t * t))(w)
w.assign(3)
core.train.adam(0.1).minimize(lambda: core.sum(w))
core.flags.debug = False
model: core.GraphModel = core.load_model("model.json")
j: list[core.Node] = list(model.graph.nodes)
k: core.Tensor = core.image.resize_bilinear(x, size=(2, 2))
k = core.tensor([1, 2, 3, 4], (2, 2), "float32") + core.tensor([1.0], "int32")
core.converter.inspect_model("model.json")
i: np.ndarray = core.moments(x).variance.numpy()


async def found() -> core.Tensor:
    return await core.non_max_suppression_async(x, x, max_output_size=3)
"""

#: One mistake a line.
WRONG = """
core.meen(x)
x.meen()
core.mean(x, axes=1)
core.mean(x, axis="rows")
core.cast(x, "flaot32")
core.mean(x).numpyy()
core.topk(x).value
print(core.sum(x) + {"a": 1})
core.concat(x)
print(x[0.5])
core.Tensorr
core.reshape(x)
core.mean([x])
core.optimizers.Adamm
core.image.resize_bilinar
core.linalg.resize_bilinear
core.GraphModell
core.tensor([1], "flaot32")
core.relu(x, axis=1)
core.conv2d(x, x, stride=2)
core.reshape(x, "2, 3")
x.sum(dim=0)
x.relu(3)
x.topk(2).values.index
core.matmul(x)
-x @ {1: 2}
x.concat(x, axes=1)
w = core.variable([1.0]) - {"a": 1}
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(f"import core\nx = core.tensor([1.0]){WRONG}")
    return folder


def lines_of_mistakes() -> list[int]:
    return list(range(3, 3 + len(WRONG.split("\n")[1:-1])))


@pytest.mark.parametrize("name", sorted(stubs()))
def test_stubs_are_in_step(name):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == stubs()[name], "run `python -m tests.rules.public_stubs`"


def test_no_other_stub_is_there():
    found = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.pyi")}
    assert found == set(stubs())


def members(name: str) -> list[ast.stmt]:
    return ast.parse(stubs()[name]).body[1:]


def imports(name: str) -> set[str]:
    found = [node for node in members(name) if isinstance(node, ast.ImportFrom)]
    return {alias.asname for node in found for alias in node.names if alias.asname}


def test_the_stub_declares_every_public_name():
    modules = {"converter", "optimizers", "train", *NAMESPACES}
    assert imports("__init__.pyi") >= set(core.__all__) | modules
    assert all(isinstance(node, ast.ImportFrom) for node in members("__init__.pyi"))


def test_every_method_of_tensors_is_declared():
    (of_tensors,) = [n for n in members("engine/tensor_methods.pyi") if isinstance(n, ast.ClassDef)]
    declared = {node.targets[0].id for node in of_tensors.body}
    added = {name for name, found in vars(core.Tensor).items() if found is core.__dict__.get(name)}
    assert declared == added == set(METHODS)


def test_an_op_of_a_program_is_not_in_the_stubs():
    code = """
import core
from tests.rules.public_stubs import stubs
before = stubs()
@core.op()
def op_of_a_program(x: core.Spec) -> core.Spec:
    return x
assert core.op_of_a_program and stubs() == before
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parent)


def complaints(output: str) -> dict[str, list[int]]:
    """Lines with errors by file."""
    found: dict[str, list[int]] = {}
    for file, line in re.findall(r"(\w+)\.py:(\d+)(?::\d+)?(?::| -) error", output):
        found.setdefault(file, []).append(int(line))
    return found


@pytest.mark.whole
def test_mypy_finds_the_mistakes_and_no_others(scripts):
    require("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--config-file=", f"--cache-dir={scripts / 'cache'}", "right.py", "wrong.py"]
    world = {"MYPYPATH": str(FOLDER.parent), "PATH": ""}
    done = subprocess.run(command, cwd=scripts, env=world, capture_output=True, text=True)
    assert complaints(done.stdout) == {"wrong": lines_of_mistakes()}, done.stdout + done.stderr


@pytest.mark.whole
def test_pyright_finds_the_mistakes_and_no_others(scripts):
    require("basedpyright")
    (scripts / "pyrightconfig.json").write_text(
        f'{{"typeCheckingMode": "standard", "extraPaths": ["{FOLDER.parent.as_posix()}"]}}'
    )
    command = [sys.executable, "-m", "basedpyright", "--level", "error", "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=scripts, capture_output=True, text=True)
    assert complaints(done.stdout) == {"wrong": lines_of_mistakes()}, done.stdout + done.stderr
