"""Callbacks with a small model: what they are called with, and what they do to it."""

import csv
import errno
import io
import math
import os
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import core
from core import callbacks as c
from core.callbacks.base import HOOKS
from core.callbacks.progress import results
from tests.core.models.keras_values import CURVES, PLATEAUS, STOPPING
from tests.core.models.recorded import KERAS
from tests.helpers import require

NAN = math.nan


class FakeModel:
    """What callbacks see of a model; its only weight is the number of the epoch."""

    metrics_names = ("loss", "accuracy", "custom")

    def __init__(self):
        self.stop_training = False
        self.optimizer = SimpleNamespace(learning_rate=1.0)
        self.weight = np.zeros(3, np.float32)
        self.saved = []

    def get_weights(self):
        return [self.weight.copy()]

    def set_weights(self, weights):
        self.weight = weights[0]

    def save(self, path):
        self.saved.append(path)

    def save_weights(self, path):
        self.saved.append(f"weights {path}")


def run(callbacks, epochs, batches=0, **options):
    """Train a model whose epochs give these results; returns it, and the epochs that were run."""
    model = FakeModel()
    every = c.CallbackList(callbacks, add_history=True, model=model, epochs=len(epochs), **options)
    every.on_train_begin()
    for epoch, logs in enumerate(epochs):
        every.on_epoch_begin(epoch)
        for batch in range(batches):
            every.on_train_batch_begin(batch)
            every.on_train_batch_end(batch, logs)
        model.weight = np.full(3, epoch, np.float32)
        every.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    every.on_train_end(logs)
    return model, every.history


def losses(values, name="val_loss"):
    return [{"loss": 1.0, name: value} for value in values]


class Recorder(c.Callback):
    """Keep every call."""

    def __init__(self):
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append(("train begins", logs))

    def on_batch_end(self, batch, logs=None):
        self.calls.append((batch, logs))

    def on_epoch_end(self, epoch, logs=None):
        logs["added"] = 1.0
        self.calls.append((epoch, dict(logs)))


def test_every_hook_of_a_list_calls_its_callbacks():
    seen = []
    made = {hook: lambda *given, hook=hook: seen.append((hook, *given)) for hook in HOOKS}
    every = c.CallbackList([[c.LambdaCallback(**made)], None])
    for hook in HOOKS:
        counted = "batch" in hook or "epoch" in hook
        getattr(every, hook)(*[3] * counted, {"loss": 0.5})
        assert seen.pop() == (hook, *[3] * counted, {"loss": 0.5})
        assert not seen


def test_results_are_floats_and_shared():
    recorder = Recorder()
    given = {"loss": core.tensor(0.5), "a": np.float32(0.25), "b": np.ones(1), "c": 2}
    _, history = run(recorder, [given])
    expected = {"loss": 0.5, "a": 0.25, "b": 1.0, "c": 2}
    assert recorder.calls == [("train begins", {}), (0, {**expected, "added": 1.0})]
    assert all(type(v) in (float, int) for v in recorder.calls[1][1].values())
    assert "added" in history.history and "added" not in given


def test_batches_reach_the_older_names():
    recorder = Recorder()
    run(recorder, losses([1.0]), batches=2)
    assert [call[0] for call in recorder.calls] == ["train begins", 0, 1, 0]


def test_what_no_callback_defines_costs_nothing():
    every = c.CallbackList([c.EarlyStopping()])
    every.on_train_batch_end(0, {"loss": object()})  # not even looked at
    every.on_batch_end(0, None)


def test_a_list_adds_what_is_missing():
    every = c.CallbackList(add_history=True, add_progbar=True)
    assert [type(each) for each in every.callbacks] == [c.History, c.ProgbarLogger]
    own = c.History()
    assert c.CallbackList(own, add_history=True).history is own
    assert c.CallbackList().history is None


