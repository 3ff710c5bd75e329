"""Imports go one way, and heavy ones happen late."""

import subprocess
import sys

import pytest

from tests.rules.sources import (
    PACKAGES,
    ROOT,
    imports_in_functions,
    imports_of,
    name_of,
    source_files,
)

#: What each package may import of the others: zoo → core → weights_cache.
BELOW = {"zoo": {"core", "weights_cache"}, "core": {"weights_cache"}, "weights_cache": set()}

#: What may be imported together with a file; the rest is imported when first used.
EARLY = {*sys.stdlib_module_names, *PACKAGES, "numpy", "_typeshed"}  # that is for types alone

#: Files that are themselves imported when first used, and what for.
LATE_FILES = {
    "core/conformance/__main__.py": {"pytest"},
    "core/conformance/plugin.py": {"pytest"},
    "core/conformance/test_backend.py": {"pytest"},
    "zoo/drawing/array_canvas.py": {"cv2"},
    "zoo/drawing/canvas.py": {"PIL"},
    "zoo/drawing/text_masks.py": {"PIL"},
    "zoo/transfer/scores/sheets.py": {"PIL"},
    "zoo/web/app_server.py": {"starlette"},
    "zoo/web/cross_origin.py": {"starlette"},
    "zoo/web/page_connection.py": {"starlette"},
    "zoo/web/protocols.py": {"uvicorn", "websockets"},
    "zoo/web/proxies.py": {"uvicorn"},
    "zoo/web/rest.py": {"fastapi", "starlette"},
    "zoo/web/rest_requests.py": {"starlette"},
    "zoo/web/rest_server.py": {"fastapi", "starlette"},
    "zoo/web/shared_routes.py": {"starlette"},
    "weights_cache/sessions.py": {"requests", "urllib3"},
}

#: Everything that the packages and folders use, and where.
LATE = {
    "zoo": {"PIL", "pillow_heif", "requests", "tqdm", "moderngl", "cv2", "pandas"},
    "zoo/jobs": {"dask", "distributed", "filelock", "fsspec", "pyarrow"},
    "zoo/live": {"IPython"},
    "zoo/web": {"fastapi", "starlette", "typing_extensions", "uvicorn", "websockets"},
    "core": set(),
    "core/backends/cpu": {"re2"},
    "core/conformance": {"pytest"},
    "core/data": {"PIL"},
    "core/optimizers": {"typing_extensions"},
    "core/models": {"typing_extensions"},
    "core/layers": {"typing_extensions", "annotationlib"},
    "core/plots": {"IPython", "PIL", "matplotlib", "pandas"},
    "core/backends/cpu/codegen": {"llvmlite"},
    "core/backends/shader": {"moderngl"},
    "weights_cache": {"requests", "urllib3", "filelock", "platformdirs", "tqdm"},
}


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package):
    others = set(PACKAGES) - {package} - BELOW[package]
    for file in source_files(package):
        wrong = {m for m, _ in imports_of(file) if m.split(".")[0] in others}
        assert not wrong, f"{name_of(file)} imports {wrong}"


#: Where core touches files, and what is used there beside the errors.
FILE_DOORS = ("core/converter/",)
USED_FOR_FILES = {
    "archive_damage",
    "array_files",
    "atomic_files",
    "errors",
    "interruptions",
    "json_documents",
    "lfs_pointers",
    "loader",
    "manifest",
    "paths",
    "quantise",
    "read_back",
    "reading_budgets",
    "regular_files",
    "shards",
    "write",
    "zip_members",
}
#: What lowers the layers of a file counts what reading it takes; what shows curves asks where, and
#: writes images.
USED_ELSEWHERE = {
    "core/layers/": {"errors", "reading_budgets"},
    "core/plots/": {"atomic_files", "errors", "messages", "ownership"},
}


#: Code that is kept on disk and executed asks whose a folder is, as the notes of weights do; files
#: are replaced in one way; what may crash runs in a process of its own, started like others.
USED_FOR_CODE = {
    "core/process/code_cache.py": {"atomic_files", "ownership", "regular_files"},
    "core/process/line_files.py": {"atomic_files", "ownership"},
    "core/backends/renderer_probe.py": {"child_processes"},
}


#: What knows neither files of weights nor caches.
USED_EVERYWHERE = {"providers", "similar_names", "system_files"}


