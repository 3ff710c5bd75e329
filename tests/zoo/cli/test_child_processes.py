"""Python processes of our own run no file of the folder that they are started in."""

import os
import subprocess
import sys

import pytest

from tests.helpers import ROOT
from weights_cache.child_processes import import_folders, python_command, python_environment

NAMES = ("numpy", "cv2", "core", "zoo", "PIL", "sitecustomize", "usercustomize", "os", "encodings")

DOCTOR = "import sys; sys.path.insert(0, sys.argv.pop(1)); from zoo.cli import main; main()"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, whose files say that they ran."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(
            f"import io\nwith io.open({str(tmp_path / 'ran')!r}, 'a') as f: f.write({name!r})\n"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_doctor_runs_no_file_of_the_current_folder(folder, tmp_path_factory):
    script = tmp_path_factory.mktemp("bin") / "zoo-script.py"
    script.write_text(f"import sys\nsys.argv[1:] = [{str(ROOT)!r}, 'doctor']\n{DOCTOR}\n")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, check=True
    )
    assert not (folder / "ran").exists(), (folder / "ran").read_text()
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    found = {" ".join(words[:1]): words[1] for words in lines}
    has_opencv = not subprocess.run([sys.executable, "-c", "import cv2"], cwd=ROOT).returncode
    assert (found["OpenCV"] == "works") == has_opencv  # it needs a libGL
    assert "backend cpu  works" in done.stdout
    assert "kernels" in found["OpenBLAS"]


@pytest.mark.parametrize("entries", ["", os.curdir, f"{os.pathsep}{ROOT}", f"{ROOT}{os.pathsep}"])
def test_relative_folders_of_the_variable_are_left_out(folder, monkeypatch, entries):
    monkeypatch.setenv("PYTHONPATH", entries)
    monkeypatch.syspath_prepend(str(folder))  # as Python adds a relative entry, made absolute
    monkeypatch.syspath_prepend("")
    code = "import zoo.cli.blas_kernels, numpy, sys; print(numpy.__file__, sys.argv[1])"
    done = subprocess.run(
        python_command(code, "x"), env=python_environment(), capture_output=True, check=True
    )
    assert not (folder / "ran").exists(), (folder / "ran").read_text()
    assert done.stdout.decode().endswith("x\n") and str(folder) not in done.stdout.decode()


def test_a_relative_folder_that_is_not_the_current_one_is_left_out(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "lib")
    monkeypatch.syspath_prepend(str(folder / "lib"))
    assert str(folder / "lib") not in import_folders()


def test_a_checkout_works_from_its_own_folder(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", ["", *(p for p in sys.path if p != str(ROOT))])
    assert str(ROOT) in import_folders()
    assert all(map(os.path.isabs, import_folders()))
    done = subprocess.run(
        python_command("import zoo; print(zoo.__file__)"),
        env=python_environment(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == str(ROOT / "zoo" / "__init__.py")


def test_the_environment_is_that_of_the_caller_without_its_path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    assert "PYTHONPATH" not in python_environment()
    found = python_environment({"PYTHONPATH": "x", "A": "b"})
    assert found == {"A": "b", "PYTHONSAFEPATH": "1"}


def test_an_opencv_that_does_not_load_leaves_the_module_path_as_it_was(tmp_path):
    """OpenCV puts its folder first, and leaves it and a mark when a library is missing."""
    package = tmp_path / "cv2"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import os, sys\n"
        "if hasattr(sys, 'OpenCV_LOADER'):\n    print(sys.path)\n    raise ImportError('again')\n"
        "sys.OpenCV_LOADER = True\n"
        "sys.path.insert(0, os.path.dirname(__file__))\n"
        "raise ImportError('libGL')\n"
    )
    (package / "typing.py").write_text("raise ImportError('not this one')")
    code = (
        "import sys\nbefore = list(sys.path)\nfrom zoo.images.opencv import cv2\n"
        "from zoo import ZooError\n"
        "try:\n    cv2.imshow\nexcept ZooError as found:\n    error = str(found)\nprint(error)\n"
        "assert sys.path == before and not hasattr(cv2, 'imshow')\n"
        "try:\n    cv2.imshow\nexcept ZooError as again:\n    assert str(again) == error"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "libGL" in done.stdout and "apt-get install libgl1" in done.stdout
