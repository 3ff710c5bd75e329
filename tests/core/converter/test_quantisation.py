"""What quantised weights do to outputs: the warning, and the kinds that ``"auto"`` chooses."""

import numpy as np
import pytest

from core.converter import QuantisationWarning, convert, inspect_model, load_model
from core.converter.accuracy_loss import TOLERANCE, Damage, OutputError, Trials
from core.converter.conversion import Request, prepare_conversion
from core.converter.sample_inputs import Samples, make_samples
from core.converter.web import read_web_source
from core.converter.web_writer import write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from weights_cache import StoredArray
from weights_cache.common.errors import WeightsError

FIVE = PartialSpec((None, 5))
EVERY = ("uint8", "uint16", "float16", "float32")


@pytest.fixture
def graph(rng) -> Graph:
    """A product whose columns differ in size, which a factor makes up for; and a harmless one.

    So are depthwise kernels with batch norm folded in: steps of the largest swallow the others.
    """
    sizes = np.float32([5000, 1, 1e-3, 2, 0.5])
    weights = {
        "uneven": (rng.normal(size=(5, 5)) * sizes).astype(np.float32),
        "scale": 1 / sizes,
        "even": rng.normal(size=(5, 400)).astype(np.float32),
        "one": np.float32([0.7]),
    }
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("h", "MatMul", ("x", "uneven")),
        Node("scaled", "Mul", ("h", "scale")),
        Node("wide", "MatMul", ("scaled", "even")),
        Node("y", "Mul", ("wide", "one")),
    ]
    outputs = {"y": Endpoint("y", PartialSpec((None, 400)))}
    return Graph(nodes, weights, {"x": Endpoint("x", FIVE)}, outputs)


@pytest.fixture
def source(graph, tmp_path):
    return write_web(graph, tmp_path / "source")


@pytest.fixture
def samples(rng):
    return rng.normal(size=(6, 5)).astype(np.float32)


def kinds(folder) -> dict[str, str]:
    stored = read_web_source(folder).stored
    return {
        name: (a.values if isinstance(a, StoredArray) else a).dtype.name
        for name, a in stored.items()
    }


def largest_change(path, source, samples) -> float:
    found, expected = (load_model(p).predict(samples)["y"].numpy() for p in (path, source))
    return float(np.abs(found - expected).max() / np.ptp(expected))


# The warning


def test_damage_is_told_before_anything_is_written(source, tmp_path, samples):
    target = tmp_path / "new"
    with pytest.raises(QuantisationWarning) as caught:  # warnings are errors in these tests
        convert(source, target, quantise="uint8", samples=samples)
    assert not target.exists()
    text = str(caught.value)
    assert text.startswith("uint8 changes the outputs by up to ")
    assert text.endswith("(measured on 6 sample inputs); quantise='auto' keeps them within 5 %")
    with pytest.warns(QuantisationWarning, match=f"^{text[:40]}"):
        path = convert(source, target, quantise="uint8", samples=samples)
    change = largest_change(path, source, samples)
    assert change > TOLERANCE
    assert f"{change * 100:.2g} % of their range" in text


def test_harmless_kinds_pass_without_a_word(source, tmp_path, samples):
    convert(source, tmp_path / "a", quantise="float16", samples=samples)
    convert(source, tmp_path / "b", quantise={"even": "uint8"}, samples=samples)
    convert(source, tmp_path / "c", quantise="uint8", samples=samples, tolerance=None)
    with pytest.raises(QuantisationWarning, match="^uint8 changes .* keeps them within 0.1 %"):
        convert(source, tmp_path / "d", quantise={"even": "uint8"}, tolerance=0.001)


def test_what_is_stored_so_already_does_no_damage(source, tmp_path, samples):
    small = convert(source, tmp_path / "small", quantise="uint8", tolerance=None)
    convert(small, tmp_path / "again", quantise="uint8", samples=samples, tolerance=1e-9)


