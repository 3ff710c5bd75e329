"""Debug mode: a planted NaN is told with its op and line."""

import asyncio
import importlib.util
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import core
import zoo
from core.engine import nan_check
from core.engine.nan_check import NotFiniteError, users_line
from core.engine.registry import KERNELS, OPS, READY
from core.graph_model.graph_model import GraphModel
from tests.conftest import ROOT
from tests.core.graph.test_graph import chain
from tests.helpers import PATIENCE

PROGRAM = """
import asyncio
import core


def forward(x):
    y = core.exp(x)
    z = core.log(y - 100.0)  # planted
    return core.sum(core.relu(z))


def backward(x):
    y = core.sqrt(x)  # planted
    return core.sum(y * y)


def backward_twice(x):
    return core.sum(core.grad(lambda x: core.sum(x ** 1.5))(x))  # planted


def composite(x):
    return (
        core.exp(x)
        + core.log_sum_exp(x)
        + core.norm(
            x / 0.0,  # planted
        )
    )


def inner_of_a_composite(x):
    return core.moments(x * 1.5e38).variance  # planted


def of_several(x):
    return core.topk(core.tensor([3.0, 1.0]), 2), core.split(x, 2)  # planted


def by_hand(x):
    for value in (1.0, 2.0, float("inf")):
        x = core.tensor([value])  # planted
    return x


@core.custom_grad
def own_gradient(x):
    return x * 1.0, lambda dy: dy / (x - x)  # divides


def through_an_own_gradient(x):
    y = own_gradient(x)  # planted
    return core.sum(y)


def deep(depth, function, x):
    return deep(depth - 1, function, x) if depth else function(x)


def in_a_worker(x):
    async def main():
        return await core.run_async(core.log, x - 100.0)  # planted

    return asyncio.run(main())


def in_a_task(x):
    async def main():
        task = asyncio.create_task(core.run_async(core.log, x - 100.0))  # planted
        return await task

    return asyncio.run(main())


def in_a_function_in_a_worker(x):
    async def main():
        return await core.run_async(forward, x)

    return asyncio.run(main())


def in_a_graph(model, x):
    return model.predict(x)  # planted


async def awaited_graph(model, x):
    return await model.predict_async(x)  # planted


def by_a_library(x):
    return list(map(core.log, [x, -x]))  # planted
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A user's module."""
    file = tmp_path_factory.mktemp("user") / "program.py"
    file.write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("users_program", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _off_again():
    yield
    assert not core.flags.debug


def caught(function, *arguments) -> NotFiniteError:
    with core.debug_mode(), pytest.raises(NotFiniteError) as error:
        function(*arguments)
    return error.value


def line_of(program, function: str, marked: str = "# planted") -> str:
    """The first marked line after the beginning of a function, as errors tell it."""
    lines = PROGRAM.splitlines()
    start = next(i for i, line in enumerate(lines) if f"def {function}(" in line)
    number = next(i for i in range(start, len(lines)) if marked in lines[i])
    return f"{program.__file__}:{number + 1}: {lines[number].strip()}"


@pytest.mark.parametrize(
    "function, op",
    [
        ("forward", "log"),
        ("composite", "div"),
        ("inner_of_a_composite", "square"),
        ("of_several", "split"),
        ("by_hand", "tensor"),
        ("in_a_worker", "log"),
        ("in_a_task", "log"),
        ("by_a_library", "log"),
    ],
)
def test_a_planted_nan_is_told_with_its_op_and_line(program, function, op):
    x = core.tensor([1.0, np.nan if function == "of_several" else 2.0])
    error = caught(program.deep, 10, getattr(program, function), x)
    assert (error.op, error.gradient_of) == (op, "")
    assert error.line == line_of(program, function)
    assert str(error).endswith(error.line) and str(error).startswith(f"{op} ")


def test_the_line_in_a_function_that_a_worker_runs(program):
    error = caught(program.in_a_function_in_a_worker, core.tensor([1.0]))
    assert (error.op, error.line) == ("log", line_of(program, "forward"))


def test_a_thread_of_ones_own(program):
    errors = []

    def work():
        try:
            program.forward(core.tensor([1.0]))
        except NotFiniteError as error:
            errors.append(error)

    with core.debug_mode():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert errors[0].line == line_of(program, "forward")


@pytest.mark.parametrize(
    "function, x, of",
    [
        ("backward", 0.0, "sqrt"),
        ("backward_twice", 0.0, "pow"),
        ("through_an_own_gradient", 1.0, "own_gradient"),
    ],
)
def test_in_a_gradient_the_line_of_the_op_is_told(program, function, x, of):
    gradient = core.grad(getattr(program, function))
    error = caught(gradient, core.tensor([x, 4.0]))
    assert error.gradient_of == of
    assert error.line == line_of(program, function)
    assert f"this is in the gradient of {of}, which ran at {error.line}" in str(error)
    if function == "through_an_own_gradient":
        assert line_of(program, "own_gradient", "# divides") in str(error)


def test_a_gradient_of_what_ran_before_debug_mode():
    """Nobody noted the line; that of the gradient is told alone."""

    def loss(x):
        y = core.sqrt(x)
        core.debug_mode()
        return core.sum(y)

    try:
        with pytest.raises(NotFiniteError, match=r"; this is in the gradient of sqrt$") as caught:
            core.grad(loss)([0.0])
    finally:
        core.debug_mode(False)
    assert caught.value.line.startswith(f"{__file__}:") and "core.grad(loss)" in caught.value.line


def test_a_gradient_inside_of_a_gradient_is_told_once():
    @core.custom_grad
    def own(x):
        return x * x, lambda dy: dy * core.grad(core.sqrt)(x)

    error = caught(core.grad(own), 0.0)
    assert error.gradient_of == "sqrt" and str(error).count("in the gradient of") == 1
    assert error.line.endswith("lambda dy: dy * core.grad(core.sqrt)(x)")


def test_in_a_graph(program):
    model = GraphModel(chain(3))
    image = core.tensor(np.full((1, 2, 2, 1), np.nan))
    error = caught(program.in_a_graph, model, image)
    assert (error.op, error.line) == ("fused_conv2d", line_of(program, "in_a_graph"))
    assert "(an input has some already)" in str(error)
    error = caught(lambda: asyncio.run(program.awaited_graph(model, image)))
    assert error.line == line_of(program, "awaited_graph")


def test_in_a_users_op():
    def rule(x: core.Spec) -> core.Spec:
        return x

    op = core.op()(rule)
    op_name = op.name
    core.kernel(op_name, "cpu")(lambda x: x / 0)
    try:
        error = caught(op, core.tensor([1.0]))
        assert error.op == op_name and "test_nan_check.py" in error.line
    finally:
        del OPS[op_name]
        for table in (KERNELS, READY, core.engine.registry._HOMES):
            table.pop((op_name, "cpu"), None)
        del core.engine.registry.KERNEL_NAMES[op.kernel_name]


def test_the_message():
    x = core.tensor([[1.0, 0.0], [2.0, -1.0]])
    error = caught(core.log, x)
    assert str(error).startswith(
        "log of (float32 (2, 2)) gave -inf at [0, 1]: 2 of 4 values of its result (2, 2) are not "
        "finite; "
    )
    assert str(caught(core.tensor, float("nan"))).startswith(
        "tensor gave nan: 1 of 1 values of its result () are not finite; "
    )
    nan = core.tensor([1.0, np.nan])
    assert "are not finite (an input has some already); " in str(caught(core.neg, nan))
    with core.debug_mode():
        assert core.tensor([1, 2]).numpy().tolist() == [1, 2]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1 + 1j * np.inf, [1.0, np.nan]])
