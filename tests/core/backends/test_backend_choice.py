"""backend="auto" for ops, and the renderer that is asked once and remembered on disk."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import core
from core.backends import automatic, renderer_probe, renderers
from core.backends.renderer_probe import probe_renderer
from core.backends.renderers import Renderer
from core.engine import settings
from core.engine.backends import AUTO, BACKENDS, backend_names, load_backend
from core.engine.settings import chosen_backend
from core.process import code_cache
from tests.core.graph_model.automatic import GPU, SOFTWARE, use_renderer
from tests.helpers import ROOT, start_or_skip


@pytest.fixture(autouse=True)
def _own_choice(monkeypatch):
    monkeypatch.setattr(automatic, "_failures", [])
    monkeypatch.setattr(settings, "_of_process", load_backend("cpu"))
    monkeypatch.setattr(settings, "_is_auto_in_process", False)


@pytest.fixture
def gpu(monkeypatch):
    start_or_skip()
    use_renderer(monkeypatch, GPU)


# --- ops ----------------------------------------------------------------------------------------


def test_ops_run_on_a_gpu(gpu):
    with core.backend("auto"):
        assert core.get_backend() == "shader" and chosen_backend() == "auto"
        assert core.add(1.0, 2.0).backend == "shader"
    assert core.get_backend() == "cpu" == chosen_backend()


@pytest.mark.parametrize("renderer", [SOFTWARE, Renderer("", "", False, "no libGL")])
def test_without_a_gpu_they_run_on_cpu(monkeypatch, renderer):
    use_renderer(monkeypatch, renderer)
    with core.backend("auto"):
        assert core.add(1.0, 2.0).backend == core.get_backend() == "cpu"
        assert chosen_backend() == "auto"
    assert automatic.describe() == f"cpu: {renderer}"


def test_the_backend_of_the_process(gpu):
    core.set_backend("auto")
    assert core.get_backend() == "shader" and chosen_backend() == "auto"
    with core.backend("cpu"):
        assert chosen_backend() == "cpu"
        with core.backend("auto"):
            assert chosen_backend() == "auto"
        assert chosen_backend() == "cpu"
    core.set_backend("cpu")
    assert core.get_backend() == chosen_backend() == "cpu"


def test_where_shader_does_not_start_cpu_is_taken(monkeypatch):
    use_renderer(monkeypatch, GPU)

    def load(name):
        raise core.CoreError("the driver crashed")

    monkeypatch.setattr(automatic, "load_backend", load)
    with core.backend("auto"):
        assert core.get_backend() == "cpu"
    assert automatic.describe() == "cpu: the driver crashed"
    assert not automatic.has_gpu()


def in_process(program: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return done.stdout.strip()


def test_the_environment_variable_and_no_child_process():
    program = """
import subprocess, sys
subprocess.run = subprocess.Popen = None  # a computer without devices in /dev needs no child
import core.backends.renderers
core.backends.renderers.device_files = lambda: []
import core
print(core.get_backend(), core.engine.settings.chosen_backend(), "moderngl" in sys.modules)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere a child process is asked")
    assert in_process(program, CORE_BACKEND="auto") == "cpu auto False"


def test_auto_is_no_backend_of_its_own():
    assert AUTO not in backend_names()
    with pytest.raises(core.CoreError, match="there is a backend 'auto' already"):
        core.register_backend("auto", lambda: None)
    with pytest.raises(core.CoreError, match="unknown backend 'tpu': use one of .*'auto'"):
        core.set_backend("tpu")


def test_doctor_counts_what_was_measured(tmp_path, monkeypatch, gpu):
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    start = "shader for ops: a GPU; for models the faster one of shader and cpu: "
    assert automatic.describe() == f"{start}0 measured before, kept in {tmp_path / 'code'}"
    for name in ("choice-1", "choice-2", "renderer-1", "other"):
        code_cache.keep(name, b"x")
    assert f"{start}2 measured before" in automatic.describe()
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    assert automatic.describe() == (
        f"{start}measured in each process, as the code cache is not used"
    )


