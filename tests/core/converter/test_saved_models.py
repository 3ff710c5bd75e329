"""SavedModels: TensorFlow's own give what it computes, and damaged ones say what is wrong."""

import importlib.util
import shutil
import subprocess
import sys

import numpy as np
import pytest

from core.converter.formats import load_model
from core.converter.saved_model import read_saved_model
from core.graph_model.graph_model import GraphModel
from tests.conftest import ROOT
from tests.core.converter.fuzz import documents
from tests.core.converter.fuzz.files import saved_model, write_saved
from tests.core.converter.tensorflow_runs import (
    FROZEN,
    archived_runs,
    check_run,
    runs_of,
    unpack,
)
from tests.helpers import skip_or_fail
from weights_cache.common.errors import WeightsError

SAVED = [run for run in archived_runs() if run.model not in FROZEN]


@pytest.mark.parametrize("run", SAVED, ids=str)
def test_what_tensorflow_computes(run, tmp_path):
    unpack(tmp_path, run.model)
    check_run(tmp_path, run)


def test_what_the_installed_tensorflow_writes(tmp_path):
    """The same models, written now, in a process of TensorFlow's own."""
    if importlib.util.find_spec("tensorflow") is None:
        skip_or_fail("TensorFlow is not installed (pip install -e '.[oracle]')")
    command = [sys.executable, "-m", "tests.core.converter.tensorflow_oracle", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    runs = runs_of([file.name for file in tmp_path.glob("*.npz")])
    assert runs == archived_runs()
    for run in runs:
        check_run(tmp_path, run)


def test_inputs_and_outputs_are_those_of_the_signature(tmp_path):
    folder = unpack(tmp_path, "module")
    graph = read_saved_model(folder)
    assert {name: e.spec for name, e in graph.inputs.items()} == {
        "a": ((None, None), "float32"),
        "b": ((None, None), "float32"),
    }
    assert list(graph.outputs) == ["a", "indices", "left", "right", "values"]
    assert graph.outputs["indices"].spec.dtype == "int32"
    loop = read_saved_model(folder, "loop")
    assert loop.inputs["n"].spec == ((), "int32")
    assert sorted(loop.functions) and {n.type for n in loop.nodes} >= {"While"}
    assert loop.weights["w_1"].shape == (3, 3)


def test_lengths_that_the_placeholder_leaves_open(tmp_path):
    arrays = documents.weights(np.random.default_rng(3))
    folder = write_saved(tmp_path, arrays)
    document = documents.saved_graph(arrays)
    (image,) = (node for node in document["node"] if node["name"] == "image")
    image["attr"]["shape"] = documents.extent(-1, -1, documents.SIDE, 3)
    (folder / "saved_model.pb").write_bytes(saved_model(document, arrays))
    model = GraphModel(read_saved_model(folder))
    assert model.inputs["image"].shape == (None, None, documents.SIDE, 3)
    scores = model.predict(np.ones((1, 12, documents.SIDE, 3), np.float32))["scores"]
    assert scores.shape == (1, documents.CLASSES)


def test_variables_are_constants_and_calls_are_gone(tmp_path):
    graph = read_saved_model(unpack(tmp_path, "export"))
    types = {n.type for n in graph.nodes}
    assert not types & {"VarHandleOp", "ReadVariableOp", "StatefulPartitionedCall", "Identity"}
    model = GraphModel(graph)
    assert model.inputs["image"].shape == (None, 8, 8, 3)
    scores = model.predict(np.ones((5, 8, 8, 3), np.float32))["output_0"]
    np.testing.assert_allclose(scores.numpy().sum(1), 1, rtol=1e-5)


def test_tables_belong_to_the_initializer(tmp_path):
    graph = read_saved_model(unpack(tmp_path, "lines"))
    assert graph.initializer is not None and len(graph.resources) == 2
    weights = graph.initializer.weights
    filled = [weights[f"{name}/keys"].tolist() for name in graph.resources]
    assert [b"the", b"owl", b"shark"] in filled and sorted(map(len, filled)) == [2, 3]


def test_unknown_signature_or_tag(tmp_path):
    folder = unpack(tmp_path, "module")
    with pytest.raises(
        WeightsError, match=r"no signature 'run', only \['branch', 'embed', 'lookup', 'loop'"
    ):
        read_saved_model(folder, "run")
    with pytest.raises(WeightsError, match=r"no graph has the tag 'train'.*\[\['serve'\]\]"):
        read_saved_model(folder, tag="train")


def test_a_signature_is_chosen_by_name(tmp_path):
    """The path of ``saved_model.pb`` stands for its folder."""
    folder = unpack(tmp_path, "module")
    arrays = np.load(unpack(tmp_path, "module@loop.npz"))
    for path in (folder, folder / "saved_model.pb"):
        model = load_model(path, signature="loop")
        assert sorted(model.inputs) == ["n", "x"] and sorted(model.outputs) == ["count", "y"]
        found = model.predict({"n": arrays["in n"], "x": arrays["in x"]})["y"].numpy()
        np.testing.assert_allclose(found, arrays["out y"], rtol=1e-5)
        assert sorted(load_model(path).inputs) == ["a", "b"]
        for unknown in ("run", ""):
            with pytest.raises(
                WeightsError, match="only .*'loop'.*: give one of them as signature="
            ):
                load_model(path, signature=unknown)


def test_a_signature_without_the_usual_one(tmp_path):
    folder = unpack(tmp_path, "simple")
    path = folder / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"serving_default", b"of_tensorflow_1"))
    with pytest.raises(
        WeightsError, match=r"no signature 'serving_default', only \['of_tensorflow_1'\]: give .*="
    ):
        load_model(folder)
    assert list(load_model(folder, signature="of_tensorflow_1").inputs) == ["x"]


