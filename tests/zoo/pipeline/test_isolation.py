"""Models in a process of their own: `zoo.load(.., isolate=True)`."""

import asyncio
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import core
import zoo
from core.engine.limits import LimitError
from tests.core.converter.teachable_bundles import LABELS, write_bundle, zip_of
from tests.core.converter.test_keras_files import write_h5
from tests.core.converter.tflite.fixtures.models import FOLDER
from tests.helpers import PATIENCE, ROOT, eventually
from tests.zoo.pipeline.isolated_models import write_fill, write_loop
from tests.zoo.pipeline.test_load_path import ROWS, WEIGHTS, graph_topology
from weights_cache import write_weights
from weights_cache.common.errors import WeightsError, ZooError
from zoo.pipeline.isolation import process as processes

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "graph"
    write_weights(folder, WEIGHTS, topology=graph_topology())
    return folder


@pytest.fixture(scope="module")
def model(folder):
    """For all tests, as it starts another process when one has ended."""
    with zoo.load(folder, isolate=True) as model:
        yield model


def number_of(model) -> int:
    """Of the child, which is started if need be."""
    return model._runner._running()._process.pid


def write_web(folder):
    write_weights(folder / "web", WEIGHTS, topology=graph_topology())
    return folder / "web"


MODELS = {
    "web": write_web,
    "h5": lambda folder: write_h5(folder / "model.h5"),
    "tflite": lambda _: FOLDER / "elementwise.tflite",
    "loops": lambda _: FOLDER / "control.tflite",
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_outputs_are_those_of_the_model_in_this_process(kind, tmp_path, rng):
    path = MODELS[kind](tmp_path)
    plain = zoo.load(path)
    with zoo.load(path, isolate=True) as isolated:
        assert (isolated.inputs, isolated.outputs) == (plain.inputs, plain.outputs)
        given = {}
        for name, spec in plain.inputs.items():
            values = rng.normal(size=[n or 3 for n in spec.shape or ()]) * 3
            given[name] = values.astype(core.engine.dtypes.DTYPES[spec.dtype])
        for raw in (False, True):
            expected, found = plain.predict(given, raw=raw), isolated.predict(given, raw=raw)
            assert list(found) == list(expected)
            for name, tensor in expected.items():
                assert found[name].dtype == tensor.dtype
                assert np.array_equal(found[name].numpy(), tensor.numpy(), equal_nan=True)
                assert found[name].numpy().tobytes() == tensor.numpy().tobytes()


def test_a_run_that_is_awaited_too_long_ends_its_process(tmp_path):
    write_loop(tmp_path / "model")
    limits = core.Limits(loop_steps=1e18, seconds=600)
    with zoo.load(tmp_path / "model", isolate=True, limits=limits) as model:
        given = np.float32(1)
        for _ in range(2):  # the second in another process
            with pytest.raises(LimitError, match="timeout=0.2"):
                asyncio.run(model.predict_async(given, timeout=0.2))
        with pytest.raises(core.CoreError, match="timeout=0 must be"):
            model.predict_async(given, timeout=0)


def test_what_may_be_given_and_asked_for(model, folder):
    plain = zoo.load(folder)
    for given in (ROWS, ROWS.tolist(), core.tensor(ROWS), {"x": ROWS}, ROWS.astype(">f8")):
        assert model.predict(given)["z"].numpy().tolist() == [[6, 0], [0, 1]]
    assert model.predict(ROWS[:0])["z"].shape == (0, 2)
    found = model.execute(ROWS, ["z", "y", "x:0"])
    for name, tensor in plain.execute(ROWS, ["z", "y", "x:0"]).items():
        assert found[name].numpy().tolist() == tensor.numpy().tolist()
    assert found["z"].backend == model.backend == "cpu"
    assert asyncio.run(model.predict_async(ROWS))["z"].shape == (2, 2)
    for given in (ROWS[:, :2], {"w": ROWS}, {"q": ROWS}, {3: ROWS}, [[1], [2, 3]], {}, "abc"):
        with pytest.raises(core.CoreError) as expected:
            plain.predict(given)
        with pytest.raises(core.CoreError) as error:
            model.predict(given)
        assert str(error.value) == str(expected.value)
    assert model.predict(ROWS)["z"].shape == (2, 2)


def test_strings_go_in_and_come_out(tmp_path):
    text = {"type": "DT_STRING"}
    nodes = [
        {"name": "x", "op": "Placeholder", "attr": {"dtype": text}},
        {"name": "y", "op": "Identity", "input": ["x"], "attr": {"T": text}},
    ]
    write_weights(tmp_path / "text", {}, topology={"node": nodes})
    given = np.array([["a", "größer"], ["", "b" * 1000]], object)
    with zoo.load(tmp_path / "text", isolate=True) as model:
        found = model.predict(given)["y"].numpy()
    assert found.tolist() == [[word.encode() for word in row] for row in given]


def test_names_that_take_too_long_are_refused(model):
    with pytest.raises(core.CoreError, match="names of the inputs and outputs"):
        model.execute(ROWS, ["z" * 5_000_000])
    assert model.predict(ROWS)["z"].shape == (2, 2)


def test_what_is_known_of_it(model, folder):
    assert model.name == str(folder) and repr(model) == f"<zoo model {folder}>"
    lines = model.describe().splitlines()
    assert lines[0] == f"zoo model {folder} on cpu, in a separate process"
    assert lines[1:] == zoo.load(folder).describe().splitlines()[1:]
    for use in (model.plan, model.warmup, lambda: model.network, lambda: model.profile(ROWS)):
        with pytest.raises(ZooError, match="in a separate process: predict, execute"):
            use()


def test_a_closed_model_and_one_that_is_forgotten_leave_no_process(folder):
    closed = zoo.load(folder, isolate=True)
    numbers = [number_of(closed)]
    closed.close()
    closed.close()
    for use in (lambda: closed.predict(ROWS), lambda: closed.inputs, closed.describe):
        with pytest.raises(ZooError, match="is closed: load it again"):
            use()
    model = zoo.load(folder, isolate=True)
    numbers.append(number_of(model))
    del model
    gc.collect()
    for number in numbers:
        assert not runs(number)


def runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_its_temporary_files_are_removed(tmp_path, monkeypatch):
    path = zip_of(write_bundle(tmp_path / "bundle"))
    monkeypatch.setattr(processes.tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    with zoo.load(path, isolate=True):
        assert len(os.listdir(tmp_path / "temp")) == 1
    assert os.listdir(tmp_path / "temp") == []


def test_teachable_machine(tmp_path):
    path = zip_of(write_bundle(tmp_path / "bundle"))
    plain = zoo.load(path)
    with zoo.load(path, isolate=True) as model:
        assert list(model.labels) == LABELS
        assert model.classify(PHOTO) == plain.classify(PHOTO)
        assert zoo.classify(PHOTO, model=model, top_k=1) == plain.classify(PHOTO, top_k=1)
        for embedding in (False, True):
            expected = plain.infer(PHOTO, embedding=embedding).numpy()
            assert np.array_equal(model.infer(PHOTO, embedding=embedding).numpy(), expected)
    with pytest.raises(ZooError, match="is closed"):
        model.classify(PHOTO)


def test_a_pickle_is_isolated_too(model):
    with pickle.loads(pickle.dumps(model)) as again:
        assert type(again) is type(model) and number_of(again) != number_of(model)
        assert again.predict(ROWS)["z"].shape == (2, 2)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("posenet.tiny", {}, "isolate=True is for models from a path or URL, 'posenet.tiny'"),
        ("PATH", {"backend": "shader"}, "isolate=True runs on 'cpu', not on 'shader'"),
        ("PATH", {"kernels": {"Relu": abs}}, "kernels= are functions of this process"),
        ("PATH", {"limits": 3}, "limits takes a core.Limits"),
        ("PATH/nowhere.tflite", {}, "nowhere.tflite"),
    ],
)
def test_what_cannot_be_isolated(name, options, words, folder):
    with pytest.raises(ZooError, match=words):
        zoo.load(name.replace("PATH", str(folder)), isolate=True, **options)


