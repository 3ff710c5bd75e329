"""Keras's files: what h5py writes is read to the bit, and what is no model is refused in words."""

import importlib.util
import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from core.converter.formats import read_graph
from core.converter.keras_files.hdf5 import open_hdf5
from core.converter.layer_files import read_document
from core.errors import KernelNotFound
from core.graph_model.graph_model import GraphModel
from core.models.model_files import load_layers_model
from tests.conftest import ROOT
from tests.helpers import require, skip_or_fail
from weights_cache.common.errors import WeightsError
from weights_cache.reading_budgets import BudgetError, reading_budget

h5py = require("h5py")

DENSE = {"name": "dense", "units": 2, "activation": "linear", "use_bias": True}


def topology(class_name="Dense", config=DENSE):
    inputs = {"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "name": "x"}}
    layers = [inputs, {"class_name": class_name, "config": config}]
    return {"class_name": "Sequential", "config": {"name": "model", "layers": layers}}


KERNEL = np.arange(6, dtype=np.float32).reshape(3, 2)
BIAS = np.float32([1, -1])


def write_h5(
    path, *, kernel=KERNEL, model=None, names=("dense/kernel", "dense/bias"), **attributes
):
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(model or topology())
        for key, value in attributes.items():
            file.attrs[key] = value
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = ["x", "dense"]
        group.create_group("x").attrs["weight_names"] = []
        dense = group.create_group("dense")
        dense.attrs["weight_names"] = list(names)
        if kernel is not None:
            dense["dense/kernel"] = kernel
        dense["dense/bias"] = BIAS
    return path


def weights_file(values=(KERNEL, BIAS), group="layers/dense/vars") -> bytes:
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        for i, value in enumerate(values):
            file[f"{group}/{i}"] = value
        file.create_group("optimizer/vars")["0"] = np.int64(7)
    return data.getvalue()


def write_archive(path, *, model=None, compression=zipfile.ZIP_STORED, kernel=KERNEL, **changes):
    members = {
        "metadata.json": '{"keras_version": "3.9.0"}',
        "config.json": json.dumps(model or topology()),
        "model.weights.h5": weights_file((kernel, BIAS)),
    } | changes
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            if data is not None:
                archive.writestr(name, data)
    return path


def predictions(path) -> list[float]:
    (output,) = GraphModel(read_graph(path)).predict(np.float32([[1, 2, 3]])).values()
    return output.numpy()[0].tolist()


EXPECTED = (np.float32([1, 2, 3]) @ KERNEL + BIAS).tolist()


# --- HDF5 against h5py --------------------------------------------------------------------------


def written(fill, **options):
    data = io.BytesIO()
    with h5py.File(data, "w", **options) as file:
        fill(file)
    return data.getvalue()


STORAGE = [
    {},
    {"chunks": True},
    {"chunks": True, "compression": "gzip"},
    {"chunks": True, "compression": "gzip", "shuffle": True, "fletcher32": True},
    {"chunks": True, "shuffle": True},
]


@pytest.mark.parametrize("options", STORAGE, ids=lambda o: "-".join(map(str, o)) or "plain")
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "f8", "f2", "i1", "u2", "<i8", ">i4", "?"])
def test_arrays_are_read_to_the_bit(dtype, options, rng):
    arrays = {
        f"{len(shape)} axes": rng.uniform(-9, 9, shape).astype(dtype)
        for shape in [(1,), (1000,), (7, 9), (3, 3, 5, 6), (2, 0, 3)]
        if options == {} or 0 not in shape
    }

    def fill(file):
        for name, array in arrays.items():
            file.create_dataset(f"group/{name}", data=array, **options)

    root = open_hdf5(written(fill))
    for name, array in arrays.items():
        found = root.get(f"group/{name}").array()
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("shape, chunks", [((7, 9), (3, 4)), ((100,), (7,)), ((2, 3), (2, 3))])
def test_chunks_that_reach_over_the_border(shape, chunks, rng):
    array = rng.normal(size=shape)
    data = written(lambda f: f.create_dataset("a", data=array, chunks=chunks, compression=9))
    np.testing.assert_array_equal(open_hdf5(data).get("a").array(), array)


@pytest.mark.parametrize("options", [{}, {"libver": ("v108", "v108")}, {"libver": "latest"}])
def test_attributes_and_groups(options):
    attributes = {
        "text": "größe",
        "empty": "",
        "long": "x" * 70_000,
        "fixed": np.bytes_("fixed"),
        "texts": ["a", "bb", "c"],
        "numbers": np.arange(3.0),
    }

    def fill(file):
        for name, value in attributes.items():
            file.attrs[name] = value
        file.attrs.create("fixed texts", np.array([b"a", b"bb"]))
        for i in range(8 if options else 300):
            file.create_dataset(f"group/member {i}", data=np.float32(i))

    root = open_hdf5(written(fill, **options))
    for name, value in {**attributes, "fixed": "fixed", "fixed texts": ["a", "bb"]}.items():
        np.testing.assert_array_equal(root.attribute(name), value)
    assert root.attribute("none of that name") is None
    group = root.get("group")
    assert len(group.children) == (8 if options else 300)
    assert group.get("member 7").array() == 7
    assert group.get("member 301") is None and root.get("nowhere/at all") is None