def test_other_models_have_no_signatures(tmp_path):
    unpack(tmp_path, "lowered")
    with pytest.raises(WeightsError, match="is not a SavedModel, so it has no signature 'x'"):
        load_model(tmp_path / "lowered.pb", signature="x")


@pytest.mark.parametrize(
    "model, file, message",
    [
        ("export", "saved_model.pb", "No such file"),
        ("export", "variables", "variables.index: No such file"),
        ("export", "variables/variables.index", "variables.index: No such file"),
        (
            "export",
            "variables/variables.data-00000-of-00001",
            "export: No such file or directory: .*variables.data-00000-of-00001",
        ),
        ("lines", "assets/words.txt", "words.txt: No such file"),
    ],
)
def test_missing_files(model, file, message, tmp_path):
    folder = unpack(tmp_path, model)
    missing = folder / file
    shutil.rmtree(missing) if missing.is_dir() else missing.unlink()
    with pytest.raises(WeightsError, match=message):
        read_saved_model(folder)


def test_an_asset_lies_among_the_assets(tmp_path):
    folder = unpack(tmp_path, "lines")
    path = folder / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"\x12\x09words.txt", b"\x12\x09../wo.txt"))
    with pytest.raises(WeightsError, match=r"'\.\./wo\.txt' of a hash table is not an asset of"):
        read_saved_model(folder)


def test_what_is_no_text_file(tmp_path):
    folder = unpack(tmp_path, "lines")
    (folder / "assets" / "words.txt").write_bytes(b"the\nowl")
    words = GraphModel(read_saved_model(folder)).predict(np.array(["owl", "shark"], object))
    assert words["places"].numpy().tolist() == [1, -1]


def test_a_flipped_bit_of_the_variables_is_found(tmp_path, rng):
    """Or changes nothing: parts of the index are padding."""
    folder = unpack(tmp_path, "simple")
    expected = read_saved_model(folder).weights
    unseen = 0
    for name in ("variables.index", "variables.data-00000-of-00001"):
        path = folder / "variables" / name
        whole = path.read_bytes()
        for at in rng.integers(0, len(whole), 30):
            spoiled = bytearray(whole)
            spoiled[at] ^= 1 << int(rng.integers(0, 8))
            path.write_bytes(spoiled)
            try:
                found = read_saved_model(folder).weights
            except WeightsError:
                continue
            unseen += 1
            assert "index" in name and found.keys() == expected.keys()
            assert all((found[key] == expected[key]).all() for key in found)
        path.write_bytes(whole)
    assert unseen < 15


def test_the_checkpoint_of_another_model(tmp_path):
    simple, export = unpack(tmp_path, "simple"), unpack(tmp_path, "export")
    shutil.rmtree(simple / "variables")
    shutil.copytree(export / "variables", simple / "variables")
    with pytest.raises(WeightsError, match="the checkpoint has no"):
        read_saved_model(simple)
