"""The end of a job: errors of all chunks in one file, the manifest, and the summary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict

from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.work import STAGES


class BatchSummary(TypedDict):
    """Summary of a finished job over all its runs; ``seconds`` and the rate are of the last run."""

    out: str  # the folder
    function: str  # such as "estimate_multiple_poses"
    images: int
    found: int  # people, hands, faces, labels, .. in all images
    errors: int  # images that could not be read; errors.jsonl says why
    seconds: float  # of this run
    images_per_second: float  # of this run; 0 if all was done before
    milliseconds: dict[str, float]  # of an image by stage: read, model, write; in each process


def finish(folder: ResultsFolder, images: int, seconds: float) -> BatchSummary:
    """Write ``errors.jsonl`` and the manifest, and return the summary.

    Args:
        folder: whose chunks are all done.
        images: that this run looked at.
        seconds: that it took.

    Raises:
        ZooError: a record is missing, damaged, or of another job.
    """
    job = folder.job_document()
    parts: list[dict[str, Any]] = []
    stages = dict.fromkeys(STAGES, 0.0)
    found = errors = 0
    with folder.replacing(folder.path / "errors.jsonl") as file:
        for number, record in _records(folder, job):
            parts.append({"file": folder.part(number, job["format"]).name, **_facts(record)})
            found += record["found"]
            errors += len(record["errors"])
            for stage in STAGES:
                stages[stage] += record["seconds"][stage]
            for error in record["errors"]:
                file.write(json.dumps(error).encode() + b"\n")
    folder.write_json("manifest.json", {**job, "found": found, "errors": errors, "parts": parts})
    return {
        "out": str(folder.path),
        "function": job["verb"],
        "images": job["images"],
        "found": found,
        "errors": errors,
        "seconds": seconds,
        "images_per_second": images / seconds if images else 0.0,
        "milliseconds": {k: 1000 * value / job["images"] for k, value in stages.items()},
    }


def _records(folder: ResultsFolder, job: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number in range(job["chunks"]):
        yield number, folder.record(number, job.get("identity"))


def _facts(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in ("images", "rows", "sha256")}
