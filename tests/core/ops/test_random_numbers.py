"""Random numbers: distributions with fixed seeds, ranges, dtypes, the same numbers every time."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import core
from core.engine.generators import generator

COUNT = 20_000
#: A sample that fits its distribution is below this once in a thousand seeds; ours are fixed.
RARE = 1e-3

DRAWS = {
    "random_uniform": lambda **o: core.random_uniform((5, 3), **o),
    "random_uniform_int": lambda **o: core.random_uniform_int((5, 3), 0, 1000, **o),
    "random_normal": lambda **o: core.random_normal((5, 3), **o),
    "random_standard_normal": lambda **o: core.random_standard_normal((5, 3), **o),
    "truncated_normal": lambda **o: core.truncated_normal((5, 3), **o),
    "random_gamma": lambda **o: core.random_gamma((5, 3), 2.0, **o),
    "dropout": lambda **o: core.dropout(core.ones((5, 30)), 0.5, **o),
    "multinomial": lambda **o: core.multinomial(np.zeros((5, 30)), 20, **o),
}


def fits(sample, distribution):
    return stats.kstest(sample.numpy().astype(float), distribution.cdf).pvalue > RARE


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("seed", [0, 7, -7, 3.14, "a seed", np.int32(5), 2**70])
def test_a_seed_gives_the_same_numbers(name, seed):
    first, second = DRAWS[name](seed=seed).numpy(), DRAWS[name](seed=seed).numpy()
    np.testing.assert_array_equal(first, second)
    assert (first != DRAWS[name](seed="another").numpy()).any()


@pytest.mark.parametrize("name", DRAWS)
def test_the_process_has_a_seed_too(name):
    core.set_random_seed(5)
    first, second = DRAWS[name]().numpy(), DRAWS[name]().numpy()
    core.set_random_seed(5)
    np.testing.assert_array_equal(DRAWS[name]().numpy(), first)
    np.testing.assert_array_equal(DRAWS[name]().numpy(), second)
    assert (first != second).any()
    core.set_random_seed(None)
    assert (DRAWS[name]().numpy() != first).any()


def test_draws_with_a_seed_leave_the_process_alone():
    core.set_random_seed(5)
    first = core.random_uniform((3,)).numpy()
    core.set_random_seed(5)
    core.random_uniform((3,), seed=1)
    np.testing.assert_array_equal(core.random_uniform((3,)).numpy(), first)


def test_seeds_are_told_apart():
    drawn = {float(generator(seed).random()) for seed in (0, 1, -1, 1.5, "1", "0", "", "x", 2**64)}
    assert len(drawn) == 9


@pytest.mark.parametrize("seed", [[1], None.__class__, 1j])
def test_no_seeds(seed):
    with pytest.raises(core.CoreError, match="must be a number or text"):
        core.random_uniform((2,), seed=seed)


def test_the_same_numbers_on_every_platform():
    """Those of NumPy's PCG64, whose stream is fixed."""
    uniform = core.random_uniform((3,), seed=7).numpy()
    normal = core.random_normal((3,), seed=7).numpy()
    whole = core.random_uniform_int((6,), -3, 4, seed=7).numpy()
    np.testing.assert_array_equal(uniform, np.float32([0.6250955, 0.8972138, 0.77568567]))
    np.testing.assert_array_equal(normal, np.float32([0.0012301534, 0.29874554, -0.27413785]))
    assert whole.tolist() == [3, 1, 1, 3, 1, 2]
    assert core.random_uniform_int((6,), 0, 100, "text").numpy().tolist() == [69, 6, 69, 87, 84, 58]


def test_uniform_numbers():
    drawn = core.random_uniform((COUNT,), seed=1)
    assert (drawn.dtype, drawn.shape) == ("float32", (COUNT,))
    assert fits(drawn, stats.uniform())
    assert fits(core.random_uniform((COUNT,), -3, 5, seed=2), stats.uniform(-3, 8))
    assert core.random_uniform((2,), 4, 4).numpy().tolist() == [4, 4]


def test_uniform_numbers_never_reach_the_end():
    drawn = core.random_uniform((100_000,), 1, 1 + 2**-22, seed=1).numpy()
    assert set(drawn.tolist()) == {1 + i * 2**-23 for i in range(2)}


def test_uniform_whole_numbers():
    drawn = core.random_uniform((COUNT,), -3, 5, "int32", seed=1)
    counts = np.bincount(drawn.numpy() + 3)
    assert (drawn.dtype, len(counts)) == ("int32", 8)
    assert stats.chisquare(counts).pvalue > RARE
    ends = core.random_uniform_int((COUNT,), -(2**31), 2**31, seed=3).numpy()
    assert ends.min() < -(2**30) and ends.max() > 2**30


