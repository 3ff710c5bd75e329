"""What a new task takes: a folder; and a kind of result of its own: five files outside of it."""

import json
import os
import shutil
import subprocess
import sys

from tests.rules.sources import ROOT

#: The folder of a task that finds the brightest point of an image.
FOLDER = {
    "__init__.py": """
from zoo.catalog.choices import Choices
from zoo.catalog.option import MIRROR, by_name

FAMILIES = ("peak",)
MODELS = {"find_peak": Choices(default="peak.max", fast="peak.max", best="peak.max")}
OPTIONS = {"find_peak": by_name(MIRROR)}
""",
    "entries.py": """
from zoo.catalog.entry import Entry, Preprocess

ENTRIES = [
    Entry(
        name="peak.max",
        task="brightness",
        model="finder:PeakFinder",
        weights="posenet-tiny",
        network="posenet:build_posenet",
        preprocess=Preprocess(size=(33, 33)),
        output="heatmap",
        title="The brightest point",
    )
]
""",
    "finder.py": """
import numpy as np

from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import model_verb


class PeakFinder(Model):
    @model_verb
    def find_peak(self, image, *, mirror=False):
        return self.run_each(image, self.peak, mirror=mirror)

    def peak(self, pixels):
        y, x = np.unravel_index(pixels.sum(2).argmax(), pixels.shape[:2])
        return {"brightness": pixels[y, x].mean() / 255, "peak": {"x": float(x), "y": float(y)}}
""",
    "verbs.py": '''
from zoo.tasks.brightness import MODELS
from zoo.pipeline.binding import bind_model
from zoo.pipeline.verb_signatures import public_verb


@public_verb
def find_peak(image, *, model=MODELS["find_peak"].default, backend=None, mirror=False):
    """Find the brightest point."""
    bound = bind_model("find_peak", model=model, backend=backend, mirror=mirror)
    return bound.model.find_peak(image, **bound.options)
''',
    "peak_output.py": """
def paint_peaks(canvas, items, min_score):
    for item in items:
        canvas.image.putpixel((int(item["peak"]["x"]), int(item["peak"]["y"])), (255, 0, 0))


""",
}

#: The table of the new kind of result.
ROWS = """
def rows_of_peak(item, kind, number):
    return [{"peak": number, "brightness": item["brightness"], **item["peak"]}]


"""

#: File outside of the folder -> what stands before each edit, and the edit.
EDITS = {
    "results/vocabulary.py": [
        (
            "#: Result of a verb",
            '''
class Peak(TypedDict):
    """The brightest point."""

    brightness: float
    peak: Position


''',
        ),
        (
            "        ResultKind(Segmentation,",
            """
        ResultKind(
            Peak, ("peak",), {"peak": ResultKey("position"), "brightness": ResultKey(digits=3)}
        ),
""",
        ),
    ],
    "drawing/__init__.py": [
        (
            '    "label": "zoo.drawing.panels:paint_labels",',
            '    "peak": "zoo.tasks.brightness.peak_output:paint_peaks",\n',
        )
    ],
    "export/tables.py": [
        ("def rows_of_label(", ROWS),
        (
            '    "label": Table(rows_of_label,',
            '    "peak": Table(rows_of_peak, ("brightness",)),\n',
        ),
    ],
    "__init__.py": [('        *("Pose",', '        "Peak",\n')],
    "cli/task_commands.py": [
        (
            '    Task(\n        "pose",',
            '    Task("brightness", "find the brightest point", "find_peak", "image"),\n',
        )
    ],
}

USE = """
import contextlib, io, json, sys
import numpy as np
import zoo
from zoo.cli import main
from zoo.export.pretty import readable

assert zoo.__file__.startswith(sys.argv[1])
assert {"Peak", "find_peak"} <= {*zoo.__all__} and "peak.max" in zoo.models("brightness")
pixels = np.zeros((40, 60, 3), np.uint8)
pixels[10, 20] = 204
found = zoo.find_peak(pixels)
with contextlib.redirect_stdout(io.StringIO()) as printed:
    zoo.read_image(pixels)
    from PIL import Image
    Image.fromarray(pixels).save("dot.png")
    assert main(["brightness", "dot.png", "--csv", "--draw", "drawn.png"]) == 0
print(json.dumps({
    "found": found,
    "mirrored": zoo.find_peak(pixels, mirror=True),
    "table": zoo.to_csv(found),
    "mixed": zoo.to_csv([found, {"label": "dot", "score": 0.5, "index": 0}]),
    "text": readable(found),
    "json": json.loads(zoo.to_json(found)),
    "drawn": zoo.draw(pixels, found).getpixel((20, 10)),
    "file": zoo.read_image("drawn.png")[10, 20].tolist(),
    "printed": printed.getvalue(),
}))
"""


def add_task(package) -> None:
    """Add the folder to a copy of the package, and edit the files outside of it."""
    for name, text in FOLDER.items():
        (package / "tasks" / "brightness").mkdir(exist_ok=True)
        (package / "tasks" / "brightness" / name).write_text(text)
    for name, edits in EDITS.items():
        text = (package / name).read_text()
        for before, added in edits:
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, added + before)
        (package / name).write_text(text)


def test_a_task_and_its_kind_of_result_take_five_files_outside_of_its_folder(tmp_path):
    shutil.copytree(ROOT / "zoo", tmp_path / "zoo", ignore=shutil.ignore_patterns("samples"))
    add_task(tmp_path / "zoo")
    assert len(EDITS) <= 5
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, ROOT)))}
    command = [sys.executable, "-c", USE, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    seen = json.loads(done.stdout)
    peak = {"brightness": 0.8, "peak": {"x": 20.0, "y": 10.0}}
    assert seen["found"] == seen["json"] == peak
    assert seen["mirrored"]["peak"] == {"x": 21.0, "y": 10.0}  # 60 - 39, as points of edges move
    assert seen["table"] == "peak,brightness,x,y\n0,0.8,20.0,10.0\n"
    assert seen["mixed"].startswith("peak,brightness,label,index,x,y,score\n")
    assert seen["text"] == '{"brightness": 0.8, "peak": {"x": 20.0, "y": 10.0}}'
    assert seen["drawn"] == seen["file"] == [255, 0, 0]
    assert seen["printed"].splitlines()[0] == "image,peak,brightness,x,y"
