"""Damaged models, weights and classifiers, loaded and trained a step."""

import pytest

from tests.reliability.fuzz.checks import check

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("format", ["trained", "trained_weights", "topologies", "knn", "taught"])
def test_damaged_files_that_train(format):
    check([format], 40, seed=5)
