"""Writes keras_metrics.json: what the metrics of Keras 3 return after one and after more batches.

Run ``python keras_metrics.py`` where Keras 3 and TensorFlow are.
"""

import importlib
import json
from pathlib import Path

import numpy as np

RNG = np.random.default_rng(24)
CASES = []


def numbers(array):
    """Nested lists of as many digits as float32 has; JSON has no NaN."""
    text = json.dumps(np.asarray(array, "float64").tolist()).replace("NaN", '"NaN"')
    return json.loads(text, parse_float=lambda digits: float(f"{float(digits):.8g}"))


def floats(*shape, low=-2.0, high=2.0):
    return np.round(RNG.uniform(low, high, shape), 3).astype("float32")


def chances(*shape):
    """Probabilities, of which some are equal, 0 or 1."""
    return np.round(RNG.uniform(-0.04, 1.04, shape), 2).clip(0, 1).astype("float32")


def shares(*shape):
    """Distributions along the last axis."""
    values = RNG.uniform(0.05, 1.0, shape)
    return (values / values.sum(-1, keepdims=True)).astype("float32")


def one_hot(*shape):
    return np.eye(shape[-1], dtype="float32")[RNG.integers(0, shape[-1], shape[:-1])]


def bits(*shape):
    return RNG.integers(0, 2, shape).astype("float32")


def classes(count):
    """Numbers of classes without the last axis of a shape."""
    return lambda *shape: RNG.integers(0, count, shape).astype("float32")


def weights(*shape):
    return floats(*shape, low=0.0)


def add(name, *batches, **config):
    """One more case: the results after the first batch and after the last."""
    keras = importlib.import_module("keras")
    metric = getattr(keras.metrics, name)(**config)
    results = [numbers(metric(*batch)) for batch in batches]
    case = {"name": name, "config": config, "batches": [[numbers(a) for a in b] for b in batches]}
    CASES.append({**case, "results": [results[0], results[-1]]})


def each_way(name, labels, outputs, shape, **config):
    """Batches of other lengths, with and without weights, of more axes."""
    rest = shape[1:]
    plain = [(labels(n, *rest), outputs(n, *rest)) for n in (5, 3)]
    add(name, *plain, **config)
    add(name, *[(*pair, weights(len(pair[0]))) for pair in plain], **config)


def means():
    """Means of values and of what losses return."""
    for name in ("Mean", "Sum"):
        add(name, (floats(4),), (floats(2),))
        add(name, (floats(3, 2, 2),), (floats(2),))
        add(name, (floats(4), weights(4)), (floats(3), weights(3)))
        add(name, (floats(2, 3), weights(2, 3)), (floats(2, 3), weights(2, 1)))
        add(name, (np.float32(2.5),), (np.float32(4.0), np.float32(3.0)))
    add("Mean", (floats(2, 3, 4), weights(2)), (floats(2, 3, 4), weights(2, 3)))
    names = ("MeanSquaredError", "RootMeanSquaredError", "MeanAbsoluteError", "LogCoshError")
    for name in (*names, "MeanAbsolutePercentageError", "CosineSimilarity"):
        each_way(name, floats, floats, (0, 3))
        each_way(name, floats, floats, (0, 2, 3))
    for name in names:
        add(name, (floats(4), floats(4, 1)), (floats(3, 1), floats(3)))
    each_way("CosineSimilarity", floats, floats, (0, 3, 2), axis=1)
    each_way("MeanSquaredLogarithmicError", chances, chances, (0, 3))
    each_way("Hinge", bits, floats, (0, 3))
    each_way("SquaredHinge", bits, floats, (0, 3))
    each_way("CategoricalHinge", one_hot, floats, (0, 3))
    each_way("KLDivergence", shares, shares, (0, 3))
    each_way("Poisson", classes(5), chances, (0, 3))


