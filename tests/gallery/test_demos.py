"""Every demo and every notebook runs from start to end."""

import os
import re
import subprocess
import sys

import pytest
from PIL import Image

from tests.conftest import ROOT
from tests.helpers import require


def run(command, folder, **variables):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1", **variables}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_line_pose(tmp_path):
    demo = ROOT / "gallery" / "one_line_pose"
    printed = run([sys.executable, str(demo / "demo.py")], tmp_path)
    assert "the head is tilted by" in printed
    with Image.open(tmp_path / "pose.png") as drawn, Image.open(demo / "pose.png") as shown:
        assert drawn.size == shown.size == (512, 512)


def test_teach_in_a_minute(tmp_path):
    demo = ROOT / "gallery" / "teach_in_a_minute"
    store = {"ZOO_FEATURE_CACHE": str(tmp_path / "features"), "ZOO_OFFLINE": "1"}
    printed = run([sys.executable, str(demo / "demo.py")], tmp_path, **store)
    share, of = re.search(r"(\d+) % .* of (\d+) images right, 5 folds", printed).groups()
    assert int(share) >= 70 and int(of) == 61
    assert re.search(r"a new boat: boats, 0\.[5-9]\d\na portrait: none of these, [01]\.", printed)
    with Image.open(tmp_path / "sheet.png") as drawn, Image.open(demo / "sheet.png") as shown:
        assert drawn.size == (1104, 1170) and shown.size == (828, 877)


CLIP = "images/webcam/tfjs-models_asl_hand.25fps.mp4"

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300).execute()
print(sum(len(cell.get("outputs", [])) for cell in notebook.cells))
"""


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "notebooks").glob("*.py")), ids=lambda p: p.stem
)
def test_notebooks(notebook, request):
    """As Jupyter runs them: the .ipynb, in its folder."""
    for module in ("nbclient", "ipykernel"):
        require(module)
    variables = {"ZOO_FEATURE_CACHE": "0"}
    if "ZOO_SOURCE" in notebook.read_text():  # a camera; here a clip, and models that are fetched
        shared = request.getfixturevalue("shared")
        variables["ZOO_WEIGHTS_MIRROR"] = str(shared / "weights")
        variables["ZOO_SOURCE"] = str(shared / CLIP)
    command = [sys.executable, "-c", EXECUTE, notebook.with_suffix(".ipynb").name]
    assert int(run(command, notebook.parent, **variables)) > 3


def test_the_gesture_app_of_the_readme(tmp_path, shared):
    """It runs as it stands there, on a clip in place of the camera."""
    text = (ROOT / "README.md").read_text()
    (code,) = re.findall(r"<!-- gesture app -->\n```python\n(.*?)```", text, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    assert code.count("zoo.when(0,") == 1
    (tmp_path / "app.py").write_text(
        code.replace("zoo.when(0,", f"zoo.when({str(shared / CLIP)!r},")
    )
    printed = run([sys.executable, "app.py"], tmp_path, ZOO_WEIGHTS_MIRROR=str(shared / "weights"))
    lines = printed.splitlines()
    assert "next slide" in lines and "thumbs up" in lines[-1]