# --- the renderer -------------------------------------------------------------------------------


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A computer with a device: the renderers that its child processes find, and their number."""
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    monkeypatch.setattr(renderers, "device_files", lambda: ["/dev/dri/renderD128 True"])
    monkeypatch.setattr(renderers, "running_renderer", lambda: None)
    found = [GPU]
    calls: list[Renderer] = []

    def probe() -> Renderer:
        calls.append(found[0])
        return found[0]

    monkeypatch.setattr(renderers, "probe_renderer", probe)
    renderers._found_renderer.cache_clear()
    yield found, calls
    renderers._found_renderer.cache_clear()


def again() -> Renderer:
    """What the next process finds."""
    renderers._found_renderer.cache_clear()
    return renderers.renderer_here()


def test_the_renderer_is_asked_once_and_kept_on_disk(asked):
    found, calls = asked
    assert renderers.renderer_here() == GPU == again() == again()
    assert len(calls) == 1


def test_threads_ask_once(asked):
    with ThreadPoolExecutor(4) as pool:
        assert {*pool.map(lambda _: renderers.renderer_here(), range(8))} == {GPU}
    assert len(asked[1]) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.setattr(renderers, "device_files", lambda: ["/dev/dri/renderD128 False"]),
        lambda m: m.setattr(renderers, "_device_numbers", lambda: iter(["560.35"])),
        lambda m: m.setattr(renderers, "_driver_files", lambda: iter(["libEGL 1 2"])),
        lambda m: m.setenv("CORE_SHADER_DEVICE", "1"),
        lambda m: m.setenv("LIBGL_ALWAYS_SOFTWARE", "1"),
        lambda m: m.setenv("NVIDIA_VISIBLE_DEVICES", "none"),
    ],
)
def test_it_is_asked_again_after_a_change(monkeypatch, asked, change):
    found, calls = asked
    assert again() == GPU
    change(monkeypatch)
    found[0] = SOFTWARE
    assert again() == SOFTWARE == again()
    assert len(calls) == 2


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"[1, 2, 3, 4, null]", b"\xff"])
def test_a_damaged_record_is_asked_again(asked, data):
    assert again() == GPU
    key = f"renderer-{code_cache.key_of(renderers._FORMAT, *renderers.machine_facts())}"
    code_cache.keep(key, data)
    assert again() == GPU == again()
    assert len(asked[1]) == 2


def test_without_a_folder_each_process_asks(monkeypatch, asked):
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    assert again() == GPU == again()
    assert len(asked[1]) == 2


def test_a_failure_is_remembered_for_a_day(monkeypatch, asked):
    found, calls = asked
    found[0] = Renderer("", "", False, "no answer")
    assert again() == again() == found[0] and len(calls) == 1
    later = renderers.time.time() + 90_000
    monkeypatch.setattr(renderers.time, "time", lambda: later)
    assert again() == found[0] and len(calls) == 2


def test_without_the_device_of_a_gpu_nothing_is_asked(monkeypatch, asked):
    monkeypatch.setattr(renderers, "device_files", list)
    monkeypatch.setattr(renderers.sys, "platform", "linux")
    assert again().problem == "there is no device of a GPU in /dev" and not asked[1]


def test_the_facts_of_this_computer_are_stable():
    assert renderers.machine_facts() == renderers.machine_facts()
    assert json.dumps(renderers.machine_facts())


def test_a_running_backend_is_its_own_renderer():
    start_or_skip()
    load_backend("shader").start()
    device = BACKENDS["shader"].session.device
    assert probe_renderer() == Renderer(device.name, device.driver, device.is_software)
    assert renderers.renderer_here() == probe_renderer()


def test_a_child_process_gets_the_same_renderer(monkeypatch):
    start_or_skip()
    expected = renderers.running_renderer()
    monkeypatch.setattr(renderer_probe, "running_renderer", lambda: None)
    renderer_probe._probed.cache_clear()
    try:
        assert probe_renderer() == expected
    finally:
        renderer_probe._probed.cache_clear()


@pytest.mark.parametrize(
    "code, problem",
    [
        ("import os; os._exit(3)", "the process that asked for a context ended with 3"),
        ("import os; os.abort()", "the process that asked for a context ended with -6"),
        ("raise SystemExit('no driver')", "ended with 1: no driver"),
        ("pass", "ended with 0"),
        ("import time; time.sleep(60)", "the driver did not answer in 2 s"),
    ],
)
def test_a_driver_that_crashes_or_hangs(monkeypatch, code, problem):
    monkeypatch.setattr(renderer_probe, "running_renderer", lambda: None)
    monkeypatch.setattr(renderer_probe, "_CODE", code)
    monkeypatch.setattr(renderer_probe, "SECONDS", 2 if "sleep" in code else 60)
    renderer_probe._probed.cache_clear()
    try:
        found = probe_renderer()
    finally:
        renderer_probe._probed.cache_clear()
    assert problem in found.problem and not found.is_gpu
    assert str(found) == f"OpenGL draws on no GPU: {found.problem}"


def test_lines_of_a_driver_and_a_crash_at_the_end_do_not_matter(monkeypatch):
    code = 'print("libEGL warning"); print(\'renderer:["A", "B", false, ""]\', flush=True)'
    monkeypatch.setattr(renderer_probe, "running_renderer", lambda: None)
    monkeypatch.setattr(renderer_probe, "_CODE", f"{code}\nimport os; os.abort()")
    renderer_probe._probed.cache_clear()
    try:
        assert probe_renderer() == Renderer("A", "B", False)
    finally:
        renderer_probe._probed.cache_clear()
