"""Children that break every rule: what they send is checked, and the system limits them."""

import os
import subprocess
import sys

import numpy as np
import pytest

import core
import zoo
from core.engine.limits import LimitError
from tests.helpers import ROOT
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from weights_cache import write_weights
from weights_cache.common.errors import ZooError
from zoo.pipeline.isolation import process as processes
from zoo.pipeline.isolation.arrays import ArrayError, array_of, bytes_of, entry_of
from zoo.pipeline.isolation.facts import FactError, read_facts

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="as Linux does it")

CODE = processes._CODE

#: Runs before the child's own code, in the place of the function that loads the model.
HEAD = """
import os, sys, numpy as np
import zoo.pipeline.file_model
load = zoo.pipeline.file_model.load_path
def instead(*arguments, **options):
    {}
    return load(*arguments, **options)
zoo.pipeline.file_model.load_path = instead
"""


@pytest.fixture
def folder(tmp_path):
    write_weights(tmp_path / "graph", WEIGHTS, topology=graph_topology())
    return tmp_path / "graph"


def loading(folder, monkeypatch, code: str, **limits):
    """The model, where the child does something else first."""
    monkeypatch.setattr(processes, "_CODE", HEAD.format(code) + CODE)
    return zoo.load(folder, isolate=True, limits=core.Limits(**limits) if limits else None)


def test_what_libraries_print_and_read_is_no_message(folder, monkeypatch):
    code = "print('x' * 100_000, flush=True); os.write(1, b'y' * 10); assert sys.stdin.read() == ''"
    with loading(folder, monkeypatch, code) as model:
        assert model.predict(ROWS)["z"].shape == (2, 2)


