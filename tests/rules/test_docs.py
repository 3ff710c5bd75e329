"""The documents tell the truth: commands are there, links lead somewhere, names exist."""

import json
import os
import re
import subprocess
import sys

import pytest

import core
import zoo
from tests.helpers import assert_near
from tests.rules import op_table, task_pages
from tests.rules.sources import PACKAGES, ROOT
from weights_cache import find_record
from weights_cache.common.sizes import size_text
from zoo.catalog.entries import all_entries, choices, find_entry, model_class, tasks
from zoo.catalog.entry import Entry, Preprocess
from zoo.shared.anchors import AnchorGrid

DOCUMENTS = sorted(
    f
    for d in (".", *PACKAGES, "gallery")
    for f in (ROOT / d).glob("**/*.md" if d != "." else "*.md")
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith(("http:", "https:")):
            assert (document.parent / target).exists(), target


def test_the_first_lines_of_code_tell_the_truth():
    text = (ROOT / "README.md").read_text()
    path, shown = re.search(r'estimate_single_pose\("(.*)"\)\n# (.*), \.\.\. 17\]\}', text).groups()
    pose = zoo.estimate_single_pose(ROOT / path)
    pose["keypoints"] = pose["keypoints"][:1]
    expected = json.loads(f"{shown}]}}")
    assert_near(pose, expected, 0.051)
    assert pose["score"] == pytest.approx(expected["score"], abs=0.005)


def test_every_model_is_in_the_table():
    rows = (ROOT / "zoo" / "README.md").read_text().splitlines()
    for name, entry in all_entries().items():
        size = size_text(find_record(entry.weights).limited_to(entry.files).bytes)
        verbs = [f"`{verb}`" for verb, chosen in choices().items() if chosen.default == name]
        mark = f" (default of {', '.join(verbs)})" if verbs else ""
        assert f"| `{name}`{mark} | {entry.task} | {size} | {entry.title} |" in rows


def test_the_choices_of_every_function_are_in_the_table():
    rows = (ROOT / "zoo" / "README.md").read_text().splitlines()
    for verb, chosen in choices().items():
        assert f"| `{verb}` | {' | '.join(f'`{name}`' for name in chosen)} |" in rows


def test_choices_are_models_that_can():
    """But the rules for gestures, which are no model of the catalog."""
    for verb, chosen in choices().items():
        for name in set(chosen) - {"rules"}:
            assert hasattr(model_class(find_entry(name)), verb), (verb, name)


def test_the_entry_that_is_shown_is_the_real_one():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (code,) = re.findall(r"```python\n(Entry\(.*?)```", text, re.DOTALL)
    shown = eval(code, {"Entry": Entry, "Preprocess": Preprocess, "AnchorGrid": AnchorGrid})
    real = find_entry(shown.name)
    assert shown._replace(limits=real.limits, embedding=real.embedding) == real


def test_the_files_and_commands_of_contributing_exist():
    spans = re.findall(r"`([^`\n]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    for word in {word for span in spans for word in span.split()}:
        if re.fullmatch(r"(core|zoo|weights_cache|tests)/[a-z0-9_./*]*", word):
            assert list(ROOT.glob(word.rstrip("/"))), word
        elif re.fullmatch(r"tests\.[a-z0-9_.]+", word) and word != "tests.helpers.peak_of":
            path = ROOT / word.replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), word


def test_versions_agree():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{zoo.__version__}"' in text


def test_backends_are_in_the_table():
    text = (ROOT / "core" / "docs" / "ops.md").read_text()
    for name in core.engine.backends.backend_names():
        assert f"\n| `{name}` |" in text


def test_the_tables_of_ops_are_those_that_the_registry_gives():
    """Written by ``python -m tests.rules.op_table``."""
    text = op_table.PAGE.read_text()
    assert text == op_table.written(text)


@pytest.mark.parametrize("task", tasks())
def test_the_tables_of_tasks_are_those_that_the_options_give(task):
    """Written by ``python -m tests.rules.task_pages``."""
    text = task_pages.page_of(task).read_text()
    assert text == task_pages.written(task, text)


#: Pages of the engine whose blocks run one after the other; those of a row go on from each other.
PAGES = [
    ("README.md",),
    ("docs/guide.md", "docs/shader.md"),
    ("docs/graphs_and_plans.md",),
    ("docs/training.md",),
]


@pytest.mark.parametrize("pages", PAGES, ids=" ".join)
def test_the_code_of_the_engines_pages_runs(pages, tmp_path):
    """Block after block, as somebody reads them."""
    text = "\n".join((ROOT / "core" / page).read_text() for page in pages)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    file = tmp_path / "document.py"
    file.write_text("\n".join(blocks))
    world = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, file], env=world, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if "docs/guide.md" in pages:
        assert "log of (float32 (2,)) gave nan at [1]" in done.stdout
        assert f"{file}:" in done.stdout
