"""The page of plots runs, and its figures are right."""

import re

import pytest

from tests.rules.sources import ROOT


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "core" / "docs" / "plots.md").read_text()
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    core, labels, predictions = (names[n] for n in ("core", "labels", "predictions"))
    assert (tmp_path / "digits.png").stat().st_size > 10_000
    assert names["plot"].data["val_loss"] == [2.35, 1.04, 0.63, 0.52, 0.51]
    assert core.plots.accuracy(labels, predictions) == pytest.approx(2 / 3)
    shares = core.plots.per_class_accuracy_values(labels, predictions).accuracy
    assert shares.tolist() == pytest.approx([1, 0.5, 2 / 3])
