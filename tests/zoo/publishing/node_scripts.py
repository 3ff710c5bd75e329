"""Scripts of published models, run by Node.js."""

import json
import shutil
import subprocess
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from tests.helpers import PATIENCE, skip_or_fail

#: What scripts of tests begin with: what they are given, and what they answer.
_HEAD = """
import fs from "node:fs";
const given = JSON.parse(fs.readFileSync("given.json", "utf8"));
const bytesOf = (name) => new Uint8Array(fs.readFileSync(name));
const imageOf = ({ width, height, path }) => ({ width, height, data: bytesOf(path) });
const answer = (value) => fs.writeFileSync("answer.json", JSON.stringify(value));
"""


def run_script(folder: Path, text: str, given: Any = None) -> Any:
    """What a script answers, by its function ``answer``; its imports are of "./scripts/...".

    Args:
        folder: where it runs.
        text: the script; it has ``given``, and reads images that `image_file` wrote by ``imageOf``.
        given: what it is given, as JSON has it.
    """
    node = shutil.which("node") or skip_or_fail("Node.js is not installed")
    with as_file(files("zoo.publishing") / "scripts") as scripts:
        shutil.copytree(scripts, folder / "scripts", dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "given.json").write_text(json.dumps(given))
    (folder / "main.js").write_text(_HEAD + text)
    done = subprocess.run(
        [node, "main.js"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "answer.json").read_text())


def image_file(folder: Path, image: np.ndarray, name: str = "image") -> dict[str, Any]:
    """Write an image [height, width, 3] as RGBA, and return what ``imageOf`` takes."""
    opaque = np.full((*image.shape[:2], 1), 255, np.uint8)
    (folder / name).write_bytes(np.concatenate([image, opaque], axis=2).tobytes())
    return {"width": image.shape[1], "height": image.shape[0], "path": name}