def entropies():
    """Cross entropies."""
    each_way("BinaryCrossentropy", bits, chances, (0, 3))
    each_way("BinaryCrossentropy", bits, floats, (0, 3), from_logits=True, label_smoothing=0.1)
    each_way("CategoricalCrossentropy", one_hot, shares, (0, 3))
    each_way("CategoricalCrossentropy", one_hot, floats, (0, 2, 3), from_logits=True)
    name = "SparseCategoricalCrossentropy"
    for options, outputs in (({}, shares), ({"from_logits": True}, floats)):
        batches = [(classes(4)(n), outputs(n, 4)) for n in (5, 3)]
        weighted = [(*batch, weights(len(batch[0]))) for batch in batches]
        for each in (batches, weighted):
            add(name, *each, **options)
            add(name, *each, **options, ignore_class=1)


def accuracies():
    """Shares of right outputs."""
    each_way("Accuracy", classes(3), classes(3), (0, 2))
    each_way("BinaryAccuracy", bits, chances, (0, 3))
    each_way("BinaryAccuracy", bits, chances, (0,), threshold=0.3)
    add("BinaryAccuracy", (bits(5), chances(5, 1)), (bits(3, 1), chances(3)))
    each_way("CategoricalAccuracy", one_hot, shares, (0, 4))
    each_way("CategoricalAccuracy", one_hot, shares, (0, 3, 4))
    each_way("TopKCategoricalAccuracy", one_hot, chances, (0, 6), k=2)
    each_way("TopKCategoricalAccuracy", one_hot, chances, (0, 3, 7))
    for name in ("SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy"):
        options = {"k": 2} if "Top" in name else {}
        add(name, (classes(5)(6), chances(6, 5)), (classes(5)(3), chances(3, 5)), **options)
        pair = classes(5)(4), shares(4, 5)
        add(name, (*pair, weights(4)), (*pair, weights(4)), **options)
        add(name, (classes(5)(2, 3), chances(2, 3, 5)), (classes(5)(2, 3), shares(2, 3, 5)))
    add(
        "SparseCategoricalAccuracy",
        (classes(5)(4, 1), shares(4, 5)),
        (classes(5)(2, 1), shares(2, 5)),
    )
    ids = np.array([[3, 1, 0], [2, 1, 4]], "float32")
    first = np.array([1, 4], "float32")
    name = "SparseTopKCategoricalAccuracy"
    add(name, (first, ids), (first[::-1].copy(), ids), k=2, from_sorted_ids=True)


def correlations():
    """How labels and outputs vary together."""
    for name in ("PearsonCorrelation", "ConcordanceCorrelation"):
        each_way(name, floats, floats, (0, 4))
        each_way(name, floats, floats, (0, 4, 2), axis=1)
    for options in ({}, {"class_aggregation": None}, {"num_regressors": 2}):
        each_way("R2Score", floats, floats, (0, 2), **options)
    aggregation = {"class_aggregation": "variance_weighted_average"}
    each_way("R2Score", floats, floats, (0, 3), **aggregation)
    each_way("R2Score", floats, floats, (0, 1), num_regressors=9)