def test_errors_of_files_are_those_of_loading_in_this_process(tmp_path, monkeypatch):
    started = []
    start = processes._start
    monkeypatch.setattr(processes, "_start", lambda f: started.append(start(f)) or started[-1])
    for name, content in (("a.tflite", b"x" * 100), ("b.h5", b""), ("c.json", b"{}")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WeightsError) as expected:
            zoo.load(tmp_path / name)
        with pytest.raises(WeightsError) as error:
            zoo.load(tmp_path / name, isolate=True)
        assert str(error.value) == str(expected.value)
        assert started.pop().returncode is not None


@pytest.mark.parametrize(
    ("write", "arguments", "limits", "name"),
    [
        (write_loop, (), {}, "loop_steps"),
        (write_loop, (), {"loop_steps": 1e18, "seconds": 0.5}, "seconds"),
        (write_fill, (1e10,), {}, "value_bytes"),
        (write_fill, (1e10,), {"value_bytes": 1e12}, "run_bytes"),
        (write_fill, (16e6, 80), {"value_bytes": 1e12}, "run_bytes"),
    ],
)
def test_models_without_bound(write, arguments, limits, name, tmp_path):
    write(tmp_path / "model", *arguments)
    given = core.Limits(**limits) if limits else None
    with zoo.load(tmp_path / "model", isolate=True, limits=given) as model:
        for _ in range(2):
            with pytest.raises(LimitError, match=f"the limit {name} is") as error:
                model.predict(np.float32(1))
            assert error.value.name == name


