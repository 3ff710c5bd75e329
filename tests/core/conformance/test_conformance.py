"""``python -m core.conformance``: the data file, right backends, the command and its documents."""

import io
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import core
from core.conformance import CaseResult, check_backend, is_conforming, op_cases
from core.conformance.__main__ import main
from core.conformance.comparison import are_identical, differences
from core.conformance.op_cases import arrays_of, parsed, read_cases
from core.conformance.report import report_json, report_junit, report_text
from core.engine.registry import OPS
from tests.core.autodiff.test_derivatives import NEVER_FLOATS
from tests.core.conformance.cases import LEFT_OUT, file_data
from tests.core.ops.records import OP_NAMES
from tests.helpers import start_or_skip
from tests.rules.sources import ROOT


def command(*arguments, folder=ROOT):
    """The command in a process of its own, in some folder."""
    line = [sys.executable, "-W", "error", "-m", "core.conformance", *arguments]
    world = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, folder)))}
    return subprocess.run(line, cwd=folder, env=world, capture_output=True, text=True)


# --- the data file ------------------------------------------------------------------------------


def assert_equal_cases(found, expected):
    """Drawn values to the last bit, those of oracles nearly: SciPy's versions differ a little."""
    assert found[:3] == expected[:3]
    for a, b in zip(found.inputs, expected.inputs, strict=True):
        for x, y in zip(arrays_of(a), arrays_of(b), strict=True):
            assert are_identical(x, y), found.label
    for x, y in zip(found.results, expected.results, strict=True):
        assert not [*differences("a result", x, y, 1e-6)], found.label
    for a, b in zip(found.gradients, expected.gradients, strict=True):
        assert a.input_index == b.input_index
        assert a.derivative == pytest.approx(b.derivative, rel=1e-5, abs=1e-5)
        for x, y in zip(a.directions, b.directions, strict=True):
            np.testing.assert_array_equal(x, y)


def test_the_file_is_what_the_tables_make():
    """Else run ``python -m tests.core.conformance.cases``."""
    today = [*parsed(file_data())]
    assert len(today) == len(read_cases())
    for found, expected in zip(read_cases(), today, strict=True):
        assert_equal_cases(found, expected)


def test_every_op_has_cases_or_a_reason():
    assert {case.op for case in read_cases()} == set(OP_NAMES) - set(LEFT_OUT)
    assert set(LEFT_OUT) <= set(OP_NAMES) and all(LEFT_OUT.values())


def test_every_gradient_rule_of_floats_is_checked():
    checked = {(c.op, c.record.inputs[g.input_index]) for c in read_cases() for g in c.gradients}
    of_floats = {c.op for c in read_cases() if any(y.dtype.kind in "fc" for y in c.results)}
    rules = {(name, given) for name in of_floats for given in OPS[name].gradients}
    assert rules - checked == NEVER_FLOATS


def test_the_file_is_small():
    assert op_cases.PATH.stat().st_size < 200_000


def _rewritten(change):
    """The file with changed arrays."""
    with np.load(op_cases.PATH, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _shorten(arrays):
    arrays["float32"] = arrays["float32"][:-1]


def _lengthen(arrays):
    arrays["int32"] = np.zeros((1 << 22) + 1, np.int32)


def _spoil(arrays):
    arrays["index"] = arrays["index"][:-5]


def _forget(arrays):
    del arrays["lengths"]


def _negative(arrays):
    text = arrays["index"].tobytes().replace(b"[3,5]", b"[3,-5]", 1)
    arrays["index"] = np.frombuffer(text, np.uint8)


def _pickled(arrays):
    arrays["bool"] = np.array([None], object)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_shorten, "float32 has .* values, fewer than it should"),
        (_lengthen, "its arrays take .* bytes, the limit is 16,777,216"),
        (_spoil, "Expecting|Unterminated|delimiter"),
        (_forget, "lengths"),
        (_negative, "fewer than it should"),
        (_pickled, "allow_pickle"),
    ],
)
def test_a_damaged_file_is_one_clear_error(change, reason, tmp_path, monkeypatch):
    path = tmp_path / "op_cases.npz"
    path.write_bytes(_rewritten(change))
    monkeypatch.setattr(op_cases, "PATH", path)
    with pytest.raises(core.CoreError, match=f"op_cases.npz cannot be read: .*({reason})"):
        read_cases.__wrapped__()