def test_tensors_of_such_values(value):
    assert caught(core.tensor, value).op == "tensor"
    with core.debug_mode(), pytest.raises(NotFiniteError):
        core.tensor(value, "complex64")


def test_complex_results():
    zero = core.tensor([0j])
    assert caught(core.div, 1 + 1j, zero).op == "div"


def test_errors_travel():
    error = caught(core.log, core.tensor([0.0]))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.op, again.line) == (str(error), error.op, error.line)
    assert isinstance(error, core.CoreError)


def test_a_scope_frees_what_was_found():
    before = core.memory()
    with core.tidy():
        error = caught(core.log, core.tensor([0.0]))
    assert core.memory() == before and error.op == "log"


def test_what_only_marks_what_does_not_count():
    with core.debug_mode(), nan_check.unchecked():
        assert np.isnan(core.neg(float("nan")).item())
    assert caught(core.log, 0.0).op == "log"


# Switches.


def test_debug_mode_holds_until_the_end_of_the_statement():
    zero = core.tensor([0.0])
    with pytest.raises(ZeroDivisionError), core.debug_mode():
        raise ZeroDivisionError
    assert np.isneginf(core.log(zero).item())
    with core.debug_mode():
        with core.debug_mode(False):
            assert np.isneginf(core.log(zero).item())
        with pytest.raises(NotFiniteError):
            core.log(zero)
    mode = core.debug_mode()
    assert core.flags.debug  # from the call on
    for _ in range(2):
        with mode:
            assert core.flags.debug
        assert not core.flags.debug


