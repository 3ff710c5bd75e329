"""The rows of ONNX's ops: gradients beside finite differences, and what ONNX's suite leaves out.

`tests.core.converter.onnx.test_backend_suite` has the results of all of them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import core
from core import CoreError
from core.graph.node_types.onnx import all_rows, find_row
from core.graph.node_types.rows import find_node_type

#: Rows that exports need: shapes of the inputs that have gradients, and what else they take.
DIFFERENTIABLE: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "Conv": ("Conv", [(2, 4, 5, 6), (6, 2, 3, 3), (6,)], {"group": 2, "pads": [1, 0, 1, 2]}),
    "Conv by channel": (
        "Conv",
        [(2, 3, 5, 4), (6, 1, 3, 2)],
        {"group": 3, "auto_pad": "SAME_LOWER"},
    ),
    "Conv of volumes": ("Conv", [(1, 4, 3, 4, 3), (2, 2, 2, 2, 2)], {"group": 2}),
    "Conv strided and dilated": (
        "Conv",
        [(1, 2, 8, 7), (3, 2, 2, 3)],
        {"strides": [2, 1], "dilations": [2, 2]},
    ),
    "Conv of rows": ("Conv", [(2, 3, 7), (4, 3, 3), (4,)], {"strides": [2]}),
    "ConvTranspose": (
        "ConvTranspose",
        [(1, 4, 3, 4), (4, 2, 3, 3), (4,)],
        {"group": 2, "strides": [2, 2], "output_padding": [1, 1], "pads": [1, 1, 1, 1]},
    ),
    "ConvTranspose dilated": (
        "ConvTranspose",
        [(1, 2, 3, 3), (2, 3, 2, 2)],
        {"strides": [2, 2], "dilations": [2, 2]},
    ),
    "Resize linear": (
        "Resize",
        [(1, 2, 4, 5), None, None, np.array([1, 2, 7, 3], np.int32)],
        {"mode": "linear"},
    ),
    "Resize cubic": (
        "Resize",
        [(1, 2, 4, 5), None, np.array([1, 1, 1.5, 0.6], np.float32)],
        {"mode": "cubic", "antialias": 1},
    ),
    "GridSample": ("GridSample", [(2, 3, 4, 5), (2, 3, 2, 2)], {"mode": "linear"}),
    "GridSample cubic": (
        "GridSample",
        [(1, 2, 4, 5), (1, 3, 2, 2)],
        {"mode": "cubic", "padding_mode": "border"},
    ),
    "GridSample volumes": (
        "GridSample",
        [(1, 2, 3, 4, 3), (1, 2, 2, 2, 3)],
        {"mode": "linear", "padding_mode": "reflection", "align_corners": 1},
    ),
    "DeformConv": (
        "DeformConv",
        [(1, 4, 4, 5), (2, 2, 2, 2), (1, 16, 3, 4), (2,), (1, 8, 3, 4)],
        {"group": 2, "offset_group": 2},
    ),
    "InstanceNormalization": ("InstanceNormalization", [(2, 3, 4, 2), (3,), (3,)], {}),
    "GroupNormalization": ("GroupNormalization", [(2, 4, 3), (4,), (4,)], {"num_groups": 2}),
    "LayerNormalization": ("LayerNormalization", [(3, 5), (5,), (5,)], {}),
    "BatchNormalization": (
        "BatchNormalization",
        [(3, 2, 4), (2,), (2,), np.zeros(2, np.float32), np.ones(2, np.float32)],
        {"training_mode": 1},
    ),
    "LSTM": ("LSTM", [(3, 2, 4), (2, 12, 4), (2, 12, 3), (2, 24)], {"direction": "bidirectional"}),
    "GRU": ("GRU", [(3, 2, 4), (1, 9, 4), (1, 9, 3), (1, 18)], {"linear_before_reset": 1}),
    "ScatterND": (
        "ScatterND",
        [(4, 3), np.array([[1], [3], [1]], np.int32), (3, 3)],
        {"reduction": "add"},
    ),
    "ScatterND mul": (
        "ScatterND",
        [(4, 3), np.array([[1], [3], [1]], np.int32), (3, 3)],
        {"reduction": "mul"},
    ),
    "RoiAlign": (
        "RoiAlign",
        [
            (2, 3, 6, 5),
            np.array([[0.2, 1, 3.7, 4.1], [1, 0.5, 2, 5.5]], np.float32),
            np.array([1, 0], np.int32),
        ],
        {"output_height": 2, "output_width": 2},
    ),
    "AveragePool": (
        "AveragePool",
        [(1, 2, 5, 5)],
        {"kernel_shape": [3, 2], "pads": [1, 1, 0, 0], "count_include_pad": 1},
    ),
    "LpPool": ("LpPool", [(1, 2, 5, 4)], {"kernel_shape": [2, 2], "p": 3}),
    "Col2Im": (
        "Col2Im",
        [(1, 8, 6), np.array([3, 4], np.int32), np.array([2, 2], np.int32)],
        {},
    ),
    "Det": ("Det", [(2, 3, 3)], {}),
    "STFT": ("STFT", [(1, 12, 1), np.array(3, np.int32), (6,)], {}),
}


def run(name: str, *values: Any, **attributes: Any) -> Any:
    """Return what a row's last version gives."""
    row = all_rows()[name]
    return (row[max(row)] if isinstance(row, Mapping) else row)(*values, **attributes)


