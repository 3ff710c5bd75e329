"""Servers behind proxies and for other pages: what options allow, and what stays closed."""

import asyncio
from contextlib import contextmanager
from inspect import signature
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.zoo.web.rest_servers import answer_of
from tests.zoo.web.servers import PATIENCE, brightness_app, frame, hear
from weights_cache.common.errors import ZooError
from zoo.cli import main
from zoo.web import App
from zoo.web.app_server import serving_of
from zoo.web.proxies import Forwarded, Rooted
from zoo.web.rest_server import serving_of_rest
from zoo.web.security import Guard
from zoo.web.server_options import DeploymentOptions, ServerOptions, checked

TOKEN = "secret-of-9"
BEARER = {"authorization": f"Bearer {TOKEN}"}
FRONT_END = "http://localhost:3000"


class Started:
    """A server that listens at 127.0.0.1."""

    def __init__(self, running):
        self.running, self.port = running, urlsplit(running.address).port

    def ask(self, path="/", method="GET", **headers):
        """The answer to a request, whose host may be any."""
        return answer_of(self.port, method, path, **headers)

    def connect(self, path="/connection", **options):
        address = f"ws://127.0.0.1:{self.port}{path}"
        return connect(address, proxy=None, open_timeout=PATIENCE, **options)


@contextmanager
def started(**options):
    running = serving_of(brightness_app(), None, {"port": 0, **options}).start()
    try:
        yield Started(running)
    finally:
        running.stop()


NAMES = ["Vision.example.com", "*.example.org"]


@pytest.fixture(scope="module")
def allowing():
    with started(allow_hosts=NAMES, allow_origins=[FRONT_END], token="") as server:
        yield server


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "vision.example.com"}, 200),
        ({"host": "VISION.example.com:9000"}, 200),
        ({"host": "a.b.example.org"}, 200),
        ({"host": "example.org"}, 421),
        ({"host": "evilexample.org"}, 421),
        ({"host": "user@a.example.org"}, 421),
        ({"host": "vision.example.com.evil.example"}, 421),
        ({"host": "evil.example"}, 421),
        ({"host": "vision.example.com", "origin": "https://vision.example.com"}, 200),
        ({"host": "vision.example.com", "origin": "http://vision.example.com"}, 200),
        ({"host": "vision.example.com", "origin": "https://vision.example.com:9000"}, 403),
        ({"host": "vision.example.com", "origin": "https://a.example.org"}, 403),
        ({"host": "vision.example.com", "origin": FRONT_END}, 200),
        ({"host": "evil.example", "origin": FRONT_END}, 421),
        ({"host": "vision.example.com", "origin": "http://localhost:3001"}, 403),
        ({"host": "vision.example.com", "origin": "null"}, 403),
        # Nobody is a stated proxy.
        ({"host": "evil.example", "x_forwarded_host": "vision.example.com"}, 421),
        ({"host": "evil.example", "forwarded": "host=vision.example.com"}, 421),
        ({"host": "evil.example", "authorization": "Bearer "}, 421),
    ],
    ids=str,
)
def test_allowed_hosts_and_origins(headers, status, allowing):
    assert allowing.ask(**headers).status == status


def test_a_forged_scheme_is_no_origin(allowing):
    own = f"https://127.0.0.1:{allowing.port}"
    assert allowing.ask(origin=own, x_forwarded_proto="https").status == 403


def test_health_is_told_by_any_name(allowing):
    answer = allowing.ask("/healthz", host="10.1.2.3")
    assert answer.status == 200 and answer.document == {"status": "ok", "pages": 0}
    assert allowing.ask("/settings", host="10.1.2.3").status == 421


def test_refusals_name_the_options(allowing):
    assert "start the server with --allow-host NAME" in allowing.ask(host="evil.example").text
    refused = allowing.ask(origin="http://localhost:3001")
    assert "start the server with --allow-origin ORIGIN" in refused.text
    assert "access-control-allow-origin" not in refused.headers


def test_a_front_end_elsewhere_reads_answers(allowing):
    answer = allowing.ask("/settings", origin=FRONT_END)
    assert answer.headers["access-control-allow-origin"] == FRONT_END
    assert answer.headers["vary"] == "Origin" and answer.status == 200
    with allowing.connect(origin=FRONT_END) as page:
        page.send(frame(1))
        assert hear(page, "result")["number"] == 1
    with pytest.raises(InvalidStatus), allowing.connect(origin="http://localhost:3001"):
        pass


