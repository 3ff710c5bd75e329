"""Archives and tables of strangers for `zoo.batch`; memory is measured in a child process."""

import re
from pathlib import Path

import pytest

from tests.reliability.children import reading_of_sources
from tests.reliability.hostile_sources import BOMBS, ODD

pytestmark = [
    pytest.mark.filterwarnings("ignore:Duplicate name"),
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="the memory of a process is not told here"
    ),
]

_MOST_MEGABYTES = 120  # above the start; Parquet's reader is loaded, too


def test_small_sources_take_no_gigabytes(tmp_path):
    paths = [tmp_path / f"{i}{ending}" for i, (ending, _, _) in enumerate(BOMBS.values())]
    for path, (_, write, _) in zip(paths, BOMBS.values(), strict=True):
        write(path)
    costs = reading_of_sources(*paths)
    for name, ((error,), megabytes) in zip(BOMBS, costs, strict=True):
        print(f"{name}: {megabytes:.0f} MB, {error:.150}")
        assert re.search(BOMBS[name][2], error), (name, error)
        assert megabytes < _MOST_MEGABYTES, name


def test_what_members_and_rows_name_is_not_followed(tmp_path):
    paths = [tmp_path / f"{i}{ending}" for i, (ending, _, _) in enumerate(ODD.values())]
    for path, (_, write, _) in zip(paths, ODD.values(), strict=True):
        write(path)
    before = sorted(tmp_path.iterdir())
    for name, (errors, _) in zip(ODD, reading_of_sources(*paths), strict=True):
        expected = ODD[name][2]
        assert len(errors) == len(expected), (name, errors)
        for error, words in zip(errors, expected, strict=True):
            assert (words in error) if words else not error, (name, error)
    assert sorted(tmp_path.iterdir()) == before
