"""``python -m core.conformance``: the data file, right backends, and the command."""

import io
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import core
from core.conformance import CaseResult, check_backend, is_conforming, op_cases
from core.conformance.comparison import are_identical, differences
from core.conformance.op_cases import arrays_of, parsed, read_cases
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
    done = command("cpu", "--complete", "-q", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    count = len(read_cases()) + 7  # values of five dtypes, name, epsilon
    assert done.stdout.splitlines()[-1].startswith(f"{count} passed in ")
    assert [*tmp_path.iterdir()] == []


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
    arguments = ["arrays", "--import", "arrays", "--junitxml", "conformance.xml"]
    assert f"python -m core.conformance {' '.join(arguments)}" in text
    done = command(*arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    suites = ElementTree.parse(tmp_path / "conformance.xml").getroot()
    assert sum(int(s.get("tests")) for s in suites) == len(read_cases()) + 7
    assert {s.get("failures") for s in suites} == {"0"}
    native = [c.get("name") for c in suites.iter("testcase") if c.find("properties") is None]
    assert {f"test_case[{c}]" for c in ("add (3, 5) (5,)", "relu special")} <= {*native}
    assert "on host: there is no kernel yet: " in done.stdout
    assert sorted(p.name for p in tmp_path.glob("*.*")) == ["arrays.py", "conformance.xml"]


def test_missing_kernels_are_listed(tmp_path):
    (tmp_path / "few.py").write_text(
        "import core\n"
        "from tests.core.conformance.faults import BareBackend\n"
        "core.register_backend('few', lambda: BareBackend('few'))\n"
        "core.kernel('add', 'few')(lambda a, b: __import__('numpy').asarray(a + b))\n"
    )
    arguments = ["few", "--import", "few", "-rs", "-k", "add or acos"]
    done = command(*arguments, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no kernel 'acos'\n" in done.stdout and "no kernel 'cast'\n" in done.stdout
    assert "passed, but: the gradient is not checked: no kernel 'sum': add\n" in done.stdout
    assert re.search(r"\n=+ 6 passed, \d+ skipped", done.stdout)
    done = command(*arguments, "--complete", folder=tmp_path)
    assert done.returncode == 1 and re.search(r"\n=+ \d+ failed, 6 passed", done.stdout)
    none = command("few", "--import", "few", "-k", "acos", folder=tmp_path)
    assert none.returncode == 1 and " passed" not in none.stdout


def test_without_pytest_an_error_says_what_to_install():
    code = (
        "import sys, runpy; sys.modules['pytest'] = None; "
        "runpy.run_module('core.conformance', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "error: core.conformance is run by pytest: run pip install pytest\n"


# --- results ------------------------------------------------------------------------------------

RESULTS = [
    CaseResult("unary", "relu", "(3, 5)", "passed"),
    CaseResult("unary", "relu", "()", "failed", ("is 1, should be 2",)),
    CaseResult("conv", "conv2d", "same", "missing", (), "no kernel 'conv2d'"),
]


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
        (["mine", "--import", "no_such_module"], "there is no module 'no_such_module': run the"),
        (["mine", "--import", "idle.py"], "no module 'idle.py': .*; give a module's name.* 'idle'"),
        (["mine", "--import", "idle"], "module 'idle' registers nothing: it should call core.reg"),
        (["mine", "--import", "broken"], "module 'broken' cannot be imported: ZeroDivisionError: "),
        (["mine", "--import", "needy"], "module 'needy' cannot be imported: ModuleNotFoundError: "),
    ],
)
def test_refusals(arguments, message, tmp_path):
    (tmp_path / "idle.py").write_text("import core\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "needy.py").write_text("import no_such_dependency\n")
    done = command(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    assert re.fullmatch(f"ERROR: .*{message}.*\n\n", done.stderr), done.stderr


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
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"ERROR: {message}\n\n"


def test_without_a_name_the_option_is_named():
    assert "argument --backend: expected one argument" in command().stderr
    line = ["-p", "core.conformance.plugin", "--pyargs", "core.conformance"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *line], cwd=ROOT, capture_output=True, text=True
    )
    assert "no backend was named: give --backend NAME" in done.stderr


def test_unknown_ops_in_python():
    with pytest.raises(core.CoreError, match="no op with cases is named 'rleu'"):
        check_backend("cpu", ["rleu"])
    with pytest.raises(core.CoreError, match="'q_\\*'; for several ops give a pattern"):
        check_backend("cpu", ["q_*"])
    with pytest.raises(core.CoreError, match="unknown backend 'none'"):
        check_backend("none", ["relu"])