def test_a_list_gives_model_and_facts():
    recorder, model = Recorder(), FakeModel()
    c.CallbackList(recorder, model=model, epochs=3, steps=None, verbose=2)
    assert recorder.model is model
    assert recorder.params == {"epochs": 3, "steps": None, "verbose": 2}


def test_functions_by_name_are_a_callback():
    seen = []
    run({"on_epoch_end": lambda epoch, logs: seen.append((epoch, logs["loss"]))}, losses([1, 2]))
    assert seen == [(0, 1.0), (1, 1.0)]
    assert c.CustomCallback is c.LambdaCallback and c.early_stopping is c.EarlyStopping


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: c.CallbackList([[3]]), r"callbacks\[0\]\[0\] is a int, expected an object of a"),
        (lambda: c.CallbackList("progress"), "callbacks is a str, expected an object"),
        (lambda: c.LambdaCallback(on_yield=print), "no 'on_yield'; there are on_train_begin, on"),
        (lambda: c.LambdaCallback(on_epoch_end=3), "on_epoch_end=3 must be a function"),
        (lambda: c.EarlyStopping(mode="best"), "mode must be 'auto', 'min' or 'max', got 'best'"),
        (lambda: c.EarlyStopping(min_delta=NAN), "min_delta=nan must be finite"),
        (lambda: c.ReduceLROnPlateau(factor=1.0), "factor=1.0 must be from 0 to below 1"),
        (lambda: c.ModelCheckpoint("x.keras", save_freq="batch"), "save_freq='batch' must be"),
        (lambda: c.ModelCheckpoint("{epoch:q}.keras"), "has an invalid field .*: fields are"),
        (lambda: c.ModelCheckpoint("{}.keras"), "has an invalid field"),
        (lambda: c.LearningRateScheduler(0.1), "schedule=0.1 must be a function"),
        (lambda: c.CSVLogger("x.csv", separator=", "), "separator=', ' must be one letter"),
        (lambda: c.TensorBoard(update_freq=-1), "update_freq=-1 must be 'epoch', 'batch' or a"),
    ],
)
def test_errors(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


@pytest.mark.parametrize("name", STOPPING)
@pytest.mark.parametrize("curve", CURVES)
def test_training_stops_when_it_does_in_keras(name, curve):
    config = STOPPING[name]
    model, history = run(c.EarlyStopping(**config), losses(CURVES[curve]))
    last, restored = KERAS["stopping"][f"{name}, {curve}"]
    assert history.epoch[-1] == last
    assert model.weight[0] == (last if restored is None else restored)


@pytest.mark.parametrize("name", PLATEAUS)
@pytest.mark.parametrize("curve", CURVES)
def test_the_rate_is_reduced_when_it_is_in_keras(name, curve):
    rates = []
    after = {"on_epoch_end": lambda *_: rates.append(model_of.model.optimizer.learning_rate)}
    model_of = c.ReduceLROnPlateau(**PLATEAUS[name])
    _, history = run([model_of, after], losses(CURVES[curve]))
    assert rates == pytest.approx(KERAS["plateaus"][f"{name}, {curve}"])
    assert history.history["learning_rate"] == pytest.approx([1.0, *rates[:-1]])


@pytest.mark.parametrize(
    "monitor, best",
    [("val_accuracy", 0.9), ("auc", 0.9), ("dense_1_top_k_categorical_accuracy", 0.9)]
    + [("mean_iou", 0.9), ("val_loss", 0.2), ("dense_loss", 0.2), ("mean_squared_error", 0.2)]
    + [("sparse_categorical_crossentropy", 0.2), ("mae", 0.2), ("cosine_similarity", 0.9)],
)
def test_names_say_what_is_best(monitor, best):
    stopping = c.EarlyStopping(monitor, patience=9)
    run(stopping, losses([0.5, 0.2, 0.9, 0.4], monitor))
    assert stopping.best == best


def test_a_name_that_says_nothing_is_an_error_before_training():
    with pytest.raises(core.CoreError, match="cannot infer from the name 'val_custom' whether"):
        c.CallbackList(c.EarlyStopping("val_custom"), model=FakeModel()).on_train_begin()
    run(c.EarlyStopping("val_custom", mode="max"), losses([1, 2], "val_custom"))


@pytest.mark.parametrize(
    "made", [c.EarlyStopping, c.ReduceLROnPlateau, lambda m: c.ModelCheckpoint("x", m, 0, True)]
)
def test_a_missing_result_is_reported_once(made):
    with pytest.warns(UserWarning, match="monitors 'val_los', .* training reports loss") as seen:
        run(made("val_los"), losses([3, 2, 1]))
    assert len(seen) == 1 and "val_loss" in str(seen[0].message)


def test_nan_is_no_improvement():
    stopping = c.EarlyStopping(patience=2, restore_best_weights=True)
    model, history = run(stopping, losses([NAN, 0.5, NAN, NAN, 0.1]))
    assert history.epoch == [0, 1, 2, 3] and model.weight[0] == 1 and stopping.best == 0.5


def test_stopping_prints(capsys):
    run(c.EarlyStopping(patience=1, verbose=1, restore_best_weights=True), losses([1, 2, 3]))
    expected = "Epoch 2: early stopping\nRestoring model weights from the best epoch: 1\n"
    assert capsys.readouterr().out == expected


def test_callbacks_are_used_again():
    stopping, plateau = c.EarlyStopping(patience=1), c.ReduceLROnPlateau(patience=1)
    for _ in range(2):
        model, history = run([stopping, plateau], losses([1, 2, 3]))
        assert history.epoch == [0, 1] and model.optimizer.learning_rate == 0.1


def test_checkpoints_of_every_epoch(tmp_path):
    path = tmp_path / "new" / "{epoch:02d}-{val_loss:.2f}.keras"
    model, _ = run(c.ModelCheckpoint(path), losses([0.5, 0.25]))
    assert model.saved == [str(tmp_path / "new" / n) for n in ("01-0.50.keras", "02-0.25.keras")]
    assert (tmp_path / "new").is_dir()


def test_checkpoints_of_the_best(tmp_path, capsys):
    path = str(tmp_path / "{epoch}.weights.h5")
    options = {"save_best_only": True, "save_weights_only": True, "verbose": 1}
    model, _ = run(c.ModelCheckpoint(path, **options), losses([0.5, 0.6, 0.4, NAN]))
    assert model.saved == [f"weights {tmp_path / f'{epoch}.weights.h5'}" for epoch in (1, 3)]
    lines = capsys.readouterr().out.splitlines()
    assert lines[
        0
    ] == f"Epoch 1: val_loss improved from None to 0.50000, saving model to {path}".replace(
        "{epoch}", "1"
    )
    assert lines[1] == "Epoch 2: val_loss did not improve from 0.50000"
    model, _ = run(c.ModelCheckpoint(path, initial_value_threshold=0.45, **options), losses([0.5]))
    assert not model.saved


def test_checkpoints_of_batches():
    path = "{epoch}-{batch}-{loss:.1f}.keras"
    model, _ = run(c.ModelCheckpoint(path, save_freq=3), losses([1, 1]), batches=4)
    assert model.saved == ["1-3-1.0.keras", "2-2-1.0.keras"]


def test_weights_of_a_nan_loss_are_not_saved():
    with pytest.warns(UserWarning, match="the loss of epoch 2 is nan: the model is not saved"):
        model, _ = run(c.ModelCheckpoint("{epoch}.keras"), [{"loss": v} for v in (1, NAN, NAN)])
    assert model.saved == ["1.keras"]


def test_fields_without_results_are_nan():
    model, _ = run(c.ModelCheckpoint("{epoch}-{val_loss:.2f}.keras"), [{}, {"loss": 1.0}])
    assert model.saved == ["1-nan.keras", "2-nan.keras"]


def test_checkpoints_are_no_folders(tmp_path):
    with pytest.raises(core.CoreError, match="is a folder: give ModelCheckpoint the path of a"):
        run(c.ModelCheckpoint(tmp_path), losses([1]))


@pytest.mark.parametrize("schedule", [lambda epoch, rate: rate / 2, lambda e: 0.5 ** (e + 1)])
def test_schedules(schedule, capsys):
    _, history = run(c.LearningRateScheduler(schedule, verbose=1), losses([1, 1]))
    assert history.history["learning_rate"] == [0.5, 0.25]
    expected = "Epoch 1: LearningRateScheduler setting learning rate to 0.5\n"
    assert capsys.readouterr().out.startswith(expected)


@pytest.mark.parametrize("rate", [None, "fast", NAN, -0.5])
def test_schedules_return_rates(rate):
    with pytest.raises(core.CoreError, match="the schedule returned .* for epoch 0, expected a"):
        run(c.LearningRateScheduler(lambda epoch: rate), losses([1]))


@pytest.mark.parametrize("loss", [NAN, math.inf])
def test_nan_ends_training(loss, capsys):
    model, history = run(c.TerminateOnNaN(), [{"loss": 1.0}, {"loss": loss}, {}], batches=1)
    assert model.stop_training and history.epoch == [0, 1]
    assert capsys.readouterr().out == "Batch 0: Invalid loss, terminating training\n"
    run(c.TerminateOnNaN(), [{}], batches=1)


def read_csv(path, separator=","):
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=separator))


