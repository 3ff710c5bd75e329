"""The files lie on floors: see `tests.rules.structure`, which prints what these tests hold."""

import ast
from collections import Counter

import pytest

from tests.rules.sources import PACKAGES, ROOT, source_files
from tests.rules.structure import (
    AT_ONCE,
    FLOORS,
    PUBLIC,
    all_imports,
    circles_of_files,
    circles_of_folders,
    floor_of,
    inner_names,
    module_strings,
    surfaces,
    upward_imports,
)

#: Files of one room that may need each other, each circle for a reason; new ones are mistakes.
CIRCLES_OF_FILES = {
    "a tensor has ops, and an op takes and makes tensors, which a backend holds": """
        core/engine/argument_types.py core/engine/async_run.py core/engine/backend.py
        core/engine/backends.py core/engine/dispatch.py core/engine/executable.py
        core/engine/host_fallback.py core/engine/nan_check.py core/engine/observers.py
        core/engine/operation.py core/engine/program.py core/engine/registry.py
        core/engine/run_guard.py core/engine/settings.py core/engine/tensor_index.py
        core/engine/tensors.py core/engine/trace_hook.py core/engine/variables.py
        core/ops/__init__.py""",
    "the backend checks and tunes itself by running plans": """
        core/backends/shader/__init__.py core/backends/shader/plans/shader_executable.py
        core/backends/shader/runtime/self_check.py""",
    "a backend makes executables, which run by its kernels": """
        core/backends/tf/__init__.py core/backends/tf/plans/*""",
    "a builder and its cursor": """
        core/converter/tflite/translated_op.py core/converter/tflite/translation.py""",
    "an unfinished file is shown as progress": """
        weights_cache/atomic_files.py weights_cache/partial_files.py weights_cache/progress.py""",
    "the operators of a symbolic tensor are layers, which are called on such tensors": """
        core/layers/built_in_layer.py core/layers/function_layer.py core/layers/layer.py
        core/layers/symbolic.py""",
    "a model trains and saves itself, and is made of what was saved": """
        core/models/*""",
    "a graph model may choose its backend by measuring": """
        core/graph_model/automatic_model.py core/graph_model/backend_timing.py
        core/graph_model/graph_model.py""",
    "a package is the table of its modules' public names": """
        core/converter/* core/graph/node_types/*""",
    "an error about an unknown name looks for similar ones": """
        zoo/catalog/entries.py zoo/catalog/unknown_models.py""",
    "a pickled model is loaded again; a child process loads a model of a file": """
        zoo/pipeline/*""",
    "a taught model learns more, and writes itself": """
        zoo/transfer/taught_files.py zoo/transfer/taught_model.py zoo/transfer/teaching.py""",
    "a network names its follower, which is made of it at the first frame": """
        zoo/tasks/pose/* zoo/tasks/faces/* zoo/tasks/hands/* zoo/tasks/segmentation/*""",
    "an app starts the server of its pages": """
        zoo/web/*""",
}

#: The most files that lie in one folder, without folders in it.
MOST_FILES = 40

#: Code files at the root of each package.
MOST_AT_ROOT = {"core": 10, "zoo": 3}

#: How many names `zoo` imports of inner modules of `core`: may fall, not rise.
MOST_INNER_NAMES = 57

#: Public names: more of them is a decision.
MOST_NAMES = {"core": 338, "zoo": 76, "weights_cache": 40, "core.Tensor": 145}


@pytest.fixture(scope="module")
def imports():
    return all_imports()


def unlisted(circles, known):
    """The circles that are no part of a known one."""
    allowed = [text.split() for text in known.values()]

    def is_in(member, names):
        return any(
            member == name or (name.endswith("*") and member.startswith(name[:-1]))
            for name in names
        )

    return [
        circle.members
        for circle in circles
        if not any(all(is_in(m, names) for m in circle.members) for names in allowed)
    ]


def test_no_circle_when_files_are_imported(imports):
    assert not circles_of_files(i for i in imports if i.kind == AT_ONCE)


def test_no_other_circle_of_files(imports):
    assert not unlisted(circles_of_files(imports), CIRCLES_OF_FILES)


def test_no_circle_of_folders(imports):
    assert not circles_of_folders(imports)


def test_nothing_needs_a_higher_floor(imports):
    assert not upward_imports(imports)


def test_few_floors_of_few_files():
    floors = [floor for floor in FLOORS if "core" in floor]
    assert len(floors) <= 11
    for package in PACKAGES:
        counts = Counter(file.parent for file in source_files(package))
        assert max(counts.values()) <= MOST_FILES
    for package, most in MOST_AT_ROOT.items():
        assert len([f for f in (ROOT / package).iterdir() if f.suffix in (".py", ".pyi")]) <= most


def test_names_of_modules_in_strings_count():
    code = 'def f():\n    "core.plan.plan is no import here"\n    return g("zoo.live.session:x")'
    assert [*module_strings(ast.parse(code))] == ["zoo.live.session"]
    assert [*module_strings(ast.parse('h(f"core.ops.{name}")'))] == ["core.ops"]


def test_graphs_know_no_plans_and_plans_no_models():
    assert floor_of("core/graph/nodes.py") < floor_of("core/plan/plan.py")
    assert floor_of("core/plan/plan.py") < floor_of("core/graph_model/graph_model.py")
    for i in all_imports():
        assert not (i.file.startswith("core/graph/") and i.target.startswith("core/plan/"))


def test_zoo_uses_public_names_of_core():
    inner = {module: n for module, n in inner_names().items() if module not in PUBLIC}
    assert sum(inner.values()) <= MOST_INNER_NAMES


def test_public_surfaces_do_not_grow_unnoticed():
    for name, size in surfaces().items():
        assert size <= MOST_NAMES[name], name