def test_uniform_bools():
    drawn = core.random_uniform((COUNT,), dtype="bool", seed=1)
    assert drawn.dtype == "bool"
    assert stats.binomtest(int(drawn.numpy().sum()), COUNT).pvalue > RARE


@pytest.mark.parametrize(
    "mean, std_dev, seed", [(0, 1, 1), (3.5, 0.25, 2), (-100, 10, 3)], ids=lambda v: str(v)
)
def test_normal_numbers(mean, std_dev, seed):
    drawn = core.random_normal((COUNT,), mean, std_dev, seed=seed)
    assert drawn.dtype == "float32"
    assert fits(drawn, stats.norm(mean, std_dev))
    cut = core.truncated_normal((COUNT,), mean, std_dev, seed=seed)
    assert fits(cut, stats.truncnorm(-2, 2, mean, std_dev))
    assert np.all(abs(cut.numpy() - mean) <= 2 * std_dev * (1 + 1e-6))


def test_the_standard_normal_is_that():
    np.testing.assert_array_equal(
        core.random_standard_normal((9,), seed=4).numpy(),
        core.random_normal((9,), seed=4).numpy(),
    )
    assert core.random_standard_normal((2,), "int32").dtype == "int32"


@pytest.mark.parametrize("alpha, beta", [(2.0, 1.0), (0.3, 2.0), (7.5, 0.1)])
def test_gamma_numbers(alpha, beta):
    drawn = core.random_gamma((COUNT,), alpha, beta, seed=1)
    assert drawn.dtype == "float32"
    assert fits(drawn, stats.gamma(alpha, scale=1 / beta))


@pytest.mark.parametrize("name", ["random_normal", "truncated_normal"])
def test_whole_numbers_are_rounded(name):
    exact = getattr(core, name)((500,), 10, 5, seed=2).numpy()
    rounded = getattr(core, name)((500,), 10, 5, "int32", seed=2)
    assert rounded.dtype == "int32"
    np.testing.assert_array_equal(rounded.numpy(), np.rint(exact))
    assert core.random_gamma((5,), 2.0, dtype="int32", seed=1).dtype == "int32"
    assert core.random_normal((1,), 1e20, 1, "int32").item() == 2**31 - 1


@pytest.mark.parametrize("dtype, expected", [("float32", 1.75), ("int32", 1), ("bool", True)])
def test_numbers_from_a_function(dtype, expected):
    calls = iter([1.75, 0.75, -0.75, 0, -1.75, 1])
    drawn = core.rand((2, 3), lambda: next(calls), dtype)
    assert (drawn.shape, drawn.dtype) == ((2, 3), dtype)
    assert drawn.numpy()[0, 0] == expected
    if dtype == "bool":
        assert drawn.numpy().tolist() == [[True, False, False], [False, True, True]]


@pytest.mark.parametrize(
    "draw, message",
    [
        (lambda: core.random_uniform((2, 2.5)), "integers"),
        (lambda: core.random_uniform((-1,)), "negative length"),
        (lambda: core.random_uniform((1,), dtype="string"), "'string' must be one of"),
        (lambda: core.random_uniform((1,), 2, 1), "must not be greater"),
        (lambda: core.random_uniform((1,), 0, np.inf), "both finite"),
        (lambda: core.random_uniform((1,), 0, 1.5, "int32"), "integers"),
        (lambda: core.random_uniform_int((1,), 3, 3), "no int32 from"),
        (lambda: core.random_uniform_int((1,), 0, 2**31 + 1), "no int32 from"),
        (lambda: core.random_normal((1,), dtype="bool"), "'bool' must be one of"),
        (lambda: core.random_standard_normal((1,), "bool"), "'bool' must be one of"),
        (lambda: core.truncated_normal((1,), dtype="bool"), "'bool' must be one of"),
        (lambda: core.random_gamma((1,), 1.0, dtype="bool"), "'bool' must be one of"),
        (lambda: core.random_gamma((1,), 0), "must be above 0"),
        (lambda: core.random_gamma((1,), 1, -1), "must be above 0"),
        (lambda: core.rand((1,), lambda: 1, "complex64"), "'complex64' must be one of"),
        (lambda: core.rand((1.5,), lambda: 1), "integers"),
        (lambda: core.dropout(core.tensor([1, 2]), 0.5), "must be float32, got int32"),
        (lambda: core.dropout([1.0], 1), "rate=1 must be from 0"),
        (lambda: core.dropout([1.0], -0.1), "rate=-0.1 must be from 0"),
        (lambda: core.dropout([1.0, 2.0], 0.5, [3]), "do not broadcast"),
        (lambda: core.multinomial([1.0], 5), "two or more"),
        (lambda: core.multinomial(np.zeros((3, 2, 2)), 5), "two or more"),
        (lambda: core.multinomial([1.0, 1.0], -1), "0 or more"),
        (lambda: core.multinomial([1.0, 1.0], 2.5), "integer"),
        (lambda: core.multinomial([1.0, 1.0], 2, [1]), "must be a number or text"),
    ],
)
def test_refused(draw, message):
    with pytest.raises(core.CoreError, match=message):
        draw()