def test_the_callers_limits_hold_as_well(tmp_path):
    write_loop(tmp_path / "model")
    with zoo.load(tmp_path / "model", isolate=True) as model:
        with core.limits(loop_steps=7), pytest.raises(LimitError) as error:
            model.predict(np.float32(1))
        assert error.value.most == 7
        with core.limits(run_bytes=3), pytest.raises(LimitError, match="the inputs have 4 bytes"):
            model.predict(np.float32(1))


@needs_signals
def test_a_process_that_hangs_is_ended(model, monkeypatch):
    monkeypatch.setattr(processes, "MORE_SECONDS", 0.1)
    number = number_of(model)
    os.kill(number, signal.SIGSTOP)
    with (
        core.limits(seconds=0.1),
        pytest.raises(LimitError, match="its process was ended") as error,
    ):
        model.predict(ROWS)
    assert error.value.name == "seconds" and not runs(number)
    assert model.predict(ROWS)["z"].shape == (2, 2)
    assert number_of(model) != number


@needs_signals
def test_a_large_input_does_not_wait_for_ever(model, monkeypatch):
    monkeypatch.setattr(processes, "MORE_SECONDS", 0.1)
    os.kill(number_of(model), signal.SIGSTOP)
    with core.limits(seconds=0.1), pytest.raises(LimitError):
        model.predict(np.zeros((10**6, 3), "f4"))


@needs_signals
def test_a_process_that_is_killed_between_calls_is_started_again(model):
    os.kill(number_of(model), signal.SIGKILL)
    model._runner._process._process.wait()
    assert model.predict(ROWS)["z"].shape == (2, 2)


@pytest.fixture
def waits(monkeypatch):
    """An event: a call waits for an answer, which a stopped process does not give."""
    waiting, receive = threading.Event(), processes.receive

    def received(*arguments):
        waiting.set()
        return receive(*arguments)

    monkeypatch.setattr(processes, "receive", received)
    return waiting


def during_a_call(waits, act, *arguments) -> threading.Thread:
    """Do something once a call waits, in a thread that is returned."""

    def work():
        assert waits.wait(PATIENCE)
        act(*arguments)

    waits.clear()
    thread = threading.Thread(target=work)
    thread.start()
    return thread


