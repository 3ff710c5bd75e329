"""Where the files of a model are looked for, and what is said when they are not there."""

import pickle

import pytest
from platformdirs import user_cache_path

from tests.weights_cache.toys import flip_byte, toy_row
from weights_cache import (
    MissingError,
    WeightsError,
    cache_folder,
    clear,
    fetch,
    load_weights,
    locate,
    locations,
    partial_files,
    status,
    verify,
)
from weights_cache.common.errors import AbsentFile, OfflineError


def test_the_cache_folder_is_the_argument_then_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("ZOO_WEIGHTS_CACHE", str(tmp_path / "variable"))
    assert cache_folder(tmp_path / "argument") == tmp_path / "argument"
    assert cache_folder() == tmp_path / "variable"


@pytest.mark.parametrize("value", [None, ""])
def test_the_cache_folder_of_the_platform_comes_last(monkeypatch, value):
    monkeypatch.delenv("ZOO_WEIGHTS_CACHE")
    if value is not None:
        monkeypatch.setenv("ZOO_WEIGHTS_CACHE", value)
    assert "friendly-zoo" in cache_folder().parts
    assert cache_folder().name == "weights"


@pytest.mark.parametrize("given", [None, "", "/elsewhere/cache"])
def test_the_cache_folder_is_that_of_platformdirs(monkeypatch, given):
    """On Linux it is found without importing it."""
    monkeypatch.delenv("ZOO_WEIGHTS_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if given is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert cache_folder() == user_cache_path("friendly-zoo") / "weights"


def test_a_tilde_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert cache_folder("~/kept") == tmp_path / "kept"


@pytest.mark.parametrize(
    ("value", "offline"), [("1", True), ("yes", True), ("0", False), ("", False), ("False", False)]
)
def test_the_offline_variable(monkeypatch, value, offline):
    monkeypatch.setenv("ZOO_OFFLINE", value)
    assert locations.Locations.choose("c", None, None).offline is offline
    assert locations.Locations.choose("c", None, False).offline is False


# Order of search


def test_a_mirror_folder_is_used_in_place(toy, mirror):
    assert locate("toy", mirror=mirror) == {"weights.bin": mirror / "toy" / "weights.bin"}
    assert toy.server.requests == []
    assert not toy.path.exists()


def test_the_mirror_variable(toy, mirror, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(mirror))
    assert locate("toy")["weights.bin"].parent == mirror / "toy"


def test_the_cache_goes_before_the_mirror(toy, mirror):
    toy.fetch()
    assert locate("toy", mirror=mirror)["weights.bin"] == toy.path


def test_a_damaged_mirror_file_is_skipped(toy, mirror):
    flip_byte(mirror / "toy" / "weights.bin")
    assert locate("toy", mirror=mirror)["weights.bin"] == toy.path
    assert toy.path.read_bytes() == toy.data


def test_only_the_files_that_are_needed_are_fetched(toy):
    other = b"another network of the same record"
    rows = [
        toy_row(toy.data, "weights.bin", [f"{toy.server.url}/toy/weights.bin"]),
        toy_row(other, "other.bin", [f"{toy.server.url}/toy/other.bin"]),
    ]
    toy.register_files(rows)
    files = locate("toy", only=["weights.bin"])
    assert list(files) == ["weights.bin"]
    assert [path for path, _ in toy.server.requests] == ["/toy/weights.bin"]
    with pytest.raises(WeightsError, match="has no file 'nothing.bin'"):
        locate("toy", only=["nothing.bin"])["nothing.bin"]


def test_a_mirror_url_goes_before_the_pinned_urls(toy):
    toy.register([f"{toy.server.url}/pinned"])
    toy.server.files["/copies/toy/weights.bin"] = toy.data
    locate("toy", mirror=f"{toy.server.url}/copies/")
    assert [path for path, _ in toy.server.requests] == ["/copies/toy/weights.bin"]
    assert toy.path.read_bytes() == toy.data


def test_a_mirror_url_without_the_file_is_skipped(toy):
    locate("toy", mirror=f"{toy.server.url}/empty")
    assert [path for path, _ in toy.server.requests] == [
        "/empty/toy/weights.bin",
        "/toy/weights.bin",
    ]


def test_fetch_copies_from_a_mirror_folder(toy, mirror):
    assert fetch("toy", mirror=mirror) == {"weights.bin": toy.path}
    assert toy.path.read_bytes() == toy.data
    assert toy.server.requests == []
    assert toy.left_over() == []


def test_a_mirror_file_that_changes_while_it_is_copied(toy, mirror, monkeypatch):
    source = mirror / "toy" / "weights.bin"
    receiving = partial_files.receiving

    def late_change(*arguments):
        flip_byte(source)
        return receiving(*arguments)

    monkeypatch.setattr("weights_cache.fetching.receiving", late_change)
    with pytest.raises(WeightsError, match="changed while it was copied"):
        fetch("toy", mirror=mirror)
    assert toy.left_over() == []


def test_files_in_folders_and_several_files(toy):
    labels = b"cat dog"
    toy.server.files["/labels"] = labels
    urls = [f"{toy.server.url}/labels"], [f"{toy.server.url}/toy/weights.bin"]
    rows = [toy_row(labels, "sub/labels.txt", urls[0]), toy_row(toy.data, "weights.bin", urls[1])]
    toy.register_files(rows)
    assert list(fetch("toy")) == ["sub/labels.txt", "weights.bin"]
    assert (toy.folder / "sub" / "labels.txt").read_bytes() == labels
    assert clear("toy") == len(labels) + len(toy.data)
    assert not (toy.cache / "toy").exists()


# Offline


def test_some_files_are_fetched_verified_and_cleared(toy):
    url = f"{toy.server.url}/toy/weights.bin"
    toy.register_files([toy_row(toy.data, path, [url]) for path in ("one.bin", "two.bin")])
    one = toy.folder / "one.bin"
    assert fetch("toy", only=["one.bin"]) == {"one.bin": one}
    assert len(toy.server.requests) == 1
    assert (status("toy"), status("toy", only=["one.bin"])) == ("missing", "cached")
    assert [(r.path, r.problem) for r in verify("toy", only=["one.bin"])] == [("one.bin", None)]
    fetch("toy")
    assert clear("toy", only=["two.bin"]) == len(toy.data)
    assert one.is_file() and locate("toy", only=["one.bin"], offline=True) == {"one.bin": one}
    with pytest.raises(MissingError) as caught:
        locate("toy", offline=True)
    assert "two.bin of 'toy'" in caught.value.details


def test_an_error_is_three_lines_and_can_name_what_the_user_knows(toy):
    with pytest.raises(MissingError) as caught:
        locate("toy", offline=True)
    assert str(caught.value).splitlines() == [
        "The model toy (1 file, 0.3 MB) is not on this machine.",
        "To fetch it, run `zoo weights fetch toy`.",
        "Without internet: run `zoo weights kit toy.zip toy` on a computer with internet, then "
        "here `zoo weights install toy.zip`.",
    ]
    other = AbsentFile("other", "model.json", 200_000)
    error = caught.value.for_model("family.variant", [other, *caught.value.files], ["other.one"])
    first, advice, offline = error.lines
    assert first.startswith("The model family.variant (2 files of 2 models, 0.5 MB with other.one)")
    assert "`zoo weights fetch family.variant`" in advice
    assert "`zoo weights kit family.zip family.variant`" in offline
    assert error.details == caught.value.details
    partners = error.for_model("family.variant", (), ["b", "c", "d"]).lines[0]
    assert "of 4 models, 0.5 MB with b, c and 1 more)" in partners


def test_an_error_survives_pickling_and_shows_details_when_asked_to(toy, monkeypatch):
    with pytest.raises(MissingError) as caught:
        locate("toy", offline=True)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.details) == (str(caught.value), caught.value.details)
    monkeypatch.setenv("ZOO_DEBUG", "1")
    assert str(again).endswith(again.details) and "searched for weights.bin" in again.details


