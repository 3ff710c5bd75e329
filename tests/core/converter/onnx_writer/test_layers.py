"""Layer models saved as ONNX: what they compute, for any batch, in ONNX Runtime and here."""

import numpy as np
import pytest

import core
from core.converter.onnx import read_onnx
from core.errors import CoreError
from tests.core.converter.onnx_writer.onnx_runs import assert_near, by_reader, by_runtime
from tests.core.models.keras_layers import start
from tests.core.models.layer_cases import CASES, models_of, values_of
from weights_cache.common.errors import WeightsError

#: Layers that look numbers up, whose op has no counterpart in the files.
_LOOKUPS = ("IntegerLookup: one_hot", "IntegerLookup: multi_hot", "IntegerLookup: count")


def saved(name, path):
    """Save a case; return the inputs by name, and the outputs of the model."""
    case = CASES[name]
    model, _ = models_of(core, case)
    start(model)
    values = [values_of(data, i) for i, data in enumerate(case.inputs)]
    results = model.predict(values if len(values) > 1 else values[0])
    model.save(path)
    names = [*read_onnx(path).inputs]
    expected = [r.numpy() for r in (results if isinstance(results, list) else [results])]
    return dict(zip(names, values, strict=True)), expected


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", [name for name in CASES if name not in _LOOKUPS])
def test_layers_in_the_runtime(name, tmp_path):
    feeds, expected = saved(name, tmp_path / "model.onnx")
    assert_near(by_runtime(tmp_path / "model.onnx", feeds), expected)


@pytest.mark.parametrize(
    "name",
    [
        "Conv2D",
        "Conv2DTranspose",
        "SeparableConv2D",
        "LSTM: sequence",
        "GRU",
        "MultiHeadAttention",
        "LayerNormalization",
        "UpSampling2D",
        "Embedding",
    ],
)
def test_layers_by_the_reader(name, tmp_path):
    known = name if name in CASES else next(case for case in CASES if case.startswith(name))
    feeds, expected = saved(known, tmp_path / "model.onnx")
    assert_near(by_reader(tmp_path / "model.onnx", feeds), expected)


@pytest.mark.parametrize("name", _LOOKUPS)
def test_lookups_are_refused(name, tmp_path):
    with pytest.raises(WeightsError, match="no counterpart in ONNX for vocabulary_index"):
        saved(name, tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()


@pytest.fixture
def recurrent():
    return core.Sequential(
        [core.layers.LSTM(4, input_shape=(6, 3)), core.layers.Dense(2, "softmax", name="scores")]
    )


@pytest.mark.parametrize("run", [by_reader, by_runtime])
@pytest.mark.parametrize("batch", [1, 4])
def test_any_batch(recurrent, batch, run, rng, tmp_path):
    """Also where the state begins as zeros for each sample."""
    recurrent.save(tmp_path / "model.onnx")
    (name,) = read_onnx(tmp_path / "model.onnx").inputs
    x = rng.normal(size=(batch, 6, 3)).astype(np.float32)
    found = run(tmp_path / "model.onnx", {name: x})
    assert_near(found, [recurrent.predict(x).numpy()])


def test_weights_keep_their_names(recurrent, tmp_path):
    recurrent.save(tmp_path / "model.onnx")
    weights = read_onnx(tmp_path / "model.onnx").weights
    np.testing.assert_array_equal(weights["scores/kernel"], recurrent.get_weights()[-2])


def test_lengths_that_stay_open_are_refused(tmp_path):
    model = core.Sequential([core.layers.Dense(2, input_shape=(None, 3))])
    with pytest.raises(WeightsError, match=r"shape \(None, None, 3\) with free lengths.* inputs="):
        model.save(tmp_path / "model.onnx")
    assert not any(tmp_path.iterdir())


def test_other_endings_name_it(recurrent, tmp_path):
    with pytest.raises(CoreError, match=r"\.keras, \.h5 or \.onnx file"):
        recurrent.save(tmp_path / "model.ptx")