def external(file):
    file.create_dataset("a", (4,), "f4", external=[("/etc/hostname", 0, 16)])


def virtual(file):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "a", (4,))
    file.create_virtual_dataset("a", layout)


def claiming(file):
    file.create_dataset("a", (10**6, 10**6), "f4", chunks=(10, 10), fillvalue=1.0)


def never_written(file):
    file.create_dataset("a", (3,), "f4")


@pytest.mark.parametrize(
    "fill, message",
    [
        (external, "in another file"),
        (virtual, "layout 3"),
        (claiming, r"\(1000000, 1000000\) claims 4000000000000 bytes"),
        (lambda f: f.create_dataset("a", (15, 15), "f4", chunks=(3, 3)), "0 of the 25 chunks"),
        (never_written, "holds 0 bytes, needs 12|holds 12 bytes"),
        (lambda f: f.create_dataset("a", data=["text"]), "array of texts"),
        (lambda f: f.create_dataset("a", (1,), h5py.ref_dtype), "type class 7"),
        (lambda f: f.create_dataset("a", (1,), h5py.vlen_dtype("f4")), "type class 9"),
        (lambda f: f.create_dataset("a", (1,), np.dtype([("x", "f4")])), "type class 6"),
        (lambda f: f.create_dataset("a", (1,), "c8"), "type class 6"),
        (lambda f: f.create_dataset("a", (9,), "f4", compression="lzf"), "filter 32000"),
        (lambda f: f.create_group("a"), "0 messages of type 1"),
    ],
)
def test_arrays_that_are_refused(fill, message):
    root = open_hdf5(written(fill))
    with pytest.raises(ValueError, match=message):
        root.get("a").array()


def test_links_to_other_places_lead_nowhere():
    def fill(file):
        file["soft"] = h5py.SoftLink("/a")
        file["external"] = h5py.ExternalLink("other.h5", "/a")
        file["a"] = np.ones(2)

    assert set(open_hdf5(written(fill)).children) == {"a"}


def test_a_group_in_itself_is_no_endless_loop():
    def fill(file):
        file["again"] = file["/"]
        file["a"] = np.ones(2)

    path = "/".join(["again"] * 50)
    assert open_hdf5(written(fill)).get(f"{path}/a").array().tolist() == [1, 1]


def many_links(file):
    for i in range(20):
        file.create_group(str(i))


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "not an HDF5 file"),
        (b"\x89HDF\r\n\x1a\n", "outside of 8 bytes"),
        (b"\x89HDF\r\n\x1a\n\x04" + bytes(90), "version 4"),
        (written(many_links, libver="latest"), "unsupported form: save it again"),
        (written(many_links, userblock_size=512), "not an HDF5 file"),
    ],
)
def test_files_that_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        _ = open_hdf5(data).children


def test_a_b_tree_that_leads_back():
    data = bytearray(written(many_links))
    place = data.index(b"TREE")
    data[place + 5] = 1  # an inner node, whose first child is itself
    data[place + 32 : place + 40] = place.to_bytes(8, "little")
    with pytest.raises(ValueError, match="leads back to itself"):
        _ = open_hdf5(bytes(data)).children


def test_a_text_that_is_referred_to_too_often():
    """A few bytes each would make gigabytes of copies."""

    def fill(file):
        file.attrs["texts"] = ["x" * 200_000, *["y"] * 3000]

    data = bytearray(written(fill))
    first = next(i for i in range(len(data)) if data[i : i + 4] == (200_000).to_bytes(4, "little"))
    data[first : first + 16 * 3001] = data[first : first + 16] * 3001
    with pytest.raises(BudgetError, match="the texts of the file"), reading_budget("a.h5"):
        open_hdf5(bytes(data)).attribute("texts")


# --- models -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", ">f4"])
def test_h5(tmp_path, dtype):
    path = write_h5(tmp_path / "model.h5", kernel=KERNEL.astype(dtype))
    assert predictions(path) == EXPECTED
    assert {a.dtype for a in read_graph(path).weights.values()} == {np.dtype("<f4")}


@pytest.mark.parametrize("write", [write_h5, lambda p, kernel: write_archive(p, kernel=kernel)])
def test_bfloat16(tmp_path, write):
    """Keras stores its two bytes as they are."""
    halves = (KERNEL.view(np.uint32) >> 16).astype("<u2").view("V2")
    assert predictions(write(tmp_path / "model", kernel=halves)) == EXPECTED


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_keras_archive(tmp_path, compression):
    assert predictions(write_archive(tmp_path / "m.keras", compression=compression)) == EXPECTED


