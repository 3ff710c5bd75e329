"""Models at URLs: trusted at the first use, checked ever after."""

import hashlib
import io
import json
import threading

import numpy as np
import pytest

from tests.weights_cache.fault_server import FaultServer
from weights_cache import WeightsError, clear, load_weights, remote, write_weights
from weights_cache.addresses import Address
from weights_cache.remote import clear_url, locate_url

WEIGHTS = {"w": np.arange(6, dtype=np.float32).reshape(2, 3)}


@pytest.fixture
def server(server, waits, tmp_path) -> FaultServer:
    write_weights(tmp_path / "web", WEIGHTS, topology={"model_config": {}})
    for path in (tmp_path / "web").iterdir():
        server.files[f"/m/{path.name}"] = path.read_bytes()
    server.files["/m/metadata.json"] = b'{"labels": ["a"]}'
    server.files["/net.tflite"] = b"TFL3" * 1000
    return server


@pytest.fixture
def url(server) -> str:
    return f"{server.url}/m/model.json"


def asked(server) -> list[str]:
    return [path for path, _ in server.requests]


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def left_over(tmp_path) -> list[str]:
    """Unfinished files and folders in the cache."""
    names = [str(path) for path in (tmp_path / "weights-cache").rglob("*")]
    return [name for name in names if ".part" in name or ".tmp" in name]


def test_a_web_model_is_fetched_once_with_its_shards(server, url, tmp_path):
    path = locate_url(url)
    assert path.is_relative_to(tmp_path / "weights-cache") and path.name == "model.json"
    np.testing.assert_array_equal(load_weights(path)["w"], WEIGHTS["w"])
    assert (path.parent / "metadata.json").read_bytes() == server.files["/m/metadata.json"]
    assert sorted(asked(server)) == sorted(f for f in server.files if f.startswith("/m/"))
    server.heal()
    assert locate_url(url) == path
    assert asked(server) == [] and left_over(tmp_path) == []


def test_a_folder_and_its_model_are_one(server, url):
    assert locate_url(f"{server.url}/m/") == locate_url(f"{server.url}/m") == locate_url(url)


def test_a_single_file(server):
    path = locate_url(f"{server.url}/net.tflite")
    assert path.read_bytes() == server.files["/net.tflite"] and path.name == "net.tflite"
    assert asked(server) == ["/net.tflite", "/labels.txt"]


def test_the_query_is_kept_for_shards(server):
    for name in [name for name in server.files if name.startswith("/m/")]:
        server.files[f"{name}?v=2&t=x"] = server.files.pop(name)
    path = locate_url(f"{server.url}/m/model.json?v=2&t=x")
    assert path.name == "model.json" and "w" in load_weights(path)


@pytest.mark.parametrize("kind", [("status", 404), ("status", 403), ("html", True)])
def test_labels_may_be_absent(server, url, kind):
    server.add(*kind, after=2)
    assert not (locate_url(url).parent / "metadata.json").exists()
    server.heal()
    locate_url(url)
    assert asked(server) == []


@pytest.mark.parametrize("model", ["net.tflite", "net.h5", "net.keras", "NET.PB", "model.json"])
def test_labels_beside_any_model(server, tmp_path, model, monkeypatch):
    """Of the same folder, small, kept as the other files are; asked for once."""
    write_weights(tmp_path / "graph", WEIGHTS, topology={"node": []})
    for path in (tmp_path / "graph").iterdir():
        server.files[f"/n/{path.name}"] = path.read_bytes()
    server.files |= {f"/n/{model}": server.files.get(f"/n/{model}", b"TFL3" * 9)}
    server.files["/n/labels.txt"] = b"cat\ndog\n"
    path = locate_url(f"{server.url}/n/{model}")
    assert (path.parent / "labels.txt").read_bytes() == b"cat\ndog\n"
    assert {name.rpartition("/")[0] for name in asked(server)} == {"/n"}
    server.heal()
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert locate_url(f"{server.url}/n/{model}") == path and asked(server) == []
    (path.parent / "labels.txt").write_bytes(b"cat\ncat\n")
    with pytest.raises(WeightsError, match="sha256"):
        locate_url(f"{server.url}/n/{model}")


