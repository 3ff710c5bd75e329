"""Damaged pictures, videos, recordings, results and lists: read, replayed and gone through."""

import pytest

from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize(
    "format", ["pictures", "videos", "film_lists", "picture_lists", "picture_folders", "sessions"]
)
def test_damaged_media(format):
    check([format], 60, seed=5)


@pytest.mark.parametrize("format", ["results", "tables", "image_tables", "logs", "labels"])
def test_damaged_tables(format):
    check([format], 60, seed=5)


@pytest.mark.parametrize("format", ["kits", "goldens", "features"])
def test_damaged_files_that_are_kept(format):
    check([format], 60, seed=5)
