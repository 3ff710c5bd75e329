"""Each fault of `tests.rules.planted_faults` is found by the tests that run by default."""

import pytest

from tests.rules.planted_faults import FAULTS, copied, found_by
from tests.rules.sources import ROOT


@pytest.mark.parametrize("name", FAULTS)
def test_the_line_is_there_once(name):
    assert (ROOT / FAULTS[name].file).read_text().count(FAULTS[name].right) == 1


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    copied(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_found(name, copy):
    assert found_by(FAULTS[name], copy)
