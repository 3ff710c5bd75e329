"""What models of the zoo find in images on the tf backend is what they find on cpu."""

import pytest

import zoo
from tests.zoo.tasks.test_shader_results import check_results
from zoo.catalog.entries import default_entries

DEFAULTS = sorted({entry.name for entry in default_entries()})


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in DEFAULTS else [pytest.mark.long]) for n in zoo.models()],
)
def test_results_are_those_of_cpu(shared, monkeypatch, name):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    check_results(name, "tf", shared)