def test_csv(tmp_path):
    path = tmp_path / "log.csv"
    run(c.CSVLogger(path), [{"loss": 0.5, "acc": 0.1}, {"loss": 0.25, "val_loss": 0.5, "x": 1}])
    header = ["epoch", "acc", "loss", "val_acc", "val_loss"]
    rows = [["0", "0.1", "0.5", "NA", "NA"], ["1", "NA", "0.25", "NA", "0.5"]]
    assert read_csv(path) == [header, *rows]
    run(c.CSVLogger(path, append=True), [{"loss": 0.125}])
    assert read_csv(path) == [header, *rows, ["0", "NA", "0.125", "NA", "NA"]]
    run(c.CSVLogger(path, separator=";"), losses([2.0]))
    assert read_csv(path, ";") == [["epoch", "loss", "val_loss"], ["0", "1.0", "2.0"]]


def test_curves(tmp_path, monkeypatch):
    """Gaps are NaN."""
    drawn = []

    def history(curves):
        drawn.append({name: list(values) for name, values in curves.items()})
        return SimpleNamespace(save=lambda path, format: path.write_bytes(b"%d" % len(drawn)))

    monkeypatch.setattr("core.plots.history", history)
    path = tmp_path / "curves.png"
    made = c.CurvesImage(path)
    run(made, [{}, {"loss": 1.0}, {"val_loss": 2.0}])
    np.testing.assert_equal(
        drawn, [{"loss": [NAN, 1]}, {"loss": [NAN, 1, NAN], "val_loss": [NAN, NAN, 2]}]
    )
    assert path.read_bytes() == b"2" and list(tmp_path.iterdir()) == [path]


