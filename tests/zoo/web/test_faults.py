"""What pages and programs may do wrong, and what the server answers."""

import json
import socket

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.zoo.web.servers import PATIENCE, brightness_app, closed, eventually, frame, hear, running
from zoo.web import App
from zoo.web.quotas import Limits

pytestmark = pytest.mark.whole


@pytest.fixture
def server():
    with running(brightness_app()) as found:
        yield found


def test_a_frame_is_answered(server):
    with server.connect() as page:
        assert hear(page)["type"] == "hello"
        page.send(frame(7))
        answer = hear(page)
        assert answer["type"] == "result" and answer["number"] == 7 and answer["size"] == [64, 48]
        assert answer["result"] == pytest.approx(128, abs=1)


def test_controls_change_what_functions_get(server):
    with server.connect() as page, server.connect() as other:
        page.send(json.dumps({"type": "set", "name": "factor", "value": 2}))
        page.send(json.dumps({"type": "again"}))
        assert hear(page, "again")["value"]["factor"] == 2
        other.send(json.dumps({"type": "again"}))
        assert hear(other, "again")["value"]["factor"] == 1  # each page has values of its own


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("no JSON", "a text message is no JSON"),
        ("[1]", "must be a JSON object, not list"),
        ('{"type": 3}', "must be a JSON object with a text 'type'"),
        ('{"type": "unknown"}', "the app takes no messages of type 'unknown'"),
        ('{"type": "set", "name": "factor", "value": 11}', "factor=11 must be a number between"),
        ('{"type": "set", "name": "factor", "value": NaN}', "NaN is no value of JSON"),
        ('{"type": "set", "name": "other", "value": 1}', "there is no control 'other'"),
        (b"", "a binary message of 0 bytes must begin"),
        (b"\xff\xff\xff\xff1234", "at most 4096"),
        (b"\x02\x00\x00\x00{}", "number=None of an image"),
    ],
)
def test_messages_of_another_form_end_the_connection(server, sent, words):
    with server.connect() as page:
        page.send(sent)
        code, reason = closed(page)
    assert code == 1007 and words in reason
    assert server.get("/healthz")[0] == 200


def test_invalid_images_are_answered_with_an_error(server):
    with server.connect() as page:
        page.send(frame(1, b"no image"))
        answer = hear(page, "error")
        assert answer["number"] == 1 and "is not an image" in answer["message"]
        page.send(frame(2))
        assert hear(page, "result")["number"] == 2


def test_a_frame_of_100_mb_ends_the_connection_before_it_is_in_memory(server):
    with server.connect() as page:
        with pytest.raises(ConnectionClosed):
            page.send(frame(1, bytes(100_000_000)))
            page.recv(PATIENCE)
            page.recv(PATIENCE)
        assert page.close_code in (1009, 1006)  # 1006 where the rest of it hides the server's word
    assert server.get("/healthz")[0] == 200


def test_another_origin_is_refused(server):
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}"):
        with pytest.raises(InvalidStatus) as refused, server.connect(origin=origin):
            pass
        assert refused.value.response.status_code == 403
        status, _, body = server.get("/", Origin=origin)
        assert status == 403 and "may not use this server" in body


def test_another_host_is_refused(server):
    status, _, body = server.get("/", Host="rebound.example")
    assert status == 421 and "the host 'rebound.example' is not this server" in body


def test_a_wrong_token_is_refused():
    with running(brightness_app(), token="right") as server:
        for path in ("/", "/?token=wrong", "/?token=", "/settings", "/metrics"):
            status, _, body = server.get(path)
            assert status == 401 and "the token is missing or wrong" in body
        assert server.get("/?token=right")[0] == 200
        assert server.get("/", Authorization="Bearer right")[0] == 200
        assert server.get("/healthz")[0] == server.get("/assets/zoo.js")[0] == 200
        for path in ("/connection", "/connection?token=wrong"):
            with pytest.raises(InvalidStatus), server.connect(path):
                pass
        with server.connect("/connection?token=right") as page:
            assert hear(page)["type"] == "hello"


def test_pages_beyond_the_limit_are_rejected():
    with running(brightness_app(), limits=Limits(pages=2)) as server:
        with server.connect() as one, server.connect() as two:
            assert hear(one)["type"] == hear(two)["type"] == "hello"
            with server.connect() as three:
                code, reason = closed(three)
                assert code == 1013 and "2 pages are open" in reason
            two.send(frame(1))
            assert hear(two)["type"] == "result"
        eventually(lambda: not server.server.pages, "pages that left are forgotten")
        with server.connect() as page:
            assert hear(page)["type"] == "hello"


def test_frames_beyond_the_rate_are_dropped():
    with running(brightness_app(), limits=Limits(frames_per_second=0.01)) as server:
        with server.connect() as page:
            hear(page)
            for number in range(20):
                page.send(frame(number))
            answers = [hear(page, "dropped", "result") for _ in range(20)]
        assert sorted(answer["number"] for answer in answers) == list(range(20))
        beyond = {answer["number"] for answer in answers if answer.get("reason") == "rate"}
        assert beyond == set(range(1, 20))


def test_a_page_that_reads_nothing_is_closed():
    app = App("Talkative")

    @app.on("talk")
    def talk(client):
        for _ in range(40):
            client.send("words", text="x" * 1_000_000)

    with running(app, limits=Limits(send_seconds=0.5)) as server:
        raw = socket.create_connection(("127.0.0.1", server.port))
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with server.connect(sock=raw, max_queue=1) as page, server.connect() as other:
            page.send(json.dumps({"type": "talk"}))
            eventually(
                lambda: len(server.server.pages) == 1, "the page that reads nothing is closed"
            )
            assert hear(other)["type"] == "hello"


def test_nothing_of_another_origin_is_allowed(server):
    _, headers, body = server.get("/")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "http" not in policy and "unsafe" not in policy
    assert "//" not in body.replace("<!--", "")


def test_paths_do_not_lead_out_of_folders(tmp_path):
    folder = tmp_path / "app"
    (folder / "inner").mkdir(parents=True)
    for path in (tmp_path / "secret.js", folder / "own.js", folder / "inner" / "deep.js"):
        path.write_text("export {}")
    with running(App("Files", folder=folder)) as server:
        assert server.get("/app/own.js")[0] == server.get("/assets/zoo.js")[0] == 200
        for path in (
            "/app/../secret.js",
            "/app/..%2fsecret.js",
            "/app/%2e%2e%2fsecret.js",
            "/app/..%5csecret.js",
            f"/app/{str(tmp_path / 'secret.js').replace('/', '%2f')}",
            "/app/inner%2f..%2fown.js",
            "/app/inner/deep.js",
            "/assets/../page.py",
            "/assets/..%2fpage.py",
            "/assets/page.html",
        ):
            assert server.get(path)[0] == 404, path


def test_links_do_not_lead_out_of_an_apps_folder(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (folder / "own.css").write_text("{}")
    (folder / "key.pem").write_text("no file of pages")
    (folder / "link.css").symlink_to(tmp_path / "secret.json")
    app = App("Linked", folder=folder)
    with running(app) as server:
        found = {name: server.get(f"/app/{name}")[0] for name in ("own.css", "link.css", "key.pem")}
    assert found == {"own.css": 200, "link.css": 404, "key.pem": 404}


def test_every_answer_has_the_headers_of_security(server):
    for path in ("/", "/settings", "/assets/zoo.js", "/healthz", "/metrics", "/nowhere"):
        _, headers, _ = server.get(path)
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer" and "set-cookie" not in headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert server.get("/", Host="evil.example")[1]["referrer-policy"] == "no-referrer"
