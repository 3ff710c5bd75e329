"""Passwords and tokens of URLs are in no message, pickle or file, whatever comes of the URL."""

import logging
import pickle
import traceback
from functools import partial

import numpy as np
import pytest

import zoo
from weights_cache import download, fetch, locate, locate_url, write_weights
from weights_cache.addresses import Address
from weights_cache.failures import harmless
from weights_cache.shown_urls import host_of, shown_url
from zoo.cli import doctor, main
from zoo.images.reading import read_image
from zoo.images.urls import path_of_file_url

SECRET = "s3cr3t"
#: What servers make of a request: (kind, value) for `FaultServer.add`.
FAULTS = {
    "none": (),
    "status": ("status", 404),
    "busy": ("status", 503),
    "html": ("html", None),
    "flip": ("flip", 100),
    "cut": ("cut", 100),
    "silent": ("delay", 2.0),
    "slow": ("raw", lambda server: server.slowly([b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 99], 0.05)),
    "garbage": ("raw", b"\0" * 99),
    "redirect": ("redirect", f"/x?token={SECRET}"),
    "redirect-to-a-user": ("redirect", f"ftp://me:{SECRET}@127.0.0.1/x"),
    "redirect-to-a-port": ("redirect", f"http://me:{SECRET}@127.0.0.1:99999/x"),
    "redirect-to-no-host": ("redirect", f"http://me:{SECRET}@\u2100/x"),
    "redirect-to-bytes": ("redirect", f"http://me:{SECRET}@127.0.0.1/\xff"),
    "range": ("status", 206),
}
URLS = ["//me:{}@", "//{}@", "//me:a/{}@", "//me:a@{}@", "//127.0.0.1:?{}@", "//me:{}@\u2100."]
QUERIES = ["token={}", "v=1&access_token={}", "X-Amz-Signature={}&b=1", "sig={}", "api_key={}"]


@pytest.fixture(params=FAULTS)
def faulty(request, toy, monkeypatch):
    limits = download.LIMITS._replace(
        read=0.3, silence=0.4, window=0.2, patience=0.01, least_rate=1e4, attempts=2
    )
    monkeypatch.setattr(download, "LIMITS", limits)
    monkeypatch.setattr(download, "_silent", {})
    if FAULTS[request.param]:
        toy.server.add(*FAULTS[request.param])
    return toy


def told_by(error):
    """All texts of an error and of those behind it, also what no traceback shows.

    Programs that send errors to other machines, such as Dask, go through all of it.
    """
    texts = [str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)]
    request = getattr(error, "request", None)  # of the exceptions of requests
    texts += [repr(vars(request))] if request is not None else []
    behind = {error.__cause__, error.__context__} - {None}
    return [*texts, *(text for one in behind for text in told_by(one))]


@pytest.fixture
def check(capfd, caplog, tmp_path):
    """Calls a function, and looks for the secret in all that comes of it."""
    caplog.set_level(logging.INFO)

    def checked(call, *arguments):
        texts = []
        try:
            texts.append(repr(call(*arguments)))
        except zoo.ZooError as error:
            texts += [*told_by(error), getattr(error, "details", ""), repr(pickle.dumps(error))]
        texts += [*capfd.readouterr(), caplog.text]
        assert not [text for text in texts if SECRET in text]
        for path in tmp_path.rglob("*"):
            assert SECRET not in path.name
            assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path
        return "\n".join(texts)

    return checked


@pytest.mark.parametrize("progress", [True, None])
def test_urls_of_mirrors_are_redacted(faulty, check, monkeypatch, progress):
    faulty.register([])
    monkeypatch.setenv("ZOO_DEBUG", "1")
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", faulty.server.url.replace("//", f"//me:{SECRET}@"))
    faulty.registry.write_text(faulty.registry.read_text().replace("[]", '["http://127.0.0.1:1/"]'))
    check(lambda: locate("toy", progress=progress))
    check(lambda: fetch("toy", progress=progress))


@pytest.mark.parametrize("url", URLS)
def test_passwords_of_all_kinds_are_redacted(toy, check, monkeypatch, url):
    """Whether or not a server is in it."""
    mirror = f"http:{url.format(SECRET)}127.0.0.1:1/weights"
    for place in (mirror, mirror.replace("http", "ftp"), mirror.replace("http", "HTTPS")):
        monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", place)
        monkeypatch.setenv("ZOO_DEBUG", "1")
        toy.server.add("status", 404)
        check(lambda: locate("toy"))
        check(lambda: locate("toy", offline=True))
        check(read_image, place)
        check(zoo.load, place)
        check(doctor._mirror, place)