def test_top_labels_that_change_are_a_warning(tmp_path):
    """Weights of 1 and 1.01 are of one quantised value in steps of 12 / 255."""
    weights = {"w": np.float32([[1, 1.01, -3, 9]]), "mask": np.float32([1, 1, 0.1, 0.1])}
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("h", "MatMul", ("x", "w")),
        Node("masked", "Mul", ("h", "mask")),
        Node("y", "Softmax", ("masked",)),
    ]
    inputs = {"x": Endpoint("x", PartialSpec((None, 1)))}
    outputs = {"y": Endpoint("y", PartialSpec((None, 4)))}
    source = write_web(Graph(nodes, weights, inputs, outputs), tmp_path / "source")
    given = {"samples": np.float32([[3], [4], [-4]]), "tolerance": 0.01}
    with pytest.warns(QuantisationWarning, match="and 2 of 3 top labels"):
        convert(source, tmp_path / "a", quantise={"w": "uint8"}, **given)
    path = convert(source, tmp_path / "b", quantise="auto", **given)
    assert kinds(path)["w"] in ("uint16", "float16")


def test_a_model_that_cannot_run_is_written_with_a_warning(graph, tmp_path):
    spec = Endpoint("x", PartialSpec(None))
    with pytest.warns(
        QuantisationWarning,
        match="change of the outputs by uint8 was not measured.* 'x' has no shape",
    ):
        convert(graph._replace(inputs={"x": spec}), tmp_path, quantise="uint8", optimise=False)
    assert kinds(tmp_path)["even"] == "uint8"


def test_without_quantisation_nothing_runs(source, tmp_path, monkeypatch):
    monkeypatch.setattr(Trials, "__init__", None)
    convert(source, tmp_path / "a")
    convert(source, tmp_path / "b", quantise={"even": "float32"})
    convert(source, tmp_path / "c", quantise="uint8", tolerance=None)


# The choice


def test_auto_chooses_by_weight(source, tmp_path, samples):
    path = convert(source, tmp_path / "new", quantise="auto", samples=samples)
    found = kinds(path)
    assert found["even"] == "uint8"
    assert found["uneven"] == "float16"  # steps of uint16 are too large, too
    assert found["one"] == "float32"
    assert largest_change(path, source, samples) <= TOLERANCE


@pytest.mark.parametrize("tolerance", [0.5, 0.02, 0.003, 1e-4, 1e-9])
def test_auto_keeps_any_tolerance(source, tmp_path, samples, tolerance):
    path = convert(source, tmp_path / "n", quantise="auto", samples=samples, tolerance=tolerance)
    assert largest_change(path, source, samples) <= tolerance
    assert set(kinds(path).values()) <= set(EVERY)


def test_more_tolerance_takes_fewer_bytes(source, tmp_path, samples):
    sizes = []
    for i, tolerance in enumerate((1e-9, 1e-4, 0.003, 0.02)):
        request = Request("auto", samples=samples, tolerance=tolerance)
        weights = prepare_conversion(source, tmp_path / str(i), request).weights
        sizes.append(
            sum((a.values if type(a) is StoredArray else a).nbytes for a in weights.values())
        )
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 4 * (25 + 5 + 2000 + 1) and sizes[-1] < 2200


def test_auto_goes_with_kinds_of_ones_own(source, tmp_path, samples):
    quantise = {"even": "float32", "*": "auto"}
    found = kinds(convert(source, tmp_path / "new", quantise=quantise, samples=samples))
    assert found["even"] == "float32" and found["uneven"] == "float16"
    quantise = {"uneven": "uint8", "*": "auto"}  # which alone is too much
    with pytest.warns(QuantisationWarning, match="^uint8 changes"):
        path = convert(source, tmp_path / "other", quantise=quantise, samples=samples)
    assert kinds(path)["even"] == "float32"


def test_auto_enlarges_nothing_that_is_quantised(source, tmp_path, samples):
    first = convert(source, tmp_path / "first", quantise={"e*": "uint8", "*": "float16"})
    second = convert(first, tmp_path / "second", quantise="auto", samples=samples, tolerance=1e-9)
    assert (
        kinds(second)
        == kinds(first)
        == {
            "uneven": "float16",
            "scale": "float16",
            "even": "uint8",
            "one": "float32",
        }
    )


