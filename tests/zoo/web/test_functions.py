"""Functions that apps refuse, and functions that fail."""

import functools
import json
import logging

import numpy as np
import pytest

from tests.zoo.web.servers import frame, hear, running
from weights_cache.common.errors import ZooError
from zoo.web import App, Client, Download, button, select, slider, switch


def app_of(*controls):
    return App("Test", slider("threshold", 0, 1, 0.5), button("again"), *controls)


def no_arguments():
    return []


def another(image):
    return []


def near(frame, treshold):
    return []


def pressed(frame, again):
    return []


def with_message(frame, message):
    return []


def many(frame, *more):
    return []


def named(frame, **more):
    return []


def positional(frame, /):
    return []


async def waiting(frame):
    return []


def yielding(frame):
    yield []


class Nothing:
    def __call__(self):
        return []


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (3, "3 is not a function: write @app.on_frame above one"),
        (None, "None is not a function"),
        (no_arguments, "no_arguments() needs the argument 'frame': def no_arguments(frame):"),
        (another, "another(): the app gives no argument 'image'"),
        (near, "no argument 'treshold': did you mean 'threshold'?"),
        (pressed, "no argument 'again'"),
        (with_message, "no argument 'message'"),
        (many, "many(): the argument 'more' begins with '*'"),
        (named, "begins with '**'"),
        (positional, "positional(): the argument 'frame' has no name outside"),
        (waiting, "waiting() is async"),
        (yielding, "yielding() is a generator"),
        (dict, "dict()"),
        (Nothing(), "needs the argument 'frame': give it one"),
        (lambda: [], "<lambda>() needs the argument 'frame': give it one"),
    ],
)
def test_functions_that_are_refused(function, words):
    with pytest.raises(ZooError) as error:
        app_of().on_frame(function)
    assert words in str(error.value).replace(" (did", ": did"), str(error.value)


def test_functions_of_other_kinds_are_taken():
    class Counter:
        def __call__(self, frame, threshold):
            return threshold

        def method(self, frame, client):
            return client.number

    for function in (Counter(), Counter().method, functools.partial(near, treshold=1)):
        assert app_of().on_frame(function) is function


def test_one_function_for_each_purpose():
    app = app_of()
    app.on_frame(lambda frame: 1)
    with pytest.raises(ZooError, match="the app has a function for frames, <lambda>"):
        app.on_frame(lambda frame: 2)
    for add in (app.on, app.on_image, app.download):
        add("one")(no_arguments)
        with pytest.raises(ZooError, match="the app has a function for 'one', no_arguments"):
            add("one")(no_arguments)


@pytest.mark.parametrize("name", ["frame", "client", "message"])
def test_controls_do_not_have_names_of_arguments(name):
    with pytest.raises(ZooError, match=f"a control cannot have the name '{name}'"):
        App("Test", slider(name, 0, 1, 0.5))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: slider("x", 0, float("inf"), 1), "high=inf, default=1 and step=0.0 must be fin"),
        (lambda: slider("x", 0, 1, float("nan")), "default=nan and step=0.0 must be finite"),
        (lambda: slider("x", 0, 1, 1, step=float("nan")), "step=nan must be finite numbers"),
        (lambda: slider("x", 0, 10**400, 1, step=1), "must be finite numbers"),
        (lambda: slider("x", "0", 1, 1), "low='0', high=1, default=1 and step=0.0 must be finite"),
        (lambda: slider("x", 0, 1, True), "default=True and step=0.0 must be finite numbers"),
        (lambda: slider("x", 0, 1, 2), "the default 2 must lie between 0 and 1"),
        (lambda: select("x", "red"), "choices='red' must be a list of texts, such as [\"red\", "),
        (lambda: select("x", ["red", 3]), "must be a list of texts"),
        (lambda: select("x", []), "must be a list of texts"),
        (lambda: select("x", ["red"], "blue"), "the default 'blue' is not one of ['red']"),
        (lambda: switch("x", 1), "the default 1 must be True or False"),
        (lambda: button("two words"), "'two words' cannot name a control"),
        (lambda: App("Test", switch("x"), button("x")), "have the name 'x': rename one"),
        (lambda: App("Test", "x"), "'x' is no control of slider(..)"),
    ],
)
def test_invalid_controls(make, words):
    with pytest.raises(ZooError) as error:
        make()
    assert words in str(error.value)


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(ZooError, match="none' is not a folder: create it or leave it out"):
        App("Test", folder=tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("treshold", "no control 'treshold': did you mean 'threshold'?; controls: threshold"),
        ("again", "no control 'again'; controls: threshold"),  # a button
        (3, "no control 3; controls: threshold"),
    ],
)
def test_controls_that_pages_do_not_have(name, words):
    with pytest.raises(ZooError) as error:
        Client(1, app_of().controls, print).set(name, 1)
    assert words in str(error.value)