@pytest.mark.parametrize("query", QUERIES)
def test_tokens_of_all_kinds_are_redacted(toy, check, query):
    url = f"{toy.server.url}/gone.png?{query.format(SECRET)}"
    check(read_image, url)
    check(zoo.load, url)
    check(zoo.load, f"{url}#access_token={SECRET}")
    check(lambda: path_of_file_url(f"file://me:{SECRET}@host/x?{query.format(SECRET)}"))
    check(lambda: path_of_file_url(f"file://me:{SECRET}@\u2100/x?{query.format(SECRET)}"))


def test_urls_of_models_are_redacted(faulty, check, tmp_path):
    write_weights(tmp_path / "m", {"w": np.zeros(2, np.float32)}, topology={"model_config": {}})
    token = f"token={SECRET}"
    for path in (tmp_path / "m").iterdir():
        faulty.server.files[f"/m/{path.name}?{token}"] = path.read_bytes()
    faulty.server.files[f"/net.tflite?{token}"] = b"?" * 999
    faulty.server.files[f"/x?{token}"] = b"?" * 999
    for url in (
        f"{faulty.server.url}/m/model.json?{token}",
        f"{faulty.server.url}/net.tflite?{token}",
    ):
        check(locate_url, url)
        check(zoo.load, url)
        check(locate_url, f"{url}#sha256={'0' * 64}")
        for left in (tmp_path / "weights-cache").glob(".urls/*/*"):
            left.write_bytes(b"damaged")
        check(partial(locate_url, offline=True), url)
        check(main, ["weights", "clear", url])


def test_urls_of_images_are_redacted(faulty, check):
    token = f"token={SECRET}"
    faulty.server.files[f"/x.png?{token}"] = faulty.server.files[f"/x?{token}"] = b"?" * 999
    check(read_image, f"{faulty.server.url}/x.png?{token}")
    url = faulty.server.url.replace("//", f"//me:{SECRET}@")
    check(read_image, f"{url}/x.png?{token}")
    check(lambda: main(["pose", f"{url}/x.png?{token}"]))


def test_a_model_at_a_url_with_a_token_is_pickled_by_its_file(server, waits, check, tmp_path):
    dense = {"name": "d", "units": 2, "use_bias": False, "batch_input_shape": [None, 2]}
    layers = [{"class_name": "Dense", "config": dense}]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    topology = {"keras_version": "2", "model_config": config}
    write_weights(tmp_path / "m", {"d/kernel": np.ones((2, 2), np.float32)}, topology=topology)
    for path in (tmp_path / "m").iterdir():
        server.files[f"/m/{path.name}?token={SECRET}"] = path.read_bytes()
    model = zoo.load(f"{server.url}/m/model.json?token={SECRET}")
    assert "token=***" in check(lambda: (model, model.name, pickle.dumps(model)))
    again = pickle.loads(pickle.dumps(model))
    (values,) = again.predict(np.ones((1, 2), np.float32)).values()
    np.testing.assert_array_equal(values, [[2.0, 2.0]])


def test_a_drawing_is_not_named_after_a_token(server, waits, check, tmp_path, monkeypatch):
    with open("gallery/one_line_pose/astronaut.jpg", "rb") as photo:
        server.files[f"/a.jpg?token={SECRET}.x"] = photo.read()
    url = f"{server.url}/a.jpg?token={SECRET}.x"
    check(lambda: main(["pose", url, "--draw", f"{tmp_path}/d/"]))
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["a-pose.png"]


def test_other_parts_are_shown():
    for text in (
        "https://cdn.example.org/npm/@models/x@2.2.2/model.json?v=2",
        "http://127.0.0.1:8080/@x: status 404",
        "no connection to http://example.org: mail a@b",
    ):
        assert shown_url(text) == text
    assert host_of("http://me:secret@example.org:80/x") == "example.org:80"
    assert Address.parse("https://x.org/a?sig=1").shown == "https://x.org/a/model.json?sig=***"


@pytest.mark.parametrize(
    "text", ["a", "a:/b:c", "://", "//", "&key", "&", "@", "http://a:b", "?sig"]
)
def test_long_texts_take_no_longer_than_their_length_asks_for(text):
    """Servers may send 64 KiB of anything; a pattern that tries all pairs would take minutes."""
    assert len(shown_url(text * (65_536 // len(text)))) > 1000
    assert len(harmless(text * (65_536 // len(text)))) < 1000


def test_a_password_that_is_cut_is_not_shown():
    assert SECRET not in harmless("sent " + "x" * 8170 + f" http://me:{SECRET}@example.org")
    assert SECRET not in harmless(f"http://me:{SECRET}" + "x" * 9000 + "@example.org")
