"""Images from servers: limits, redirects and answers that no web server gives."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from tests.weights_cache.fault_server import FaultServer
from tests.weights_cache.raw_answers import ENDLESS, ROWS
from weights_cache import download
from weights_cache.common.messages import visible
from zoo.images import fetching
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image

PIXELS = np.random.default_rng(1).integers(0, 256, (90, 120, 3), np.uint8)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    limits = download.LIMITS._replace(connect=2.0, read=1.5, silence=3.0, window=1.0)
    monkeypatch.setattr(fetching, "LIMITS", limits)
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, "png")
    with FaultServer({"/x.png": file.getvalue()}) as running:
        yield running


def refusal(url) -> str:
    with pytest.raises(ImageError) as caught:
        read_image(url)
    assert caught.value.__context__ is caught.value.__cause__
    return str(caught.value)


@pytest.mark.sweep("whole")
@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", ROWS)
def test_answers_that_no_web_server_gives(server, monkeypatch, name):
    monkeypatch.setattr(fetching, "MAX_DOWNLOAD", 2**20)
    row, url = ROWS[name], f"{server.url}/x.png"
    server.add("raw", lambda _: row.answer(server, server.files["/x.png"]))
    if row.image is None:
        np.testing.assert_array_equal(read_image(url), PIXELS)
    else:
        message = refusal(url)
        assert url in message and re.search(row.image, message)
        assert visible(message, lines=False) == message and len(message) < 800
    assert server.sent < ENDLESS / 3
    server.heal()
    np.testing.assert_array_equal(read_image(url), PIXELS)


def test_private_addresses_are_not_filtered(server):
    """As the page on trust says: that is for programs that take URLs from others."""
    server.add("redirect", f"{server.url}/x.png", times=1)
    url = f"{server.url.replace('127.0.0.1', 'localhost')}/a.png"
    np.testing.assert_array_equal(read_image(url), PIXELS)


def test_a_length_that_is_too_large_is_refused_before_a_byte_is_read(server, monkeypatch):
    monkeypatch.setattr(fetching, "MAX_DOWNLOAD", 1000)
    server.add("stall", 0)
    assert "is larger than 1,000 bytes" in refusal(f"{server.url}/x.png")
