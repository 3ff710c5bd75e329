"""Metrics: Keras's results over batches, names and kinds, compiled updates, messages."""

import json
from pathlib import Path

import numpy as np
import pytest

import core

FOLDER = Path(__file__).parent
CASES = json.loads((FOLDER / "keras_metrics.json").read_text())


def label(case):
    options = "-".join(f"{k}={v}" for k, v in case["config"].items())
    return f"{case['name']}-{np.shape(case['batches'][0][0])}x{len(case['batches'][0])}-{options}"


def metric_of(case):
    config = {k: v for k, v in case["config"].items() if k != "dtype"}
    return getattr(core.metrics, case["name"])(**config)


def arrays(batch):
    return [np.array(each, np.float32) for each in batch]


def expected(values):
    return np.array(values, np.float64)  # "NaN" becomes NaN


each_case = pytest.mark.parametrize("case", CASES, ids=label)


@each_case
def test_results_are_those_of_keras(case):
    metric = metric_of(case)
    results = [metric(*arrays(batch)).numpy() for batch in case["batches"]]
    for found, values in zip((results[0], results[-1]), case["results"], strict=True):
        np.testing.assert_allclose(found, expected(values), 1e-5, 2e-6)
        assert found.shape == np.shape(values)


def kind(case):
    return case["name"], *(len(np.shape(array)) for array in case["batches"][0])


#: A case of each metric for each number of axes, with and without weights.
KINDS = {kind(case): case for case in CASES}


@pytest.mark.parametrize("case", KINDS.values(), ids=label)
def test_compiled_updates_and_a_reset(case):
    metric = metric_of(case)
    batches = [arrays(batch) for batch in case["batches"]]
    if case["name"] not in ("Mean", "Sum"):
        metric.build(batches[0][0].shape, batches[0][1].shape)
    compiled = core.compile(metric.__call__)
    for _ in range(2):
        metric.reset_state()
        for batch in batches:
            found = compiled(*batch)
        np.testing.assert_allclose(found.numpy(), expected(case["results"][-1]), 1e-5, 2e-6)
    assert "op by op" not in compiled.report()


def test_every_metric_of_keras_is_recorded():
    wrappers = {"Metric", "MeanMetricWrapper", "CosineProximity"}
    classes = {
        name for name in core.metrics.__all__ if isinstance(getattr(core.metrics, name), type)
    }
    assert classes - {case["name"] for case in CASES} == wrappers


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("mse", "MeanSquaredError"),
        ("meanSquaredError", "MeanSquaredError"),
        ("rmse", "RootMeanSquaredError"),
        ("MAE", "MeanAbsoluteError"),
        ("binaryAccuracy", "BinaryAccuracy"),
        ("accuracy", "Accuracy"),
        ("cosineProximity", "CosineProximity"),
        ("cosine_similarity", "CosineSimilarity"),
        ("mean_io_u", None),
        ("auc", "AUC"),
        ("r2Score", "R2Score"),
        ("logcosh", "LogCoshError"),
        (core.metrics.sparse_categorical_accuracy, "SparseCategoricalAccuracy"),
        (core.metrics.mean_squared_error, "MeanSquaredError"),
        (core.metrics.F1Score, "F1Score"),
        ({"class_name": "Recall", "config": {"thresholds": 0.2, "dtype": "float32"}}, "Recall"),
        ({"class_name": "function", "config": "binary_accuracy"}, "BinaryAccuracy"),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_metrics_are_found_by_every_spelling(identifier, name):
    if name is None:  # an argument is needed
        with pytest.raises(core.CoreError, match="needs the argument 'num_classes'"):
            core.metrics.get(identifier)
    else:
        assert type(core.metrics.get(identifier)) is getattr(core.metrics, name)


def test_names_in_logs_are_those_of_keras():
    names = {
        "IoU": "io_u",
        "MeanIoU": "mean_io_u",
        "OneHotIoU": "one_hot_io_u",
        "OneHotMeanIoU": "one_hot_mean_io_u",
    }
    for class_name, name in names.items():
        more = {} if "Mean" in class_name else {"target_class_ids": [0]}
        assert getattr(core.metrics, class_name)(num_classes=3, **more).name == name
    assert core.metrics.FBetaScore().name == "fbeta_score"
    assert core.metrics.LogCoshError().name == "logcosh"


def test_every_metric_is_made_again_from_its_config():
    for case in CASES:
        metric = metric_of(case)
        document = {"class_name": case["name"], "config": metric.get_config()}
        again = core.metrics.get(document)
        assert again.get_config() == metric.get_config()
        assert [v.shape for v in again.variables] == [v.shape for v in metric.variables]


def test_a_function_becomes_a_metric_of_its_name():
    def largest(y_true, y_pred):
        return core.max(core.abs(core.sub(y_true, y_pred)), axis=-1)

    metric = core.metrics.get(largest)
    assert (metric.name, metric([[1.0, 3.0]], [[2.0, 1.0]]).item()) == ("largest", 2.0)


BINARY = core.losses.BinaryCrossentropy(from_logits=True)


