"""Every demo and every notebook runs from start to end."""

import os
import subprocess
import sys

import pytest
from PIL import Image

from tests.conftest import ROOT
from tests.helpers import require


def run(command, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_line_pose(tmp_path):
    demo = ROOT / "gallery" / "one_line_pose"
    printed = run([sys.executable, str(demo / "demo.py")], tmp_path)
    assert "the head is tilted by" in printed
    with Image.open(tmp_path / "pose.png") as drawn, Image.open(demo / "pose.png") as shown:
        assert drawn.size == shown.size == (512, 512)


EXECUTE = """
import sys
import jupytext
from nbclient import NotebookClient
notebook = jupytext.read(sys.argv[1])
NotebookClient(notebook, timeout=300).execute()
print(sum(len(cell.get("outputs", [])) for cell in notebook.cells))
"""


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "notebooks").glob("*.py")), ids=lambda p: p.stem
)
def test_notebooks(notebook):
    for module in ("jupytext", "nbclient", "ipykernel"):
        require(module)
    assert int(run([sys.executable, "-c", EXECUTE, str(notebook)], ROOT)) > 3
