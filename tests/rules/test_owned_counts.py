"""No test counts what it does not own, nor how fast the machine is; `CONTRIBUTING.md`, "Tests"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers import PATIENCE
from tests.rules.sources import ROOT, name_of

FILES = sorted(f for f in (ROOT / "tests").rglob("*.py") if "benchmarks" not in f.parts)

#: Clocks: what they say of a busy machine is no fault of the code.
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time"}

#: Counts of the whole process, which other tests, their threads and their garbage change; the last
#: two are of the tests themselves.
COUNTS = {
    *("active_count", "get_objects", "get_traced_memory", "getrusage", "take_snapshot"),
    *("resident_bytes", "resident_mib"),
}

#: Files in which Linux tells such counts.
FACTS = ("VmRSS", "VmHWM", "/proc/self/statm", "/proc/self/fd", "/proc/self/task")

#: Methods that wait so long for a thread, an event or a process as their first argument says.
WAITS = {"join", "result", "wait", "communicate"}

#: The least such time: a machine that compiles, tests and writes beside us may need it.
LEAST_SECONDS = 60

IN_LONG_CASES = "asserted in its long cases only, over so many steps that little else matters"
IN_OWN_PROCESS = "in a process that runs nothing else"

#: Functions that may, each with its reason.
ALLOWED = {
    "tests/core/conftest.py::_containers": "an upper bound: it excuses what other tests keep",
    "tests/core/plan/test_planner.py::test_dropped_plans_free_their_memory": (
        "what the modules of plans and kernels allocate, from the start of the test on"
    ),
    "tests/core/backends/shader/test_gl_thread.py::test_contexts_come_and_go_without_a_trace": (
        "a leak would be there nine times; the bound leaves room for other threads"
    ),
    "tests/core/backends/tensorflow/test_memory.py::check_flat": IN_LONG_CASES,
    "tests/core/autodiff/test_tape_memory.py::resident_bytes": IN_LONG_CASES,
    "tests/core/autodiff/test_tape_memory.py::test_memory_stays_flat_over_steps": IN_LONG_CASES,
    "tests/core/models/test_long_fits.py::test_memory_stays_flat_over_steps_of_fit": (
        IN_LONG_CASES
    ),
    "tests/helpers.py::eventually": "the one place that gives up after a time",
    "tests/helpers.py::peak_of": "the least of many calls, as other threads disturb some",
    "tests/helpers.py::room": "what the process has is no result, but where its limit is set",
    "tests/reliability/fuzz/cases.py::largest_memory": IN_OWN_PROCESS,
    "tests/reliability/run_hostile.py::main": IN_OWN_PROCESS,
    "tests/reliability/run_hostile.py::memory": IN_OWN_PROCESS,
    "tests/reliability/strike.py::open_files": IN_OWN_PROCESS,
    "tests/reliability/strike.py::state": IN_OWN_PROCESS,
    "tests/reliability/test_image_reading.py::times_open": "one file of the test, not all",
    "tests/weights_cache/test_regular_files.py::is_open": "one file of the test, not all",
    "tests/zoo/tasks/test_hands.py::resident_mib": IN_LONG_CASES,
    "tests/zoo/live/test_live_session.py::resident_bytes": IN_LONG_CASES,
    "tests/zoo/live/test_live_session.py::test_long_streams_take_no_more_memory": IN_LONG_CASES,
}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions and methods of a file, without those inside of them."""
    for node in tree.body:
        for child in [node, *getattr(node, "body", [])]:
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield child


def is_long(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(each).endswith(".long") for each in function.decorator_list)


def called(node: ast.AST) -> str:
    """The last name of what a call calls; "" for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def has_clock(node: ast.AST) -> bool:
    return any(
        called(child) in CLOCKS or (called(child) and ast.unparse(child) == "time.time()")
        for child in ast.walk(node)
    )


def asserted_durations(function: ast.AST) -> Iterator[str]:
    """Differences of a clock that an assertion reads, at once or by the name of a variable."""
    durations = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(
            isinstance(child, ast.BinOp) and isinstance(child.op, ast.Sub) and has_clock(child)
            for child in ast.walk(node.value)
        ):
            durations |= {
                c.id for t in node.targets for c in ast.walk(t) if isinstance(c, ast.Name)
            }
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            names = {child.id for child in ast.walk(node.test) if isinstance(child, ast.Name)}
            if has_clock(node.test) or names & durations:
                yield f"line {node.lineno} asserts a time: {ast.unparse(node.test)}"


def counts_of_the_process(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if called(node) in COUNTS:
            yield f"line {node.lineno} counts what is not its own: {ast.unparse(node)}"
        elif isinstance(node, ast.Constant) and str(node.value).startswith(FACTS):
            yield f"line {node.lineno} reads a count of the process: {node.value}"


def short_waits(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and called(node) in WAITS:
            bounds = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "timeout")]
            for bound in bounds:
                value = getattr(bound, "value", None)
                if isinstance(value, int | float) and 0 < value < LEAST_SECONDS:
                    yield f"line {node.lineno} waits {value:g} s: PATIENCE, or eventually(..)"


def mistakes(function: ast.AST) -> list[str]:
    return [
        *asserted_durations(function),
        *counts_of_the_process(function),
        *short_waits(function),
    ]


#: What a file has that may be mistaken; few have, and to parse all takes long.
_WORDS = re.compile(
    "|".join((*CLOCKS, *COUNTS, "time.time", *FACTS)) + rf"|\.({'|'.join(WAITS)})\([^)]*\d"
)


def found_in(file: Path) -> dict[str, list[str]]:
    """What the functions of a file do wrong, by file and function; long tests have rates."""
    text = file.read_text()
    found = {
        f"{name_of(file)}::{function.name}": mistakes(function)
        for function in functions(ast.parse(text if _WORDS.search(text) else ""))
        if not is_long(function)
    }
    return {name: told for name, told in found.items() if told}


def test_no_test_counts_what_it_does_not_own():
    """It counts its own objects, waits with `eventually`, or is long and states a rate."""
    found = {name: told for file in FILES for name, told in found_in(file).items()}
    assert {name: told for name, told in found.items() if name not in ALLOWED} == {}
    assert found.keys() >= ALLOWED.keys()  # an exception that is gone is no exception


@pytest.mark.parametrize(
    "line",
    [
        "assert time.perf_counter() - begun < 2",
        "taken = monotonic() - begun\n    assert taken < 2",
        "cpu, clock = process_time() - cpu, monotonic() - clock\n    assert min(cpu, clock) < 2",
        "assert threading.active_count() == before",
        "before = len(gc.get_objects())",
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
        "files = os.listdir('/proc/self/fd')",
        "assert done.wait(10)",
        "thread.join(timeout=5)",
    ],
)
def test_such_tests_are_found(line):
    (function,) = functions(ast.parse(f"def test_any(begun):\n    {line}\n"))
    assert len(mistakes(function)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "eventually(lambda: not readers(), 'the thread ends')",
        "assert done.wait(PATIENCE)",
        "thread.join()",
        "end = monotonic() + 60",
        "assert ','.join(names) == 'a,b'",
        "now = time.time()\n    os.utime(path, (now, now))",
    ],
)
def test_others_are_not(line):
    (function,) = functions(ast.parse(f"def test_any():\n    {line}\n"))
    assert mistakes(function) == []
    assert PATIENCE >= LEAST_SECONDS