@only_linux
def test_memory_is_limited_by_the_system(folder, monkeypatch):
    """Of a child whose own checks saw nothing."""
    for code in ("np.empty(5 * 2**27)", "np.empty(2**27)", "[np.empty(2**20) for _ in range(500)]"):
        with pytest.raises(LimitError, match="needs more memory than its process may take"):
            loading(folder, monkeypatch, code)
    with loading(folder, monkeypatch, "np.empty(2**24)") as model:
        assert model.predict(ROWS)["z"].shape == (2, 2)
    with loading(folder, monkeypatch, "np.empty(2**27)", run_bytes=2**31) as model:
        assert model.predict(ROWS)["z"].shape == (2, 2)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("os._exit(3)", "ended with status 3 during reading the model"),
        ("os.abort()", r"crashed \(SIGABRT\) during reading the model"),
        ("import ctypes; ctypes.string_at(0)", r"crashed \(SIGSEGV\)"),
        ("os.kill(os.getpid(), 9)", r"was killed \(SIGKILL\)"),
        ("raise KeyError('k')", "reading the model failed: KeyError: 'k'"),
        ("raise ValueError(chr(27) + '[2J')", r"failed: ValueError: \\x1b\[2J"),
        ("raise SystemExit(5)", "ended with status 5"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_child_that_ends(code, words, folder, monkeypatch):
    with pytest.raises(ZooError, match=words):
        loading(folder, monkeypatch, code)


def test_a_child_that_reads_for_ever(folder, monkeypatch):
    monkeypatch.setattr(processes, "MORE_SECONDS", 0.1)
    with pytest.raises(LimitError, match="takes too long, and its process was ended") as error:
        loading(folder, monkeypatch, "while True: pass", file_seconds=0.1)
    assert error.value.name == "file_seconds"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_files_are_limited_by_the_system(folder, monkeypatch):
    code = "open(os.environ['TMPDIR'] + '/x', 'wb').write(bytes(2**20))"
    with pytest.raises(ZooError, match="File too large"):
        loading(folder, monkeypatch, code, file_bytes=2**18)
    with pytest.raises(ZooError, match="Too many open files"):
        loading(folder, monkeypatch, "[os.open('/', os.O_RDONLY) for _ in range(300)]")


def test_a_child_that_cannot_start(folder, monkeypatch):
    monkeypatch.setattr(processes, "_CODE", "import nothing_of_that_name")
    with pytest.raises(ZooError, match=r"ended with status 1 .*\(ZOO_DEBUG=1 shows"):
        zoo.load(folder, isolate=True)


def run(code: str) -> int:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_where_the_system_limits_no_memory_a_thread_does():
    code = "from zoo.pipeline.isolation.child import _watch_memory as watch; "
    code += "import time, numpy as np; "
    end = "x = np.ones({}); time.sleep(30 * (x.size > 2**22))"
    # The peak of a process begins, on Linux, with that of the one that starts it: a small one.
    start = "import subprocess as s, sys; sys.exit(s.call([sys.executable, '-c', {!r}]))"
    assert run(start.format(f"{code} watch(2**25); {end.format(2**24)}")) == 77
    assert run(start.format(f"{code} watch(2**30); {end.format(2**20)}")) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_the_system_ends_a_child_without_a_parent():
    code = "import zoo.pipeline.isolation.child as c; "
    code += "c._MORE_SECONDS = 0; c.os.cpu_count = lambda: 1"
    assert run(f"{code}; c.limit_time(0.01)\nwhile True: pass") == -24


#: Of a child that answers what it likes: the first message says that it has started.
ANSWERS = """
import io, os, json, struct
from zoo.pipeline.isolation.messages import send, receive
import zoo.pipeline.isolation.messages as messages
import numpy as np
requests, answers = io.FileIO(0), io.FileIO(1, "w")
def head(mark, document, size):
    answers.write(struct.pack("<4sIQ", mark, len(document), size) + document)
receive(requests, 0)
send(answers, {}, {})
FACTS = {"inputs": {"x": [[None, 3], "float32"]}, "outputs": {"z": [None, "float32"]}, "text": ""}
"""

SENT_FACTS = ANSWERS + "send(answers, FACTS, {})\nreceive(requests, 1e9)\n"


@pytest.mark.parametrize(
    "code",
    [
        "os.write(1, b'garbage' * 100)",
        "head(b'ZOO2', b'{}', 0)",
        "head(b'ZOO1', b'{}', 2**60)",
        "answers.write(struct.pack('<4sIQ', b'ZOO1', 2**31, 0))",
        "head(b'ZOO1', b'{', 0)",
        "head(b'ZOO1', b'[' * 100_000, 0)",
        "head(b'ZOO1', b'3', 0)",
        "head(b'ZOO1', b'{\"arrays\": 3}', 0)",
        "head(b'ZOO1', b'{}', 0)",
        "send(answers, {**FACTS, 'inputs': 3}, {})",
        "send(answers, {**FACTS, 'outputs': {'z': [[-1], 'float32']}}, {})",
        "send(answers, {**FACTS, 'text': None}, {})",
        "send(answers, {**FACTS, 'bundle': {'kind': 'image'}}, {})",
    ],
)
def test_garbage_in_the_place_of_a_description(code, folder, monkeypatch):
    monkeypatch.setattr(processes, "_CODE", f"{ANSWERS}\n{code}\nreceive(requests, 0)")
    with pytest.raises(ZooError, match="sent a damaged message .* and was ended: do not trust"):
        zoo.load(folder, isolate=True)


@pytest.mark.parametrize(
    "code",
    [
        "send(answers, {}, {})",
        "send(answers, {}, {'y': np.zeros(3, 'f4')})",
        "send(answers, {}, {'z': np.zeros(3)})",
        "send(answers, {}, {'z': np.zeros(3, 'f4'), 'y': np.zeros(3, 'f4')})",
        "send(answers, {}, {'z': np.zeros(2**20, 'f4')})",
        'head(b"ZOO1", b\'{"arrays": [["z", "<f4", [3], 8]]}\', 8); answers.write(bytes(8))',
        'head(b"ZOO1", b\'{"arrays": [["z", "<f4", [2], 8]]}\', 0)',
        'head(b"ZOO1", b\'{"arrays": [["z", "<f4", [-2, -1], 8]]}\', 8); answers.write(bytes(8))',
        'head(b"ZOO1", b\'{"arrays": [["z", "|O", [1], 8]]}\', 8); answers.write(bytes(8))',
        'head(b"ZOO1", b\'{"arrays": [["z", "|b1", [1], 1]]}\', 1); answers.write(b"7")',
        'head(b"ZOO1", b\'{"arrays": [["z", "strings", [1], 8]]}\', 8); answers.write(b"x" * 8)',
        "os.write(1, b'garbage' * 100)",
    ],
)
def test_garbage_in_the_place_of_an_answer(code, folder, monkeypatch):
    monkeypatch.setattr(processes, "_CODE", f"{SENT_FACTS}\n{code}\nreceive(requests, 0)")
    with zoo.load(folder, isolate=True, limits=core.Limits(run_bytes=2**20)) as model:
        with pytest.raises(ZooError, match="sent a damaged message .* and was ended: do not trust"):
            model.predict(ROWS)
        assert not model._runner._process.runs


@pytest.mark.parametrize(
    ("sent", "error", "words"),
    [
        ({"error": "KeyboardInterrupt", "message": "x"}, ZooError, "a run failed: x"),
        ({"error": ["x"], "message": 3}, ZooError, "a run failed: 3"),
        ({"error": "CoreError", "message": "\x1b[2J"}, core.CoreError, r"^\\x1b\[2J$"),
        ({"error": "LimitError", "message": "x", "limit": 3, "most": "y"}, LimitError, "^x$"),
    ],
)
def test_errors_are_of_the_family_whatever_the_child_calls_them(
    sent, error, words, folder, monkeypatch
):
    code = f"{SENT_FACTS}\nsend(answers, {sent!r}, {{}})\nreceive(requests, 0)"
    monkeypatch.setattr(processes, "_CODE", code)
    with zoo.load(folder, isolate=True) as model, pytest.raises(error, match=words) as found:
        model.predict(ROWS)
    assert type(found.value) is error


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 2), (2, 0, 5)])
def test_arrays_come_back(dtype, shape, rng):
    array = (rng.normal(size=shape) * 9).astype(dtype)
    again = array_of(bytes_of(array), *entry_of(array))
    assert again.dtype == array.dtype and np.array_equal(again, array)
    turned = array.T
    assert np.array_equal(array_of(bytes_of(turned), *entry_of(turned)), turned)


