"""Initializers: distributions, shapes, seeds, names and documents of files."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import core
from core.errors import CoreError
from core.initializers import NAMED, compute_fans
from core.keras.configured import snake_case
from tests.core.models.recorded import KERAS

#: A sample that fits its distribution is below this once in a thousand seeds; ours are fixed.
RARE = 1e-3

#: A kernel of 24 input units and 96 output units.
SHAPE = (2, 2, 6, 24)


def cut_normal(stddev):
    return stats.truncnorm(-2, 2, scale=stddev)


def cut_to(stddev):
    """A normal distribution that has this standard deviation when it is cut at two of its own."""
    return cut_normal(stddev / cut_normal(1).std())


def between(limit):
    return stats.uniform(-limit, 2 * limit)


DISTRIBUTIONS = {
    "random_uniform": ({}, between(0.05)),
    "random_normal": ({"mean": 1.0, "stddev": 2.0}, stats.norm(1, 2)),
    "truncated_normal": ({}, cut_normal(0.05)),
    "glorot_uniform": ({}, between(math.sqrt(6 / 120))),
    "glorot_normal": ({}, cut_to(math.sqrt(2 / 120))),
    "he_uniform": ({}, between(math.sqrt(6 / 24))),
    "he_normal": ({}, cut_to(math.sqrt(2 / 24))),
    "lecun_uniform": ({}, between(math.sqrt(3 / 24))),
    "lecun_normal": ({}, cut_to(math.sqrt(1 / 24))),
    "variance_scaling": (
        {"scale": 3.0, "mode": "fan_out", "distribution": "untruncated_normal"},
        stats.norm(0, math.sqrt(3 / 96)),
    ),
}

RANDOM = [*DISTRIBUTIONS, "orthogonal"]


def sample(made, count=30_000):
    """As many values as are needed, of weights of one shape."""
    return np.concatenate([made(SHAPE).ravel() for _ in range(-(-count // math.prod(SHAPE)))])


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_values_are_of_the_stated_distribution(name):
    config, distribution = DISTRIBUTIONS[name]
    core.set_random_seed(11)
    drawn = sample(getattr(core.initializers, name)(**config)).astype(float)
    assert stats.kstest(drawn, distribution.cdf).pvalue > RARE
    error = distribution.std() / math.sqrt(drawn.size)
    assert abs(drawn.mean() - distribution.mean()) < 4 * error
    assert drawn.std() == pytest.approx(distribution.std(), rel=0.02)


def test_every_class_has_a_function_of_its_name():
    for name, made in NAMED.classes.items():
        assert getattr(core.initializers, snake_case(name)) is made
    assert set(NAMED.classes) == set(KERAS["initializers"])


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_gives_equal_values_at_each_call(name):
    made = getattr(core.initializers, name)
    first = made(seed=3)
    np.testing.assert_array_equal(first(SHAPE), first(SHAPE))
    np.testing.assert_array_equal(first(SHAPE), made(seed=3)(SHAPE))
    assert (first(SHAPE) != made(seed=4)(SHAPE)).any()


@pytest.mark.parametrize("name", RANDOM)
def test_without_a_seed_the_seed_of_the_process_counts(name):
    made = getattr(core.initializers, name)()
    core.set_random_seed(5)
    first, second = made(SHAPE), made(SHAPE)
    assert (first != second).any()
    core.set_random_seed(5)
    np.testing.assert_array_equal(made(SHAPE), first)
    np.testing.assert_array_equal(made(SHAPE), second)


@pytest.mark.parametrize("name", sorted(NAMED.classes))
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (0, 3)])
def test_values_are_fresh_float32_arrays_of_the_shape(name, shape):
    made = core.initializers.get(name)
    values = made(shape)
    assert values.shape == shape and values.dtype == np.float32 and values.flags.c_contiguous
    values[...] = 7  # which changes no later values
    assert (made(shape) != 7).all()


@pytest.mark.parametrize("shape, fans", KERAS["fans"])
def test_fans_are_those_of_keras(shape, fans):
    assert list(compute_fans(shape)) == fans


def test_fans_of_given_axes():
    assert compute_fans((2, 3, 5), [0, 1], [2]) == (6, 5)
    values = core.initializers.LecunUniform(seed=1, input_axes=[0], output_axes=[1, 2])((3, 40, 50))
    assert 0.99 < abs(values).max() < 1
    with pytest.raises(core.CoreError, match=r"the shape \(2, 3\) has not all of the axes \[4\]"):
        compute_fans((2, 3), [4], [0])


@pytest.mark.parametrize("name", sorted(KERAS["initializers"]))
def test_defaults_and_documents_are_those_of_keras(name):
    recorded = KERAS["initializers"][name]
    made = NAMED.classes[name]()
    assert {k: getattr(made, k) for k in recorded["defaults"]} == recorded["defaults"]
    read = core.initializers.get(recorded["document"])
    assert type(read) is type(made) and read.get_config() == made.get_config()
    json.dumps(made.get_config())


def test_axes_are_written_only_if_given():
    assert core.initializers.GlorotUniform().get_config() == {"seed": None}
    config = core.initializers.GlorotUniform(1, [0], [1]).get_config()
    assert config == {"seed": 1, "input_axes": [0], "output_axes": [1]}


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2, 3, 5), (5, 5)])
def test_orthogonal_rows_or_columns(shape):
    matrix = core.initializers.Orthogonal(gain=2.0, seed=1)(shape).reshape(-1, shape[-1]) / 2
    product = matrix @ matrix.T if len(matrix) < shape[-1] else matrix.T @ matrix
    np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-6)


def test_orthogonal_matrices_are_uniformly_distributed():
    """The first value of a uniform unit vector of three values is uniform from -1 to 1."""
    core.set_random_seed(2)
    made = core.initializers.Orthogonal()
    first = [made((3, 3))[0, 0] for _ in range(2000)]
    assert stats.kstest(first, between(1).cdf).pvalue > RARE


@pytest.mark.parametrize(
    "identifier, expected",
    [
        ("GlorotUniform", "GlorotUniform(seed=None)"),
        ("leCunNormal", "LecunNormal"),
        ("le_cun_uniform", "LecunUniform"),
        ("glorotNormal", "GlorotNormal"),
        ("normal", "RandomNormal(mean=0.0, stddev=0.05, seed=None)"),
        ("zero", "Zeros()"),
        ("eye", "Identity(gain=1.0)"),
        ("IdentityInitializer", "Identity(gain=1.0)"),
        (core.initializers.Ones, "Ones()"),
        ({"class_name": "he_uniform"}, "HeUniform"),
        (  # TensorFlow 1
            {"class_name": "TruncatedNormal", "config": {"stddev": 0.1, "dtype": "float32"}},
            "TruncatedNormal(mean=0.0, stddev=0.1, seed=None)",
        ),
        (  # TensorFlow.js
            {
                "className": "VarianceScaling",
                "config": {
                    "scale": 1,
                    "mode": "fanAvg",
                    "distribution": "normal",
                    "seed": None,
                },
            },
            "VarianceScaling(scale=1, mode='fan_avg', distribution='truncated_normal', seed=None)",
        ),
        (  # Keras 3
            {
                "module": "keras.initializers",
                "class_name": "RandomNormal",
                "config": {
                    "seed": {
                        "module": "keras.random",
                        "class_name": "SeedGenerator",
                        "config": {"name": "seed_generator", "seed": 1337},
                    }
                },
                "registered_name": None,
            },
            "RandomNormal(mean=0.0, stddev=0.05, seed=1337)",
        ),
        (
            {
                "class_name": "Constant",
                "config": {"value": {"class_name": "__numpy__", "config": {"value": [1.0, 2.0]}}},
            },
            "Constant(value=[1.0, 2.0])",
        ),
    ],
)
def test_get(identifier, expected):
    text = repr(core.initializers.get(identifier))
    assert text == expected or text.startswith(f"{expected}(")


def test_get_of_objects_functions_and_arrays():
    ones = core.initializers.Ones()
    assert core.initializers.get(ones) is ones
    assert core.initializers.get(None) is None
    given = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(core.initializers.get(given)((2, 3)), given)
    made = core.initializers.get(lambda shape, dtype: core.ones(shape, dtype=dtype))
    assert made((2,)).tolist() == [1, 1]
    wrong = core.initializers.get(lambda shape, dtype: np.ones(3))
    with pytest.raises(core.CoreError, match=r"returned the shape \(3,\), expected \(2,\)"):
        wrong((2,))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda i: i.get("glorot"), "there is no initializer 'glorot'; the names are constant, "),
        (lambda i: i.get(3), "3 is no initializer: give a name"),
        (lambda i: i.get({"class_name": "Ones", "config": {"x": 1}}), "Ones has no argument 'x'"),
        (lambda i: i.VarianceScaling(scale=0), "scale=0 must be finite and above 0"),
        (lambda i: i.VarianceScaling(mode="fan"), "mode must be one of fan_in, fan_out, fan_avg"),
        (lambda i: i.VarianceScaling(distribution="x"), "distribution must be one of truncated"),
        (lambda i: i.RandomUniform(1, 0), "minval=1 must not be greater than maxval=0"),
        (lambda i: i.RandomNormal(stddev=-1), "mean=0.0 and stddev=-1 must be finite"),
        (lambda i: i.TruncatedNormal(stddev=math.nan), "mean=0.0 and stddev=nan must be finite"),
        (lambda i: i.Constant("a"), "value='a' must be a number"),
        (lambda i: i.Constant([1, 2])((3,)), "a constant of shape .2,. does not broadcast"),
        (lambda i: i.Identity()((3,)), "Identity fills matrices, of two axes, got the shape .3,."),
        (lambda i: i.Orthogonal()((3,)), "Orthogonal fills shapes of two axes or more"),
        (lambda i: i.Ones()((3, -1)), "has a negative length"),
        (lambda i: i.Initializer()((3,)), r"Initializer must define values\(shape\)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(core.CoreError, match=message):
        call(core.initializers)


def test_sizes_are_limited():
    with core.limits(value_bytes=1000), pytest.raises(core.LimitError, match="initial values"):
        core.initializers.Ones()((1000,))


def test_equal_bounds_and_deviations_of_zero():
    assert core.initializers.RandomUniform(0.5, 0.5)((3,)).tolist() == [0.5] * 3
    assert core.initializers.TruncatedNormal(1.0, 0.0)((3,)).tolist() == [1.0] * 3
    assert core.initializers.GlorotUniform()((0,)).shape == (0,)


@pytest.mark.parametrize("value", ["x", None, [1.0], {"a": 1}, True, 10**400])
def test_configs_with_other_values_than_numbers_are_refused(value):
    for get, name, argument in (
        (core.initializers.get, "Orthogonal", "gain"),
        (core.initializers.get, "Identity", "gain"),
        (core.initializers.get, "RandomNormal", "mean"),
        (core.initializers.get, "VarianceScaling", "scale"),
        (core.losses.get, "Huber", "delta"),
    ):
        with pytest.raises(CoreError, match=f"{name}: {argument}=.* must be a number"):
            get({"class_name": name, "config": {argument: value}})


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("input_axes", (5, "x", {}, [1.5], [True])),
        ("output_axes", (-1, [[0]], [None])),
        ("distribution", ([], {}, 5)),
        ("mode", ([], {}, "x" * 1000)),
    ],
)
def test_options_of_files_of_other_types_are_refused(argument, values):
    for value in values:
        config = {"class_name": "VarianceScaling", "config": {argument: value}}
        with pytest.raises(CoreError, match=f"{argument}.* must be ") as caught:
            core.initializers.get(config)
        assert len(str(caught.value)) < 200


def test_integers_that_no_float_holds_are_refused():
    with pytest.raises(CoreError, match="L2: l2=1000.* must be a number"):
        core.regularizers.get({"class_name": "L2", "config": {"l2": 10**400}})
    assert core.regularizers.get({"class_name": "L2", "config": {"l2": None}}).l2 == 0.01