def total(name: str, values: list[Any], attributes: dict[str, Any]) -> core.Tensor:
    """Return a sum of all results in which each value counts differently."""
    found = run(name, *values, **attributes)
    results = found if isinstance(found, list) else [found]
    weights = (np.cos(np.arange(y.size, dtype=np.float32)).reshape(y.shape) for y in results)
    return sum(core.sum(y * w) for y, w in zip(results, weights, strict=True))


@pytest.mark.parametrize("case", DIFFERENTIABLE)
def test_gradients_are_those_of_finite_differences(case, backend, rng):
    name, shapes, attributes = DIFFERENTIABLE[case]
    given = [
        rng.uniform(0.1, 0.9, s).astype(np.float32) if isinstance(s, tuple) else s for s in shapes
    ]
    places = [i for i, s in enumerate(shapes) if isinstance(s, tuple)]

    def value(*chosen: Any) -> core.Tensor:
        values = [None if v is None else core.tensor(v) for v in given]
        for place, each in zip(places, chosen, strict=True):
            values[place] = each
        return total(name, values, attributes)

    gradients = core.grads(value)(*(given[place] for place in places))
    for place, gradient in zip(places, gradients, strict=True):
        way = rng.normal(size=given[place].shape).astype(np.float32)
        step = 2e-3
        ends = [
            value(*(given[i] + move if i == place else given[i] for i in places)).item()
            for move in (step * way, -step * way)
        ]
        expected = (ends[0] - ends[1]) / (2 * step)
        assert float((gradient.numpy() * way).sum()) == pytest.approx(expected, rel=2e-2, abs=2e-2)


def test_transposed_convolution_with_gaps_and_strides(rng):
    x, w = rng.normal(size=(1, 2, 3, 4)), rng.normal(size=(2, 3, 2, 3))
    y = np.zeros((1, 3, 4 + 3 + 0, 9 + 4 + 1))
    for (_, c, i, j), value in np.ndenumerate(x):
        for (m, p, q), weight in np.ndenumerate(w[c]):
            y[0, m, 2 * i + 2 * p, 3 * j + 2 * q] += value * weight
    how = {"strides": [2, 3], "dilations": [2, 2]}
    found = run("ConvTranspose", *(core.tensor(v.astype(np.float32)) for v in (x, w)), **how)
    np.testing.assert_allclose(found.numpy(), y, rtol=1e-5, atol=1e-5)


def test_determinants(rng):
    x = rng.normal(size=(2, 3, 4, 4)).astype(np.float32)
    x[1, 2] = 0
    found = run("Det", core.tensor(x)).numpy()
    np.testing.assert_allclose(found, np.linalg.det(x), rtol=1e-4, atol=1e-5)


def test_dropout_keeps_the_mean_in_training():
    x = core.ones((1000,))
    y, kept = run("Dropout", x, core.tensor(0.25), core.tensor(True), seed=3)
    assert {*np.unique(y.numpy())} == {0.0, np.float32(1 / 0.75)}
    np.testing.assert_array_equal(y.numpy() > 0, kept.numpy())
    assert 0.7 < kept.numpy().mean() < 0.8
    assert run("Dropout", x, core.tensor(0.25))[0] is x


@pytest.mark.parametrize("name", ["RandomNormal", "RandomUniform"])
def test_a_seed_draws_the_same_numbers(name):
    first, second, other = (run(name, shape=[40], seed=s).numpy() for s in (1.0, 1.0, 2.0))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_versions_of_an_op():
    row = all_rows()["TopK"]
    assert find_row("TopK", 9) == ("ONNX:TopK:1", row[1])
    assert find_row("TopK", 17) == ("ONNX:TopK", row[10])
    assert find_row("Resize", 9) is None
    assert find_row("Nothing", 9) is None


def test_unknown_attributes_are_refused():
    attributes = find_node_type("ONNX:Relu").attributes
    with pytest.raises(CoreError, match="the attribute 'slope' is not supported"):
        attributes({"slope": 2})


@pytest.mark.parametrize(
    ("name", "values", "attributes", "message"),
    [
        ("Conv", [[[[[1.0]]]], [[[[1.0]]]]], {"group": 2}, "2 groups of 1 channels do not make"),
        (
            "ScatterND",
            [[1.0], [[0]], [2.0]],
            {"reduction": "mean"},
            "unknown: add, mul, max and min",
        ),
        ("Pad", [[1.0], [1, 1]], {"mode": "mirror"}, "'mirror' is unknown: constant, edge"),
        ("GridSample", [[[[1.0]]], [[[[0.0, 0.0]]]]], {"mode": "area"}, "unknown: linear, nearest"),
        ("Range", [0, 3, 0], {}, "a delta of 0"),
        ("Squeeze", [[1.0, 2.0], [0]], {}, "not all of length 1"),
        ("ReduceSum", [[1.0], [3]], {}, r"axes \(3,\) are not all axes of a tensor"),
        ("Pad", [[1.0], [1, 1], 0.0, [2]], {}, r"axes \(2,\) are not all axes"),
        ("STFT", [[[1.0]], 1], {}, "neither a window nor the length"),
        ("LSTM", [[[[1.0]]], [[[1.0]]], [[[1.0]]]], {"activations": ["Sine"]}, "'Sine' is unknown"),
    ],
)
def test_refused(name, values, attributes, message):
    with pytest.raises(CoreError, match=message):
        run(name, *map(core.tensor, values), **attributes)