def test_preflights_of_allowed_origins_need_no_token():
    running = serving_of_rest(
        None, {"port": 0, "token": TOKEN, "allow_origins": [FRONT_END]}
    ).start()
    try:
        server = Started(running)
        asks = {"access_control_request_method": "POST"}
        asks["access_control_request_headers"] = "authorization,content-type"
        answer = server.ask("/v1/classify", "OPTIONS", origin=FRONT_END, **asks)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == FRONT_END
        assert "authorization" in answer.headers["access-control-allow-headers"]
        other = server.ask("/v1/classify", "OPTIONS", origin="http://localhost:3001", **asks)
        assert other.status == 403 and "--allow-origin" in other.error
        refused = server.ask("/openapi.json", origin=FRONT_END)
        assert refused.status == 401 and "the token is missing" in refused.error
        assert refused.headers["access-control-allow-origin"] == FRONT_END
    finally:
        running.stop()


def test_the_token_opens_by_any_name_and_its_lack_by_none():
    with started(token=TOKEN) as server:
        there = {"host": "zoo:8123", "origin": "https://vision.example.com"}
        assert server.ask(**there, **BEARER).status == 200
        assert server.ask(f"/?token={TOKEN}", **there).status == 200
        assert "access-control-allow-origin" not in server.ask(**there, **BEARER).headers
        for wrong in ({}, {"authorization": "Bearer secret-of-8"}, {"cookie": f"token={TOKEN}"}):
            refused = server.ask(**there, **wrong)
            assert refused.status == 421 and ", or send the token" in refused.text
        assert server.ask("/assets/zoo.js", host="evil.example").status == 421
        with server.connect(f"/connection?token={TOKEN}", origin=there["origin"]) as page:
            assert hear(page)["type"] == "hello"
        with pytest.raises(InvalidStatus), server.connect(origin=there["origin"]):
            pass


def test_a_server_that_others_reach_by_a_proxy_has_a_token():
    for option in ({"allow_hosts": ["vision.example.com"]}, {"proxies": ["127.0.0.1"]}):
        with started(**option) as server:
            assert "?token=" in server.running.address
    with started(allow_hosts=["vision.example.com"], token="") as server:
        assert server.running.address == f"http://127.0.0.1:{server.port}/"


def test_headers_of_stated_proxies_are_believed():
    names = {"allow_hosts": ["vision.example.com"], "token": ""}
    forwarded = {"host": "zoo:8123", "x_forwarded_host": "vision.example.com"}
    with started(**names, proxies=["127.0.0.0/8"]) as server:
        assert server.ask(**forwarded).status == 200
        assert server.ask(host="zoo:8123", x_forwarded_host="evil.example").status == 421
        own = f"https://127.0.0.1:{server.port}"
        assert server.ask(origin=own, x_forwarded_proto="https").status == 200
        assert server.ask(origin=own).status == 403
    with started(**names, proxies=["10.0.0.0/8"]) as server:  # which is not who asks
        assert server.ask(**forwarded).status == 421


@pytest.mark.parametrize(
    ("client", "said", "expected"),
    [
        ("10.0.0.7", ["8.8.8.8"], ("8.8.8.8", "https", "a.example")),
        ("::ffff:10.0.0.7", ["8.8.8.8"], ("8.8.8.8", "https", "a.example")),
        ("10.0.0.7", ["1.1.1.1, 8.8.8.8, 10.0.0.6"], ("8.8.8.8", "https", "a.example")),
        ("11.0.0.7", ["8.8.8.8"], ("11.0.0.7", "http", "zoo")),
        ("::ffff:11.0.0.7", ["8.8.8.8"], ("11.0.0.7", "http", "zoo")),
    ],
)
def test_what_proxies_say_of_clients(client, said, expected):
    seen = []

    async def application(scope, receive, send):
        (host,) = (value for name, value in scope["headers"] if name == b"host")
        seen.append((scope["client"][0], scope["scheme"], host.decode()))

    headers = [("host", "zoo"), ("x-forwarded-proto", "https")]
    headers += [("x-forwarded-for", each) for each in said]
    headers += [("x-forwarded-host", "evil.example"), ("x-forwarded-host", "b, a.example")]
    encoded = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "scheme": "http", "client": (client, 1), "headers": encoded}
    asyncio.run(Forwarded(application, ["10.0.0.0/8"])(scope, None, None))
    assert seen == [expected]


def test_sockets_without_addresses_are_no_proxies():
    seen = []

    async def application(scope, receive, send):
        seen.append(scope["headers"])

    headers = [(b"host", b"zoo"), (b"x-forwarded-host", b"a.example")]
    for client in (None, ("unix", 0)):
        scope = {"type": "http", "scheme": "http", "client": client, "headers": headers}
        asyncio.run(Forwarded(application, ["10.0.0.0/8"])(scope, None, None))
    assert seen == [headers, headers]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/zoo", "/zoo"),
        ("/zoo/", "/zoo/"),
        ("/", "/zoo/"),
        ("/assets/zoo.js", "/zoo/assets/zoo.js"),
        ("/zoology", "/zoo/zoology"),
    ],
)
def test_a_root_path_is_passed_or_stripped(path, expected):
    seen = []

    async def application(scope, receive, send):
        seen.append((scope["root_path"], scope["path"]))

    asyncio.run(Rooted(application, "/zoo")({"type": "http", "path": path}, None, None))
    assert seen == [("/zoo", expected)]


