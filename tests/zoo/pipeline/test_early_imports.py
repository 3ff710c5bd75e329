"""What a process imports that loads a model and runs it once: the start of programs and commands.

Code of kernels is cached, as after a first run.
"""

import os
import subprocess
import sys

import pytest

from tests.helpers import require_llvmlite
from tests.rules.sources import ROOT

PHOTO = "gallery/one_line_pose/astronaut.jpg"

#: What describes and generates kernels around networks, and the program of the thread team.
GENERATORS = {
    f"core.backends.cpu.codegen.{name}"
    for name in (
        *(f"images.{name}" for name in ("block_averages", "field_odds", "field_tiles")),
        *(f"images.{name}" for name in ("filtered_images", "limited_field", "region_samples")),
        *("images.strongest_field", "images.walked_points", "ir.pixels"),
        *(f"team.{name}" for name in ("program", "runs", "tasks", "workers")),
        *("machine_code.compiler", "machine_code.object_linker"),
    )
}

#: Modules of others that neither the network nor the photo needs.
NEVER = {
    *("urllib.request", "http.client", "ssl", "hashlib", "pickle", "platformdirs", "filelock"),
    *("importlib.metadata", "tempfile", "unittest", "llvmlite", "requests", "tqdm", "difflib"),
}

LOADED = "import numpy; {before}\nimport zoo\nmodel = zoo.load('posenet.tiny')"
ESTIMATED = f"{LOADED}\nassert model.estimate_single_pose({PHOTO!r})['score'] > 0"
COMMAND = f"""
import numpy, PIL.Image, contextlib, io; {{before}}
from zoo.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["pose", {PHOTO!r}]) == 0
"""


@pytest.fixture(scope="module")
def code_cache(tmp_path_factory) -> str:
    """A folder with the code of all that the programs run."""
    folder = str(tmp_path_factory.mktemp("code") / "cache")
    require_llvmlite()
    for program in (ESTIMATED, COMMAND):
        imported(program, folder, tier="2")
    return folder


def imported(program: str, folder: str = "0", tier: str = "") -> set[str]:
    """The modules that a program imports in a fresh process, beside those of NumPy and Pillow.

    Args:
        program: Python, with ``{before}`` where others have been imported.
        folder: of cached code.
        tier: of kernels.
    """
    code = program.format(before="import sys; before = set(sys.modules)")
    code += "\nprint(*sorted(set(sys.modules) - before))"
    world = {**os.environ, "ZOO_CODE_CACHE": folder, "CORE_TIER": tier}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=world)
    assert not done.returncode, done.stderr
    return set(done.stdout.split())


def test_the_modules_that_are_not_to_be_imported_exist():
    for module in GENERATORS:
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module


def test_loading_a_model_imports_no_kernels_and_no_decoder_of_images():
    found = imported(LOADED)
    assert {"core", "zoo.tasks.pose.posenet", "zoo.pipeline.preprocess"} <= found
    assert not found & (NEVER | GENERATORS)
    assert not found & {"PIL", "PIL.Image", "dataclasses", "shutil"}
    assert "core.backends.cpu.codegen.called_kernels" not in found
    assert not found & {f"core.backends.cpu.image_kernels.{n}" for n in ("resizing", "fields")}


def test_an_estimate_by_cached_kernels_imports_no_generator_of_them(code_cache):
    found = imported(ESTIMATED, code_cache)
    assert "core.backends.cpu.codegen.team.thread_team" in found  # it ran by generated kernels
    assert not found & (NEVER | GENERATORS)


def test_the_command_imports_no_generator_and_no_other_command(code_cache):
    found = imported(COMMAND, code_cache)
    assert "core.backends.cpu.codegen.team.thread_team" in found
    assert not found & (NEVER | GENERATORS | {"shutil", "bz2", "lzma", "zoo.drawing"})
    others = {"watch_command", "effect_command", "weights_commands", "doctor", "plan_command"}
    assert not found & {f"zoo.cli.{name}" for name in others}


def test_without_a_compiler_no_generator_is_imported():
    hidden = "import numpy, sys; sys.modules['llvmlite'] = None; {before}\n"
    found = imported(hidden + ESTIMATED.partition("\n")[2])
    assert not found & (NEVER | GENERATORS)
    assert "core.backends.cpu.numpy_steps.cpu_executable" in found  # it ran by NumPy


@pytest.mark.parametrize("words", [["pose", "--help"], ["pose"]], ids=["help", "mistake"])
def test_help_and_mistakes_need_no_numpy(words):
    code = f"""
{{before}}
import contextlib, io
from zoo.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    with contextlib.suppress(SystemExit):
        main({words})
"""
    found = imported(code)
    assert "zoo.cli.image_commands" in found
    assert not found & {"numpy", "core", "PIL"}