@needs_signals
def test_a_process_that_is_killed_during_a_call(model, waits):
    number = number_of(model)
    os.kill(number, signal.SIGSTOP)
    killing = during_a_call(waits, os.kill, number, signal.SIGKILL)
    with pytest.raises(ZooError, match=r"was killed \(SIGKILL\) during a run; the next call"):
        model.predict(ROWS)
    killing.join()
    assert model.predict(ROWS)["z"].shape == (2, 2)


@needs_signals
def test_closing_ends_a_call_of_another_thread(folder, waits):
    model = zoo.load(folder, isolate=True)
    os.kill(number_of(model), signal.SIGSTOP)
    closing = during_a_call(waits, model.close)
    with pytest.raises(ZooError, match="was closed during a run"):
        model.predict(ROWS)
    closing.join()


@pytest.mark.whole
@needs_signals
def test_an_exception_in_the_caller_does_not_give_the_next_call_an_old_answer(model, waits):
    def interrupt(*_: object) -> None:
        raise TimeoutError("of the caller")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        os.kill(number_of(model), signal.SIGSTOP)
        main = threading.get_ident()
        with pytest.raises(TimeoutError, match="of the caller"):
            during_a_call(waits, signal.pthread_kill, main, signal.SIGALRM)
            model.predict(-ROWS)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert model.predict(ROWS)["z"].numpy().tolist() == [[6, 0], [0, 1]]


def test_threads_share_a_model(model):
    wrong = []

    def work(factor: int) -> None:
        for _ in range(20):
            found = model.predict(ROWS * factor)["z"].numpy().tolist()
            if found != [[6 * factor, 0], [0, factor]]:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(i + 1,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_a_child_of_its_own(model):
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def work() -> None:
        sending.send((model.predict(ROWS * 2)["z"].numpy().tolist(), number_of(model)))
        model.close()

    number = number_of(model)
    with model._runner._lock:  # as if another thread were in a call
        forked = context.Process(target=work)
        forked.start()
    found, its_number = receiving.recv()
    forked.join()
    assert forked.exitcode == 0
    assert found == [[12, 0], [0, 2]] and its_number != number and not runs(its_number)
    assert model.predict(ROWS)["z"].shape == (2, 2) and number_of(model) == number


def test_another_model_in_the_place_of_the_file_is_not_taken_for_it(tmp_path):
    folder = write_web(tmp_path)
    model = zoo.load(folder, isolate=True)
    write_weights(folder, {"w": WEIGHTS["w"].T}, topology=graph_topology("Tanh"))
    model._runner._process.close()
    with pytest.raises(ZooError, match="the file of the model .* has changed: load it again"):
        model.predict(ROWS)


def test_the_process_ends_with_its_parent(folder, tmp_path):
    """The child reads the end of its input, whoever killed the parent, and clears up."""
    code = f"""
import zoo, os, signal
model = zoo.load({str(folder)!r}, isolate=True)
print(model._runner._process._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=False,
    )
    number = int(done.stdout)
    eventually(lambda: not is_alive(number), "the child ends")
    eventually(lambda: os.listdir(tmp_path) == [], "its files are removed")


@pytest.mark.skipif(os.name == "nt", reason="Windows tells no process that its parent has ended")
def test_the_process_ends_with_its_parent_in_a_run_without_end(tmp_path):
    write_loop(tmp_path / "model")
    (tmp_path / "files").mkdir()
    code = f"""
import core, zoo, os, signal
limits = core.Limits(loop_steps=1e18, seconds=float("inf"))
model = zoo.load({str(tmp_path / "model")!r}, isolate=True, limits=limits)
print(model._runner._process._process.pid, flush=True)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
signal.setitimer(signal.ITIMER_REAL, 0.2)
model.predict(1.0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path / "files")},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    number = int(done.stdout)
    try:
        eventually(lambda: not is_alive(number), "the child ends")
    finally:
        if is_alive(number):
            os.kill(number, signal.SIGKILL)
    eventually(lambda: os.listdir(tmp_path / "files") == [], "its files are removed")


def is_alive(number: int) -> bool:
    """Whether a process runs; one that has ended may wait for ever for its new parent."""
    if not runs(number):
        return False
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