def test_a_page_below_a_root_path():
    with started(root_path="/zoo/", token=TOKEN) as server:
        assert server.running.address.endswith(f"/zoo/?token={TOKEN}")
        for before in ("", "/zoo"):
            assert server.ask(f"{before}/", **BEARER).status == 200
            assert server.ask(f"{before}/assets/zoo.js").status == 200  # scripts need no token
            assert server.ask(f"{before}/settings").status == 401
            assert server.ask(f"{before}/healthz", host="any").status == 200
            with server.connect(f"{before}/connection?token={TOKEN}") as page:
                assert hear(page)["type"] == "hello"
        found = server.ask(f"/zoo?token={TOKEN}")
        own = f"http://127.0.0.1:{server.port}"
        assert found.status == 307 and found.headers["location"] == f"{own}/zoo/?token={TOKEN}"
        assert server.ask("/zoology", **BEARER).status == 404


def test_the_hosts_of_an_address_are_those_at_which_a_request_arrives():
    def answer(host, server):
        sent = []

        async def send(message):
            sent.append(message)

        async def application(scope, receive, send):
            sent.append({"status": 200})

        headers = [(b"host", host.encode())]
        scope = {"type": "http", "scheme": "http", "path": "/", "server": server}
        asyncio.run(Guard(application, None)({**scope, "headers": headers}, None, send))
        return sent[0]["status"]

    assert answer("127.0.0.1:8000", ("127.0.0.1", 8000)) == 200
    assert answer("192.168.7.9", ("192.168.7.9", 80)) == 200
    assert answer("evil.example:8000", ("127.0.0.1", 8000)) == 421
    assert answer("127.0.0.1:8000", ("/run/zoo.sock", None)) == 421
    assert answer("127.0.0.1:8000", None) == 421


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"allow_hosts": ["https://vision.example.com"]}, "must be a name without scheme"),
        ({"allow_hosts": ["vision.example.com:443"]}, "must be a name without scheme"),
        ({"allow_hosts": ["*"]}, "must be a name without scheme"),
        ({"allow_hosts": "vision.example.com"}, "must be a list of texts, such as ['vision"),
        ({"allow_hosts": [b"x"]}, "allow_hosts: b'x' must be a text"),
        ({"allow_origins": ["*"]}, "must be the scheme, name and port of a page"),
        ({"allow_origins": ["null"]}, "must be the scheme, name and port of a page"),
        ({"allow_origins": ["http://localhost:3000/app"]}, "must be the scheme, name and port"),
        ({"token": "short"}, "the token must be 8 to 200"),
        ({"proxies": ["*"]}, "'*' is not the address or network of a proxy"),
        ({"proxies": ["10.0.0.1/8"]}, "has host bits set"),
        ({"root_path": "zoo"}, "must begin with '/'"),
        ({"root_path": "/../zoo"}, "must begin with '/'"),
        ({"root_path": "/zoo?x"}, "must begin with '/'"),
        ({"root_path": None}, "root_path: None must be a text"),
        ({"allow_host": ["a"]}, "unknown option 'allow_host' of run: did you mean 'allow_hosts'?"),
    ],
    ids=str,
)
def test_options_that_cannot_be_used(option, words):
    with pytest.raises(ZooError) as error:
        brightness_app().run(port=0, **option)
    assert words in str(error.value)


def test_options_in_their_usual_form():
    given = {"allow_hosts": ["[::1]", "Zoo"], "allow_origins": ["HTTPS://A.example:443/"]}
    found = checked("run", {**given, "root_path": "/"}, ServerOptions)
    assert found["allow_hosts"] == ("[::1]", "zoo") and found["root_path"] == ""
    assert found["allow_origins"] == ("https://a.example",)


def test_the_help_of_python_has_each_option():
    shown = signature(App.run).parameters
    assert [*DeploymentOptions.__annotations__] == [*shown][-6:]
    assert shown["allow_hosts"].default == () and "options" not in shown


def test_the_command_line_has_each_option(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    shown = capsys.readouterr().out
    for flag in ("--allow-host", "--allow-origin", "--root-path", "--proxy", "--certificate"):
        assert flag in shown
    assert main(["serve", "--port", "0", "--allow-host", "a", "--allow-host", "b:1"]) == 2
    assert "'b:1' must be a name without scheme" in capsys.readouterr().err
