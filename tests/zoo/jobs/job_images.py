"""Folders of small images for jobs, and what their results are compared by."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

import zoo
from zoo.export.json_text import plain_value
from zoo.jobs.job import Job
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.running import opened_job
from zoo.jobs.work import Errand

ASTRONAUT = Path("gallery/one_line_pose/astronaut.jpg")


def make_images(folder: Path, count: int, side: int = 96) -> list[Path]:
    """Write different crops of a portrait as JPEG files, 00000.jpg and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with Image.open(ASTRONAUT) as whole:
        width, height = whole.size
        for number in range(count):
            left, top = number * 7 % (width // 3), number * 5 % (height // 4)
            crop = whole.crop((left, top, left + width // 2 + number % 9, top + height // 2))
            paths.append(folder / f"{number:05}.jpg")
            crop.resize((side, side + number % 5)).save(paths[-1])
    return paths


def digest(out: Path) -> str:
    """The hash of the sorted results of a job, and of its errors."""
    found = zoo.read_results(out)
    lines = sorted(json.dumps(row, default=plain_value, sort_keys=True) for row in found)
    lines += sorted(json.dumps(error, sort_keys=True) for error in found.errors)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def indices(out: Path) -> list[int]:
    """The indices of all images of a job, those with errors among them."""
    found = zoo.read_results(out)
    return sorted([row["index"] for row in found] + [error["index"] for error in found.errors])


def leftovers(out: Path) -> list[str]:
    """Files in the folder of a job that is complete which should not be there."""
    ours = {"job.json", "list.jsonl", "manifest.json", "errors.jsonl", "parts", "records", ".lock"}
    strange = [path.name for path in out.iterdir() if path.name not in ours]
    job = json.loads((out / "job.json").read_text())
    for folder, ending in (("parts", job["format"]), ("records", "json")):
        expected = {f"{number:06}.{ending}" for number in range(job["chunks"])}
        strange += {path.name for path in (out / folder).iterdir()} ^ expected
    return strange


@contextmanager
def begun(folder: ResultsFolder, job: Job) -> Iterator[Errand]:
    """Begin a run of a job, or go on with it, as `zoo.batch` does; gives what its processes get."""
    folder.create()
    with folder.locked():
        document = opened_job(folder, job)
        yield Errand(job.document(), str(folder.path), folder.run_of(document))