def test_the_kind_is_told_by_the_content(tmp_path):
    assert predictions(write_archive(tmp_path / "model.h5")) == EXPECTED
    assert predictions(write_h5(tmp_path / "model.keras")) == EXPECTED


@pytest.mark.parametrize(
    "group", ["layers/dense/vars", "_layer_checkpoint_dependencies/dense/vars"]
)
def test_archives_of_earlier_versions(tmp_path, group):
    weights = weights_file(group=group)
    assert predictions(write_archive(tmp_path / "m.keras", **{"model.weights.h5": weights})) == (
        EXPECTED
    )


def chain(*names, **metadata):
    """Return members of an archive: Dense layers that multiply by 2, 11, 101, each in a group."""
    config = {"units": 1, "use_bias": False}
    layers = [
        {"class_name": "InputLayer", "config": {"batch_shape": [None, 1], "name": "x"}},
        {"class_name": "Dense", "config": {**config, "name": "dense"}},
        {"class_name": "Activation", "config": {"name": "activation", "activation": "relu"}},
        {"class_name": "Dense", "config": {**config, "name": "dense_1"}},
        {"class_name": "Activation", "config": {"name": "activation_1", "activation": "relu"}},
        {"class_name": "Dense", "config": {**config, "name": "dense_2"}},
    ]
    model = {"class_name": "Sequential", "config": {"name": "model", "layers": layers}}
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        for number, name in enumerate(names):
            file[f"{name}/vars/0"] = np.float32([[10**number + 1]])
    return {
        "metadata.json": json.dumps(metadata),
        "config.json": json.dumps(model),
        "model.weights.h5": data.getvalue(),
    }


@pytest.mark.parametrize(
    "version, folder, numbers",
    [
        ("2.12.0", "_layer_checkpoint_dependencies/", ("", "_2", "_4")),
        ("2.13.1", "_layer_checkpoint_dependencies/", ("", "_2", "_4")),
        ("2.13.1", "_layer_checkpoint_dependencies\\", ("", "_2", "_4")),
        ("2.14.0", "_layer_checkpoint_dependencies/", ("", "_1", "_2")),
        ("2.14.0", "_layer_checkpoint_dependencies\\", ("", "_1", "_2")),
        ("2.15.0", "layers/", ("", "_1", "_2")),
        ("2.15.0", "layers\\", ("", "_1", "_2")),
        (None, "layers/", ("", "_1", "_2")),
    ],
)
def test_groups_of_keras_2(tmp_path, version, folder, numbers):
    """Keras 2 names groups by Windows's separator, too, and up to 2.13 counts layers twice."""
    members = chain(*(f"{folder}dense{n}" for n in numbers), keras_version=version)
    (output,) = (
        GraphModel(read_graph(write_archive(tmp_path / "m.keras", **members)))
        .predict(np.float32([[1]]))
        .values()
    )
    assert output.numpy().tolist() == [[2 * 11 * 101]]


def test_the_group_of_another_layer_is_not_taken(tmp_path):
    """In Keras 2.13 "dense_2" is the group of the second layer, not of the layer of that name."""
    names = [f"_layer_checkpoint_dependencies/dense{n}" for n in ("", "_2")]
    path = write_archive(tmp_path / "m.keras", **chain(*names, keras_version="2.13.1"))
    with pytest.raises(WeightsError, match="'dense_2'.* lacks the weight 'kernel'"):
        read_graph(path)


def test_groups_of_inner_layers_on_windows(tmp_path):
    inner = {"class_name": "Dense", "config": {"name": "dense", "units": 2}}
    model = topology("Sequential", {"name": "inner", "layers": [inner]})
    data = io.BytesIO(weights_file(group="layers\\sequential\\layers\\dense/vars"))
    with h5py.File(data, "a") as file:
        file.create_group("layers\\sequential").create_group("vars")
    members = {"model.weights.h5": data.getvalue(), "metadata.json": '{"keras_version": "2.15"}'}
    assert predictions(write_archive(tmp_path / "m.keras", model=model, **members)) == EXPECTED


@pytest.mark.parametrize(
    "version, expected, dialect",
    [("2.15.0", 0.7, "keras2"), ("3.0.0", 4 / 6, "keras3"), (None, 4 / 6, "keras3")],
)
def test_the_version_of_an_archive_decides_its_dialect(tmp_path, version, expected, dialect):
    """Hard sigmoid differs; "batch_shape" alone would be a mark of Keras 3."""
    model = topology("Activation", {"name": "a", "activation": "hard_sigmoid"})
    members = {"metadata.json": version and json.dumps({"keras_version": version})}
    path = write_archive(tmp_path / "m.keras", model=model, **members)
    (output,) = GraphModel(read_graph(path)).predict(np.float32([[1, 1, 1]])).values()
    assert output.numpy()[0].tolist() == pytest.approx([expected] * 3)
    assert read_document(path).dialect == dialect
    layers = load_layers_model(path)
    assert layers.predict(np.float32([[1, 1, 1]]))[0].tolist() == pytest.approx([expected] * 3)