def test_a_mirror_folder_that_does_not_exist_is_named(toy, tmp_path):
    toy.server.add("status", 404)
    for offline in (True, False):
        with pytest.raises(MissingError) as caught:
            locate("toy", mirror=tmp_path / "gone", offline=offline)
        words = f"the mirror {tmp_path / 'gone'} does not exist (ZOO_WEIGHTS_MIRROR)"
        assert words in caught.value.lines[0]


def test_offline_uses_cached_files(toy, monkeypatch):
    toy.fetch()
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert locate("toy")["weights.bin"] == toy.path
    assert len(toy.server.requests) == 1


def test_offline_error_names_file_locations_urls_and_command(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(OfflineError) as caught:
        load_weights("toy", mirror=tmp_path / "mirror")
    for part in (
        f"weights.bin of 'toy' ({toy.path} is missing; ",
        f"{tmp_path}/mirror/toy/weights.bin is missing",
        f"not asked: {toy.server.url}/toy/weights.bin",
    ):
        assert part in caught.value.details
    first, advice, _ = str(caught.value).splitlines()
    assert "the network is switched off (ZOO_OFFLINE)" in first
    assert advice == "To fetch it, unset ZOO_OFFLINE and run `zoo weights fetch toy`."
    assert toy.server.requests == []


def test_offline_with_a_mirror_url_asks_nobody(toy):
    with pytest.raises(MissingError) as caught:
        locate("toy", mirror=f"{toy.server.url}/copies", offline=True)
    assert "/copies/toy/weights.bin" in caught.value.details
    assert toy.server.requests == []


def test_offline_can_still_copy_from_a_mirror_folder(toy, mirror):
    assert fetch("toy", mirror=mirror, offline=True) == {"weights.bin": toy.path}


@pytest.fixture
def derived(toy):
    """The toy model with a second file that somebody made of the first and nobody publishes."""
    rows = [
        toy_row(toy.data, "weights.bin", [f"{toy.server.url}/toy/weights.bin"]),
        toy_row(b"half", "half.bin", []) | {"derived_from": "the first half of weights.bin"},
    ]
    toy.register_files(rows)
    return toy


@pytest.mark.parametrize("get", [locate, fetch])
def test_a_file_that_is_published_nowhere_is_absent(derived, get):
    for _ in range(2):
        files = get("toy", mirror=f"{derived.server.url}/copies")
        assert list(files) == ["weights.bin"]
    assert status("toy") == "cached"
    assert [report.path for report in verify("toy")] == ["weights.bin"]
    pattern = r"half.bin of 'toy' is published nowhere \(the first half.*ZOO_WEIGHTS_MIRROR"
    with pytest.raises(WeightsError, match=pattern):
        files["half.bin"]
    with pytest.raises(WeightsError, match="'toy' has no file 'other.bin'; it has weights.bin"):
        files["other.bin"]


@pytest.mark.parametrize("get", [locate, fetch])
def test_a_file_that_is_published_nowhere_comes_from_a_mirror_folder(derived, mirror, get):
    (mirror / "toy" / "half.bin").write_bytes(b"half")
    files = get("toy", mirror=mirror)
    assert list(files) == ["weights.bin", "half.bin"]
    assert files["half.bin"].read_bytes() == b"half"
    assert [report.path for report in verify("toy", mirror=mirror)] == ["weights.bin", "half.bin"]


def test_a_file_that_is_published_nowhere_needs_no_cache(derived, mirror, tmp_path):
    """Neither a folder nor a lock is made where there is nothing to write."""
    locate("toy", mirror=mirror)
    assert not derived.cache.exists()


def test_an_error_about_many_files_is_short(toy):
    rows = [toy_row(toy.data, f"{number}.bin", ["http://127.0.0.1:1"]) for number in range(71)]
    toy.register_files(rows)
    with pytest.raises(MissingError, match=r"\(71 files, 21.3 MB\)") as caught:
        locate("toy", offline=True)
    assert len(str(caught.value)) < 600 and len(caught.value.details) < 600
    assert "and 70 more files" in caught.value.details


def test_an_unknown_name(toy):
    with pytest.raises(WeightsError, match="did you mean 'toy'"):
        locate("toyy")
