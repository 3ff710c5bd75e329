"""``zoo convert``: what it writes, prints and returns."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from core.converter.accuracy_loss import TOLERANCE
from core.converter.class_labels import Pixels
from core.converter.web_writer import write_web
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from tests.core.converter.labelled_models import write_export, write_keras
from tests.core.converter.teachable_bundles import write_bundle
from tests.core.converter.test_keras_files import topology, write_h5
from weights_cache import StoredArray, load_web_model
from zoo.cli import main
from zoo.pipeline.image_inputs import ImageInputs


def run(capsys, *arguments) -> tuple[int, str, list[str]]:
    """Exit status, stdout, and the lines of stderr."""
    try:
        status = main(["convert", *map(str, arguments)])
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    return status, out, err.splitlines()


@pytest.fixture
def model(tmp_path, rng):
    weights = {name: rng.normal(size=(3, 3)).astype(np.float32) for name in ("a/w", "b/w")}
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("h", "MatMul", ("x", "a/w")),
        Node("s", "Identity", ("h",)),
        Node("y", "MatMul", ("s", "b/w")),
    ]
    inputs = {"x": Endpoint("x", PartialSpec((None, 3)))}
    graph = Graph(nodes, weights, inputs, {"y": Endpoint("y", PartialSpec((None, 3)))})
    return write_web(graph, tmp_path / "model")


def kinds(folder) -> dict[str, str]:
    stored = load_web_model(folder).stored
    return {
        name: (a.values if isinstance(a, StoredArray) else a).dtype.name
        for name, a in stored.items()
    }


def test_it_writes_and_says_where(capsys, model, tmp_path):
    status, out, err = run(capsys, model, tmp_path / "new")
    path = tmp_path / "new" / "model.json"
    assert (status, out, err) == (0, f"{path}: 1 kB\n", [])
    assert kinds(path) == {"a/w": "float32", "b/w": "float32"}
    nodes = json.loads(path.read_text())["modelTopology"]["node"]
    assert "Identity" in {node["op"] for node in nodes}


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["uint8"], {"a/w": "uint8", "b/w": "uint8"}),
        (["uint16", "a*=float16"], {"a/w": "float16", "b/w": "uint16"}),
        (["b*=uint8"], {"a/w": "float32", "b/w": "uint8"}),
        (["a*=float32", "uint8"], {"a/w": "float32", "b/w": "uint8"}),
    ],
)
def test_quantisation(capsys, model, tmp_path, arguments, expected):
    options = [f"--quantise={text}" for text in arguments]
    assert run(capsys, model, tmp_path / "new", *options)[0] == 0
    assert kinds(tmp_path / "new") == expected


def test_optimise_and_outputs(capsys, model, tmp_path):
    run(capsys, model, tmp_path / "new", "--optimise", "--output", "h")
    nodes = json.loads((tmp_path / "new" / "model.json").read_text())["modelTopology"]["node"]
    assert {node["name"] for node in nodes} == {"x", "a/w", "h"}


def test_the_report(capsys, model):
    status, out, err = run(capsys, model, "--dry-run")
    assert (status, err) == (0, [])
    assert "6 nodes, 18 parameters" in out
    assert out.count("\n") > 6
    assert out.endswith("not measured: measuring runs the model: give --measure\n")
    status, out, err = run(capsys, model, "--dry-run", "--json", "--quantise", "uint8")
    report = json.loads(out)
    assert report["sizes"]["as requested"] == report["sizes"]["uint8"] == 18


def test_a_report_of_what_cannot_be_written(capsys, model):
    model.write_text(model.read_text().replace('"Identity"', '"Magic"'))
    status, out, err = run(capsys, model, "--dry-run")
    assert status == 1
    assert "not in TensorFlow.js: Magic (s)" in out
    assert err == ["zoo: TensorFlow.js has not these node types: Magic"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing", "new"], "there is no file or folder nothing"),
        (["model", "model"], "holds the source itself"),
        (["model"], "give the folder or the .onnx file to write as OUT, or --dry-run"),
        (["model", "new", "--json"], "--json is for the report"),
        (["model", "new", "--quantise", "int4"], "no quantisation is called 'int4'"),
        (["model", "new", "--quantise", "c*=uint8"], "the pattern 'c*' matches no weight"),
        (["model", "new", "--quantise", "a=uint8", "--quantise", "a=uint16"], "names 'a' twice"),
        (["model", "new", "--format", "keras"], "--format 'keras' is unknown: give one of auto"),
        (["model", "new", "--signature", "s"], "not a SavedModel"),
        ([], "the following arguments are required: IN"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, model, monkeypatch, arguments, message):
    monkeypatch.chdir(model.parent.parent)
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("zoo: ")
    assert message in err[0]
    assert not (model.parent.parent / "new").exists()


def test_an_old_model_is_kept_unless_told_otherwise(capsys, model, tmp_path):
    run(capsys, model, tmp_path / "new")
    status, _, err = run(capsys, model, tmp_path / "new", "--quantise", "uint8")
    assert status == 2
    assert "there is a model in" in err[0]
    assert kinds(tmp_path / "new")["a/w"] == "float32"
    assert run(capsys, model, tmp_path / "new", "--quantise", "uint8", "--overwrite")[0] == 0
    assert kinds(tmp_path / "new")["a/w"] == "uint8"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing"], "there is no file or folder nothing"),
        (["nothing", "model"], "there is no file or folder nothing"),
        (["nothing", "new", "--json"], "there is no file or folder nothing"),
        (["model", "old"], "give another folder, or --overwrite"),
        (["model", "old", "--dry-run"], "give another folder, or --overwrite"),
        (["model", "model", "--dry-run"], "holds the source itself"),
        (["model", "new", "--quantise", "=uint8"], "'=uint8' lacks the pattern"),
        (["model", "new", "--format", "layers"], "omit --format 'layers' to write"),
        (["model", "--dry-run", "--format", "layers"], "omit --format 'layers' to write"),
        (["model", "new", "--output", "nothing"], "zoo: there is no output or"),
        (
            ["model", "--dry-run", "--output", "nothing"],
            "zoo: there is no output or",
        ),
        (["magic", "new"], "name --output before them"),
        (["magic.h5", "new"], "these classes of layers are not supported: Magic"),
    ],
)
def test_errors_speak_of_options(capsys, model, monkeypatch, arguments, message):
    monkeypatch.chdir(model.parent.parent)
    run(capsys, "model", "old")
    run(capsys, "model", "magic")
    magic = Path("magic/model.json")
    magic.write_text(magic.read_text().replace('"Identity"', '"Magic"'))
    text = json.dumps(topology()).replace('"Dense"', '"Magic"')
    write_h5(Path("magic.h5"), model=json.loads(text))
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert message in err[0]
    assert "overwrite=" not in err[0] and "outputs=" not in err[0] and "format=" not in err[0]
    assert not Path("new").exists()


# Quantisation that is measured


@pytest.fixture
def classifier(tmp_path, rng):
    """Of images 4 x 4; steps of its largest weight swallow the others."""
    weights = {
        "w": (rng.normal(size=(48, 6)) * np.float32([4000, 1, 1, 1, 1, 1])).astype(np.float32),
        "scale": np.float32([1 / 4000, 1, 1, 1, 1, 1]),
        "shape": np.int32([-1, 48]),
    }
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("flat", "Reshape", ("x", "shape")),
        Node("h", "MatMul", ("flat", "w")),
        Node("scaled", "Mul", ("h", "scale")),
        Node("y", "Softmax", ("scaled",)),
    ]
    inputs = {"x": Endpoint("x", PartialSpec((None, 4, 4, 3)))}
    graph = Graph(nodes, weights, inputs, {"y": Endpoint("y", PartialSpec((None, 6)))})
    return write_web(graph, tmp_path / "classifier")


def test_damage_is_a_line_before_the_model_is_written(capsys, classifier, tmp_path):
    status, out, err = run(capsys, classifier, tmp_path / "new", "--quantise", "uint8")
    assert (status, len(err)) == (0, 1)
    assert re.fullmatch(
        r"zoo: uint8 changes the outputs by up to \d+ % of their range and \d+ of 18 top labels "
        r"\(measured on 18 sample images, pixels from 0 to 1 as a guess: see --range\); "
        r"--quantise auto keeps them within 5 %",
        err[0],
    )
    assert kinds(tmp_path / "new")["w"] == "uint8"
    assert out.startswith(f"{tmp_path / 'new' / 'model.json'}: ")


def test_auto_keeps_the_outputs_and_says_so(capsys, classifier, tmp_path):
    status, _, err = run(capsys, classifier, tmp_path / "new", "--quantise", "auto")
    assert (status, len(err)) == (0, 1)
    assert "bytes of weights, before 1,184 (" in err[0]
    assert "% of their range and none of 18 top labels (18 sample images, " in err[0]
    assert kinds(tmp_path / "new")["w"] == "float16"
    run(capsys, classifier, tmp_path / "b", "--quantise", "auto", "--tolerance", "1e-6")
    assert kinds(tmp_path / "b")["w"] == "float32"
    status, _, err = run(capsys, classifier, tmp_path / "c", "--quantise=w=auto")
    assert kinds(tmp_path / "c")["w"] == "float16" and len(err) == 1


def test_images_and_ranges_of_ones_own(capsys, classifier, tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for name, colour in (("a.png", "red"), ("b.jpg", "navy"), ("c.webp", "white")):
        Image.new("RGB", (9, 7), colour).save(folder / name)
    (folder / "notes.txt").write_text("")
    given = ["--quantise=uint8", "--samples", folder, folder / "a.png", "--range", -1, 1]
    _, _, err = run(capsys, classifier, tmp_path / "new", *given)
    assert err[0].endswith("images: skipped 1 other file (.txt)")
    assert "(measured on 4 images, pixels from -1 to 1)" in err[1]
    report = json.loads(run(capsys, classifier, "--dry-run", "--measure", "--json", *given[1:])[1])
    assert report["samples"] == "4 images, pixels from -1 to 1"
    assert report["errors"]["uint8"]["y"]["labels"] == 4


def test_a_model_of_no_images_is_measured_on_random_inputs(capsys, model, tmp_path):
    _, _, err = run(capsys, model, tmp_path / "new", "--quantise=uint8", "--tolerance=1e-6")
    assert "(measured on 8 random inputs)" in err[0]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--samples", "a.png"], "are for --quantise or --dry-run --measure"),
        (["--dry-run", "--samples", "a.png"], "are for --measure: give it, too"),
        (["--dry-run", "--quantise=auto"], "--quantise auto runs the model .* also give --measure"),
        (["--measure"], "--measure is for the report: give --dry-run, too"),
        (["--quantise=uint8", "--range", "1", "0"], "--range 1 0 must be a lower and a higher"),
        (["--quantise=auto", "--tolerance", "2"], "--tolerance 2.0 is not a share of an output's"),
        (["--quantise=auto", "--samples", "nothing.png"], "nothing.png"),
        (["--quantise=auto", "--samples", "empty"], "there are no images in 'empty'"),
    ],
)
def test_wrong_samples_are_one_line(capsys, classifier, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    status, out, err = run(capsys, "classifier", "new", *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert re.search(message, err[0])
    assert not Path("new").exists()


def test_images_for_a_model_that_takes_none(capsys, model, tmp_path):
    Image.new("RGB", (9, 7)).save(tmp_path / "a.png")
    given = ["--quantise=auto", "--samples", tmp_path / "a.png"]
    status, _, err = run(capsys, model, tmp_path / "new", *given)
    assert status == 2
    assert "need a model with one input of shape [1, height, width, 3], this one has" in err[0]


def test_the_help_names_the_default_tolerance(capsys):
    _, out, _ = run(capsys, "--help")
    assert f"(default: {TOLERANCE})" in " ".join(out.split())


# Names of models


def test_a_name_is_converted(capsys, tmp_path):
    status, _, err = run(capsys, "posenet.tiny", tmp_path / "new")
    assert (status, err) == (0, [])
    x = np.random.default_rng(1).random((1, 33, 33, 3), np.float32)
    found, expected = (m.predict(x) for m in (zoo.load(tmp_path / "new"), zoo.load("posenet.tiny")))
    assert list(found) == list(expected)
    for name, tensor in expected.items():
        np.testing.assert_allclose(found[name].numpy(), tensor.numpy(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", ["hands.lite", "mobilenet.v1_025", "faceapi.landmark68_tiny"])
def test_names_lead_to_their_files(capsys, shared, tmp_path, monkeypatch, name):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    assert run(capsys, name, tmp_path / "new")[0] == 0
    with zoo.load(name) as model, zoo.load(tmp_path / "new") as converted:
        shapes = [next(iter(m.inputs.values())).shape for m in (model, converted)]
        assert shapes[0][1:] == shapes[1][1:]


def test_a_name_without_weights_says_what_to_type(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    status, _, err = run(capsys, "hands.lite", tmp_path / "new")
    assert (status, len(err)) == (2, 3)
    assert "hands.lite" in err[0] and "zoo weights fetch hands.lite" in err[1]


def test_a_name_that_comes_close(capsys, tmp_path):
    status, _, err = run(capsys, "hands.light", tmp_path / "new")
    assert status == 2
    expected = "zoo: there is no file, folder or model 'hands.light': did you mean 'hands.lite'?"
    assert err == [expected]


def test_names_of_files_are_refused(capsys, model, tmp_path):
    for more in ([], ["--dry-run"]):
        status, _, err = run(capsys, model, tmp_path / "x.keras", *more)
        assert (status, len(err)) == (2, 1)
        assert "x.keras: the result is not a .keras file but a folder with model.json" in err[0]
    assert not (tmp_path / "x.keras").exists()


def test_a_dry_run_keeps_the_format(capsys, tmp_path):
    folder = write_bundle(tmp_path / "bundle")
    kept = json.loads(run(capsys, folder, "--dry-run", "--json")[1])
    graph = json.loads(run(capsys, folder, "--dry-run", "--json", "--format", "graph")[1])
    assert (kept["format"], graph["format"]) == ("layers", "graph")
    assert kept["types"]["Dense"] == 2


@pytest.mark.parametrize(
    "make, said",
    [
        (write_bundle, "pixels from -1 to 1.01, as the file says"),
        (write_export, "pixels from -1 to 1, as the file says"),
        (
            lambda folder: write_keras(folder / "own.h5"),
            "pixels from 0 to 1 as a guess: see --range",
        ),
    ],
)
def test_a_classifier_is_measured_in_its_own_range(make, said, capsys, tmp_path):
    """And a range that is assumed is told, also where nothing else is."""
    path = make(tmp_path / "given")
    report = run(capsys, path, "--dry-run", "--measure", "--json")[1]
    assert json.loads(report)["samples"] == f"18 sample images, {said}"
    status, _, err = run(capsys, path, tmp_path / "new", "--quantise=float16")
    assert (status, len(err)) == (0, int("guess" in said))
    assert all(line.endswith(f"(18 sample images, {said})") for line in err)
    _, _, err = run(capsys, path, tmp_path / "a", "--quantise=auto", "--range", "0", "255")
    assert "(18 sample images, pixels from 0 to 255)" in err[0]


def test_means_of_channels_are_those_of_the_file(tmp_path):
    image = np.full((4, 4, 3), (255, 0, 100), np.uint8)
    pixels = Pixels((100.0, 50.0, 0.0), (50.0, 25.0, 100.0))
    inputs = {"x": Endpoint("x", PartialSpec((1, 4, 4, 3)))}
    samples = ImageInputs([image], pixels=pixels)(inputs)
    np.testing.assert_allclose(samples.runs[0]["x"][0, 0, 0], [3.1, -2, 1], rtol=1e-6)
    assert samples.text == "1 sample images, pixels from -2 to 8.2, as the file says"