@pytest.mark.parametrize(
    ("identifier", "loss", "labels", "outputs", "name"),
    [
        ("accuracy", None, (None,), (None, 1), "BinaryAccuracy"),
        ("acc", None, (None, 1), (None, 10), "SparseCategoricalAccuracy"),
        ("accuracy", None, (None, 7), (None, 7, 10), "SparseCategoricalAccuracy"),
        ("Accuracy", None, (None, 10), (None, 10), "CategoricalAccuracy"),
        ("accuracy", BINARY, (None, 10), (None, 10), "BinaryAccuracy"),
        ("crossentropy", BINARY, (None, 1), (None, 1), "BinaryCrossentropy"),
        ("ce", None, (None,), (None, 3), "SparseCategoricalCrossentropy"),
        ("mse", None, (None, 3), (None, 3), "MeanSquaredError"),
    ],
)
def test_the_kind_of_a_metric_is_chosen(identifier, loss, labels, outputs, name):
    metric = core.metrics.resolve(identifier, loss, labels, outputs)
    assert (type(metric).__name__, metric.name) == (name, identifier)
    if name == "BinaryCrossentropy":
        assert metric.from_logits


def test_an_object_keeps_its_name():
    metric = core.metrics.resolve(core.metrics.Recall(name="found"), None, (None,), (None, 1))
    assert metric.name == "found"


def test_classes_along_another_axis():
    one_hot = np.eye(3, dtype=np.float32)[[[0, 2], [1, 2]]]
    last = core.metrics.OneHotMeanIoU(3)(one_hot, one_hot[::-1]).item()
    first = core.metrics.OneHotMeanIoU(3, axis=1)(
        one_hot.swapaxes(1, 2), one_hot[::-1].swapaxes(1, 2)
    )
    assert first.item() == pytest.approx(last)


def test_fractions_of_weights_count_in_overlaps():
    metric = core.metrics.IoU(2, [1])
    assert metric([1, 1, 1], [1, 1, 0], [0.5, 0.25, 0.25]).item() == pytest.approx(0.75)


def test_tensorflow_js_names_of_functions():
    y_true, y_pred = [[1.0, 2.0]], [[3.0, 5.0]]
    for names, value in (
        (("mae", "MAE", "mean_absolute_error"), 2.5),
        (("mse", "MSE", "mean_squared_error"), 6.5),
        (("mape", "MAPE", "mean_absolute_percentage_error"), 175.0),
    ):
        for name in names:
            assert getattr(core.metrics, name)(y_true, y_pred).item() == value
    assert core.metrics.cosine_proximity(y_true, y_pred).item() == pytest.approx(-0.9971, abs=1e-4)


def test_the_functions_of_counts_take_ones():
    y_true, y_pred = [[0, 1, 1, 0], [1, 1, 0, 1]], [[1, 1, 0, 0], [0, 1, 0, 0]]
    assert core.metrics.precision(y_true, y_pred).item() == pytest.approx(2 / 3)
    assert core.metrics.recall(y_true, y_pred).item() == pytest.approx(2 / 5)
    assert core.metrics.precision([0, 1], [0, 0]).item() == 0
    labels, outputs = [1.0, 2.0, 4.0], [1.5, 2.0, 3.0]
    assert core.metrics.r2_score(labels, outputs).item() == pytest.approx(1 - 1.25 / (14 / 3))


def test_a_best_output_of_nan_is_not_among_the_best():
    outputs = [[np.nan, 1.0, 0.0], [0.5, 0.5, 0.1]]
    found = core.metrics.sparse_top_k_categorical_accuracy([0, 1], outputs, k=1)
    assert found.numpy().tolist() == [0.0, 1.0]


def test_variables_have_names_and_are_not_trained():
    metric = core.metrics.AUC(name="area")
    assert [v.name.partition("/")[0] for v in metric.variables] == ["area"] * 4
    assert not any(v.trainable for v in metric.variables)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: core.metrics.get("acuracy"), "no metric 'acuracy'; the names are accuracy, auc"),
        (lambda: core.metrics.AUC(curve="ROCK"), "no curve 'ROCK'; the names are ROC, PR, PRGAIN"),
        (lambda: core.metrics.AUC(summation_method="x"), "no summation_method 'x'"),
        (lambda: core.metrics.AUC(num_thresholds=1), "num_thresholds must be 2 or more, got 1"),
        (lambda: core.metrics.AUC(multi_label=True).result(), "no result before"),
        (lambda: core.metrics.Precision(thresholds=[0.5, 1.5]), "from 0 to 1, got 1.5"),
        (lambda: core.metrics.PrecisionAtRecall(2.0), "recall must be from 0 to 1, got 2.0"),
        (lambda: core.metrics.F1Score("mean"), "average must be one of .*, got 'mean'"),
        (lambda: core.metrics.F1Score()([1.0], [1.0]), r"F1Score needs labels and outputs \[batch"),
        (lambda: core.metrics.R2Score("mean"), "class_aggregation must be one of"),
        (lambda: core.metrics.IoU(3, [3]), r"must be from 0 to 2, got \[3\]"),
        (
            lambda: core.metrics.SparseCategoricalAccuracy()([[0.0, 1.0]], [[0.5, 0.5]]),
            "for one-hot labels use the metric without 'sparse'",
        ),
        (lambda: core.metrics.Mean()([1.0, 2.0, 3.0], [1.0, 2.0]), "do not fit values"),
    ],
)
def test_mistakes_are_explained(make, message):
    with pytest.raises(core.CoreError, match=message):
        make()