def test_strings_that_are_none():
    data = bytes_of(np.array([b"abc", b"d"], object))
    assert array_of(data, "strings", [2, 1]).tolist() == [[b"abc"], [b"d"]]
    for wrong in ((data, [3]), (data[:-1], [2]), (data, [2**40]), (data, [-2]), (data, 2)):
        with pytest.raises(ArrayError):
            array_of(wrong[0], "strings", wrong[1])


BUNDLE = {"kind": "image", "labels": ["a"], "image_size": 8, "name": "n"}
GOOD = {
    "inputs": {"x": [[None, 8, 8, 3], "float32"]},
    "outputs": {"y": [[None, 1], "float32"]},
    "text": "a\x1b",
    "bundle": BUNDLE,
    "features": None,
}


def test_facts_are_checked():
    assert read_facts(GOOD).text == "a\\x1b"
    wrong = [
        {"bundle": {**BUNDLE, "labels": "abc"}},
        {"bundle": {**BUNDLE, "labels": [3]}},
        {"bundle": {**BUNDLE, "image_size": 10**9}},
        {"bundle": {**BUNDLE, "image_size": True}},
        {"bundle": {**BUNDLE, "more": 1}},
        {"bundle": 3},
        {"features": 3},
        {"inputs": {}},
        {"inputs": {"x": [None, "float32"]}},
        {"inputs": {"x": [[1, 8, 8, 10**9], "float32"]}},
        {"inputs": {"x": [[1] * 100, "float32"]}},
        {"outputs": {"y": [[1.5], "float32"]}},
        {"outputs": {"y": [[1], 3]}},
    ]
    for change in wrong:
        with pytest.raises(FactError):
            read_facts({**GOOD, **change})


def test_facts_on_labels_are_checked():
    plain = {key: value for key, value in GOOD.items() if key != "bundle"}
    labelled = {"labels": ["a"], "origin": "labels.txt", "pixels": [[127.5], [127.5]]}
    found = read_facts({**plain, **labelled, "integers": "uint8"})
    assert found.classes == (("a",), "labels.txt", ((127.5,), (127.5,)))
    assert (found.has_labels, found.integers) == (True, "uint8")
    assert read_facts({**plain, "pixels": [[0.0], [1.0]]}).classes == ((0.0,), (1.0,))
    assert read_facts({**GOOD, "bundle": {**BUNDLE, "fit": [1]}}).bundle.fit == ""
    for change in (
        {"labels": "abc"},
        {"labels": [3]},
        {"origin": 3},
        {"pixels": [[1.0], [0.0]]},
        {"pixels": [[1.0], [1]]},
        {"pixels": [[float("inf")], [1.0]]},
        {"pixels": [[1.0, 2.0], [1.0]]},
        {"pixels": [[1.0]]},
        {"pixels": 3},
        {"integers": "int32"},
        {"integers": ["uint8"]},
    ):
        with pytest.raises(FactError):
            read_facts({**plain, **labelled, **change})