def test_a_file_that_ends_early_is_one_clear_error(tmp_path, monkeypatch):
    path = tmp_path / "op_cases.npz"
    path.write_bytes(op_cases.PATH.read_bytes()[:5000])
    monkeypatch.setattr(op_cases, "PATH", path)
    with pytest.raises(core.CoreError, match="cannot be read: .*install the package again"):
        read_cases.__wrapped__()


def test_the_engine_does_not_import_it():
    code = "import core, sys; core.add(1, 2); print([m for m in sys.modules if 'conformance' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# --- right backends -----------------------------------------------------------------------------


def test_cpu_conforms_by_the_command(tmp_path):
    done = command("cpu", "--complete", "--json", str(tmp_path / "all.json"))
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "all.json").read_text())
    count = len(document["cases"])
    assert count == len(read_cases()) + 7  # values of five dtypes, name, epsilon
    assert document["counts"] == {"passed": count, "failed": 0, "host": 0, "missing": 0}
    assert done.stdout.splitlines()[-1].startswith(f"backend 'cpu' conforms: {count} cases of")


def test_shader_conforms():
    """Some families here; the op tests run all on it."""
    start_or_skip()
    results = check_backend("shader", ["conv2d*", "max_pool*", "relu*", "s[iou]*", "string_split"])
    assert is_conforming(results)
    assert not [r for r in results if r.status == "missing"]
    on_host = {r.note for r in results if r.status == "host"}
    assert on_host == {"strings stay on the host"}


