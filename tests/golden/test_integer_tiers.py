"""Networks of integers on both tiers of the cpu backend: equal bits."""

import numpy as np
import pytest

import core
from core.backends.cpu import tiers
from core.graph_model.graph_model import GraphModel
from tests.golden.staged import MOVENET, SMALL, SSD, V2, cases, id_of, loaded, read_golden
from tests.helpers import require_llvmlite

#: One golden of each quantised network of these folders; SSD's choices of boxes are floats.
CASES = {
    staged.path: (staged, name)
    for staged, name in cases()
    if staged.folder in (MOVENET, SMALL, SSD, V2) and staged.rule != "float"
}


@pytest.mark.parametrize("staged, name", [pytest.param(*c, id=id_of(*c)) for c in CASES.values()])
def test_tiers_give_equal_bits(shared, staged, name, monkeypatch):
    require_llvmlite()
    monkeypatch.setattr(tiers, "_is_chosen", False)
    graph = loaded(shared / "weights" / staged.path).graph
    assert graph.integers
    given, found = read_golden(shared / "weights", staged, name).input, {}
    for tier in (1, 2):
        core.set_tier(tier)
        made = GraphModel(graph, "cpu").predict(given)
        found[tier] = {key: value.numpy() for key, value in made.items()}
    for key, value in found[1].items():
        np.testing.assert_array_equal(found[2][key], value, key)
