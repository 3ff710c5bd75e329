"""Names in manifests and registries never lead out of their folder."""

import json

import pytest

from weights_cache import WeightsError, load_weights, locate
from weights_cache.paths import inside, require_relative

ESCAPES = [
    "../secret.bin",
    "a/../../secret.bin",
    "..",
    "/etc/passwd",
    "//host/share",
    "..\\secret.bin",
    "a\\b.bin",
    "C:\\secret.bin",
    "C:secret.bin",
    "././shard.bin",
    "a//b.bin",
    "",
    "a\0b",
    "\ud800.bin",
    "sub/\udfff",
    None,
    5,
    ["shard.bin"],
    {"path": "shard.bin"},
]


@pytest.mark.parametrize("name", ["shard.bin", "group1-shard1of1", "sub/shard.bin", "..hidden"])
def test_plain_names_are_kept(name):
    assert require_relative(name, "test") == name


def test_lone_surrogates_are_explained():
    """It was a UnicodeEncodeError of the system's calls."""
    pattern = r"'\\ud800.bin' holds a character that no file name can hold"
    with pytest.raises(WeightsError, match=pattern) as caught:
        require_relative("\ud800.bin", "model.json")
    str(caught.value).encode()  # it can be printed


def test_names_that_browsers_save():
    assert require_relative("./model.weights.bin", "test") == "model.weights.bin"


@pytest.mark.parametrize("name", ESCAPES)
def test_other_names_are_refused(name, tmp_path):
    with pytest.raises(WeightsError, match="test: the file name"):
        inside(tmp_path, name, "test")


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("kind", ["model.json", "weights_manifest.json", "manifest.json"])
def test_a_manifest_cannot_name_them(name, kind, tmp_path):
    (tmp_path / "secret.bin").write_bytes(bytes(4))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / kind).write_text(json.dumps(manifest_that_names(name, kind)))
    with pytest.raises(WeightsError, match="the file name"):
        load_weights(folder)


def manifest_that_names(shard, kind):
    groups = [{"weights": [{"name": "w", "shape": [1], "dtype": "float32"}], "paths": [shard]}]
    return {
        "model.json": {"modelTopology": {}, "weightsManifest": groups},
        "weights_manifest.json": groups,
        "manifest.json": {"w": {"filename": shard, "shape": [1]}},
    }[kind]


def test_a_link_that_leaves_the_folder_is_refused(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(4))
    (folder / "shard.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "sub").symlink_to(tmp_path)
    for name in ("shard.bin", "sub/secret.bin"):
        with pytest.raises(WeightsError, match="is a link to .*secret.bin, outside"):
            inside(folder, name, "test")


def test_a_link_that_stays_in_the_folder_is_followed(tmp_path):
    (tmp_path / "real.bin").write_bytes(bytes(4))
    (tmp_path / "shard.bin").symlink_to("real.bin")
    assert inside(tmp_path, "shard.bin", "test").read_bytes() == bytes(4)


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "manifest.json").write_text(json.dumps(manifest_that_names("a", "manifest.json")))
    with pytest.raises(WeightsError):
        load_weights(tmp_path)


@pytest.mark.parametrize("name", [name for name in ESCAPES if isinstance(name, str)])
def test_the_registry_cannot_name_them(toy, name):
    toy.register([], path=name)
    with pytest.raises(WeightsError, match="registry, model 'toy': the file name"):
        locate("toy", offline=True)