def test_dropout_keeps_the_mean():
    x = core.ones((COUNT,))
    kept = core.dropout(x, 0.3, seed=1).numpy()
    assert set(kept.tolist()) == {0, float(np.float32(1 / 0.7))}
    assert stats.binomtest(int((kept > 0).sum()), COUNT, 0.7).pvalue > RARE


def test_dropout_of_nothing_and_of_lists():
    x = core.tensor([1.0, 2.0])
    np.testing.assert_array_equal(core.dropout(x, 0).numpy(), [1, 2])
    assert core.dropout([1, 2], 0.5).dtype == "float32"


@pytest.mark.parametrize("noise_shape", [(40, 1), (None, 1), [1, 3], [3]])
def test_dropout_in_groups(noise_shape):
    kept = core.dropout(core.ones((40, 3)), 0.5, noise_shape, seed=1).numpy()
    by_rows = noise_shape in ((40, 1), (None, 1))
    groups = kept if by_rows else kept.T
    assert all(len(set(group.tolist())) == 1 for group in groups)
    if by_rows:
        assert len(set(kept[:, 0].tolist())) == 2


def test_the_gradient_of_dropout_goes_where_values_were_kept():
    x = np.full((6, 5), 2.0, np.float32)
    y, g = core.value_and_grad(lambda x: core.sum(core.dropout(x, 0.4, seed=3)))(x)
    kept = core.dropout(x, 0.4, seed=3).numpy()
    np.testing.assert_allclose(g.numpy(), kept / 2)
    assert y.item() == pytest.approx(kept.sum(), rel=1e-6)


@pytest.mark.parametrize("normalized", [False, True])
def test_outcomes_have_their_probabilities(normalized):
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0, 0.05, 0.25]])
    with np.errstate(divide="ignore"):
        logits = shares if normalized else np.log(shares) + 3
    drawn = core.multinomial(logits, COUNT, seed=1, normalized=normalized)
    assert (drawn.dtype, drawn.shape) == ("int32", (2, COUNT))
    for row, expected in zip(drawn.numpy(), shares, strict=True):
        counts = np.bincount(row, minlength=4)
        assert stats.chisquare(counts[expected > 0], COUNT * expected[expected > 0]).pvalue > RARE
        assert not counts[expected == 0].any()


def test_rows_are_drawn_apart():
    first, second = core.multinomial(np.zeros((2, 2)), COUNT, seed=1).numpy()
    assert stats.binomtest(int((first == second).sum()), COUNT).pvalue > RARE


def test_odd_probabilities():
    """What is missing goes to the last outcome, as in TensorFlow.js."""
    assert set(core.multinomial([0.0, 0.0, 0.0], 50, normalized=True).numpy()) == {2}
    assert set(core.multinomial([2.0, 9.0, 9.0], 50, normalized=True).numpy()) == {0}
    assert set(core.multinomial([np.nan, 1.0, 1.0], 50).numpy()) == {2}
    assert set(core.multinomial([[5.0], [1.0]], 9).numpy().ravel()) == {0}
    assert core.multinomial([1, 2], 3).dtype == "int32"


def test_multinomial_by_its_tensorflow_js_name():
    attributes = {"numSamples": 4, "seed": 0.25, "normalized": False}
    (first,) = core.run_kernel("Multinomial", {"logits": [[0.0, 1.0]]}, attributes)
    (second,) = core.run_kernel("Multinomial", {"logits": [[0.0, 1.0]]}, attributes)
    assert first.shape == (1, 4)
    np.testing.assert_array_equal(first.numpy(), second.numpy())


def test_the_import_does_not_wait_for_the_generators():
    code = "import core, sys; sys.exit('numpy.random' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.multinomial([1.0, 1.0], (1,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()


@pytest.mark.parametrize("normalized", [False, True])
def test_no_rows_of_probabilities(normalized):
    drawn = core.multinomial(np.zeros((0, 3)), 5, normalized=normalized)
    assert drawn.shape == (0, 5) and drawn.dtype == "int32"
    for nothing in ([], [1.0], [[1.0]], np.zeros((3, 0)), 1.0):
        with pytest.raises(core.CoreError, match="logits"):
            core.multinomial(nothing, 1)
