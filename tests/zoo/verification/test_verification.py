"""`zoo verify`: every backend in a process of its own; wrong ones are found; the exit status."""

import json
import os
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import zoo
from tests.core.converter.tflite.fixtures.models import FOLDER as FIXTURES
from tests.helpers import require_llvmlite, start_or_skip
from tests.zoo.cli.test_cli import run
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from tests.zoo.verification.bundled_goldens import bundled
from weights_cache import write_weights
from weights_cache.common.errors import MissingError, ZooError
from zoo.verification.children import BackendError, Child, UnavailableError
from zoo.verification.rows import CRASHED, FAILED, NOT_COMPARED, PASSED, UNAVAILABLE
from zoo.verification.variants import GENERATED, REFERENCE, VARIANTS
from zoo.verification.verifier import Verifier

#: Code of a process whose outputs are changed before they are sent.
WRONG = """
import numpy as np
import zoo.verification.child as child
run = child._Child._run
def wrong(self, message):
    answer = run(self, message)
    return answer._replace(arrays={{name: {change} for name, a in answer.arrays.items()}})
child._Child._run = wrong
child.main()
"""

#: Code of a process that does something else than to run a network.
INSTEAD = """
import os, signal, sys, time
import zoo.verification.child as child
def instead(self, message):
    {act}
child._Child._run = instead
child.main()
"""


@pytest.fixture
def folder(tmp_path):
    """A model that multiplies rows by a matrix."""
    write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology())
    return tmp_path / "graph"


def rows_with(folder, code: str, seconds: float = 60.0):
    """The rows of a model, with a second process of the NumPy tier that runs some code."""
    other = REFERENCE._replace(label="other")
    with Verifier([REFERENCE, other], runs=1, seconds=seconds) as verifier:
        verifier.children[1] = Child(other, seconds, code)
        return [row for row in verifier.rows_of(folder) if row.backend == "other"]


@pytest.mark.parametrize(
    "change, reason",
    [
        ("a + np.float32(0.01)", "differs by"),
        ("np.where(np.arange(a.size).reshape(a.shape) == 0, np.nan, a).astype('f4')", "1 of 2 val"),
        ("np.full_like(a, np.inf)", "2 of 2 values are NaN or infinite"),
        ("a.T", "the shape is (2, 1), not (1, 2)"),
        ("a.astype('f8')", "the dtype is float64, not float32"),
    ],
)
def test_wrong_outputs_are_found(folder, change, reason):
    [row] = rows_with(folder, WRONG.format(change=change))
    assert (row.result, row.input, row.output) == (FAILED, "noise", "z")
    assert row.reason.startswith(reason)


def test_a_missing_output_is_found(folder):
    code = WRONG.format(change="a").replace("answer.arrays.items()", "()")
    [row] = rows_with(folder, code)
    assert (row.result, row.reason) == (FAILED, "the output is missing")


def test_right_outputs_pass(folder):
    [row] = rows_with(folder, WRONG.format(change="a + np.float32(1e-6) * (a > 0)"))
    assert row.result == PASSED and 0 < row.relative < 1e-4 and row.ms > 0


@pytest.mark.parametrize(
    "act, reason",
    [
        ("os._exit(3)", "crashed: the process ended with status 3"),
        ("raise ValueError('wrong kernel')", "crashed: ValueError: wrong kernel"),
        ("os.write(3, b'x' * 100); os._exit(0)", "crashed: "),
        ("raise SystemExit('no more')", "crashed: the process ended with status 1: no more"),
    ],
)
def test_a_crash_is_a_row(folder, act, reason):
    [row] = rows_with(folder, INSTEAD.format(act=act))
    assert (row.result, row.input, row.output) == (CRASHED, "noise", "")
    assert row.reason.startswith(reason)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_fault_in_memory_is_a_row(folder):
    [row] = rows_with(folder, INSTEAD.format(act="os.kill(os.getpid(), signal.SIGSEGV)"))
    assert row.reason == "crashed: the process crashed (SIGSEGV)"


def test_a_hang_is_a_row():
    child = Child(REFERENCE, 0.3, "import time\ntime.sleep(60)")
    with pytest.raises(BackendError, match=r"no answer in 0.3 s, so it was ended"):
        child.start()


def test_a_process_is_replaced_after_a_crash(folder):
    with Verifier([REFERENCE], runs=1) as verifier:
        [first] = verifier.rows_of(folder)
        child = verifier.children[0]
        [case] = child.cases(str(folder), str(folder), 0)
        child._process.kill()
        with pytest.raises(BackendError):
            child.run(str(folder), str(folder), case, ["z"], 1)
        outputs, _ = child.run(str(folder), str(folder), case, ["z"], 1)
        assert first.output == "z"
        np.testing.assert_allclose(
            outputs["z"], np.maximum(case.inputs["x"] @ WEIGHTS["w"], 0), rtol=1e-6
        )


