"""ml5's metadata beside a model: labels, smallest and largest values."""

import json
import zipfile

import numpy as np
import pytest

import core
from core.converter import convert, read_graph
from core.converter.ml5 import Ml5Classes, Ml5Numbers, Ml5Value
from tests.core.converter.ml5_models import CLASSES, NUMBERS, write_ml5
from tests.core.converter.teachable_bundles import zip_of
from weights_cache.common.errors import WeightsError


def test_classes(tmp_path):
    folder = write_ml5(tmp_path / "mine", CLASSES)
    for path in (folder, folder / "model.json"):
        meta = read_graph(path).metadata
        assert type(meta) is Ml5Classes
        assert meta.is_normalized and meta.outputs[0].choices == ("red-ish", "blue-ish")
        assert meta.inputs == (
            Ml5Value("r", 0.0, 255.0, ()),
            Ml5Value("g", 10.0, 250.0, ()),
            Ml5Value("shade", 0.0, 1.0, ("light", "dark")),
        )


def test_numbers_and_other_names(tmp_path):
    folder = write_ml5(tmp_path / "mine", NUMBERS, name="price")
    meta = read_graph(folder / "price.json").metadata
    assert type(meta) is Ml5Numbers
    assert meta.outputs == (Ml5Value("price", 100.0, 900.0, ()), Ml5Value("days", 1.0, 60.0, ()))


def test_whole_numbers_as_labels(tmp_path):
    """The vector says which output a label is of, not the order, which JavaScript changes."""
    document = json.loads(json.dumps(CLASSES))
    document["outputs"]["label"]["legend"] = {"1": [0, 1], "2": [1, 0]}
    meta = read_graph(write_ml5(tmp_path, document)).metadata
    assert meta.outputs[0].choices == ("2", "1")


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda d: d["inputs"].pop("r"), "describes 3 numbers in and 2 out, the network takes"),
        (lambda d: d["inputs"].clear(), "inputs or outputs are not named"),
        (lambda d: d.update(outputs=[]), "inputs or outputs are not named"),
        (lambda d: d["inputs"].update(r=3), "an input or output is not described"),
        (lambda d: d["inputs"]["r"].update(max="x"), "min and max of 'r' are 0 and 'x'"),
        (lambda d: d["inputs"]["r"].update(max=float("inf")), "min and max of 'r' are 0 and inf"),
        (lambda d: d["inputs"]["r"].update(max=True), "min and max of 'r' are 0 and True"),
        (lambda d: d["inputs"]["r"].update(max=10**400), "min and max of 'r'"),
        (lambda d: d["outputs"]["label"].pop("legend"), "'label' has no legend"),
        (lambda d: d["outputs"]["label"]["legend"].update(x=[1]), "gives 'red-ish' as"),
        (
            lambda d: d["outputs"]["label"]["legend"].update({"blue-ish": [1, 0]}),
            "gives two texts alike",
        ),
    ],
)
def test_what_is_refused(change, words, tmp_path):
    document = json.loads(json.dumps(CLASSES))
    change(document)
    with pytest.raises(WeightsError, match=words):
        read_graph(write_ml5(tmp_path, document))


@pytest.mark.parametrize(
    "document",
    [
        {"labels": ["a"]},
        [],
        {**CLASSES, "inputs": {"image": {"dtype": "array", "min": 0, "max": 255}}},
        {**NUMBERS, "outputs": {**NUMBERS["outputs"], **CLASSES["outputs"]}},
    ],
)
def test_what_is_left_out(document, tmp_path):
    assert read_graph(write_ml5(tmp_path, document)).metadata is None


def test_damaged_ones(tmp_path):
    folder = write_ml5(tmp_path / "mine", CLASSES)
    (folder / "model_meta.json").write_text('{"inputUnits": ')
    with pytest.raises(WeightsError, match="model_meta.json is not a readable JSON document"):
        read_graph(folder)
    (folder / "model_meta.json").write_bytes(b" " * (2**20 + 1))
    with pytest.raises(WeightsError, match="model_meta.json is larger than"):
        read_graph(folder)


def test_conversion_leaves_it_out(tmp_path):
    convert(write_ml5(tmp_path / "mine", CLASSES), tmp_path / "web")
    assert read_graph(tmp_path / "web").metadata is None


@pytest.mark.parametrize("inside", ["", "mine/"])
@pytest.mark.parametrize("name", ["model", "price", "my model"])
def test_zips_of_the_files(name, inside, tmp_path):
    """As users make them of what the browser downloaded, also on macOS."""
    path = zip_of(write_ml5(tmp_path / "mine", NUMBERS, name=name), inside)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("__MACOSX/._model.json", "x")
        archive.writestr(f"{inside}.{name}.json", "x")
    assert type(read_graph(path).metadata) is Ml5Numbers
    folder = tmp_path / "mine"
    ours, theirs = (core.load_model(each) for each in (path, folder / f"{name}.json"))
    row = np.float32([[0.5, 0.25]])
    assert [each.numpy().tolist() for each in ours.predict(row).values()] == [
        each.numpy().tolist() for each in theirs.predict(row).values()
    ]
    layers = core.load_layers_model(path)
    assert layers.predict(row).numpy().shape == (1, 2)
    convert(path, tmp_path / "web")
    (found,) = core.load_model(tmp_path / "web").predict(row).values()
    np.testing.assert_array_equal(found.numpy(), layers.predict(row).numpy())


def test_zips_of_other_files(tmp_path):
    folder = write_ml5(tmp_path / "mine", CLASSES, name="one")
    write_ml5(folder, CLASSES, name="two")
    with pytest.raises(WeightsError, match=r"one\.json and two\.json are models: give the path"):
        read_graph(zip_of(folder))
    folder = write_ml5(tmp_path / "damaged", CLASSES)
    (folder / "model_meta.json").write_text('{"inputs": ')
    with pytest.raises(WeightsError) as error:
        read_graph(zip_of(folder))
    assert str(tmp_path / "damaged.zip") in str(error.value) and "/zoo-" not in str(error.value)
    (folder / "model_meta.json").unlink()
    next(folder.glob("*.bin")).unlink()
    with pytest.raises(WeightsError, match=r"holds no .*\.bin"):
        read_graph(zip_of(folder))