def test_auto_leaves_values_that_no_kind_holds(graph, tmp_path, samples):
    weights = {**graph.weights, "even": graph.weights["even"] * np.float32(1e6)}
    source = write_web(graph._replace(weights=weights), tmp_path / "large")
    path = convert(source, tmp_path / "new", quantise="auto", samples=samples)
    assert kinds(path)["even"] in ("uint8", "uint16")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tolerance": None}, "quantise='auto' needs a tolerance"),
        ({"tolerance": 0}, "tolerance=0 is not a share"),
        ({"tolerance": 2.0}, "tolerance=2.0 is not a share"),
        ({"samples": {"z": np.zeros((1, 5))}}, "samples= has arrays for z; .* are x"),
        ({"samples": []}, "samples= is empty"),
        ({"samples": np.zeros((0, 5), np.float32)}, "samples= is empty"),
        ({"samples": np.zeros((2, 4), np.float32)}, "shape"),
    ],
)
def test_what_auto_refuses(source, tmp_path, options, message):
    with pytest.raises(CoreError, match=message):
        convert(source, tmp_path / "new", quantise="auto", **options)
    assert not (tmp_path / "new").exists()


def test_auto_needs_a_model_that_runs(graph, tmp_path):
    graph = graph._replace(inputs={"x": Endpoint("x", PartialSpec(None))})
    with pytest.raises(WeightsError, match="must run the model, which failed: .* give samples="):
        convert(graph, tmp_path / "new", quantise="auto")
    assert not (tmp_path / "new").exists()


def test_the_summary_says_what_was_won(source, tmp_path, samples):
    request = Request("auto", samples=samples)
    conversion = prepare_conversion(source, tmp_path / "new", request)
    assert conversion.warning == ""
    assert " bytes of weights, before 8,124 (" in conversion.summary
    assert conversion.summary.endswith("% of their range (6 sample inputs)")


def test_a_report_measures_auto(source, samples):
    report = inspect_model(source, quantise="auto", samples=samples, measure=True)
    assert report.sizes["as requested"] < report.sizes["uint16"]
    assert report.errors["as requested"]["y"].max <= TOLERANCE < report.errors["uint8"]["y"].max
    assert report.kinds["uint8"] >= 1 and sum(report.kinds.values()) == 4
    assert "errors measured on 6 sample inputs" in report.to_text()
    with pytest.raises(CoreError, match="needs a tolerance"):
        inspect_model(source, quantise="auto", tolerance=None, measure=True)


# Samples


def test_forms_of_samples(rng):
    inputs = {"a": Endpoint("a", PartialSpec((2, 3))), "b": Endpoint("b", PartialSpec((None, 1)))}
    a, b = rng.random((4, 3)), rng.random((2, 1))
    for given in ({"a": a, "b": b}, lambda its: {n: {"a": a, "b": b}[n] for n in its}):
        runs = make_samples(given, inputs).runs
        assert [{n: v.shape for n, v in run.items()} for run in runs] == [
            {"a": (2, 3), "b": (1, 1)}
        ] * 2
    several = [{"a": a[:2], "b": b}, {"a": a[2:], "b": b}]
    assert make_samples(several, inputs).runs[1]["b"].shape == (2, 1)
    assert make_samples(None, inputs).text == "8 random inputs"
    with pytest.raises(CoreError, match="must be a dict of arrays .* 2 inputs: a, b"):
        make_samples(a, inputs)
    with pytest.raises(CoreError, match="different numbers of inputs"):
        make_samples({"a": a, "b": b[:1]}, inputs)


# How far outputs are off


def trial(expected, found) -> OutputError:
    """As a model that gives its weight."""
    nodes = [Node("w", "Const"), Node("x", "Placeholder"), Node("y", "Identity", ("w",))]
    ends = [Endpoint(name, PartialSpec(None)) for name in ("x", "y")]
    graph = Graph(nodes, {"w": expected}, {"x": ends[0]}, {"y": ends[1]})
    trials = Trials(
        lambda weights: graph._replace(weights={**graph.weights, **weights}),
        Samples([{"x": np.float32([0])}], "1 input"),
    )
    return trials.damage({"w": found}).outputs["y"]


