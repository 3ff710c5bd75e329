"""Redirects: where they may lead, and what must not go there."""

import base64

import pytest

from tests.weights_cache.fault_server import CERTIFICATE, FaultServer
from tests.weights_cache.raw_answers import ENDLESS, endless, redirect
from weights_cache import download, locate, locate_url
from weights_cache.common.errors import WeightsError
from weights_cache.failures import UnusableError
from weights_cache.http_answers import Budget, answer_to, open_session
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image


def get(url):
    """The body, by the one function that asks servers."""
    budget = Budget(5.0, 5.0, 5.0)
    with open_session() as session, answer_to(session, url, {}, download.LIMITS, budget) as answer:
        return b"".join(answer.blocks())


def credentials(server):
    """User and password of each request that came, None where there was none."""
    given = [headers.get("Authorization", "") for _, headers in server.requests]
    return [base64.b64decode(text.removeprefix("Basic ")).decode() or None for text in given]


@pytest.fixture
def netrc(monkeypatch, tmp_path):
    path = tmp_path / "netrc"
    path.write_text(
        "machine 127.0.0.1\nlogin me\npassword secret\nmachine localhost\nlogin us\npassword ours\n"
    )
    monkeypatch.setenv("NETRC", str(path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def other(server):
    with FaultServer({"/x": b"there"}) as running:
        yield running


@pytest.fixture
def trusted(monkeypatch):
    """The certificate of the tests is one of an authority that is trusted."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))


@pytest.fixture
def secure(trusted, server):
    with FaultServer({"/x": b"safe"}, secure=True) as running:
        yield running


def test_ten_redirects_are_followed(server):
    server.files["/x"] = b"there"
    server.add("redirect", "/x", times=10)
    assert get(f"{server.url}/a") == b"there"
    server.add("redirect", "/x", times=11)
    with pytest.raises(UnusableError, match="more than 10 redirects"):
        get(f"{server.url}/a")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_places_are_read_as_browsers_read_them(server, status):
    server.files["/b/%C3%BC%20x"] = b"there"
    for place in (b"../b/\xc3\xbc x", b"//" + server.url[7:].encode() + b"/b/%C3%BC%20x#part"):
        answer = redirect(place).replace(b"302", b"%d" % status)
        server.add("raw", answer, times=1)
        assert get(f"{server.url}/a/c") == b"there"


def test_netrc_is_for_the_server_that_was_asked(netrc, server):
    server.files["/x"] = b"there"
    server.add("redirect", "/x", times=1)
    get(f"{server.url}/a")
    assert credentials(server) == ["me:secret", "me:secret"]


def test_netrc_is_not_for_a_server_that_another_leads_to(netrc, server, other):
    place = other.url.replace("127.0.0.1", "localhost")
    server.add("redirect", f"{place}/x")
    assert get(f"{server.url}/a") == b"there"
    assert credentials(server) == ["me:secret"] and credentials(other) == [None]


def test_a_password_of_the_url_stays_with_its_server(server, other):
    url = server.url.replace("//", "//me:secret@")
    server.add("redirect", "/again", times=1)
    server.add("redirect", f"{other.url}/x", after=1)
    assert get(f"{url}/a") == b"there"
    assert credentials(server) == ["me:secret", "me:secret"] and credentials(other) == [None]


def test_a_redirect_back_gets_no_password(server, other):
    url = server.url.replace("//", "//me:secret@")
    server.files["/x"] = b"there"
    server.add("redirect", f"{other.url}/a", times=1)
    other.add("redirect", f"{server.url}/x")
    assert get(f"{url}/a") == b"there"
    assert credentials(server) == ["me:secret", None] and credentials(other) == [None]


def test_a_redirect_brings_no_password_of_its_own(server, other):
    server.add("redirect", other.url.replace("//", "//them:theirs@") + "/x")
    assert get(f"{server.url}/a") == b"there"
    assert credentials(other) == [None]


def test_cookies_stay_with_their_server(server, other):
    server.files["/x"] = b"here"
    server.add("raw", redirect(b"/x", b"Set-Cookie: a=b"), times=1)
    get(f"{server.url}/a")
    assert server.requests[1][1]["Cookie"] == "a=b"
    server.heal()
    server.add("raw", redirect(other.url.encode() + b"/x", b"Set-Cookie: a=b"))
    get(f"{server.url}/a")
    assert "Cookie" not in other.requests[0][1]


def test_an_unknown_certificate_is_refused(server):
    with FaultServer({"/x": b"safe"}, secure=True) as running:
        with pytest.raises(UnusableError, match="certificate"):
            get(f"{running.url}/x")
        assert running.requests == []


def test_a_known_certificate_is_accepted(secure):
    assert get(f"{secure.url}/x") == b"safe"


def test_to_https_is_a_way_up(secure, server):
    server.add("redirect", f"{secure.url}/x")
    assert get(f"{server.url}/a") == b"safe"


@pytest.mark.parametrize("user", ["weights", "url", "image"])
def test_from_https_to_http_is_refused(toy, netrc, secure, other, user):
    secure.add("redirect", f"{other.url}/x")
    users = {
        "weights": lambda: locate("toy", mirror=secure.url),
        "url": lambda: locate_url(f"{secure.url}/x.tflite"),
        "image": lambda: read_image(f"{secure.url}/x.png"),
    }
    if user == "weights":  # the next URL is asked
        assert users[user]()["weights.bin"].read_bytes() == toy.data
    else:
        with pytest.raises((WeightsError, ImageError), match="redirected from https to http"):
            users[user]()
    assert credentials(secure) == ["me:secret"] and other.requests == []


@pytest.fixture
def proxy(monkeypatch, other):
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, other.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    return other


def test_a_proxy_of_the_environment_is_used(proxy):
    proxy.files["http://example.invalid/x"] = b"by way of the proxy"
    assert get("http://example.invalid/x") == b"by way of the proxy"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_answers_of_proxies_are_limited(proxy, scheme):
    """Also its answer to CONNECT, before any other server is asked."""
    start = b"" if scheme == "http" else b"HTTP/1.1 200 OK\r\n"
    line = b"HTTP/1.1 100 Continue\r\n\r\n" if scheme == "http" else b"A: b\r\n"
    proxy.add("raw", lambda server: endless(start, line)(server, b""))
    with pytest.raises(UnusableError, match="bytes of headers|broke"):
        get(f"{scheme}://example.invalid/x")
    assert proxy.requests and proxy.sent < ENDLESS / 3


def test_a_password_for_a_proxy_goes_to_the_proxy_only(monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:secret@"))
    proxy.files["http://example.invalid/x"] = b"by way of the proxy"
    get("http://example.invalid/x")
    ((_, headers),) = proxy.requests
    assert "Authorization" not in headers
    assert base64.b64decode(headers["Proxy-Authorization"].removeprefix("Basic ")) == b"me:secret"