def test_the_backend_of_the_guide_conforms_by_the_command(tmp_path):
    text = (ROOT / "core" / "docs" / "guide.md").read_text()
    (code,) = (b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class Array" in b)
    (tmp_path / "arrays.py").write_text(code)
    arguments = ["arrays", "--import", "arrays", "--junit", "conformance.xml"]
    assert f"python -m core.conformance {' '.join(arguments)}" in text
    done = command(*arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    suites = ElementTree.parse(tmp_path / "conformance.xml").getroot()
    assert sum(int(s.get("tests")) for s in suites) == len(read_cases()) + 7
    assert {s.get("failures") for s in suites} == {"0"}
    native = [c for c in suites.iter("testcase") if c.find("system-out") is None]
    assert {"add (3, 5) (5,)", "relu special", "concat strings"} <= {c.get("name") for c in native}
    assert "on host: there is no kernel yet: " in done.stdout
    assert sorted(p.name for p in tmp_path.glob("*.*")) == ["arrays.py", "conformance.xml"]


def test_missing_kernels_are_listed(tmp_path):
    (tmp_path / "few.py").write_text(
        "import core\n"
        "from tests.core.conformance.faults import BareBackend\n"
        "core.register_backend('few', lambda: BareBackend('few'))\n"
        "core.kernel('add', 'few')(lambda a, b: __import__('numpy').asarray(a + b))\n"
    )
    arguments = ["few", "--import", "few", "--op", "a*"]
    done = command(*arguments, folder=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert any(re.fullmatch(r"not run: no kernel is registered: .*acos, .*", x) for x in lines)
    assert re.fullmatch(r"\d+ ops have no kernel", lines[-2])
    assert lines[-1] == "backend 'few' conforms: 6 cases of 1 op"
    assert any(x.startswith("not run: no kernel 'cast': add") for x in lines)
    done = command(*arguments, "--complete", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "backend 'few' does not conform: kernels are missing"


# --- documents ----------------------------------------------------------------------------------

RESULTS = [
    CaseResult("unary", "relu", "(3, 5)", "passed", (), "", 0.25),
    CaseResult("unary", "relu", "()", "failed", ("is <0> & \x1b[1m\udc80", "more"), "", 0.25),
    CaseResult("conv", "conv2d", "same", "missing", (), "no kernel 'conv2d'"),
    CaseResult("sort", "unique", "", "host", (), "depends on values"),
]


@pytest.mark.parametrize(("complete", "counts"), [(False, ("0", "1")), (True, ("1", "0"))])
def test_junit_documents(complete, counts):
    text = report_junit("mine", RESULTS, complete=complete)
    root = ElementTree.fromstring(text.encode(errors="backslashreplace"))
    unary, conv, sort = root
    assert [s.get("name") for s in root] == ["mine.unary", "mine.conv", "mine.sort"]
    assert (unary.get("tests"), unary.get("failures"), unary.get("time")) == ("2", "1", "0.500")
    (failure,) = unary.iter("failure")
    assert failure.get("message").startswith("is <0> & \N{REPLACEMENT CHARACTER}[1m")
    assert failure.text.endswith("\nmore")
    assert (conv.get("failures"), conv.get("skipped")) == counts
    (case,) = conv
    assert [e.tag for e in case] == (["failure"] if complete else ["skipped"])
    assert sort.find("testcase/system-out").text == "on host: depends on values"


def test_json_documents():
    document = json.loads(report_json("mine", RESULTS))
    assert document["backend"] == "mine" and document["conforms"] is False
    assert document["counts"] == {"passed": 1, "failed": 1, "host": 1, "missing": 1}
    assert document["cases"][2] == RESULTS[2]._asdict() | {"failures": []}


def test_printed_reports():
    lines = report_text("mine", RESULTS).splitlines()
    assert lines[0] == "family  cases  passed  failed  on host  no kernel"
    assert lines[1].split() == ["unary", "2", "1", "1", "0", "0"]
    assert lines[4].split() == ["all", "4", "1", "1", "1", "1"]
    assert lines[5:] == [
        "FAILED relu (): is <0> & \x1b[1m\udc80",
        "FAILED relu (): more",
        "on host: depends on values: unique",
        "not run: no kernel is registered: conv2d",
        "1 op has no kernel",
        "backend 'mine' does not conform: 1 of 3 cases of 2 ops failed",
    ]


def test_long_reports_are_cut():
    many = [CaseResult("unary", f"op{n}", "", "failed", ("wrong",)) for n in range(50)]
    hosts = [CaseResult("unary", f"op{n}", "", "host", (), "why") for n in range(50)]
    lines = report_text("mine", [*many, *hosts]).splitlines()
    assert sum(line.startswith("FAILED") for line in lines) == 20
    assert "... and 30 more cases failed" in lines
    assert any(line.endswith("op11 and 38 more ops") for line in lines)


def test_what_ran_nowhere_does_not_conform():
    assert not is_conforming([])
    assert not is_conforming([RESULTS[2]])
    assert is_conforming([RESULTS[0], RESULTS[2]])
    assert not is_conforming([RESULTS[0], RESULTS[2]], complete=True)


# --- invalid input of the command ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shadr"], "unknown backend 'shadr': use one of .*: did you mean 'shader'"),
        (["mine"], "unknown backend 'mine': .*; give the module that registers it: --import"),
        (["cpu", "--op", "conv2"], "no op with cases is named 'conv2': did you mean 'conv2d'"),
        (["cpu", "--op", "q_*"], "no op with cases is named 'q_\\*'; for several ops give a pat"),
        (["mine", "--import", "no_such_module"], "there is no module 'no_such_module': run the"),
        (["mine", "--import", "idle.py"], "no module 'idle.py': .*; give a module's name.* 'idle'"),
        (["mine", "--import", "idle"], "module 'idle' registers nothing: it should call core.reg"),
        (["mine", "--import", "broken"], "module 'broken' cannot be imported: ZeroDivisionError: "),
        (["mine", "--import", "needy"], "module 'needy' cannot be imported: ModuleNotFoundError: "),
        (["cpu", "--op", "relu", "--json", "none/x.json"], "cannot write 'none/x.json': No such"),
    ],
)
def test_refusals(arguments, message, tmp_path, monkeypatch, capsys):
    (tmp_path / "idle.py").write_text("import core\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "needy.py").write_text("import no_such_dependency\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("idle", "broken", "needy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(f"error: .*{message}.*\n", shown.err), shown.err


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("lambda: {}['device']", "the factory of backend 'gone' raised KeyError: 'device'"),
        ("dict", "the factory of backend 'gone' gave a dict, should a core.Backend"),
    ],
)
def test_the_factory_of_a_backend_may_fail(factory, message, tmp_path):
    (tmp_path / "gone.py").write_text(f"import core\ncore.register_backend('gone', {factory})\n")
    done = command("gone", "--import", "gone", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {message}\n"


def test_without_a_name_the_usage_is_shown(capsys):
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "python -m core.conformance" in capsys.readouterr().err


def test_unknown_ops_in_python():
    with pytest.raises(core.CoreError, match="no op with cases is named 'rleu'"):
        check_backend("cpu", ["rleu"])
    with pytest.raises(core.CoreError, match="unknown backend 'none'"):
        check_backend("none", ["relu"])