def test_a_process_that_cannot_start_is_a_row(folder):
    [row] = rows_with(folder, "raise SystemExit('the driver is broken')")
    assert row.result == CRASHED and "the driver is broken" in row.reason


def test_backends_that_are_absent_are_rows_and_named_ones_fail(folder):
    absent = VARIANTS[-1]

    class Absent(Child):
        def start(self):
            raise UnavailableError("not installed")

    for variant, result in ((absent, UNAVAILABLE), (absent._replace(is_required=True), FAILED)):
        with Verifier([REFERENCE, variant], runs=1) as verifier:
            verifier.children[1] = Absent(variant, 1.0)
            row = [*verifier.rows_of(folder)][-1]
        assert (row.backend, row.result) == ("tf", result) and "not installed" in row.reason


# --- goldens beside a model ---------------------------------------------------------------------


def write_golden(folder, z) -> None:
    (folder / "reference").mkdir()
    np.savez(folder / "reference" / "rows.npz", input=ROWS, z=np.float32(z))


def test_a_golden_beside_a_model_is_compared(folder):
    write_golden(folder, [[6, 0], [0, 1]])
    found = zoo.verify(folder, backends=["cpu"], runs=1)
    golden = {row.backend: row.result for row in found.rows if row.input == "golden rows"}
    assert golden["cpu tier 1"] == PASSED and found.passed


def test_a_wrong_golden_fails_on_every_backend(folder, capsys):
    write_golden(folder, [[6, 0], [0, 1.5]])
    status, out, _ = run(capsys, "verify", str(folder), "--backend", "cpu", "--json")
    document = json.loads(out)
    failed = [row for row in document["rows"] if row["result"] == FAILED]
    assert status == 1 and not document["passed"]
    assert {row["input"] for row in failed} == {"golden rows"}
    assert failed[0]["reason"] == "differs by 0.083 of the range"


def test_a_damaged_golden_is_named(folder, capsys):
    (folder / "reference").mkdir()
    (folder / "reference" / "cut.npz").write_bytes(b"PK\3\4cut")
    status, out, _ = run(capsys, "verify", str(folder), "--backend", "cpu")
    assert status == 1 and "cut.npz is no file of goldens" in out


# --- the zoo's models ---------------------------------------------------------------------------


def test_the_bundled_model_passes_on_generated_kernels():
    require_llvmlite()
    found = zoo.verify("posenet.tiny", backends=["cpu-tier-2"], runs=1)
    assert found.passed and not found.failures
    assert {row.backend for row in found.rows} == {REFERENCE.label, GENERATED.label}
    assert {row.input for row in found.rows} == {"noise", "sample image", "golden astronaut"}
    measured = [row.relative for row in found.rows if row.backend == GENERATED.label]
    assert 0 < max(measured) < 1e-4
    assert "18 passed" in repr(found) and "llvmlite" in repr(found)


def test_the_bundled_model_passes_on_the_shader_backend():
    start_or_skip()
    found = zoo.verify("posenet.tiny", backends=["shader"], runs=1)
    assert found.passed
    assert {row.input for row in found.rows if row.backend == "shader"} == {
        *("noise", "sample image", "golden astronaut")
    }


