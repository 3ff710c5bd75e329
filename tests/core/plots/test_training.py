"""Plots of training, layers and models; tables; files, notebooks and data frames."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import core
from core.plots import (
    fit_callbacks,
    history,
    layer,
    line_chart,
    model_summary,
    table,
    value_distribution,
)
from tests.core.plots.pixels import of_series, pixels_of, place, runs

CURVES = {
    "loss": [1.0, 0.5, 0.25],
    "accuracy": [0.5, 0.75, 0.875],
    "val_loss": [1.5, 1.0, 0.5],
    "val_accuracy": [0.25, 0.5, np.nan],
}


def test_curves_of_a_metric_share_a_panel():
    plot = history(CURVES, title="Digits", scale=1)
    assert [*plot.data] == ["epoch", "loss", "val_loss", "accuracy", "val_accuracy"]
    assert plot.data["epoch"] == [1, 2, 3] and plot.data["val_loss"] == [1.5, 1.0, 0.5]
    assert plot.notes == ("accuracy: 1 value is NaN or infinite.",)
    for index in (0, 1):
        has = of_series(plot, index)
        assert has[:, :480].any() and has[:, 480:].any()
    falling = np.argmax(of_series(plot)[100:, 60:440], axis=0)[40:-40]
    assert falling[-1] > falling[0] + 70


def test_validation_is_dashed():
    flat = {"loss": [2.0, 2.0], "val_loss": [1.0, 1.0]}
    plot = history(flat, scale=1)
    rows = [place(plot, 1, y)[0] for y in (2, 1)]
    lines = [of_series(plot, i)[row - 2 : row + 3].any(axis=0) for i, row in enumerate(rows)]
    solid, dashed = (len(runs(has)) for has in lines)
    assert solid == 1 and dashed > 20


def test_history_of_fit_selects_the_panels():
    given = SimpleNamespace(history=CURVES)
    assert history(given, ["accuracy"], scale=1).size == (960, 380)
    assert [*history(given, ["loss", "val_loss"], scale=1).data] == ["epoch", "loss", "val_loss"]
    three = history({"a": [1.0], "b": [1.0], "c": [1.0]}, scale=1)
    assert three.size == (960, 760)
    assert history({}, scale=1).data == {"epoch": []}
    assert history({"loss": [], "val_loss": []}, scale=1).data["loss"] == []
    uneven = history({"loss": [1.0, 2.0], "lr": [0.1]}, scale=1)
    assert np.isnan(uneven.data["lr"][1])


def test_a_training_is_drawn_into_a_file(tmp_path):
    path = tmp_path / "curves.png"
    live = fit_callbacks(path=path, scale=1)
    called = core.callbacks.CallbackList([live])
    called.on_train_begin()
    called.on_epoch_end(0, {"loss": 0.5})
    first = path.read_bytes()
    called.on_epoch_end(1, {"loss": 0.25, "val_loss": 0.5})
    assert live.plot.data["loss"] == [0.5, 0.25] and np.isnan(live.plot.data["val_loss"][0])
    assert path.read_bytes() != first and [*tmp_path.iterdir()] == [path]
    with Image.open(path) as image:
        assert (np.asarray(image.convert("RGB")) == pixels_of(live.plot)).all()
    called.on_train_begin()
    called.on_epoch_end(0, {"loss": 0.1})
    assert live.plot.data["loss"] == [0.1]


def test_batches_are_drawn_once_a_second_and_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "core.plots.live.monotonic", iter([10.0, 10.0, 10.5, 11.5, 12, 13]).__next__
    )
    live = fit_callbacks(["loss"], path=tmp_path / "a.png", per_batch=True, scale=1)
    called = core.callbacks.CallbackList([live])
    called.on_train_begin()
    drawn = []
    for batch in range(3):
        called.on_train_batch_end(batch, {"loss": 1.0 / (batch + 1)})
        drawn.append(len(live.plot.data["loss"]))
    called.on_train_end({"loss": 0.2})
    assert drawn == [1, 1, 3] and live.plot.data["loss"] == [1.0, 0.5, pytest.approx(1 / 3)]


def test_a_notebook_shows_one_drawing_that_changes(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=lambda plot: shown.append(("update", plot)))

    def display(plot, display_id):
        shown.append(("display", plot))
        return handle

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    live = fit_callbacks(scale=1)
    for epoch in (0, 1):
        live["on_epoch_end"](epoch, {"loss": 1.0})
    assert [kind for kind, _ in shown] == ["display", "update"] and shown[1][1] is live.plot
    png, size = live.plot._repr_png_()
    assert png[1:4] == b"PNG" and size == {"width": 960, "height": 380}


def test_a_program_that_runs_notebooks_is_none(monkeypatch):
    """It has imported ipykernel, but has no kernel that would show the drawing."""
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    with pytest.raises(core.CoreError, match="give path='curves.png'"):
        fit_callbacks()


def test_statistics_of_values():
    values = [0.0, -0.0, 1.0, 5.0, np.nan, np.inf, -np.inf]
    found = {name: column[0] for name, column in value_distribution(values, scale=1).data.items()}
    assert found.pop("std") == pytest.approx(np.std([0, 0, 1, 5]))
    assert found == {
        "count": 7,
        "min": 0.0,
        "max": 5.0,
        "mean": 1.5,
        "zeros": 2,
        "nans": 1,
        "infinities": 2,
    }
    assert np.isnan(value_distribution([], scale=1).data["mean"][0])


def test_weights_of_a_layer():
    kernel = core.variable(np.linspace(-1, 1, 12).reshape(3, 4), name="kernel")
    bias = core.variable(np.zeros(4), name="bias")
    plot = layer(SimpleNamespace(name="dense", weights=[kernel, bias]), scale=1)
    assert plot.data["weight"] == ["kernel", "bias"] and plot.data["shape"] == ["3 x 4", "4"]
    assert plot.data["zeros"] == [0, 4] and plot.data["max"] == [1.0, 0.0]
    assert of_series(plot)[:300].any() and of_series(plot)[320:].any()
    assert layer(SimpleNamespace(name="relu", weights=[]), scale=1).data["weight"] == []


class Dense(SimpleNamespace):
    def count_params(self):
        if self.count is None:
            raise core.CoreError("not built")
        return self.count


def test_the_summary_of_a_model():
    layers = [
        Dense(name="first", output_shape=(None, 4), count=20),
        Dense(name="second", output_shape=None, count=None),
    ]
    plot = model_summary(SimpleNamespace(name="net", layers=layers), scale=1)
    assert dict(plot.data) == {
        "layer": ["first", "second"],
        "class": ["Dense", "Dense"],
        "output shape": ["(n, 4)", "?"],
        "parameters": [20, None],
    }
    assert plot.notes == ("20 parameters in all.",)
    empty = model_summary(SimpleNamespace(layers=[]), scale=1)
    assert empty.notes == ("0 parameters in all.",)


def test_tables_are_as_large_as_their_text():
    small = table({"n": [1]}, scale=1)
    wide = table({"n": [1], "a longer name": ["text"]}, title="T", scale=1)
    long = table({"n": list(range(80))}, max_rows=10, scale=1)
    assert small.size[0] <= wide.size[0] and small.size[1] < wide.size[1] < long.size[1]
    assert long.notes == ("70 more rows are not shown.",) and len(long.data["n"]) == 80
    mixed = table({"x": np.array([1.5, np.nan]), "y": [None, True]}, scale=1)
    assert mixed.data["y"] == [None, True] and mixed.data["x"][0] == 1.5
    assert table({}, scale=1).data == {}


def test_plots_are_saved_and_become_data_frames(tmp_path):
    plot = line_chart({"a": [1.0, 2.0]}, scale=1)
    for name in ("plot.png", "plot.JPG", "plot.pdf", "plot.svg"):
        plot.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    plot.save(tmp_path / "odd", format="PNG")
    assert (tmp_path / "odd").read_bytes()[1:4] == b"PNG"
    with pytest.raises(core.CoreError, match=r"has no ending of a format"):
        plot.save(tmp_path / "plot.xyz")
    with pytest.raises(OSError):
        plot.save(tmp_path / "missing" / "plot.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "odd",
        "plot.JPG",
        "plot.pdf",
        "plot.png",
        "plot.svg",
    ]
    pandas = pytest.importorskip("pandas")
    expected = pandas.DataFrame({"series": ["a", "a"], "x": [0.0, 1.0], "y": [1.0, 2.0]})
    pandas.testing.assert_frame_equal(plot.to_pandas(), expected)
    assert repr(plot) == "Plot(720 x 420 pixels; 2 rows of series, x, y)"


def test_what_is_added_to_the_figure_is_shown():
    plot = line_chart([1.0, 2.0], scale=1)
    before = of_series(plot, 1).sum()
    plot.figure.axes[0].axhline(1.5, color="#d55e00")
    assert before == 0 and of_series(plot, 1).sum() > 100


def test_without_matplotlib_an_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (
        lambda: line_chart([1.0]),
        lambda: table({"n": [1]}),
        lambda: history(CURVES),
        lambda: fit_callbacks(path=tmp_path / "a.png"),
        lambda: core.callbacks.CurvesImage(tmp_path / "a.png"),
    ):
        with pytest.raises(core.CoreError, match=r"run pip install 'friendly-zoo\[plots\]'"):
            draw()
    assert core.plots.accuracy([0, 1], [0, 0]) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: history(CURVES, ["mae"]), "no 'mae'; its metrics are loss, accuracy"),
        (lambda: history(5), "int is no history: give what model.fit returns"),
        (lambda: history({"loss": [[1.0]]}), r"history\['loss'\] must have 1 axes"),
        (lambda: history(CURVES, y_scale="sqrt"), "y_scale is 'sqrt'"),
        (lambda: layer(5), "int has no weights: give a layer"),
        (lambda: model_summary(5), "int has no layers: give a model"),
        (lambda: table({"a": [1], "b": []}), "columns must have one length"),
        (lambda: table({"a": [1]}, max_rows=0), "max_rows is 0"),
        (lambda: value_distribution("text"), "values must be numbers"),
    ],
)
def test_invalid_input(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()