def decisions():
    """Counts at thresholds."""
    for name in ("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives"):
        each_way(name, bits, chances, (0,))
        each_way(name, bits, chances, (0, 3), thresholds=[0.9, 0.2])
        each_way(name, bits, chances, (0, 3), thresholds=[0.0, 0.5, 1.0])
    for name in ("Precision", "Recall"):
        each_way(name, bits, chances, (0,))
        add(name, *[(bits(n, 2, 3), chances(n, 2, 3)) for n in (5, 3)], thresholds=0.7)
        each_way(name, bits, chances, (0, 4), thresholds=[0.0, 0.25, 0.5, 0.75, 1.0])
        each_way(name, bits, chances, (0, 5), top_k=2)
        each_way(name, bits, chances, (0, 5), top_k=2, class_id=1)
        each_way(name, bits, chances, (0, 5), class_id=3, thresholds=[0.1, 0.6])
        add(name, (bits(5), chances(5, 1)), (bits(3, 1), chances(3)))
        add(name, (bits(2, 3), chances(2, 3), weights(2, 3)), (bits(2, 3), chances(2, 3)))
    for name, argument in (
        ("SensitivityAtSpecificity", "specificity"),
        ("SpecificityAtSensitivity", "sensitivity"),
        ("PrecisionAtRecall", "recall"),
        ("RecallAtPrecision", "precision"),
    ):
        each_way(name, bits, chances, (0,), **{argument: 0.6})
        each_way(name, bits, chances, (0, 3), **{argument: 0.4}, num_thresholds=5)
        each_way(name, bits, chances, (0, 3), **{argument: 0.8}, num_thresholds=1)
        each_way(name, bits, chances, (0, 3), **{argument: 0.3}, class_id=2)


def areas():
    """Areas under curves."""
    for curve in ("ROC", "PR", "PRGAIN"):
        for method in ("interpolation", "majoring", "minoring"):
            options = {"curve": curve, "summation_method": method}
            each_way("AUC", bits, chances, (0,), **options)
            each_way("AUC", bits, chances, (0, 3), num_thresholds=7, **options)
        each_way("AUC", bits, chances, (0, 3), multi_label=True, curve=curve)
        each_way("AUC", bits, chances, (0, 2), thresholds=[0.7, 0.1, 0.4], curve=curve)
    each_way("AUC", bits, floats, (0, 2), from_logits=True, thresholds=[0.25, 0.5, 0.75])
    each_way("AUC", bits, chances, (0, 3), label_weights=[0.5, 1.0, 2.0])
    labelled = {"multi_label": True, "num_labels": 3, "label_weights": [0.5, 1.0, 2.0]}
    each_way("AUC", bits, chances, (0, 3), **labelled)
    each_way("AUC", bits, chances, (0, 3), multi_label=True, thresholds=[0.3, 0.35])


def scores():
    """F scores and overlaps."""
    for average in (None, "micro", "macro", "weighted"):
        each_way("FBetaScore", one_hot, shares, (0, 3), average=average, beta=2.0)
        each_way("F1Score", bits, chances, (0, 3), average=average, threshold=0.4)
    every = {"num_classes": 3}
    for name, options in (("IoU", {**every, "target_class_ids": [0, 2]}), ("MeanIoU", every)):
        each_way(name, classes(3), classes(3), (0,), dtype="float32", **options)
        each_way(name, classes(4), classes(3), (0,), dtype="float32", ignore_class=1, **options)
        pairs = [(classes(3)(2, 4), classes(3)(2, 4), weights(2, 4)) for _ in range(2)]
        add(name, *pairs, dtype="float32", **options)
        pairs = [(one_hot(4, 3), shares(4, 3)) for _ in range(2)]
        add(f"OneHot{name}", *pairs, dtype="float32", **options)
        add(name, (classes(3)(4), classes(3)(4)), (classes(3)(4), classes(3)(4)), **options)
    sides = {"sparse_y_true": False, "sparse_y_pred": False}
    pairs = [(one_hot(2, 4, 3), shares(2, 4, 3)) for _ in range(2)]
    add("MeanIoU", *pairs, dtype="float32", **every, **sides)
    each_way("BinaryIoU", bits, chances, (0,), dtype="float32", threshold=0.3)
    add("BinaryIoU", (bits(5), chances(5)), (bits(5), chances(5)), target_class_ids=[1])


def main():
    """Write the file."""
    for part in (means, entropies, accuracies, correlations, decisions, areas, scores):
        part()
    path = Path(__file__).with_suffix(".json")
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in CASES)
    path.write_text(f"[\n{lines}\n]\n")
    print(path, len(CASES), path.stat().st_size)


if __name__ == "__main__":
    main()