@pytest.mark.parametrize(
    "expected, found, largest, mean",
    [
        ([0, 10, 5], [1, 10, 5], 0.1, 0.1 / 3),
        ([4, 4], [4, 5], 0.25, 0.125),  # a constant has no range
        ([0, 0], [0, 0.5], 0.5, 0.25),
        ([1, np.nan, np.inf], [1, np.nan, np.inf], 0, 0),
        ([1, 2, 3], [1, 2, np.nan], 1, 1 / 3),
        ([1, 2, 3], [1, 2, 3, 4], 1, 1),  # of another shape
    ],
)
def test_errors_are_shares_of_the_range(expected, found, largest, mean):
    error = trial(np.float32(expected), np.float32(found))
    np.testing.assert_allclose((error.max, error.mean), (largest, mean), rtol=1e-6)


def test_integers_count_how_many_differ():
    error = trial(np.int32([0, 20, 5, 7]), np.int32([0, 3, 5, 7]))
    assert error.max == error.mean == 0.25


@pytest.mark.parametrize(
    "expected, found, labels, kept",
    [
        ([[0.5, 0.5], [0.9, 0.1]], [[0.4, 0.6], [0.2, 0.8]], 2, 1),  # of two alike, either is right
        ([[[[0.3, 0.7]]]], [[[[0.1, 0.9]]]], 1, 1),
        ([[3, 4]], [[4, 3]], 0, 0),  # no probabilities
        ([[0.1, 0.2, 0.2]], [[0.3, 0.2, 0.1]], 0, 0),
        ([0.3, 0.7], [0.7, 0.3], 0, 0),  # of no batch
    ],
)
def test_top_labels(expected, found, labels, kept):
    error = trial(np.float32(expected), np.float32(found))
    assert (error.labels, error.labels_kept) == (labels, kept)
    assert (error.lead > 0) == (kept < labels)


@pytest.mark.parametrize(
    "largest, lead, good", [(0.1, 0.1, True), (0.11, 0, False), (0, 0.11, False)]
)
def test_what_is_within_a_tolerance(largest, lead, good):
    damage = Damage({"x": OutputError(0.0, 0.0), "y": OutputError(largest, 0.0, 9, 8, lead)})
    assert damage.within(0.1) is good
    assert damage.labels_lost == (1, 9)


def test_mobilenet_keeps_its_labels(shared, tmp_path):
    """With batch norm in its depthwise kernels it keeps none in uint8, and 37 of 40 in float16."""
    from zoo.catalog.entry import Preprocess
    from zoo.cli.sample_inputs import read_samples
    from zoo.pipeline.image_inputs import ImageInputs
    from zoo.samples import sample_images

    source = shared / "weights" / "mobilenet-v1-025-224-tfjs-layers-float" / "model.json"
    how = Preprocess(fit="crop", divide=127.5, subtract=1.0)
    options = {"samples": ImageInputs(sample_images(), how), "optimise": True}
    with pytest.warns(QuantisationWarning, match=r"uint8 changes .* and 1\d of 18 top labels"):
        small = convert(source, tmp_path / "uint8", quantise="uint8", **options)
    auto = convert(source, tmp_path / "auto", quantise="auto", **options)
    images = read_samples([str(shared / "images" / "photos")])
    runs = make_samples(ImageInputs(images, how), read_web_source(source).graph.inputs).runs
    expected, lost, kept = (labels_of(path, runs) for path in (source, small, auto))
    assert len(expected) >= 30
    assert (lost == expected).mean() <= 0.05
    assert (kept == expected).mean() >= 0.9
    before = sum(array.nbytes for array in read_web_source(source).weights.values())
    assert sum(f.stat().st_size for f in auto.parent.glob("*.bin")) <= 0.4 * before


def labels_of(path, runs) -> np.ndarray:
    model = load_model(path)
    outputs = [next(iter(model.predict(run).values())).numpy() for run in runs]
    return np.concatenate([values.argmax(axis=1) for values in outputs])