@pytest.mark.parametrize("enabled", [True, False])
def test_debug_mode_of_tasks_that_overlap(enabled):
    core.debug_mode(not enabled)

    async def task(begins, ends):
        await begins.wait()
        with core.debug_mode(enabled):
            second.set()
            assert core.flags.debug is enabled
            await ends.wait()
            assert core.flags.debug is enabled  # whether another one has ended or not

    async def main():
        first.set()
        tasks = asyncio.create_task(task(first, may_end)), asyncio.create_task(task(second, last))
        await second.wait()
        await asyncio.sleep(0)  # both are open now, and the first ends first
        may_end.set()
        await tasks[0]
        last.set()
        await tasks[1]

    first, second, may_end, last = (asyncio.Event() for _ in range(4))
    asyncio.run(main())
    assert core.flags.debug is not enabled
    core.debug_mode(False)


def test_debug_mode_of_threads_that_overlap():
    both, first_ended = threading.Barrier(2, timeout=PATIENCE), threading.Event()
    seen = []

    def work(number):
        with core.debug_mode():
            both.wait()
            if number:
                first_ended.wait(PATIENCE)
            seen.append(core.flags.debug)
        if not number:
            first_ended.set()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True, True] and not core.flags.debug


def test_debug_mode_that_is_called_twice_before_it_is_entered():
    one, two = core.debug_mode(), core.debug_mode()
    with one:
        with two:
            pass
        assert core.flags.debug
    assert not core.flags.debug


def test_one_debug_mode_entered_again():
    mode = core.debug_mode()
    core.flags.debug = False
    with mode:
        with mode:
            assert core.flags.debug
        assert core.flags.debug
    assert not core.flags.debug


def test_a_call_inside_of_a_debug_mode_outlasts_it():
    with core.debug_mode():
        core.debug_mode(False)
        assert not core.flags.debug
    assert not core.flags.debug
    with core.debug_mode(False):
        core.debug_mode()
    assert core.flags.debug
    for _ in range(100):
        core.debug_mode()
        core.flags.debug = False
    assert len(core.flags._settings) < 5  # and no more memory


