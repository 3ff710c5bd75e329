"""Attention, rotation and layers with a state: gradients, and what is refused."""

import numpy as np
import pytest

import core
from core.errors import CoreError, KernelNotFound
from core.graph.node_types.onnx import all_rows
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.protos import node

rng = np.random.default_rng(49)


def drawn(*shape):
    return rng.normal(size=shape).astype(np.float32)


def check_slopes(function, arguments):
    """The gradients of a weighted sum for all arguments are its finite differences."""
    weights = drawn(*function(*map(core.tensor, arguments)).shape)
    loss = lambda *given: core.sum(function(*given) * weights)  # noqa: E731
    slopes = core.grads(loss)(*map(core.tensor, arguments))
    for position, (argument, slope) in enumerate(zip(arguments, slopes, strict=True)):
        way = drawn(*argument.shape)
        ends = []
        for step in (1e-2, -1e-2):
            moved = [*arguments]
            moved[position] = argument + np.float32(step) * way
            ends.append(loss(*map(core.tensor, moved)).item())
        wanted = (ends[0] - ends[1]) / 2e-2
        assert (slope.numpy() * way).sum() == pytest.approx(wanted, rel=2e-2, abs=2e-3)
        assert np.abs(slope.numpy()).max() > 1e-3


@pytest.mark.parametrize(
    "how",
    [{}, {"is_causal": 1}, {"softcap": 2.0}, {"left_window_size": 1, "right_window_size": 0}],
)
def test_gradients_through_attention(how):
    """Two heads of queries share one of keys; the mask hides all keys from one query."""
    q, k, v = drawn(2, 4, 3, 5), drawn(2, 2, 4, 5), drawn(2, 2, 4, 3)
    mask = core.tensor(np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool))
    check_slopes(lambda *given: all_rows()["Attention"](*given, mask, **how)[0], [q, k, v])


def test_queries_that_see_nothing_get_zeros():
    q, k, v = drawn(1, 1, 2, 4), drawn(1, 1, 3, 4), drawn(1, 1, 3, 2)
    mask = core.tensor(np.array([[0, 0, 0], [1, 0, 0]], bool))
    y, _, _, shares = all_rows()["Attention"](q, k, v, mask, qk_matmul_output_mode=3)
    assert y.numpy()[0, 0, 0].tolist() == [0, 0]
    assert shares.numpy()[0, 0].tolist() == [[0, 0, 0], [1, 0, 0]]
    np.testing.assert_array_equal(y.numpy()[0, 0, 1], v[0, 0, 0])


def test_attention_goes_on_from_the_past():
    """Two parts of a text, the second one with the keys and values of the first, are the whole."""
    q, k, v = (core.tensor(drawn(1, 2, 6, 4)) for _ in range(3))
    whole = all_rows()["Attention"](q, k, v, is_causal=1)[0].numpy()
    first = all_rows()["Attention"](*(x[:, :, :4] for x in (q, k, v)), is_causal=1)
    rest = (x[:, :, 4:] for x in (q, k, v))
    second = all_rows()["Attention"](*rest, None, first[1], first[2], is_causal=1)[0].numpy()
    np.testing.assert_allclose(second, whole[:, :, 4:], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
def test_linear_attention_goes_on_from_its_state(rule):
    q, k, v = drawn(2, 6, 12), drawn(2, 6, 6), drawn(2, 6, 8)
    decay = -np.abs(drawn(2, 6, 2)) if "gated" in rule else None
    beta = np.abs(drawn(2, 6, 2)) if "delta" in rule else None

    def run(start, end, state=None):
        parts = [x if x is None else core.tensor(x[:, start:end]) for x in (q, k, v, decay, beta)]
        how = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": rule}
        return all_rows()["LinearAttention"](*parts[:3], state, *parts[3:], **how)

    whole = run(0, 6)
    first = run(0, 4)
    second = run(4, 6, first[1])
    joined = np.concatenate([first[0].numpy(), second[0].numpy()], axis=1)
    np.testing.assert_allclose(joined, whole[0].numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second[1].numpy(), whole[1].numpy(), rtol=1e-5, atol=1e-6)


def test_gradients_through_linear_attention():
    how = {"q_num_heads": 2, "kv_num_heads": 1}
    shapes = [(1, 3, 4), (1, 3, 2), (1, 3, 3), (1, 1, 2, 3), (1, 3, 1), (1, 3, 1)]
    arguments = [drawn(*shape) * 0.5 for shape in shapes]
    check_slopes(lambda *given: all_rows()["LinearAttention"](*given, **how)[0], arguments)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (
            lambda x: all_rows()["Attention"](x, x, x, q_num_heads=4, kv_num_heads=1),
            "6 values cannot be shared by 4 heads",
        ),
        (
            lambda x: all_rows()["Attention"](x, x, x, q_num_heads=2, kv_num_heads=3),
            "2 heads cannot share 3 heads of keys and values",
        ),
        (
            lambda x: all_rows()["LinearAttention"](x, x, x, update_rule="own"),
            "update_rule 'own' must be one of linear, gated, delta, gated_delta",
        ),
        (
            lambda x: all_rows()["LinearAttention"](x, x, x, update_rule="delta"),
            "update_rule 'delta' does not go with the given decay and beta",
        ),
        (
            lambda x: all_rows()["CausalConvWithState"](x, x, activation="gelu"),
            "activation 'gelu' must be one of none, silu, swish",
        ),
    ],
)
def test_what_is_refused(run, text):
    with pytest.raises(CoreError, match=text):
        run(core.tensor(np.zeros((1, 2, 6), np.float32)))


@pytest.mark.parametrize(
    ("op", "domain", "name"),
    [
        ("FlexAttention", "ai.onnx.preview", "ai.onnx.preview:FlexAttention"),
        ("ImageDecoder", "", "ONNX:ImageDecoder"),
    ],
)
def test_ops_without_a_row_are_refused_by_name(op, domain, name, tmp_path):
    data = protos.simple([node(op, ["x"], ["y"], domain)], opsets={"": 24, "ai.onnx.preview": 1})
    with pytest.raises(KernelNotFound, match=f"no op runs these node types: {name} "):
        core.load_model(protos.write(tmp_path, data)).predict(np.zeros(2, np.float32))
