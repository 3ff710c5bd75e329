"""Damaged models of layers, loaded and run."""

import pytest

from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize(
    "format", ["layers", "h5", "keras", "keras2", "teachable", "labelled", "texts"]
)
def test_damaged_layers(format):
    check([format], 150, seed=5)