@pytest.mark.parametrize("labels", [None, b"x" * (2**20 + 1), b"a page"])
def test_what_are_no_labels_is_left_out(server, labels):
    if labels is not None:
        server.files["/labels.txt"] = labels
    if labels == b"a page":
        server.add("html", True, after=1)
    path = locate_url(f"{server.url}/net.tflite")
    assert not (path.parent / "labels.txt").exists()
    server.heal()
    assert locate_url(f"{server.url}/net.tflite") == path and asked(server) == []


def test_the_first_file_that_says_what_a_model_is_for_is_enough(server, url):
    server.files |= {"/m/model_meta.json": b"{}", "/m/labels.txt": b"a\n"}
    assert asked_beside(server, url) == ["metadata.json"]
    del server.files["/m/metadata.json"]
    clear_url(url)
    assert asked_beside(server, url) == ["metadata.json", "model_meta.json"]
    del server.files["/m/model_meta.json"]
    clear_url(url)
    assert asked_beside(server, url) == ["metadata.json", "model_meta.json", "labels.txt"]


def asked_beside(server, url) -> list[str]:
    """The files beside a model and its shards that are asked for."""
    server.heal()
    locate_url(url)
    return [name.removeprefix("/m/") for name in asked(server)][2:]


def test_labels_of_a_busy_server_are_waited_for(server, tmp_path):
    server.add("status", 503, after=1)
    with pytest.raises(WeightsError, match=r"labels\.txt.*503"):
        locate_url(f"{server.url}/net.tflite")
    assert left_over(tmp_path) == []


def test_labels_are_not_skipped_for_a_busy_server(server, url, tmp_path):
    server.add("status", 503, after=2)
    with pytest.raises(WeightsError, match=r"metadata\.json.*503"):
        locate_url(url)
    assert left_over(tmp_path) == []


def test_it_works_offline_afterwards(url, monkeypatch):
    path = locate_url(url)
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert locate_url(url) == path


