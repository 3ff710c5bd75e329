"""Faults planted one by one in a copy of the packages: the tests of a bare run find each of them.

`tests.core.conformance.faults` has faults of kernels; these are in other rooms. What looks for a
fault are the test files of its room, by what runs by default or before a commit: a sweep that is
cut too far misses one. ``python -m tests.rules.planted_faults [NAME ..]`` prints which tests failed
for each.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.conftest import NOT_WHOLE
from tests.rules.sources import ROOT

#: What the tests need of the checkout.
_COPIED = ("core", "zoo", "weights_cache", "gallery", "tests", "pyproject.toml", "README.md")


class Fault(NamedTuple):
    """A change of one line of a file, and the tests of its room."""

    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


_PLAN = ("tests/core/plan/test_program_passes.py", "tests/core/converter/test_passes.py")
_EXAMPLES = "tests/rules/test_docstring_examples.py::test_the_examples_run"
_POSES = ("tests/zoo/tasks/test_posenet.py", "tests/zoo/tasks/test_segmentation_decode.py")

FAULTS = {
    "folding: a constant of one branch": Fault(
        "core/plan/passes/folding.py",
        'and source.type == "Const" and source.inputs:',
        "and source is node:",
        (*_PLAN, "tests/core/graph/test_waiting.py", "tests/core/graph/test_control.py"),
    ),
    "pruning: nodes no longer wait": Fault(
        "core/plan/passes/pruning.py",
        'if not i.startswith("^") or node_of(i) in kept)',
        'if not i.startswith("^"))',
        (*_PLAN, "tests/core/graph/test_hash_tables.py"),
    ),
    "graph reader: an empty axis has any length": Fault(
        "core/graph/attributes.py",
        "None if size < 0 else size for size",
        "None if size <= 0 else size for size",
        ("tests/core/graph", "tests/core/converter/test_web.py"),
    ),
    "compiled functions: a list is a tuple": Fault(
        "core/compiled_functions/structure.py",
        "return _Group(kind, (), tuple([",
        "return _Group(tuple, (), tuple([",
        ("tests/core/compiled_functions",),
    ),
    "layers: the other share of a moving mean": Fault(
        "core/layers/built_in/normalization.py",
        'rest = 1 - call.options.number("momentum", 0.99)',
        'rest = call.options.number("momentum", 0.99)',
        ("tests/core/layers", "tests/core/models/test_layers_beside_keras.py"),
    ),
    "optimizers: Adamax takes the sign into account": Fault(
        "core/optimizers/formulas.py",
        "v = (v * beta2).maximum(g.abs())",
        "v = (v * beta2).maximum(g)",
        ("tests/core/optimizers/test_optimizers.py",),
    ),
    "schedules: a stair too early": Fault(
        "core/optimizers/schedules.py",
        "power = floor(share) if self.staircase else share\n"
        "        return self.initial_learning_rate * self.decay_rate**power",
        "power = ceil(share) if self.staircase else share\n"
        "        return self.initial_learning_rate * self.decay_rate**power",
        ("tests/core/optimizers/test_options.py", f"{_EXAMPLES}[core/optimizers]"),
    ),
    "losses: weights of Tversky exchanged": Fault(
        "core/losses/regions.py",
        "missed * alpha + wrong * beta",
        "missed * beta + wrong * alpha",
        ("tests/core/models/test_losses.py",),
    ),
    "metrics: alarms count as misses": Fault(
        "core/metrics/f_scores.py",
        "(1.0 - chosen) * labels",
        "chosen * (1.0 - labels)",
        ("tests/core/models/test_metrics.py",),
    ),
    "callbacks: an epoch too patient": Fault(
        "core/callbacks/monitors.py",
        "elif self.wait >= self.patience and epoch > 0:",
        "elif self.wait > self.patience and epoch > 0:",
        ("tests/core/models/test_callbacks.py",),
    ),
    "data: the last batch is not counted": Fault(
        "core/data/lengths.py",
        "return n // size if drop_remainder else ceil(n / size)",
        "return n // size",
        ("tests/core/data/test_datasets.py", "tests/core/data/test_batches.py"),
    ),
    "converter: zero points are added": Fault(
        "core/converter/tflite/constants.py",
        "real -= _along(parameters.zero_points",
        "real += _along(parameters.zero_points",
        ("tests/core/converter/tflite",),
    ),
    "placement: a mirrored input is moved the wrong way": Fault(
        "zoo/shared/placement.py",
        "c=self.c + a * width",
        "c=self.c - a * width",
        ("tests/zoo/pipeline/test_shared.py", f"{_EXAMPLES}[zoo/shared]"),
    ),
    "decoder: only away from the nose": Fault(
        "zoo/shared/personlab.py",
        "fields.backward if is_backward else fields.forward",
        "fields.forward",
        _POSES,
    ),
    "tracking: objects are forgotten at once": Fault(
        "zoo/shared/tracking.py",
        "if time - track.seen_at <= KEEP or",
        "if time - track.seen_at <= KEEP / 100 or",
        ("tests/zoo/live/test_tracking.py",),
    ),
    "smoothing: what moves left is too steady": Fault(
        "zoo/shared/filters.py",
        "cutoffs = np.abs(speeds)",
        "cutoffs = np.maximum(speeds, 0)",
        ("tests/zoo/live/test_tracking.py",),
    ),
    "mirroring: boxes keep their left edge": Fault(
        "zoo/pipeline/mirroring.py",
        'width - value["x"] - value.get("width", 0)',
        'width - value["x"]',
        ("tests/zoo/pipeline/test_mirroring.py",),
    ),
    "export: formulas of spreadsheets": Fault(
        "zoo/export/tables.py",
        '_FORMULA = ("=", "+", "-", "@",',
        '_FORMULA = ("+", "-",',
        ("tests/zoo/results/test_results.py", "tests/zoo/cli/test_cli_streams.py"),
    ),
    "jobs: an image is skipped after one end": Fault(
        "zoo/jobs/retries.py",
        "if suspect in self._suspects[number]:",
        "if suspect not in self._suspects[number]:",
        ("tests/zoo/jobs/test_retries.py",),
    ),
    "web: a second host": Fault(
        "zoo/web/security.py",
        "if len(hosts) == 1 else",
        "if hosts else",
        ("tests/zoo/web/test_addresses.py",),
    ),
    "web: pages of others": Fault(
        "zoo/web/security.py",
        "return all(origin.lower() in own for origin in origins)",
        "return all(host in origin.lower() for origin in origins)",
        ("tests/zoo/web/test_addresses.py",),
    ),
    "weights: a hash is not compared": Fault(
        "weights_cache/file_checks.py",
        "if found != file.sha256:",
        "if not found:",
        ("tests/weights_cache/test_verification.py", "tests/weights_cache/test_tampering.py"),
    ),
    "weights: names lead out of the folder": Fault(
        "weights_cache/paths.py",
        'if any(part in ("", ".", "..") for part',
        'if any(part in ("", ".") for part',
        ("tests/weights_cache/test_paths.py",),
    ),
}


def copied(folder: Path, source: Path = ROOT) -> None:
    """Copy what the tests need."""
    for name in _COPIED:
        if (source / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source / name, folder / name, ignore=ignored)
        else:
            shutil.copy(source / name, folder / name)


def found_by(fault: Fault, folder: Path) -> list[str]:
    """Plant a fault in a copy, return the names of the tests that fail, and take it out again.

    Raises:
        ValueError: the line is not there, or more than once.
        RuntimeError: the tests did not run.
    """
    path = folder / fault.file
    text = path.read_text()
    if text.count(fault.right) != 1:
        raise ValueError(f"{fault.file} has {text.count(fault.right)} times {fault.right!r}")
    path.write_text(text.replace(fault.right, fault.wrong))
    options = ("-n", "0", "-q", "--maxfail=3", "--tb=no", "-p", "no:cacheprovider", "--color=no")
    tier = f"quick or (not gpu and not bench and not long{NOT_WHOLE})"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, "-m", tier, *fault.tests],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "ZOO_SHARED": ""},
            capture_output=True,
            text=True,
        )
    finally:
        path.write_text(text)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def main() -> None:
    """Print by fault which tests find it."""
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        copied(Path(name))
        for fault, facts in FAULTS.items():
            if not wanted or any(fault.startswith(w) for w in wanted):
                failed = found_by(facts, Path(name))
                print(f"{fault}: {', '.join(failed) or 'NOT FOUND'}", flush=True)


if __name__ == "__main__":
    main()
