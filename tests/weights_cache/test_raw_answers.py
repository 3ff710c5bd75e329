"""Answers that no web server gives: right bytes or one of our errors, soon and in little memory."""

import re

import pytest

from tests.weights_cache.raw_answers import ENDLESS, ROWS
from weights_cache import WeightsError, download, locate_url, remote
from weights_cache.common.errors import MissingError
from weights_cache.common.messages import visible


@pytest.fixture
def quick(waits, monkeypatch):
    """Limits in which a test ends; what is slow in the rows is far below the least rate."""
    limits = download.LIMITS._replace(read=1.5, silence=3.0, window=1.0, attempts=3)
    monkeypatch.setattr(download, "LIMITS", limits)
    monkeypatch.setattr(download, "_silent", {})


def assert_plain(text):
    """What a terminal shows is what was meant, and fits on it."""
    assert visible(text) == text
    assert len(text) < 2000


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", ROWS)
def test_weights(toy, quick, name):
    row = ROWS[name]
    toy.server.add("raw", lambda server: row.answer(server, toy.data))
    if row.weights is None:
        assert toy.fetch() == toy.data
    else:
        with pytest.raises(MissingError) as caught:
            toy.fetch()
        assert re.search(row.weights, caught.value.details)
        assert_plain(f"{caught.value}{caught.value.details}")
    assert toy.server.sent < ENDLESS / 3
    assert toy.left_over() == []
    toy.server.heal()
    assert toy.fetch() == toy.data


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", ROWS)
def test_models_at_urls(toy, quick, tmp_path, monkeypatch, name):
    row = ROWS[name]
    monkeypatch.setattr(remote, "LARGEST_DOWNLOAD", 2**20)
    toy.server.add("raw", lambda server: row.answer(server, toy.data))
    try:
        path = locate_url(f"{toy.server.url}/net.tflite")
    except WeightsError as error:
        assert_plain(str(error))
    else:  # nobody knows what else the file should be
        assert path.read_bytes() == toy.data or name == "type-with-escapes"
    assert toy.server.sent < ENDLESS / 3
    assert not [p for p in tmp_path.rglob("*") if ".part" in p.name]
