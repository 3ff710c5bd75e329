"""The sweep has all forms of files that are read: each in a test, by each function, each ending."""

import ast
import subprocess
import sys

import pytest

from core.callbacks.checkpoints import WEIGHT_ENDINGS
from core.converter.opened import ENDINGS, find_kind
from tests.conftest import ROOT
from tests.helpers import require
from tests.reliability.fuzz.bases import FORMATS
from tests.reliability.fuzz.readers import functions_that_read
from tests.reliability.fuzz.uses import run_model
from zoo.jobs.archives import ARCHIVE_ENDINGS
from zoo.jobs.parts import PARTS
from zoo.jobs.tables import TABLE_ENDINGS
from zoo.jobs.videos import VIDEO_ENDINGS

pytestmark = pytest.mark.whole

_SYSTEM = "of the operating system"
_OURS = "of this project, in its packages"
_CHECKED = "of bytes whose sha256 is known"
_OWN = "in a folder of the user's own, closed to others, with a checksum or none of what is read"
_WRITTEN = "what this process wrote a moment ago"
_STREAM = "of bytes that another function opened"

#: Functions that open no file of a stranger, by module or by name, each with the reason.
LEFT_OUT = {
    "core/backends/": _SYSTEM,
    "core/conformance/op_cases.py": _OURS,
    "core/engine/limits.py": _SYSTEM,
    "core/plots/plot.py": _WRITTEN,
    "core/process/code_cache.py": _OWN,
    "core/converter/archives.py::_content": _STREAM,
    "weights_cache/atomic_files.py": _WRITTEN,
    "weights_cache/fetching.py": _CHECKED,
    "weights_cache/file_checks.py": _CHECKED,
    "weights_cache/hash_memo.py": _OWN,
    "weights_cache/kits.py": "of installed packages",
    "weights_cache/packing.py": _CHECKED,
    "weights_cache/registry.py::_bundled_row": _OURS,
    "weights_cache/registry.py::write_registry": _OURS,
    "weights_cache/remote.py": _CHECKED,
    "weights_cache/write.py::_text": "of documents in which names of shards are looked for",
    "zoo/catalog/labels/": _OURS,
    "zoo/cli/blas_kernels.py": _SYSTEM,
    "zoo/cli/convert_command.py": _WRITTEN,
    "zoo/cli/kit_contents.py": _OURS,
    "zoo/cli/terminal.py": _SYSTEM,
    "zoo/export/json_text.py": _STREAM,
    "zoo/images/pillow.py": _STREAM,
    "zoo/jobs/archives.py::__init__": _STREAM,
    "zoo/jobs/archives.py::_unpacked": _STREAM,
    "zoo/jobs/results_folder.py::_lines": "of a job that goes on: the lists that it wrote",
    "zoo/jobs/retries.py": _OWN,
    "zoo/live/boxes.py::is_cut_off": "of a video whose frames end too early",
    "zoo/live/capture.py": _SYSTEM,
    "zoo/live/encoders.py": _SYSTEM,
    "zoo/pipeline/isolation/child.py": _SYSTEM,
    "zoo/publishing/": _OURS,
    "zoo/samples/": _OURS,
    "zoo/transfer/exports/": _WRITTEN,
    "zoo/transfer/features/store.py": "images, which are decoded as all are",
    "zoo/web/": _OURS,
}


def is_left_out(function: str) -> bool:
    return any(function.startswith(place) for place in LEFT_OUT)


@pytest.fixture(scope="module")
def functions_that_ran():
    """Those that ran while a file of the sweep was opened."""
    for form in FORMATS.values():
        require(form.package)
    command = [sys.executable, "-m", "tests.reliability.fuzz.readers"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_every_function_that_reads_files_runs_in_the_sweep(functions_that_ran):
    """A new reader needs a form in `tests.reliability.fuzz.bases`."""
    missing = {f for f in functions_that_read() if f not in functions_that_ran}
    assert not {f for f in missing if not is_left_out(f)}


def test_what_is_left_out_is_there():
    every = functions_that_read()
    assert not [place for place in LEFT_OUT if not any(f.startswith(place) for f in every)]


def test_every_form_is_in_a_test():
    tests = [
        ast.parse(path.read_text()) for path in (ROOT / "tests/reliability").glob("test_fuzz_*.py")
    ]
    named = {n.value for t in tests for n in ast.walk(t) if isinstance(n, ast.Constant)}
    assert set(FORMATS) <= named


def opened(name, folder, most=None):
    """The paths to open of bases of a form."""
    require(FORMATS[name].package)
    found = []
    for i, (_, write) in enumerate(sorted(FORMATS[name].writers().items())[:most]):
        (folder / name / str(i)).mkdir(parents=True)
        found.append(write(folder / name / str(i)))
    return found


def test_every_kind_of_model_has_a_file(tmp_path):
    models = [name for name, form in FORMATS.items() if form.use is run_model]
    kinds = {find_kind(path) for name in models for path in opened(name, tmp_path, most=3)}
    assert kinds == {*ENDINGS.values(), "teachable", "saved"}


@pytest.mark.parametrize(
    ("form", "endings"),
    [
        ("trained_weights", WEIGHT_ENDINGS),
        ("picture_lists", (*ARCHIVE_ENDINGS, *TABLE_ENDINGS)),
        ("videos", VIDEO_ENDINGS),
        ("results", [f"-{name}" for name in PARTS]),
    ],
)
def test_every_ending_has_a_file(form, endings, tmp_path):
    names = [path.name for path in opened(form, tmp_path)]
    assert not [ending for ending in endings if not any(n.endswith(ending) for n in names)]
