"""The documents tell the truth: commands are there, links lead somewhere, names exist."""

import json
import math
import os
import re
import subprocess
import sys

import pytest

import core
import zoo
from tests.gallery.result_pictures import FOLDER, PEOPLE
from tests.helpers import assert_near
from tests.rules import op_table, task_pages
from tests.rules.document_forms import LONGEST_LINE, prose
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

#: Words that pages which everybody reads may have, and that a paragraph of any page may have.
MOST_WORDS = {"README.md": 900, "CONTRIBUTING.md": 1500, "CHANGELOG.md": 500}
LONGEST_PARAGRAPH = 100

#: What contributors read.
HOW_TOS = [ROOT / "CONTRIBUTING.md", *(d for d in DOCUMENTS if d.parent.name == "how_to")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(document):
    links = re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)|<img src=\"([^\"]+)", document.read_text())
    for target, anchor, picture in links:
        if not target.startswith(("http:", "https:")):
            path = document.parent / (target or picture) if target or picture else document
            assert path.exists(), target or picture
            assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


def anchors(document) -> set[str]:
    """How links name the headings of a document."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_first_lines_of_code_tell_the_truth():
    text = (ROOT / "README.md").read_text()
    lines = r'estimate_multiple_poses\("(.*)"\)\n# \[(.*), \.\.\. 17\]\}, \.\.\. 2\]'
    path, shown = re.search(lines, text).groups()
    poses = zoo.estimate_multiple_poses(ROOT / path)
    assert len(poses) == 2
    first = poses[0]  # its box is left out
    pose = {"score": first["score"], "keypoints": first["keypoints"][:1]}
    expected = json.loads(f"{shown}]}}")
    assert_near(pose, expected, 0.051)
    assert pose["score"] == pytest.approx(expected["score"], abs=0.005)


def test_joints_of_the_first_picture_are_where_they_were_drawn():
    poses = zoo.estimate_multiple_poses(FOLDER / "people.jpg")
    within = int(re.search(r"within (\d+) pixels", (ROOT / "README.md").read_text())[1])
    for body in PEOPLE:
        joints = body.joints()
        nearest = min(poses, key=lambda pose: farthest(pose, joints))
        assert farthest(nearest, joints) <= within


def farthest(pose, joints) -> float:
    """How far the worst joint of a pose is from where it was drawn, in pixels."""
    found = {p["part"]: (p["position"]["x"], p["position"]["y"]) for p in pose["keypoints"]}
    common = found.keys() & joints.keys()
    assert len(common) == 12
    return max(math.dist(found[part], joints[part]) for part in common)


def test_every_model_is_in_the_table():
    rows = (ROOT / "zoo" / "docs" / "models.md").read_text().splitlines()
    for name, entry in all_entries().items():
        size = size_text(find_record(entry.weights).limited_to(entry.files).bytes)
        verbs = [f"`{verb}`" for verb, chosen in choices().items() if chosen.default == name]
        mark = f" (default of {', '.join(verbs)})" if verbs else ""
        assert f"| `{name}`{mark} | {entry.task} | {size} | {entry.title} |" in rows


def test_the_choices_of_every_function_are_in_the_table():
    rows = (ROOT / "zoo" / "docs" / "models.md").read_text().splitlines()
    for verb, chosen in choices().items():
        assert f"| `{verb}` | {' | '.join(f'`{name}`' for name in chosen)} |" in rows


def test_choices_are_models_that_can():
    """But the rules for gestures, which are no model of the catalog."""
    for verb, chosen in choices().items():
        for name in set(chosen) - {"rules"}:
            assert hasattr(model_class(find_entry(name)), verb), (verb, name)


def test_the_entry_that_is_shown_is_the_real_one():
    text = (ROOT / "zoo" / "docs" / "how_to" / "entry.md").read_text()
    (code,) = re.findall(r"```python\n(Entry\(.*?)```", text, re.DOTALL)
    shown = eval(code, {"Entry": Entry, "Preprocess": Preprocess, "AnchorGrid": AnchorGrid})
    real = find_entry(shown.name)
    assert shown._replace(limits=real.limits, embedding=real.embedding) == real


@pytest.mark.parametrize("page", HOW_TOS, ids=lambda p: p.stem)
def test_the_files_and_commands_of_contributing_exist(page):
    spans = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))
    words = {word for span in spans for word in span.split()} - {"tests.helpers.peak_of"}
    paths = {w for w in words if re.fullmatch(r"(core|zoo|weights_cache|tests)/[a-z0-9_./*]*", w)}
    modules = {w for w in words if re.fullmatch(r"tests\.[a-z0-9_.]+", w)}
    missing = {path for path in paths if not [*ROOT.glob(path.rstrip("/"))]}
    for module in modules:
        path = ROOT / module.replace(".", "/")
        if not (path.is_dir() or path.with_suffix(".py").exists()):
            missing.add(module)
    assert not missing


def test_every_room_is_on_the_map():
    """Each folder of modules has a row, or is named in that of another one."""
    words = set(re.findall(r"\w+", (ROOT / "CONTRIBUTING.md").read_text()))
    rooms = {f.parent.name for p in PACKAGES for f in (ROOT / p).glob("*/__init__.py")}
    missing = rooms - words
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_lines_and_paragraphs_are_short(document):
    text = document.read_text()
    assert not [line for line in text.splitlines() if len(line) > LONGEST_LINE]
    assert not [part for part in prose(text) if len(part.split()) > LONGEST_PARAGRAPH]


@pytest.mark.parametrize("name, most", MOST_WORDS.items())
def test_pages_that_everybody_reads_are_short(name, most):
    assert len((ROOT / name).read_text().split()) <= most


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
    ("docs/webassembly.md",),
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
    command = [sys.executable, file]
    done = subprocess.run(command, env=world, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if "docs/guide.md" in pages:
        assert "log of (float32 (2,)) gave nan at [1]" in done.stdout
        assert f"{file}:" in done.stdout