def test_networks_that_a_model_works_with_are_verified(shared, monkeypatch):
    """Each once, with the goldens of the mirror."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    found = zoo.verify("hands.lite", backends=["cpu"], runs=1)
    assert found.passed
    goldens = {(row.model, row.input) for row in found.rows if row.input.startswith("golden")}
    assert goldens == {
        ("hands.lite", "golden hand0_hands"),
        ("hands.lite", "golden hand1_hands"),
        ("palm.lite", "golden palm_detection_lite_hands"),
    }


# --- the command --------------------------------------------------------------------------------


def test_a_junit_file_has_a_test_for_each_row(folder, capsys, tmp_path):
    write_golden(folder, [[6, 0], [0, 1.5]])
    file = tmp_path / "out.xml"
    status, out, err = run(
        capsys, "verify", str(folder), "--backend", "cpu", "--json", "--junit", str(file)
    )
    rows = json.loads(out)["rows"]
    root = ElementTree.parse(file).getroot()
    tests = root.findall("./testsuite/testcase")
    failed = sum(row["result"] == FAILED for row in rows)
    assert status == 1 and len(tests) == len(rows) == int(root.get("tests"))
    assert len(root.findall(".//failure")) == failed == int(root.get("failures")) > 0
    assert tests[0].get("classname") == str(folder) and err[-1] == f"written: {file}"


def test_markdown_has_a_row_for_each_model(folder, capsys):
    write_golden(folder, [[6, 0], [0, 1]])
    status, out, _ = run(capsys, "verify", str(folder), "--markdown", "--backend", "cpu")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith("| model | inputs | cpu tier 1 |")
    assert lines[2].startswith(f"| `{folder}` | noise, 1 golden | ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["posenet.tin"], "did you mean 'posenet.tiny'?"),
        (["posenet.tiny", "--backend", "shadr"], "unknown backend 'shadr': did you mean 'shader'?"),
        (["none/model.json"], "there is no model 'none/model.json'"),
        (["posenet.tiny", "--junit", "none/out.xml"], "there is no folder"),
        (["posenet.tiny", "--runs", "0"], "runs"),
        (["posenet.tiny", "--seconds", "0"], "seconds"),
        (["posenet.tiny", "--seed", "-1"], "seed"),
        (["posenet.tiny", "--all"], "leave out posenet.tiny"),
    ],
)
def test_bad_usage_ends_with_status_2(capsys, arguments, message):
    status, out, err = run(capsys, "verify", *arguments)
    assert status == 2 and not out and message in " ".join(err)


def test_a_file_that_is_no_model_ends_with_status_2(tmp_path, capsys):
    file = tmp_path / "notes.tflite"
    file.write_bytes(b"no model")
    status, _, err = run(capsys, "verify", str(file), "--backend", "cpu")
    assert status == 2 and "notes.tflite" in " ".join(err)


def test_missing_weights_are_an_error(monkeypatch, tmp_path):
    for name in ("ZOO_WEIGHTS_MIRROR", "ZOO_WEIGHTS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(MissingError, match="hands.lite"):
        zoo.verify("hands.lite")


def test_without_names_the_models_that_are_here_are_verified(monkeypatch, tmp_path, capsys):
    for name in ("ZOO_WEIGHTS_MIRROR", "ZOO_WEIGHTS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    status, out, err = run(capsys, "verify", "--backend", "cpu", "--runs", "1", "--json")
    here = {entry.name for entry in bundled() if entry.name != "topdown.thunder"}  # lacks a part
    assert {row["model"] for row in json.loads(out)["rows"]} == here
    assert status == 0 and "models left out, whose weights are not on this computer" in err[0]


def test_tf_without_tensorflow_is_a_failure_if_it_is_named(folder, tmp_path, monkeypatch, capsys):
    package = tmp_path / "packages" / "tensorflow"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not here')")
    monkeypatch.syspath_prepend(package.parent)
    status, out, _ = run(capsys, "verify", str(folder), "--backend", "tf", "--json")
    row = json.loads(out)["rows"][-1]
    assert status == 1 and (row["backend"], row["result"]) == ("tf", FAILED)
    assert row["reason"].startswith("unavailable: ")


def test_a_list_of_backends_is_expected():
    with pytest.raises(ZooError, match=r"use \['shader'\]"):
        zoo.verify("posenet.tiny", backends="shader")


# --- models of users ----------------------------------------------------------------------------


def test_a_network_of_any_shape_says_that_goldens_are_needed(capsys):
    path = str(FIXTURES / "control.tflite")
    status, out, err = run(capsys, "verify", path, "--backend", "cpu")
    assert status == 1 and "nothing was compared" in " ".join(err)
    assert "not compared: the input 'n' has no shape, or no numbers: put inputs and outputs" in out


def test_several_inputs_and_choices(capsys):
    path = str(FIXTURES / "reductions.tflite")
    status, out, _ = run(capsys, "verify", path, "--backend", "cpu", "--runs", "1", "--json")
    rows = json.loads(out)["rows"]
    skipped = {row["output"] for row in rows if row["result"] == NOT_COMPARED}
    assert status in (0, 1) and {"ARG_MAX", "best", "where"} <= skipped
    assert {"x"} & {row["output"] for row in rows if row["result"] != NOT_COMPARED}


def test_every_run_of_a_network_with_states_begins_anew():
    """Else the second backend would be compared with the next step of the first one's stream."""
    require_llvmlite()  # which one of the compared ways to run needs
    found = zoo.verify(str(FIXTURES / "streaming.tflite"), backends=["cpu"], runs=3)
    assert found.passed and len(found.rows) >= 4


def test_a_taught_model_is_verified_by_its_head_and_features(tmp_path):
    rng = np.random.default_rng(1)
    images = {
        name: [rng.integers(low, low + 60, (40, 40, 3), np.uint8) for _ in range(4)]
        for name, low in (("dark", 0), ("bright", 190))
    }
    zoo.teach(images, features="posenet.tiny", cache=False).save(tmp_path / "model")
    path = str(tmp_path / "model")
    found = zoo.verify(path, backends=["cpu"], runs=1)
    assert not found.failures
    assert [*dict.fromkeys(row.model for row in found.rows)] == [path, "posenet.tiny"]
