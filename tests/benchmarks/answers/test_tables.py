"""Tables of figures, and which models and photos they are of."""

import json
import math

import pytest

from tests.benchmarks.answers.intervals import Figure
from tests.benchmarks.answers.measured import TABLES
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Share, Table, markdown, plain, written
from tests.helpers import ROOT

TABLE = Table(
    "One person",
    [
        {"model": "`a`", "OKS": Figure(0.6, 0.5, 0.7), "not found": Share(1, 9), "ms": 5},
        {"model": "`b`", "OKS": Figure(0.7, 0.6, 0.8), "not found": Share(0, 9), "ms": None},
    ],
)
ROWS = """\
| model | OKS | not found | ms |
| --- | --- | --- | --- |
| `a` | 0.600 (0.50-0.70) | 1 of 9 | 5 |
| `b` | 0.700 (0.60-0.80) | 0 of 9 | - |
"""


def test_a_table_in_markdown():
    assert markdown(TABLE) == ROWS


def test_a_table_in_json_has_the_parts_of_its_figures():
    first, _ = json.loads(json.dumps(plain(TABLE)))
    assert first["OKS"] == {"value": 0.6, "low": 0.5, "high": 0.7}
    assert first["not found"] == {"count": 1, "of": 9}
    assert first["ms"] == 5


def test_a_figure_that_is_unknown_is_null_in_json():
    [row] = plain(Table("", [{"OKS": Figure(math.nan, math.nan, math.nan)}]))
    assert row["OKS"] == {"value": None, "low": None, "high": None}


def test_a_page_gets_the_rows_in_place_of_the_old_ones():
    page = "# Models\n\n### One person\n\n| old |\n| --- |\n| 1 |\n\nWhy.\n\n### Clips\n\n| x |\n"
    changed = written([TABLE], page)
    assert changed == f"# Models\n\n### One person\n\n{ROWS}\nWhy.\n\n### Clips\n\n| x |\n"
    assert written([TABLE], changed) == changed


def test_a_page_without_the_heading_is_refused():
    with pytest.raises(LookupError, match="'### One person': add it"):
        written([TABLE], "# Models\n")


def test_every_table_has_its_place_in_the_documents():
    page = (ROOT / "zoo" / "docs" / "models.md").read_text()
    for module in TABLES.values():
        for title in module.TITLES:
            assert f"\n### {title}\n\n| " in page


def test_models_are_those_of_the_function_by_name_pattern_or_role():
    verb = "estimate_single_pose"
    assert Scope(("posenet.tiny", "ssd.mobilenet_v1")).models(verb) == ["posenet.tiny"]
    assert Scope(("default",)).models("detect_faces") == ["blazeface.refined"]
    assert {name.partition(".")[0] for name in Scope(("movenet.*",)).models(verb)} == {"movenet"}
    assert "nsfwjs.mobilenet_v2" not in Scope().models("classify", labels="imagenet_1000")


def test_some_photos_are_spread_over_all():
    assert Scope().some(range(10)) == list(range(10))
    assert Scope(limit=3).some(iter(range(10))) == [0, 3, 6]
    assert Scope(limit=30).some(range(10)) == list(range(10))