def test_flags():
    assert (
        repr(core.flags)
        == "debug = False  (raise at the first NaN or infinity; see core.debug_mode)"
    )
    core.flags.debug = True
    assert repr(core.flags).startswith("debug = True")
    core.flags.debug = False
    with pytest.raises(core.CoreError, match=r"no flag 'debugg': use one of \['debug'\]"):
        core.flags.debugg = True
    with pytest.raises(core.CoreError, match="no flag 'fast'"):
        core.flags(debug=True, fast=True)
    for value in (1, "yes", None):
        with pytest.raises(core.CoreError, match="flag 'debug' is True or False, not"):
            core.flags.debug = value
        with pytest.raises(core.CoreError, match="is True or False"):
            core.debug_mode(value)
    with pytest.raises(core.CoreError, match="flag 'debug' cannot be deleted: set it to True"):
        del core.flags.debug
    assert core.flags.debug is False


def run_python(code: str, **environment: str):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_environment_variable():
    code = """
        import core
        print(core.flags.debug)
        core.log([0.0])
    """
    on, off, odd = (run_python(code, CORE_DEBUG=value) for value in ("1", "", "maybe"))
    assert on.stdout == "True\n" and "NotFiniteError: log of (float32 (1,)) gave -inf" in on.stderr
    assert "<string>:4" in on.stderr
    assert off.stdout == "False\n" and off.returncode == 0
    assert "CORE_DEBUG='maybe' must be 0 or 1" in odd.stderr


# Whose line it is.


def test_lines_of_the_models_are_not_the_users(tmp_path, monkeypatch):
    """The user's script is told when a model computes, though zoo's files lie in between."""
    model = zoo.load("posenet.tiny")
    weights = model.network._executor.constants
    name = next(iter(weights))
    broken = core.tensor(np.full(weights[name].shape, np.nan))
    monkeypatch.setitem(weights, name, broken)
    script = tmp_path / "script.py"
    script.write_text("def pose(model, photo):\n    return model.estimate_single_pose(photo)\n")
    names: dict = {}
    exec(compile(script.read_text(), str(script), "exec"), names)
    error = caught(names["pose"], model, np.zeros((65, 65, 3), np.uint8))
    assert error.line == f"{script}:2: return model.estimate_single_pose(photo)"


def test_an_installed_copy_elsewhere(tmp_path):
    """In a folder of its own, and in one that lies inside of Python's."""
    for package in ("core", "zoo", "weights_cache"):
        (tmp_path / package).symlink_to(ROOT / package)
    script = tmp_path / "script.py"
    script.write_text("import core\n\ncore.flags.debug = True\ncore.norm([3e38, 3e38]) * 0.0\n")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert f"{script}:4: core.norm([3e38, 3e38]) * 0.0" in run.stderr.splitlines()[-1]


def test_which_files_are_the_users(monkeypatch):
    for home in (os.path.join(nan_check._PYTHONS, "site-packages"), os.path.join("C:", "x")):
        ours = tuple(os.path.join(home, name, "") for name in ("core", "zoo", "weights_cache"))
        monkeypatch.setattr(nan_check, "_OURS", ours)
        for name in ("core", "zoo", "weights_cache"):
            assert not nan_check._is_users(os.path.join(home, name, "ops", "unary.py"))
        for name in ("corelib", "core.py", "mine"):
            assert nan_check._is_users(os.path.join(home, name))
    assert nan_check._is_users(os.path.join(nan_check._PYTHONS, "site-packages", "other", "a.py"))
    assert nan_check._is_users("<stdin>") and nan_check._is_users("<string>")
    for name in ("threading.py", os.path.join("asyncio", "events.py")):
        assert not nan_check._is_users(os.path.join(nan_check._PYTHONS, name))
    assert not nan_check._is_users("<frozen importlib._bootstrap>")
    folders = (*nan_check._OURS, nan_check._PYTHONS_OWN[0], *nan_check._INSTALLED)
    assert all(folder.endswith(os.sep) for folder in folders)


def test_a_line_that_nobody_knows(monkeypatch):
    monkeypatch.setattr(nan_check, "_is_users", lambda file: False)
    assert users_line() == "a line that is not known"
    monkeypatch.undo()
    assert users_line().startswith(f"{__file__}:")