def test_offline_before(server, url, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(WeightsError, match=r"not on this machine.*unset ZOO_OFFLINE"):
        locate_url(url)
    assert asked(server) == []


def test_a_damaged_file_is_fetched_again_and_must_be_as_before(server, url):
    (path,) = locate_url(url).parent.glob("*.bin")
    path.write_bytes(b"?" * path.stat().st_size)
    locate_url(url)
    assert path.read_bytes() == server.files[f"/m/{path.name}"]
    path.unlink()
    server.files[f"/m/{path.name}"] += b"more"
    with pytest.raises(WeightsError) as error:
        locate_url(url)
    old, new = path.parent / ".source.json", server.files[f"/m/{path.name}"]
    expected = json.loads(old.read_text())["files"][path.name]["sha256"]
    assert f"expected sha256 {expected}, got {hash_of(new)}" in str(error.value)
    assert f"zoo weights clear {url}" in str(error.value)
    assert not path.exists()


def test_a_damaged_file_offline_names_both_hashes(url):
    path = locate_url(url)
    right, wrong = hash_of(path.read_bytes()), bytes(path.stat().st_size)
    path.write_bytes(wrong)
    with pytest.raises(WeightsError, match=f"sha256 {hash_of(wrong)} instead of {right}"):
        locate_url(url, offline=True)


def test_a_new_version_is_accepted_after_clearing(server, url):
    path = locate_url(url)
    server.files["/m/metadata.json"] = b'{"labels": ["b"]}'
    (path.parent / "metadata.json").unlink()
    with pytest.raises(WeightsError, match="has changed"):
        locate_url(url)
    assert clear_url(url) > 0 and not path.exists() and clear_url(url) == 0
    assert (locate_url(url).parent / "metadata.json").read_bytes() == b'{"labels": ["b"]}'


def test_clearing_the_cache_clears_what_came_from_urls(server, url, tmp_path):
    path = locate_url(url)
    locate_url(f"{server.url}/net.tflite")
    size = sum(file.stat().st_size for file in path.parent.parent.rglob("*") if file.is_file())
    assert clear() == size
    assert not any((tmp_path / "weights-cache" / ".urls").iterdir()) and clear_url() == 0


def test_a_hash_in_the_url_holds_for_the_first_use(server):
    url, data = f"{server.url}/net.tflite", server.files["/net.tflite"]
    wrong = "0" * 64
    with pytest.raises(WeightsError, match=f"expected sha256 {wrong}, got {hash_of(data)}"):
        locate_url(f"{url}#sha256={wrong}")
    path = locate_url(f"{url}#sha256={hash_of(data).upper()}")
    assert path == locate_url(url)
    with pytest.raises(WeightsError, match=f"had sha256 {hash_of(data)}.*given is {wrong}"):
        locate_url(f"{url}#sha256={wrong}")


@pytest.mark.parametrize("shape", ["plain", "chunked"])
@pytest.mark.parametrize("kind", ["cut", "reset"])
def test_a_broken_connection_is_resumed(server, kind, shape):
    server.add(kind, 2000, times=1)
    if shape != "plain":
        server.add(shape)
    assert locate_url(f"{server.url}/net.tflite").read_bytes() == server.files["/net.tflite"]
    assert asked(server) == ["/net.tflite"] * 2 + ["/labels.txt"]


def test_versions_are_never_mixed(server):
    """Without a validator the second request starts at the first byte."""
    server.add("cut", 2000, times=1).add("etag", 'W/"weak"')
    assert locate_url(f"{server.url}/net.tflite").read_bytes() == server.files["/net.tflite"]
    assert server.ranges[:2] == [None, None]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (("html", True), "web page.*that of 'Raw'"),
        (("nolength", True), "neither a length nor chunks"),
        (("status", 404), "404.*look at the URL in a browser"),
        (("gzip", True), "encoding 'gzip'"),
        (("redirect", "file:///etc/passwd"), "cannot fetch"),
    ],
)
def test_other_files_are_not_cached(server, tmp_path, fault, said):
    server.add(*fault)
    with pytest.raises(WeightsError, match=said) as error:
        locate_url(f"{server.url}/net.tflite")
    assert "\n" not in str(error.value) and left_over(tmp_path) == []
    server.heal()
    assert locate_url(f"{server.url}/net.tflite").exists()


def test_the_most_bytes(server, monkeypatch):
    monkeypatch.setattr(remote, "LARGEST_DOWNLOAD", 3000)
    for shape in ((), ("chunked",)):
        server.heal()
        server.add(*shape) if shape else None
        with pytest.raises(WeightsError, match=r"at most 3000 are allowed.*load it from its path"):
            locate_url(f"{server.url}/net.tflite")


def test_all_files_together_have_the_most_bytes(server, url, monkeypatch):
    main = len(server.files["/m/model.json"])
    monkeypatch.setattr(remote, "LARGEST_DOWNLOAD", main + 10)
    with pytest.raises(WeightsError, match="bin.*at most 10 are allowed"):
        locate_url(url)


@pytest.mark.parametrize("name", ["../w.bin", "/w.bin", "a/../../w.bin", "https://x.org/w.bin"])
def test_shards_stay_in_the_folder(server, url, tmp_path, name):
    document = json.loads(server.files["/m/model.json"])
    document["weightsManifest"][0]["paths"] = [name]
    server.files["/m/model.json"] = json.dumps(document).encode()
    with pytest.raises(WeightsError, match="only relative names inside the folder"):
        locate_url(url)
    assert asked(server) == ["/m/model.json"] and left_over(tmp_path) == []