def test_curves_are_an_image_and_a_failure_leaves_the_last(tmp_path, monkeypatch):
    pillow = require("PIL.Image")
    path = tmp_path / "curves.png"
    run(c.CurvesImage(path), losses([0.9, 0.5, 0.4]))
    with pillow.open(path) as image:
        assert image.format == "PNG" and min(image.size) > 100
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        run(c.CurvesImage(path), losses([1]))
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["curves.png"]


def test_a_table_goes_on_after_a_kill_and_stays_until_there_is_a_row(tmp_path):
    """A row that has no end is none: its number may be cut."""
    path = tmp_path / "log.csv"
    run(c.CSVLogger(path), losses([2.0, 1.0]))
    before = read_csv(path)
    with path.open("a") as file:
        file.write("2,0.1")
    run(c.CSVLogger(path, append=True), losses([3.0]))
    assert read_csv(path) == [*before, ["0", "1.0", "3.0"]]
    path.write_text("epoch,lo")
    run(c.CSVLogger(path, append=True), losses([3.0]))
    assert read_csv(path) == [["epoch", "loss", "val_loss"], ["0", "1.0", "3.0"]]
    c.CSVLogger(path).on_train_begin()  # killed in the first epoch
    assert read_csv(path)[1:] == [["0", "1.0", "3.0"]]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Time passes by hand."""
    now = [0.0]
    monkeypatch.setattr("core.callbacks.progress.perf_counter", lambda: now[0])
    return now


@pytest.mark.parametrize("verbose", [1, 2, "auto"])
def test_progress_without_a_terminal_is_a_line_per_epoch(verbose, clock, capsys):
    slow = {"on_train_batch_begin": lambda *_: clock.__setitem__(0, clock[0] + 0.4)}
    bar = c.ProgbarLogger()
    run([slow, bar], losses([0.5, 0.0001]), batches=5, verbose=verbose, steps=5)
    assert capsys.readouterr().out.splitlines() == [
        "Epoch 1/2 - 5/5 - 2s - 400ms/step - loss: 1.0000 - val_loss: 0.5000",
        "Epoch 2/2 - 5/5 - 2s - 400ms/step - loss: 1.0000 - val_loss: 1.0000e-04",
    ]


def test_silence(monkeypatch, capsys):
    run(c.ProgbarLogger(), losses([1]), batches=2, verbose=0, steps=2)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr("sys.stdout", None)  # of a program without a console
    run(c.ProgbarLogger(), losses([1]), batches=2, verbose=1, steps=2)


def test_progress_on_a_terminal_rewrites_a_line(clock, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", "200")
    slow = {"on_train_batch_begin": lambda *_: clock.__setitem__(0, clock[0] + 30)}
    run([slow, c.ProgbarLogger()], losses([0.5]), batches=4, verbose=1, steps=4)
    lines = out.getvalue().split("\r")
    assert lines[1] == (
        "Epoch 1/1 1/4 [=====...............] 1:30 30s/step - loss: 1.0000 - val_loss: 0.5000"
    )
    assert len(lines) == 6 and out.getvalue().count("\n") == 1
    assert lines[-1].rstrip() == (
        "Epoch 1/1 4/4 [====================] 2:00 30s/step - loss: 1.0000 - val_loss: 0.5000"
    )


def test_a_line_to_be_rewritten_fits_into_the_terminal(clock, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", "40")
    slow = {"on_train_batch_begin": lambda *_: clock.__setitem__(0, clock[0] + 30)}
    run([slow, c.ProgbarLogger()], losses([0.5]), batches=4, verbose=1, steps=4)
    *rewritten, last = out.getvalue().split("\r")
    assert max(map(len, rewritten)) == 39 and last.endswith("val_loss: 0.5000\n")


def test_progress_is_rewritten_20_times_a_second_at_most(clock, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    fast = {"on_train_batch_begin": lambda *_: clock.__setitem__(0, clock[0] + 0.001)}
    run([fast, c.ProgbarLogger()], losses([0.5]), batches=500, verbose=1)
    assert 9 <= out.getvalue().count("\r") <= 12
    assert "/? 1ms/step" in out.getvalue()


def test_progress_of_an_unknown_number_of_steps(capsys):
    run(c.ProgbarLogger(), losses([1, 1]), batches=3, verbose=2, steps=None)
    assert [line.split(" - ")[1] for line in capsys.readouterr().out.splitlines()] == ["3/3"] * 2


def test_progress_of_evaluations_and_predictions(capsys):
    every = c.CallbackList(add_progbar=True, verbose=2, steps=2)
    every.on_test_begin()
    every.on_test_batch_end(1, {"loss": 0.5})
    every.on_test_end({"loss": 0.5})
    every.on_predict_begin()
    every.on_predict_batch_end(1, {"outputs": 3})
    every.on_predict_end()
    evaluated, predicted = capsys.readouterr().out.splitlines()
    assert evaluated.startswith("2/2 - 0s - ") and evaluated.endswith("/step - loss: 0.5000")
    assert predicted.startswith("2/2 - 0s - ") and predicted.endswith("/step")
    every.on_train_begin()
    every.on_test_begin()
    every.on_test_batch_end(1, {"loss": 0.5})
    every.on_test_end({"loss": 0.5})
    assert capsys.readouterr().out == ""  # a validation


def test_results_as_text():
    assert results({"loss": 12.0, "rate": -1e-5, "zero": 0.0, "nan": NAN, "array": "x"}) == (
        "loss: 12.0000 - rate: -1.0000e-05 - zero: 0.0000 - nan: nan - array: x"
    )
    assert results(None) == ""


def events_of(folder):
    """Numbers by name and step, and names of histograms, of the only file in a folder."""
    from tensorboardX.proto.event_pb2 import Event

    (file,) = folder.iterdir()
    data, numbers, histograms = file.read_bytes(), {}, set()
    while data:  # length, its checksum, the event, its checksum
        size = int.from_bytes(data[:8], "little")
        for value in Event.FromString(data[12 : 12 + size]).summary.value:
            if value.HasField("histo"):
                histograms.add(value.tag)
            else:
                numbers.setdefault(value.tag, []).append(round(value.simple_value, 6))
        data = data[16 + size :]
    return numbers, histograms


def test_tensor_board_reads_results(tmp_path):
    require("tensorboardX")
    board = c.TensorBoard(tmp_path, histogram_freq=1, update_freq=2)
    run(board, losses([0.5, 0.25]), batches=3)
    numbers, histograms = events_of(tmp_path / "train")
    assert numbers == {
        "epoch_loss": [1, 1],
        "batch_loss": [1] * 3,
        "batch_val_loss": [0.5, 0.5, 0.25],
    }
    assert histograms == {"weights/0"}
    assert events_of(tmp_path / "validation")[0] == {"epoch_loss": [0.5, 0.25]}


class EventsWriter:
    """As the package tensorboard has it, without histograms."""

    written = []

    def __init__(self, folder):
        self.folder = folder

    def add_scalar(self, *given):
        self.written.append(given)

    def flush(self):
        self.written.append("flush")

    def close(self):
        self.written.append("close")


@pytest.fixture
def tensorboard_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    package, summary = ModuleType("tensorboard"), ModuleType("tensorboard.summary")
    summary.Writer = type("Writer", (EventsWriter,), {"written": []})
    monkeypatch.setitem(sys.modules, "tensorboard", package)
    monkeypatch.setitem(sys.modules, "tensorboard.summary", summary)
    return summary.Writer


def test_the_package_tensorboard_writes_too(tensorboard_alone):
    run(c.TensorBoard("logs", update_freq="batch"), [{"loss": 0.5}], batches=1)
    scalars = [("batch_loss", 0.5, 0), ("epoch_loss", 0.5, 0)]
    assert tensorboard_alone.written == [*scalars, "flush", "close"]
    with pytest.raises(core.CoreError, match="histogram_freq needs the package tensorboardX"):
        run(c.TensorBoard("logs", histogram_freq=1), [{"loss": 0.5}])


def test_without_a_package_the_error_names_it(monkeypatch):
    for name in ("tensorboardX", "tensorboard", "tensorboard.summary"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(core.CoreError, match="pip install tensorboardX"):
        run(c.TensorBoard("logs"), losses([1]))


@pytest.mark.parametrize("data", [b"epoch,\xff\n", b"x" * 200_000])
def test_a_log_that_is_no_table_is_not_gone_on_in(tmp_path, data):
    path = tmp_path / "log.csv"
    path.write_bytes(data)
    table = core.callbacks.CSVLogger(path, append=True)
    with pytest.raises(core.CoreError, match=r"log\.csv' is no table to go on in"):
        table.on_train_begin()
    assert path.read_bytes() == data
