"""The shader backend for one thread alone, with a context of its own or of the user's."""

import asyncio
import gc
import os
from threading import Thread, current_thread, get_ident
from threading import enumerate as enumerate_threads

import moderngl
import numpy as np
import pytest

import core
from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.gl_thread import live_threads
from core.backends.shader.runtime.waiting import passed
from core.engine.backends import load_backend
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.backends.shader.test_starting import in_process
from tests.helpers import PATIENCE, release_context


@pytest.fixture(autouse=True)
def _fresh(opengl, monkeypatch):
    for name in ("DEVICE", "PATH", "FLOAT16", "MEMORY_MB"):
        monkeypatch.delenv(f"CORE_SHADER_{name}", raising=False)
    core.stop_shader()
    yield
    gc.collect()  # errors of other threads hold tensors
    core.stop_shader()
    assert not live_threads()


@pytest.fixture(params=["ours", "the user's"])
def start(request):
    """What starts the backend for the thread in which it is called."""
    made = []

    def start_here():
        if request.param == "ours":
            core.start_shader(in_this_thread=True)
        else:
            made.append(open_context())
            core.start_shader(context=made[-1])

    yield start_here
    core.stop_shader()
    for context in made:
        release_context(context)


def gl_thread():
    return load_backend("shader").session.gl_thread


def squares():
    with core.backend("shader"):
        return core.square(core.tensor([1.0, 2.0, 3.0]))


def in_thread(function):
    """What a function returns or raises in another thread."""
    found = []

    def work():
        try:
            found.append(function())
        except Exception as error:
            found.append(error)

    thread = Thread(target=work, name="a worker")
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.parametrize("path", ["compute", "fragment"])
def test_ops_and_models_run_in_this_thread(path, rng):
    before = {*enumerate_threads()}
    core.start_shader(in_this_thread=True, path=path)
    assert gl_thread().call(get_ident) == get_ident()
    assert before >= {*enumerate_threads()}  # none was started
    x = rng.normal(size=(3, 5)).astype(np.float32)
    with core.backend("shader"):
        product = core.matmul(core.tensor(x), core.tensor(x), transpose_b=True)
        np.testing.assert_allclose(product.numpy(), x @ x.T, rtol=1e-5)
        ends = {name: Endpoint(name, PartialSpec((None, 5))) for name in ("x", "y")}
        nodes = [Node("x", "Placeholder"), Node("r", "Relu", ("x",)), Node("y", "Neg", ("r",))]
        model = GraphModel(Graph(nodes, {}, {"x": ends["x"]}, {"y": ends["y"]}))
        for turn in range(3):
            found = model.predict(x + turn)["y"]
            np.testing.assert_array_equal(found.numpy(), -np.maximum(x + turn, 0))
    context = gl_thread().context
    core.stop_shader()
    assert isinstance(context.mglo, moderngl.InvalidObject)


def test_by_default_it_works_in_all_threads_again():
    core.start_shader(in_this_thread=True)
    core.start_shader()
    assert in_thread(squares).tolist() == [1, 4, 9] and not isinstance(gl_thread(), CallerThread)


def test_calls_from_other_threads_raise(start):
    start()
    kept = squares()
    own = current_thread().name
    words = rf"started for thread {own!r} and was called in thread 'a worker', .*in coroutines"
    for use in (squares, kept.numpy, core.stop_shader, core.start_shader):
        error = in_thread(use)
        assert isinstance(error, ContextError)
        with pytest.raises(ContextError, match=words):
            raise error
    assert kept.tolist() == [1, 4, 9]


def test_a_start_for_another_thread_is_refused_while_the_first_runs():
    core.start_shader(in_this_thread=True)
    kept, first = squares(), gl_thread()
    core.start_shader(in_this_thread=True)
    assert gl_thread() is first
    error = in_thread(lambda: core.start_shader(in_this_thread=True))
    assert isinstance(error, ContextError) and "was called in thread 'a worker'" in str(error)
    assert gl_thread() is first and kept.tolist() == [1, 4, 9]


def test_an_interruption_comes_at_once(start):
    start()
    here, kept = gl_thread(), squares()

    def interrupted():
        raise KeyboardInterrupt

    for use in (here.put, here.call):
        with pytest.raises(KeyboardInterrupt):
            use(interrupted)
        assert kept.tolist() == [1, 4, 9]


def test_coroutines_wait_or_raise(start):
    start()
    kept = squares()

    async def works():
        await asyncio.wait_for(passed(gl_thread()), PATIENCE)
        return squares().tolist()

    assert asyncio.run(works()) == [1, 4, 9]
    with pytest.raises(ContextError, match=r"in coroutines as well \(with predict\(\) and numpy"):
        asyncio.run(kept.data())
    assert kept.tolist() == [1, 4, 9]


def test_after_its_thread_ended_it_can_be_stopped_and_started(start):
    for end in (core.stop_shader, core.start_shader, start):
        number, kept = in_thread(lambda: (start(), (get_ident(), squares()))[1])
        for _ in range(3):  # a new thread often gets the number of one that ended
            error = in_thread(squares)
            assert isinstance(error, ContextError) and "'a worker', which has ended" in str(error)
            if in_thread(get_ident) == number:
                break
        with pytest.raises(ContextError, match=r"which has ended: .* call core.stop_shader\(\)"):
            squares()
        assert not live_threads()
        end()
        with pytest.raises(core.CoreError, match="the values are gone"):
            kept.numpy()
        assert squares().tolist() == [1, 4, 9]
        core.stop_shader()


def test_commands_inside_of_others(start):
    """As when garbage is collected in the middle of one, and reads tensors."""
    start()
    kept, ran, here = squares(), [], gl_thread()

    def outer():
        here.put(lambda: ran.append(kept.tolist()))
        ran.append(here.call(lambda: 3))

    here.call(outer)
    assert ran == [[1, 4, 9], 3] and here.call(lambda: 4) == 4


def test_a_failure_does_not_keep_it_from_the_next(start):
    start()
    here = gl_thread()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            here.call(lambda: 1 / 0)
    here.entering = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        here.call(lambda: 3)
    here.entering = None
    assert here.call(lambda: 3) == 3


# --- the ends of processes ----------------------------------------------------------------------

START = """
import os, sys, core
core.start_shader(in_this_thread=True)
core.set_backend("shader")
kept = core.square(core.fill([300, 300], 3.0))
"""
ENDS = {
    "unread": "for _ in range(50): kept = core.matmul(kept, kept)",
    "stopped": "core.stop_shader()",
    "at exit": "import atexit; atexit.register(lambda: kept.numpy())",
    "in a thread": """
import threading
core.stop_shader()
def work():
    core.start_shader(in_this_thread=True)
    core.square(2.0).numpy()
threading.Thread(target=work).start()
""",
    "collected": "from core.engine.backends import load_backend\n"
    "gl_thread = load_backend('shader').session.gl_thread; del kept",
}
FORKS = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
kept.numpy()
child = os.fork()
if child == 0:
    for use in (kept.numpy, lambda: core.square(2.0).numpy(), core.start_shader):
        try:
            use()
            os._exit(1)
        except core.CoreError as error:
            assert "made before the fork" in str(error), error
    core.stop_shader()
    core.set_backend("cpu")
    assert core.square(2.0).item() == 4
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert kept.numpy()[0, 0] == 9
"""


@pytest.mark.parametrize("end", ENDS)
def test_a_process_ends_without_output(end):
    assert in_process(START + ENDS[end]) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX only")
def test_a_forked_child_raises_and_works_on_cpu():
    assert in_process(START + FORKS) == (0, "", "")