def test_types_of_messages_are_checked():
    app = app_of()
    for add in (app.on, app.on_image):
        with pytest.raises(ZooError, match="belong to the server"):
            add("result")
        with pytest.raises(ZooError, match=r"no_arguments\(\) is not the type of a message"):
            add(no_arguments)
    for name in ("a/b", "", "a b", "..\n", None):
        with pytest.raises(ZooError, match="cannot be part of an address"):
            app.download(name)


def test_an_app_without_a_function_does_not_run():
    with pytest.raises(ZooError, match="the app has no function"):
        app_of().run(port=0)


class UnusualError(Exception):
    pass


def circle():
    found = []
    found.append(found)
    return found


RETURNED = {
    "array": np.zeros(3),
    "nan": {"result": [float("nan")]},
    "set": {1, 2},
    "keys": {"result": {(1, 2): 3}},
    "object": object(),
    "circle": circle(),
}


@pytest.mark.parametrize("name", RETURNED)
def test_values_that_json_cannot_hold_name_the_function(name):
    app = app_of()

    @app.on_frame
    def brightness(frame):
        return RETURNED[name] if frame.index == 1 else 7

    @app.on("again")
    def press():
        return RETURNED[name]

    with running(app) as server, server.connect() as page:
        page.send(frame(1))
        answer = hear(page, "error")
        assert answer["number"] == 1
        assert "what brightness() returned: JSON cannot carry a value" in answer["message"]
        page.send(json.dumps({"type": "again"}))
        assert "what press() returned" in hear(page, "error")["message"]
        page.send(frame(2))
        assert hear(page, "result")["result"] == 7


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (UnusualError("odd"), "the app failed: UnusualError: odd"),
        (StopIteration(), "the app failed: StopIteration"),
        (SystemExit(3), "the app failed: RuntimeError: SystemExit: 3"),
        (KeyboardInterrupt(), "the app failed: RuntimeError: KeyboardInterrupt"),
        (RecursionError("deep"), "RecursionError: deep"),
        (ZooError("as it is"), "as it is"),
    ],
)
def test_functions_that_raise(raised, words, caplog):
    app = app_of()

    @app.on_frame
    def fails(frame):
        if frame.index < 3:
            raise raised
        return frame.index

    @app.download("file")
    def file():
        raise raised

    with running(app) as server, server.connect() as page:
        hello = hear(page, "hello")
        with caplog.at_level(logging.ERROR, "zoo.web"):
            for number in (1, 2):
                page.send(frame(number))
                assert words in hear(page, "error")["message"]
        printed = [record for record in caplog.records if record.name == "zoo.web"]
        assert len(printed) == (not isinstance(raised, ZooError))  # once, not thirty times a second
        status, _, body = server.get(f"/download/file?page={hello['page']}&key={hello['key']}")
        assert status == (409 if isinstance(raised, ZooError) else 500)
        assert words.rpartition(": ")[2] in body
        page.send(frame(3))
        assert hear(page, "result")["result"] == 3


def test_messages_of_the_server_are_not_for_apps():
    app = app_of()

    @app.on("again")
    def press(client):
        client.send("result", value=1)

    with running(app) as server, server.connect() as page:
        page.send(json.dumps({"type": "again"}))
        assert "'result' belong to the server" in hear(page, "error")["message"]


def test_downloads_are_a_pages_own_and_their_names_add_no_header():
    app = app_of()

    @app.download("file")
    def file(client):
        return Download(b"data", 'a"\r\nset-cookie: x=1\r\n/ü.zip', "text/html\r\nx: y")

    @app.download("wrong")
    def wrong():
        return b"data"

    with running(app) as server, server.connect() as page, server.connect() as other:
        hello, their = hear(page, "hello"), hear(other, "hello")
        query = f"?page={hello['page']}&key={hello['key']}"
        status, headers, body = server.get(f"/download/file{query}")
        assert status == 200 and body == "data" and "set-cookie" not in headers
        assert headers["content-type"] == "application/octet-stream"
        name = "a%22%0D%0Aset-cookie%3A%20x%3D1%0D%0A_%C3%BC.zip"
        assert headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
        status, _, body = server.get(f"/download/wrong{query}")
        assert status == 409 and "wrong() returned b'data', not a Download" in body
        for query in (
            "",
            "?page=x&key=y",
            f"?page={hello['page']}&key={their['key']}",
            f"?page={9**20}&key={hello['key']}",
            f"?page={hello['page']}&key=%FC",
        ):
            assert server.get(f"/download/file{query}")[0] == 404
        assert server.get(f"/download/nowhere?page={hello['page']}&key={hello['key']}")[0] == 404
