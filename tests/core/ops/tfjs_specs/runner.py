"""Runs the specs on a backend in Node, and compares ours with TensorFlow.js's own."""

import json
import os
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import core
from tests.core.ops.tfjs_specs.answers import serve
from tests.core.ops.tfjs_specs.packages import HERE, bundle

#: By "file: name of the spec" its status, messages and the kernels it called, the last one last.
Results = dict[str, dict[str, Any]]

#: Specs that fail on every backend of ours; those of one more are in a file with its name.
KNOWN = HERE / "known_differences.txt"


@dataclass(frozen=True)
class Comparison:
    """What came of the specs that pass on TensorFlow.js's own cpu backend."""

    counted: Results
    failures: Results

    def summary(self) -> str:
        """The counts in one line."""
        called = [r for r in self.counted.values() if r["kernels"]]
        failed = sum(name in self.failures for name, r in self.counted.items() if r["kernels"])
        return (
            f"{len(self.counted) - len(self.failures)} of {len(self.counted)} specs pass; "
            f"of those that call a kernel {len(called) - failed} of {len(called)}"
        )


def compare(wanted: str = "", backend: str = "cpu") -> Comparison:
    """Run the specs on TensorFlow.js's backend and one of ours; those that fail there do not count.

    Args:
        wanted: a regular expression for ``"file: name of the spec"``.
        backend: of the engine.
    """
    theirs = run_specs("cpu", wanted)
    with core.backend(backend):
        ours = run_specs("python", wanted)
    absent = {"status": "absent", "messages": ["did not run"], "kernels": []}
    counted = {name: r for name, r in theirs.items() if r["status"] == "passed"}
    results = {name: ours.get(name, absent) for name in counted}
    return Comparison(counted, {n: r for n, r in results.items() if r["status"] != "passed"})


def known_differences(backend: str = "cpu") -> dict[str, str]:
    """The specs that we are known to fail on a backend, each with the reason."""
    of_backend = KNOWN.with_stem(f"{KNOWN.stem}_{backend}")
    files = [KNOWN, of_backend] if of_backend.exists() else [KNOWN]
    lines = [line for file in files for line in file.read_text().splitlines()]
    return dict(line.split(" | ") for line in lines if line and line[0] != "#")


def run_specs(backend: str, wanted: str = "") -> Results:
    """The results of the specs.

    Args:
        backend: ``"python"`` for ours, ``"cpu"`` for TensorFlow.js's own.
        wanted: a regular expression for ``"file: name of the spec"``.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        _run_node(["node", str(bundle()), backend, str(report), wanted])
        if not report.is_file():
            raise RuntimeError(f"the run of the specs on {backend} ended without a report")
        return _by_name(json.loads(report.read_text()))


def _run_node(command: list[str]) -> None:
    """Run Node with two pipes to this process, and answer its kernel calls until it ends."""
    their_answers, our_answers = os.pipe()
    our_requests, their_requests = os.pipe()
    pipes = (their_requests, their_answers)
    # Pipes close before Node is waited for: else, after an error here, it would wait for us.
    with subprocess.Popen([*command, *map(str, pipes)], pass_fds=pipes, stdout=subprocess.DEVNULL):
        for descriptor in pipes:
            os.close(descriptor)
        with open(our_requests, "rb") as requests, open(our_answers, "wb") as answers:
            serve(requests, answers)


def _by_name(results: list[dict[str, Any]]) -> Results:
    """The results under ``"file: name"``; a name that comes again gets a number."""
    seen: Counter[str] = Counter()
    named = {}
    for result in results:
        # The name ends with that of the environment and its flags.
        spec = " ".join(result["name"].replace(" backend {}", "").split())
        name = f"{result['file']}: {spec}"
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} #{seen[name]}"] = result
    return named
