"""Pages and REST behind nginx and Caddy, with TLS, as ``zoo/docs/web.md`` sets them up."""

import json
import re
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.gallery.browser import opened
from tests.helpers import ROOT
from tests.zoo.web.proxies import NAME, proxy_before
from tests.zoo.web.servers import brightness_app
from zoo.cli.commands import make_parser
from zoo.cli.gallery_command import _server_options
from zoo.web.app_server import serving_of
from zoo.web.rest_server import serving_of_rest

pytestmark = pytest.mark.whole

TOKEN = "secret-of-9"


def documented_options():
    """Options of the command in the section, for a port that is free."""
    page = (ROOT / "zoo" / "docs" / "web.md").read_text(encoding="utf-8")
    section = page.partition("## Behind a proxy")[2]
    words = re.search(r"^zoo (gallery .*)$", section, re.MULTILINE)[1].split()
    given = make_parser("gallery").parse_args([*words, "--port", "0", "--token", TOKEN])
    return _server_options(given)


@pytest.fixture(params=["nginx", "caddy"])
def before(request, tmp_path):
    """Start a proxy before something that listens."""
    with ExitStack() as ends:

        def start(serving):
            server = serving.start()
            ends.callback(server.stop)
            port = urlsplit(server.address).port
            return ends.enter_context(proxy_before(request.param, port, tmp_path))

        yield start


def test_a_page_with_its_camera(before):
    proxy = before(serving_of(brightness_app(), None, documented_options()))
    assert "/zoo/" in proxy.ask("GET", "/zoo").headers["location"]
    path = f"/zoo/?token={TOKEN}"
    with opened(proxy, path, secure=True, resolved=NAME) as page:
        page.wait_for_frames(1)
        assert page.page.evaluate("zoo.connection.socket.url").startswith(f"wss://{proxy.host}/zoo")
        assert page.data["connection"] == "open" and page.page.evaluate("zoo.latest.result") > 0
        page.check_clean()


def test_rest_with_and_without_the_token(before):
    proxy = before(serving_of_rest(None, documented_options()))
    assert proxy.ask("GET", "/zoo/healthz").document == {
        "status": "ok",
        "requests": 0,
        "arriving": 0,
    }
    assert "token is missing" in proxy.ask("GET", "/zoo/openapi.json").error
    bearer = {"authorization": f"Bearer {TOKEN}"}
    description = proxy.ask("GET", "/zoo/openapi.json", **bearer)
    assert description.document["servers"] == [{"url": "/zoo"}]
    large = proxy.ask("POST", "/zoo/v1/classify", bytes(19_000_000), **bearer)
    assert large.status == 422 and "not an image in a format" in large.error
    empty = proxy.ask("POST", f"/zoo/v1/classify?token={TOKEN}", origin=f"https://{proxy.host}")
    assert f"@image.jpg https://{proxy.host}/zoo/v1/classify" in json.loads(empty.text)["error"]