@pytest.mark.parametrize("name", [".source.json", "model.json", "./model.json"])
def test_a_shard_does_not_replace_another_file(server, url, name):
    document = json.loads(server.files["/m/model.json"])
    document["weightsManifest"][0]["paths"] = [name]
    server.files["/m/model.json"] = json.dumps(document).encode()
    with pytest.raises(WeightsError, match="lists a shard with the name"):
        locate_url(url)


def test_a_document_that_is_no_model(server, url):
    server.files["/m/model.json"] = b'{"labels": 3}'
    with pytest.raises(WeightsError, match=rf"{url}: model.json"):
        locate_url(url)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://user:secret@example.org/model.json", "netrc"),
        ("https:///model.json", "has no server"),
        ("https://example.org/a.tflite#md5=1", "#md5=1: only #sha256="),
        ("https://[example.org/a.tflite", "not a readable URL"),
    ],
)
def test_urls_that_are_refused(text, said):
    with pytest.raises(WeightsError, match=said) as error:
        Address.parse(text)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://x.org/models/AB/", "https://x.org/models/AB/model.json"),
        ("https://x.org/net/1", "https://x.org/net/1/model.json"),
        ("https://x.org/v1.0", "https://x.org/v1.0/model.json"),
        ("https://x.org", "https://x.org/model.json"),
        ("https://x.org/a.TFLITE?x=1", "https://x.org/a.TFLITE?x=1"),
        ("https://x.org/a/?x=1#sha256=" + "a" * 64, "https://x.org/a/model.json?x=1"),
    ],
)
def test_folders_and_files(text, url):
    assert Address.parse(text).url == url


def test_two_urls_have_two_folders(server, url):
    server.files["/n/net.tflite"] = b"another"
    first, second = locate_url(f"{server.url}/net.tflite"), locate_url(f"{server.url}/n/net.tflite")
    assert first.read_bytes() != second.read_bytes()


def test_files_of_killed_processes_are_removed(server, url, tmp_path):
    folder = locate_url(url).parent
    clear_url(url)
    dead = folder.with_name(f"{folder.name}.0123456789ab.part")
    (dead / "deeper").mkdir(parents=True)
    folder.mkdir()  # without a note: whatever is in it is not trusted
    (folder / "model.json").write_text("{}")
    assert "w" in load_weights(locate_url(url))
    assert left_over(tmp_path) == []


def test_a_damaged_note(url):
    path = locate_url(url)
    (path.parent / ".source.json").write_text('{"files": {"model.json": {}}}')
    with pytest.raises(WeightsError, match=r"\.source\.json is damaged: remove its folder"):
        locate_url(url)


def test_threads_make_one_request(server, url):
    server.add("delay", 0.2)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(locate_url(url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 4
    assert len(asked(server)) == len(set(asked(server))) == 3


def test_no_redirection_to_where_anybody_can_read(waits, monkeypatch):
    from requests import Response
    from requests.adapters import BaseAdapter

    class Redirecting(BaseAdapter):
        def send(self, request, **_):
            response = Response()
            response.status_code, response.url, response.request = 302, request.url, request
            response.headers["Location"] = "http://example.org/net.tflite"
            response.raw = io.BytesIO()
            return response

        def close(self):
            pass

    opened = remote.open_session

    def redirected():
        session = opened()
        session.mount("https://", Redirecting())
        return session

    monkeypatch.setattr(remote, "open_session", redirected)
    with pytest.raises(WeightsError, match="redirected from https to http, which is refused"):
        locate_url("https://example.org/net.tflite")


def test_a_redirection_is_followed(server):
    server.add("redirect", f"{server.url}/net.tflite", times=1)
    path = locate_url(f"{server.url}/latest.tflite")
    assert path.read_bytes() == server.files["/net.tflite"]
    server.add("redirect", f"{server.url}/net.tflite")
    with pytest.raises(WeightsError, match="redirect"):
        locate_url(f"{server.url}/circle.tflite")


def test_a_server_that_is_not_there(waits, monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with pytest.raises(WeightsError, match="no connection.*check the network"):
        locate_url("http://127.0.0.1:1/net.tflite")
