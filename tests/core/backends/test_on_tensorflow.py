"""The engine's tests on the tf backend, and its clash with OpenGL: in processes of their own."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.helpers import has_reference_files, start_or_skip
from tests.tensorflow_process import (
    arguments_of_tests,
    files_on_any_backend,
    passed_on_tensorflow,
    require_tensorflow,
)

#: There are some more: fewer would mean that files were not found.
TESTS_OF_OPS = 2_500


#: What only the tf backend has; and models on it, with the reference files.
OWN_TESTS, MODELS = "tests/core/backends/tensorflow", "tests/golden/tensorflow"


@pytest.mark.whole
def test_all_tests_of_the_tf_backend():
    """TensorFlow, which takes seconds to start, starts once for all of them."""
    files = files_on_any_backend("tests/core")
    assert "tests/core/ops/test_ops.py" in files
    files = [file for file in files if not file.startswith("tests/core/backends/shader/")]
    passed = passed_on_tensorflow(*files, OWN_TESTS, MODELS)
    own = sum(name.startswith(OWN_TESTS) for name in passed)
    of_models = sum(name.startswith(MODELS) for name in passed)
    assert own > 10
    assert len(passed) - own - of_models > TESTS_OF_OPS
    assert of_models > 20 or not has_reference_files()


@pytest.mark.long
def test_what_only_the_tf_backend_has_for_long():
    assert len(passed_on_tensorflow("-m", "long", OWN_TESTS)) >= 3


def test_no_other_fixture_brings_a_backend():
    """`files_on_any_backend` reads test files alone."""
    for file in (ROOT / "tests").rglob("conftest.py"):
        assert "backend" not in arguments_of_tests(file.read_text()), file


# --- beside OpenGL --------------------------------------------------------------------------------

#: What a program does, one step at a time; an error of ours is printed, and the next step follows.
STEPS = """
import sys
import core

def shader(**settings):
    core.start_shader(**settings)
    with core.backend("shader"):
        print(core.matmul([[1.0, 2.0]], [[1.0], [2.0]]).item(), flush=True)

def users_context():
    global context
    import moderngl
    context = moderngl.create_context(standalone=True, backend="egl", libegl="libEGL.so.1")

def shader_in_users_context():
    shader(context=context)

def users_tensorflow():
    import tensorflow
    print(tensorflow.constant(5.0).numpy(), flush=True)

def tf():
    with core.backend("tf"):
        print(core.matmul([[1.0, 2.0]], [[1.0], [2.0]]).item(), flush=True)

for step in sys.argv[1:]:
    try:
        {f.__name__: f for f in (shader, users_context, shader_in_users_context,
                                 users_tensorflow, tf, core.stop_shader)}[step]()
    except core.CoreError as error:
        print(type(error).__name__, error, flush=True)
"""


def lines_of(*steps: str) -> list[str]:
    """What the steps print in a process of their own, which neither crashes nor writes notes."""
    done = subprocess.run(
        [sys.executable, "-c", STEPS, *steps], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.fixture
def _software():
    """OpenGL draws by software here, which TensorFlow crashes with."""
    from core.backends.renderer_probe import probe_renderer

    start_or_skip()
    if not probe_renderer().is_software:
        pytest.skip("a GPU draws here")


@pytest.mark.whole
@pytest.mark.usefixtures("_software")
@pytest.mark.parametrize(
    "before",
    [("shader",), ("shader", "stop_shader"), ("users_context",)],
    ids=["running", "stopped", "a context of the user's"],
)
def test_tensorflow_is_refused_after_opengl(before):
    require_tensorflow()
    *_, refused, other = lines_of(*before, "tf", "shader")
    assert refused.startswith("TensorFlowError TensorFlow would crash this process")
    assert "multiprocessing.get_context('spawn')" in refused
    assert other == "5.0"  # the process lives


@pytest.mark.whole
@pytest.mark.usefixtures("_software")
def test_opengl_is_refused_after_tensorflow():
    require_tensorflow()
    first, refused, second, again = lines_of("users_tensorflow", "shader", "tf", "shader")
    assert first == second == "5.0"
    assert refused.startswith("ContextError OpenGL by ") and refused == again
    assert "would crash this process, which TensorFlow was imported in" in refused
