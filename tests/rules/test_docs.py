"""The documents tell the truth: commands are there, links lead somewhere, names exist."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

import core
import zoo
from core.backends.shader.kernels.hosting import HOSTED, HostKernel
from core.ops.binary import BINARY
from core.ops.compare import COMPARE
from core.ops.reduce import REDUCE
from core.ops.unary import UNARY
from tests.helpers import assert_near
from tests.rules.sources import PACKAGES, ROOT
from weights_cache import find_record, list_records
from weights_cache.sizes import size_text
from zoo.catalog import all_entries, choices, find_entry
from zoo.entry import Entry, Preprocess
from zoo.pipeline.model import model_class
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
    assert replace(shown, limits=real.limits, embedding=real.embedding) == real


def test_the_changelog_counts_the_registry():
    assert f"a registry of {len(list_records())} models" in (ROOT / "CHANGELOG.md").read_text()


def test_versions_agree():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{zoo.__version__}"' in text


def test_backends_are_in_the_table():
    text = (ROOT / "core" / "docs" / "ops.md").read_text()
    for name in core.registry.backend_names():
        assert f"| `{name}` |" in text


def kernel_rows() -> list[str]:
    """For families of ops (files of core/ops) where their kernels run; those alike share a row."""
    families: dict[str, list[str]] = {}
    for op in core.registry.OPS.values():
        package, _, family = op.rule.__module__.rpartition(".")
        if package == "core.ops":
            families.setdefault(family, []).append(op.name)
    shown: dict[tuple[str, ...], list[str]] = {}
    for family, names in sorted(families.items()):
        cells = tuple(where(names, backend) for backend in core.registry.backend_names())
        kernels = sum((name, "cpu") in core.registry.KERNELS for name in names)
        shown.setdefault(cells, []).append(f"`{family}` {kernels}")
    return [f"| {' | '.join([', '.join(shown[cells]), *cells])} |" for cells in shown]


def where(names: list[str], backend: str) -> str:
    """What is native there, and why the rest is not."""
    core.registry.load_kernels(backend)
    reasons: dict[str, list[str]] = {}
    for name in names:
        found = core.registry.KERNELS.get((name, backend))
        if isinstance(found, HostKernel):
            reasons.setdefault(HOSTED[name], []).append(f"`{name}`")
        else:
            assert found or core.registry.OPS[name].traits.view, f"no kernel {name} on {backend}"
    if sum(map(len, reasons.values())) == len(names) and len(reasons) == 1:
        return f"host: {next(iter(reasons))}"
    rest = [f"host for {', '.join(ops)}: {reason}" for reason, ops in reasons.items()]
    return "; ".join(["native", *rest])


def test_the_table_tells_where_kernels_run():
    text = (ROOT / "core" / "docs" / "ops.md").read_text()
    table = text[text.index("| kernels of |") :].split("\n\n")[0]
    assert table.splitlines()[2:] == kernel_rows()


#: Pages of the engine whose blocks run one after the other; those of a row go on from each other.
PAGES = [("README.md",), ("docs/guide.md", "docs/shader.md"), ("docs/graphs_and_plans.md",)]


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


def test_every_op_is_in_the_table_of_the_engine():
    """Rows of tables may come later: adding one takes no other edit."""
    text = (ROOT / "core" / "docs" / "ops.md").read_text()
    rows = {row.name for table in (UNARY, BINARY, COMPARE, REDUCE) for row in table}
    names = {*core.registry.OPS, *core.registry.FUNCTIONS} - rows
    assert not [name for name in names if f"`{name}`" not in text]