def test_core_knows_weights_cache_by_its_errors_alone_but_for_files():
    for file in source_files("core"):
        name = name_of(file)
        folder = next((f for f in USED_ELSEWHERE if name.startswith(f)), "")
        is_door = name.startswith(FILE_DOORS)
        allowed = USED_FOR_FILES if is_door else USED_ELSEWHERE.get(folder, {"errors"})
        allowed = allowed | USED_FOR_CODE.get(name, set()) | USED_EVERYWHERE
        for module, _ in imports_of(file):
            package, *rest = module.split(".")
            assert package != "weights_cache" or {*rest[:2]} & allowed, f"{file} imports {module}"


def test_graphs_and_layers_take_no_paths():
    """Files are read in the converter alone."""
    for folder in ("core/graph", "core/layers"):
        for file in source_files(folder):
            modules = {module.split(".")[0] for module, _ in imports_of(file)}
            assert not modules & {"pathlib", "io", "zipfile", "h5py"}, name_of(file)


@pytest.mark.parametrize("package", PACKAGES)
def test_only_numpy_is_imported_early(package):
    for file in source_files(package):
        for module, early in imports_of(file):
            top = module.split(".")[0]
            assert top in EARLY | late_in(file), f"{name_of(file)} imports {module}"
            allowed = EARLY | LATE_FILES.get(name_of(file), set())
            assert top in allowed or not early, f"{name_of(file)} imports {module} at once"


def late_in(file) -> set[str]:
    """What a file may import when it is first used."""
    folders = {str(folder) for folder in file.relative_to(ROOT).parents}
    return set().union(*(LATE[folder] for folder in folders & LATE.keys()))


def test_only_the_shader_backend_uses_opengl():
    assert late_in(ROOT / "core/backends/shader/codegen/tiles/matrix.py") == {"moderngl"}
    assert not late_in(ROOT / "core/engine/tensors.py")
    users = {
        name_of(file)
        for file in source_files("core")
        if any(module.split(".")[0] == "moderngl" for module, _ in imports_of(file))
    }
    assert users and all(name.startswith("core/backends/shader/") for name in users)


def test_a_task_knows_no_other_task_and_decodes_with_numpy_alone():
    tasks = {f.parent.name for f in source_files("zoo") if f.name == "entries.py"}
    for task in tasks:
        for file in source_files(f"zoo/tasks/{task}"):
            modules = {module for module, _ in imports_of(file)}
            others = {f"zoo.tasks.{t}" for t in tasks - {task}}
            assert not any(m.startswith(o) for m in modules for o in others), name_of(file)
            if file.name == "decode.py":
                ours = {m for m in modules if m.split(".")[0] in PACKAGES}
                assert all(m.startswith("zoo.shared") for m in ours), name_of(file)


def modules_after(code: str, tmp_path) -> set[str]:
    code = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.split())


#: What no pose needs: a command imports just the kernel files of the ops that it runs.
OTHER_FAMILIES = {
    f"core.backends.cpu.kernels.{family}"
    for family in ("ragged", "strings", "warp", "signal", "random_numbers", "suppression")
}


def test_import_zoo_imports_nothing_heavy(tmp_path):
    loaded = modules_after("import zoo, weights_cache", tmp_path)
    assert not loaded & {"numpy", "PIL", "core", "requests", "cv2", "moderngl", "tensorflow"}


def test_the_pose_command_loads_no_heavy_package(tmp_path):
    code = """
import io, contextlib
from zoo.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["pose", "gallery/one_line_pose/astronaut.jpg"]) == 0
"""
    loaded = modules_after(code, tmp_path)
    assert {"numpy", "PIL", "core"} <= loaded
    heavy = {"cv2", "requests", "moderngl", "tensorflow", "tqdm", "platformdirs", "filelock"}
    assert not loaded & heavy
    assert "core.backends.cpu.kernels.conv" in loaded
    assert all((ROOT / f"{m.replace('.', '/')}.py").is_file() for m in OTHER_FAMILIES)
    assert not loaded & OTHER_FAMILIES


#: Imports inside of functions: of extras and other heavy packages, of what a first answer does not
#: need, and of files that need each other. A new one needs a reason that one can see.
MOST_LATE = 120


def test_imports_stand_at_the_head_of_a_file():
    late = [line for file in source_files(*PACKAGES) for line in imports_in_functions(file)]
    assert len(late) <= MOST_LATE, "\n".join(late)