def test_names_in_several_attributes(tmp_path):
    path = write_h5(tmp_path / "model.h5")
    with h5py.File(path, "a") as file:
        group = file["model_weights/dense"]
        del group.attrs["weight_names"]
        group.attrs["weight_names0"] = ["dense/kernel"]
        group.attrs["weight_names1"] = ["dense/bias"]
    assert predictions(path) == EXPECTED


def only_weights(path):
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = ["dense"]
    return path


def damaged(path, start, data):
    content = bytearray(path.read_bytes())
    content[start : start + len(data)] = data
    path.write_bytes(content)
    return path


def cut(path):
    path.write_bytes(path.read_bytes()[:-30])
    return path


LAMBDA = {"name": "evil", "function": ["4wEAAAA=", None, None], "function_type": "lambda"}


@pytest.mark.parametrize(
    "make, message",
    [
        (
            only_weights,
            r"architecture is missing; save .* give it the weights by its load_weights\(path",
        ),
        (lambda p: write_h5(p, kernel=None), "the weight 'dense/kernel' is missing"),
        (lambda p: write_h5(p, names=["dense/bias"] * 2), "lists a weight twice"),
        (lambda p: write_h5(p, names=["dense/bias"]), "dense"),
        (lambda p: write_h5(p, names=["dense", "dense/bias"]), "'dense' is missing"),
        (lambda p: write_h5(p, kernel=np.ones((4, 2))), "dense"),
        (lambda p: write_h5(p, kernel=np.full((3, 2), 2**40)), "do not fit into int32"),
        (lambda p: write_h5(p, keras_version="1.2.2"), r"Keras 1\.2\.2 saved it: load and save"),
        (lambda p: write_h5(p, model=[1]), "cannot read"),
        (lambda p: write_h5(p, model=topology("Lambda", LAMBDA)), "Lambda"),
        (lambda p: write_archive(p, **{"config.json": None}), "architecture is missing"),
        (lambda p: write_archive(p, **{"model.weights.h5": None}), "holds no model.weights.h5"),
        (lambda p: write_archive(p, **{"model.weights.h5": b"PK"}), "not an HDF5 file"),
        (lambda p: write_archive(p, **{"config.json": "{"}), "not a readable JSON"),
        (
            lambda p: write_archive(p, **{"model.weights.h5": weights_file([KERNEL])}),
            "the weight '1' is missing",
        ),
        (lambda p: write_archive(p, compression=zipfile.ZIP_BZIP2), "pack it with deflate"),
        (
            lambda p: write_archive(
                p, compression=zipfile.ZIP_DEFLATED, **{"config.json": bytes(2**27)}
            ),
            "config.json in .*: it has 134,217,728 bytes, more than 8,388,608",
        ),
        (lambda p: damaged(write_archive(p), 120, b"????"), "config.json in .*: Bad CRC-32"),
        (lambda p: cut(write_archive(p)), "it is not a complete zip archive"),
        (lambda p: p, "there is no file or folder"),
    ],
)
def test_what_is_refused(tmp_path, make, message):
    with pytest.raises(WeightsError, match=message):
        read_graph(make(tmp_path / "model"))


def test_unknown_layers_are_listed(tmp_path):
    path = write_h5(tmp_path / "model.h5", model=topology("MyLayer", {"name": "mine"}))
    with pytest.raises(KernelNotFound, match=r"MyLayer"):
        read_graph(path)


@pytest.mark.parametrize("write", [write_h5, write_archive])
def test_a_file_cut_anywhere(tmp_path, write):
    whole = write(tmp_path / "whole").read_bytes()
    path = tmp_path / "cut"
    for size in range(0, len(whole), len(whole) // 60):
        path.write_bytes(whole[:size])
        with pytest.raises(WeightsError):
            read_graph(path)


def test_keras_agrees(tmp_path):
    """In a process of its own: TensorFlow and software OpenGL crash in one."""
    for package in ("tensorflow", "keras"):
        if importlib.util.find_spec(package) is None:
            skip_or_fail(f"{package} is not installed (pip install -e '.[oracle]')")
    command = [sys.executable, "-m", "tests.core.converter.keras_oracle", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert len(report["errors"]) == 12
    assert max(report["errors"].values()) < 1e-5, report
    with pytest.raises(WeightsError, match="architecture is missing"):
        read_graph(tmp_path / "sequential.weights.h5")
