"""The thread of OpenGL when its process ends or forks."""

import os
import subprocess
import sys

import pytest

START = """
import os, sys, threading, time
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.gl_thread import GLThread
gl_thread = GLThread(open_context)
nothing = lambda: None
"""


def run(code: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", START + code], capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


PENDING = """
made = gl_thread.call(lambda: gl_thread.context.buffer(reserve=1 << 20))
def work():
    made.clear()
    time.sleep(0.01)
for _ in range(900):
    gl_thread.put(work)
gl_thread.add_fence(nothing)
"""
WAITING = """
gl_thread.put(lambda: time.sleep(0.2))
threading.Thread(target=lambda: gl_thread.call(nothing), daemon=True).start()
time.sleep(0.05)
"""


@pytest.mark.parametrize(
    "code", ["", PENDING, WAITING, "gl_thread.release()", "raise SystemExit(0)"]
)
def test_a_process_ends_without_output(opengl, code):
    assert run(code) == (0, "", "")


FORK = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
child = os.fork()
if child == 0:
    for use in (gl_thread.put, gl_thread.call):
        try:
            use(nothing)
        except ContextError as error:
            print(error)
    gl_thread.put_quietly(nothing)
    gl_thread.release()
    del gl_thread
    sys.exit(0)
print(os.waitpid(child, 0)[1], gl_thread.call(lambda: "the parent works"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_raises(opengl):
    status, out, err = run(FORK)
    assert (status, err) == (0, "")
    *told, parent = out.splitlines()
    assert parent == "0 the parent works"
    assert len(told) == 2 and len(set(told)) == 1
    assert "made before the fork" in told[0] and "get_context('spawn')" in told[0]
