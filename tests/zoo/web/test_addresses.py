"""Where servers listen, who may reach them, and how they end."""

import json
import signal
import socket
import ssl
import sys
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest
from websockets.sync.client import connect

from tests.helpers import ROOT
from tests.zoo.web.server_processes import server_process
from tests.zoo.web.servers import PATIENCE, frame, hear
from weights_cache.common.errors import ZooError
from zoo.web import App
from zoo.web.listening import address_of, check_certificate, hosts_of, listening_socket
from zoo.web.security import Guard

CERTIFICATE = str(ROOT / "tests" / "weights_cache" / "localhost.pem")  # and its key


def unchecked():
    """Settings of TLS for a certificate that nobody signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def status(server, path="/", **headers):
    """The status of an answer, whose host and token may be other than those printed."""
    if server.scheme == "https":
        connection = HTTPSConnection(
            "127.0.0.1", server.port, context=unchecked(), timeout=PATIENCE
        )
    else:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def test_a_server_for_other_computers_has_a_token_and_warns():
    with server_process(host="0.0.0.0") as server:
        assert len(server.token) >= 16
        names = (server.host, f"{socket.gethostname()}:{server.port}", f"192.168.7.9:{server.port}")
        for host in names:
            assert status(server, f"/?token={server.token}", Host=host) == 200
            assert status(server, "/", Host=host) == status(server, "/?token=", Host=host) == 401
        for host in ("evil.example", f"evil.example:{server.port}", "192.168.7.9", "999.1.1.1:x"):
            assert status(server, "/", Host=host) == status(server, "/?token=x", Host=host) == 421
            assert (
                status(server, f"/?token={server.token}", Host=host) == 200
            )  # no evil page has it
            assert status(server, "/healthz", Host=host) == 200
        assert any("Warning: images travel unencrypted" in line for line in server.lines)


def test_tokens_are_printed_once_and_never_again():
    with server_process(host="0.0.0.0", token="secret-of-9.~_") as server:
        assert server.token == "secret-of-9.~_"
        address = f"ws://127.0.0.1:{server.port}/connection?token={server.token}"
        with connect(address, proxy=None) as page:
            assert hear(page)["type"] == "hello"
            page.send(frame(1, b"no image"))
            assert hear(page, "error")
        for path in ("/", "/nowhere", "/download/x", "/healthz"):
            status(server, f"{path}?token={server.token}")
        status(server, f"/?token={server.token}", Host="evil.example")
        assert sum("secret" in line for line in server.lines) == 1, server.lines


def test_https_and_wss():
    with server_process(host="0.0.0.0", certificate=(CERTIFICATE, CERTIFICATE)) as server:
        assert server.scheme == "https"
        assert status(server, f"/?token={server.token}") == 200
        address = f"wss://127.0.0.1:{server.port}/connection?token={server.token}"
        origin = f"https://127.0.0.1:{server.port}"
        with connect(address, ssl=unchecked(), origin=origin, proxy=None) as page:
            page.send(frame(1))
            assert hear(page, "result")["number"] == 1
        assert not any("Warning" in line for line in server.lines)
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert not plain.recv(1000).startswith(b"HTTP")
        assert status(server, "/healthz") == 200
        assert not any("Traceback" in line for line in server.lines), "".join(server.lines)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("missing", "missing.pem' cannot be read: No such file"),
        ("folder", "cannot be read: Is a directory"),
        ("garbled", "cannot be used"),
        ("empty", "cannot be used"),
        ("no key", "cannot be used"),
        ("no certificate", "cannot be used"),
    ],
)
def test_certificates_that_cannot_be_used(which, words, tmp_path):
    text = Path(CERTIFICATE).read_text()
    begin = text.index("-----BEGIN PRIVATE KEY") > text.index("-----BEGIN CERTIFICATE")
    parts = text.partition("-----BEGIN PRIVATE KEY" if begin else "-----BEGIN CERTIFICATE")
    first, second = parts[0], parts[1] + parts[2]
    certificate, key = (first, second) if begin else (second, first)
    (tmp_path / "cert.pem").write_text(key if which == "no certificate" else certificate)
    keys = {"garbled": "\0 no key", "empty": "", "no key": certificate}
    (tmp_path / "key.pem").write_text(keys.get(which, key))
    names = {"missing": tmp_path / "missing.pem", "folder": tmp_path}
    given = (str(tmp_path / "cert.pem"), str(names.get(which, tmp_path / "key.pem")))
    app = App("Nothing")
    app.on_frame(lambda frame: None)
    with pytest.raises(ZooError) as error:
        app.run(port=0, certificate=given)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_certificate_that_can_be_used():
    check_certificate((CERTIFICATE, CERTIFICATE))


@pytest.mark.parametrize("port", [-1, 65536, 1.5, True, "80"])
def test_invalid_ports(port):
    with pytest.raises(ZooError, match="must be an integer between 0 and 65535"):
        listening_socket("127.0.0.1", port)


@pytest.mark.parametrize("host", ["", "a" * 70 + ".x", "1.2.3\0"])
def test_invalid_hosts(host):
    with pytest.raises(ZooError, match="is not an address of this computer"):
        listening_socket(host, 0)


def test_unknown_host_name(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # asks name servers
    with pytest.raises(ZooError, match="host='nowhere' is not an address .*service not known"):
        listening_socket("nowhere", 0)


def test_a_port_in_use_is_one_error():
    with listening_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ZooError, match=f"cannot listen at 127.0.0.1:{port}: Address already"):
            listening_socket("127.0.0.1", port)


@pytest.mark.parametrize("token", ["short", "with a space", "a&b=c#d-efgh", "ü" * 20, "x" * 201])
def test_tokens_that_addresses_cannot_hold(token):
    app = App("Nothing")
    app.on_frame(lambda frame: None)
    with pytest.raises(ZooError, match="the token must be 8 to 200 of the characters"):
        app.run(port=0, token=token)


def test_no_token_is_refused_where_others_reach_the_server():
    app = App("Nothing")
    app.on_frame(lambda frame: None)
    with pytest.raises(ZooError, match="the token must be"):
        app.run("0.0.0.0", 0, token="")


def test_names_and_addresses():
    assert "127.0.0.1" in hosts_of("127.0.0.1", 80, "http")  # browsers leave the usual port out
    assert "127.0.0.1" not in hosts_of("127.0.0.1", 80, "https")
    assert "[fe80::1]:8000" in hosts_of("fe80::1", 8000, "http")
    assert address_of("::1", 8000, "http", "") == "http://[::1]:8000/"
    assert address_of("127.0.0.1", 443, "https", "") == "https://127.0.0.1/"


HOSTS = frozenset({"127.0.0.1:8000", "[::1]:8000"})


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ([("host", "127.0.0.1:8000")], None),
        ([("host", "[::1]:8000"), ("origin", "http://[::1]:8000")], None),
        ([("host", "127.0.0.1:8000"), ("origin", "HTTP://127.0.0.1:8000")], None),
        ([], "is not this server"),
        ([("host", "")], "is not this server"),
        ([("host", "127.0.0.1")], "is not this server"),
        ([("host", "127.0.0.1:8000.evil.example")], "is not this server"),
        ([("host", "user@127.0.0.1:8000")], "is not this server"),
        ([("host", "127.0.0.1:8000"), ("host", "127.0.0.1:8000")], "is not this server"),
        ([("host", "evil.example"), ("host", "127.0.0.1:8000")], "is not this server"),
        ([("host", "127.0.0.1:8000"), ("origin", "null")], "may not use"),
        ([("host", "127.0.0.1:8000"), ("origin", "")], "may not use"),
        ([("host", "127.0.0.1:8000"), ("origin", "http://[")], "may not use"),
        ([("host", "127.0.0.1:8000"), ("origin", "https://127.0.0.1:8000")], "may not use"),
        ([("host", "127.0.0.1:8000"), ("origin", "http://localhost:8000")], "may not use"),
        ([("host", "127.0.0.1:8000"), ("origin", "file://127.0.0.1:8000")], "may not use"),
        (
            [
                ("host", "127.0.0.1:8000"),
                ("origin", "http://127.0.0.1:8000"),
                ("origin", "http://evil.example"),
            ],
            "may not use",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_hosts_and_origins(headers, words, kind):
    encoded = [(name.encode(), value.encode()) for name, value in headers]
    scheme = {"http": "http", "websocket": "ws"}[kind]
    scope = {"type": kind, "headers": encoded, "scheme": scheme, "path": "/", "query_string": b""}
    sent, reached = [], []

    async def application(*_):
        reached.append(True)

    async def send(message):
        sent.append(message)

    work = Guard(application, HOSTS)(scope, None, send)
    with pytest.raises(StopIteration):
        work.send(None)  # nothing waits
    assert bool(reached) == (words is None)
    if words and kind == "http":
        assert words in sent[1]["body"].decode() and sent[0]["status"] in (403, 421)
    if words and kind == "websocket":
        assert sent[0]["type"] == "websocket.close"


@pytest.mark.parametrize("as_json", [True, False])
def test_refusals_are_json_where_all_errors_are(as_json):
    scope = {"type": "http", "headers": [], "scheme": "http", "path": "/openapi.json"}
    sent = []

    async def send(message):
        sent.append(message)

    with pytest.raises(StopIteration):
        Guard(print, HOSTS, as_json=as_json)(scope, None, send).send(None)
    kind = dict(sent[0]["headers"])[b"content-type"].decode()
    assert kind == ("application/json" if as_json else "text/plain; charset=utf-8")
    error = json.loads(sent[1]["body"])["error"] if as_json else sent[1]["body"].decode()
    assert error.startswith("the host '' is not this server")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "ending"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals_end_a_server_with_pages_open(number, ending):
    with server_process(["gallery", "pose_mirror", "--port", "0"]) as server:
        address = f"ws://127.0.0.1:{server.port}/connection"
        with connect(address, proxy=None) as page, connect(address, proxy=None) as other:
            assert hear(page)["type"] == hear(other)["type"] == "hello"
            server.process.send_signal(getattr(signal, number))
            assert server.process.wait(PATIENCE) == ending, server.lines
    assert not any("Traceback" in line or "Error" in line for line in server.lines), server.lines


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_does_not_wait_for_a_function():
    with (
        server_process() as server,
        connect(f"ws://127.0.0.1:{server.port}/connection", proxy=None) as page,
    ):
        page.send(json.dumps({"type": "sleep"}))
        assert hear(page, "sleeping")  # for ten minutes
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 0  # the script goes on
    assert not any("Traceback" in line for line in server.lines), "".join(server.lines)
