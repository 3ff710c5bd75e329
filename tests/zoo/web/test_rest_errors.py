"""Wrong requests of REST: each answer says what is wrong and what to do, as JSON."""

import io
import json
import logging

import pytest
from PIL import Image

from tests.helpers import eventually, peak_of
from tests.zoo.web.rest_servers import rest_running
from tests.zoo.web.servers import jpeg_bomb, png_bomb
from zoo.pipeline import model_cache
from zoo.web.rest_options import served_verbs
from zoo.web.rest_requests import RestLimits


@pytest.fixture(scope="module")
def server():
    with rest_running() as found:
        yield found


def encoded(kind="JPEG", size=(64, 48)):
    file = io.BytesIO()
    Image.new("RGB", size, "grey").save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("estimate_multiple_poses?max_poses=0", "max_poses=0 must be an integer of at least 1; "),
        ("estimate_multiple_poses?max_poses=few", "max_poses='few' must be an integer of at least"),
        ("estimate_multiple_poses?max_poses=1.5", "max_poses=1.5 must be an integer of at least"),
        ("estimate_multiple_poses?max_poses=", "max_poses='' must be an integer"),
        (
            "estimate_hands?score_threshold=nan",
            "score_threshold=nan must be a number between 0 and",
        ),
        ("estimate_hands?score_threshold=2", "score_threshold=2 must be a number between 0 and 1"),
        ("estimate_hands?mirror=maybe", "mirror='maybe' must be True or False"),
        ("estimate_hands?max_hand=1", "unknown option 'max_hand' of estimate_hands: did you mean"),
        ("estimate_hands?num_hands=1", "did you mean 'max_hands'?"),
        ("estimate_hands?max_hands=1&max_hands=2", "max_hands is given 2 times: give it once"),
        ("estimate_hands?backend=shader", "chosen for the whole server: zoo serve --backend NAME"),
        ("estimate_faces?landmarks=mesk", "landmarks='mesk' must be one of ['mesh', 'mesh468'"),
        ("estimate_hands?model=hands.lit", "did you mean 'hands.lite'?"),
        ("estimate_hands?model=posenet.tiny", "posenet.tiny cannot estimate_hands"),
        ("estimate_hands?model=/etc/passwd", "paths and URLs are not taken from requests"),
        ("estimate_hands?model=https://a.example/b", "paths and URLs are not taken from requests"),
        ("estimate_hands?model=..%5Cmodel.json", "paths and URLs are not taken from requests"),
        (
            "recognize_gestures?hands_model=/tmp/m",
            "hands_model='/tmp/m' is not the name of a model",
        ),
    ],
)
def test_wrong_options_say_what_python_says(server, query, words):
    answer = server.post(query, encoded())
    assert answer.status == 422 and words in answer.error
    assert "nput should be" not in answer.error  # of pydantic


def test_a_path_of_a_model_is_not_read(server, tmp_path):
    (tmp_path / "model.json").write_text("{}")
    assert "not taken" in server.post(f"classify?model={tmp_path}", encoded()).error


def test_an_unknown_function(server):
    answer = server.post("estimate_hand", encoded())
    assert answer.status == 404 and "did you mean 'estimate_hands'?" in answer.error
    assert all(f"/v1/{verb}" in answer.error for verb in served_verbs())
    assert server.ask("GET", "/docs").status == 404
    assert server.post("infer", encoded()).status == 404
    for path in ("/assets/page.html", "/assets/..%2frest.py", "/assets/none.js"):
        assert "there is no" in server.ask("GET", path).error


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_another_method_explains_the_command(server, method):
    answer = server.ask(method, "/v1/estimate_hands?max_hands=1")
    assert answer.status == 405 and answer.headers["allow"] == "POST"
    command = f"curl --data-binary @image.jpg http://{server.host}/v1/estimate_hands"
    assert answer.error.endswith(command)
    assert "is read by GET" in server.ask("POST", "/healthz").error
    assert server.ask("HEAD", "/healthz").status == 200


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/a"])
def test_a_body_that_is_no_image_by_its_type(server, kind):
    answer = server.post("estimate_single_pose", encoded(), content_type=kind)
    assert answer.status == 415 and kind.partition(";")[0] in answer.error
    assert "curl --data-binary @image.jpg" in answer.error


@pytest.mark.parametrize("kind", ["image/jpeg", "application/octet-stream", "IMAGE/PNG; a=b"])
def test_types_of_images_and_none(server, kind):
    assert server.post("estimate_single_pose", encoded(), content_type=kind).status == 200
    assert server.post("estimate_single_pose", encoded()).status == 200


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the body is empty: send an image, curl --data-binary @image.jpg"),
        (b"no image", "the image is not an image in a format that Pillow reads"),
        (encoded("PNG")[:100], "the image cannot be read"),
        (encoded()[:400], "the image cannot be read"),
        (b"%!PS-Adobe-3.0 EPSF", "PostScript, which is not run"),
        (png_bomb(30_000, 30_000), "the image has 30000 x 30000 pixels, the limit is 50 million"),
        (jpeg_bomb(30_000, 30_000), "the image has 30000 x 30000 pixels, the limit is 50 million"),
        (png_bomb(7_000, 8_000), "the image has 7000 x 8000 pixels, the limit is 50 million"),
    ],
    ids=["empty", "text", "half PNG", "half JPEG", "EPS", "bomb", "JPEG bomb", "large"],
)
def test_a_body_that_is_no_image(server, body, words):
    answer = server.post("estimate_single_pose", body)
    assert answer.status == 422 and words in answer.error


def test_a_body_of_100_mb_is_refused_and_not_kept():
    part = bytes(100_000)
    with rest_running(limits=RestLimits(image_bytes=1_000_000)) as server:

        def send():
            return server.post("estimate_single_pose", (part for _ in range(1000)))

        answer, peak = peak_of(send, 8_000_000)
        assert answer.status == 413 and "more than 1,000,000 bytes" in answer.error
        assert peak < 8_000_000
        waits = {"expect": "100-continue", "content_length": "100000000"}
        assert server.post("estimate_single_pose", **waits).status == 413  # before it is sent
        assert server.post("estimate_single_pose", encoded()).status == 200


def test_missing_weights(server, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    monkeypatch.setattr(model_cache, "_kept", {})
    answer = server.post("classify?model=nsfwjs.mobilenet_v2", encoded())
    assert answer.status == 503
    assert "nsfwjs.mobilenet_v2" in answer.error and "ZOO_OFFLINE" in answer.error


def test_unexpected_errors_are_logged_and_answered(server, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr("zoo.web.rest.read_sent_image", fail)
    logger = logging.getLogger("uvicorn.error")  # whose lines go to stderr
    logger.addHandler(caplog.handler)
    try:
        answer = server.post("estimate_single_pose", encoded())
        eventually(lambda: "a secret of the server" in caplog.text, "the error is logged")
    finally:
        logger.removeHandler(caplog.handler)
    assert answer.status == 500 and "the server failed (RuntimeError)" in answer.error
    assert "secret" not in answer.text
    monkeypatch.undo()
    assert server.post("estimate_single_pose", encoded()).status == 200


def test_errors_are_json_of_one_key(server):
    document = json.loads(server.post("nothing").text)
    assert list(document) == ["error"] and document["error"].startswith("there is no address")
