"""The code of ``zoo/docs/teaching.md`` runs, block after block, on drawings."""

import os
import re
import subprocess
import sys

from tests.conftest import ROOT

PAGE = ROOT / "zoo" / "docs" / "teaching.md"

#: Draws the images that the page names.
DRAWN = """
import sys
sys.path.append(sys.argv[1])
from drawings import draw, draw_folder
draw_folder("animals", 6)
draw_folder("more_animals", 2, first=10)
draw("boats", 40).save("image.jpg")
for number, name in enumerate("abcdef"):
    draw("trees", 50 + number).save(f"{name}.jpg")
"""


def run(command, folder, **variables):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_code_of_the_page_runs(shared, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "page.py").write_text("\n".join(blocks))
    run([sys.executable, "-c", DRAWN, str(ROOT / "gallery" / "teach_in_a_minute")], tmp_path)
    variables = {"ZOO_WEIGHTS_MIRROR": str(shared / "weights"), "ZOO_FEATURE_CACHE": "0"}
    printed = run([sys.executable, "page.py"], tmp_path, **variables)
    assert re.search(r"\d+ % \(\d+ to [\d.]+ %\) of 18 images right, 5 folds", printed)
    assert re.search(r"^boats 0\.\d+ 0\.\d+$", printed, re.MULTILINE)
    assert "(6, 1280)" in printed
    assert "is_whole=True" in printed and "is_whole=False" in printed
    for name in ("my_model/taught.json", "web/model.json", "head.keras", "nearest.json"):
        assert (tmp_path / name).is_file(), name
