"""The notebooks that Jupyter opens are in step with their sources."""

import json

import pytest

from tests.gallery.notebook_files import FOLDER, sources, write_all, written
from tests.helpers import require

COMMAND = "run: python -m tests.gallery.notebook_files"

SOURCE = '''# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Übung
#
# Twice the same:

# %%
print("a")

# %%
print("a")

# %%
def one():
    """One."""


one()
'''


@pytest.fixture(autouse=True)
def modules():
    for module in ("jupytext", "nbformat"):
        require(module)


def text_of(cell):
    return "".join(cell["source"])


@pytest.mark.parametrize("source", sources(), ids=lambda path: path.stem)
def test_each_source_has_a_notebook_in_step(source):
    path = source.with_suffix(".ipynb")
    assert path.exists(), f"{path.name} is missing; {COMMAND}"
    assert path.read_text("utf-8") == written(source.read_text("utf-8")), (
        f"{path.name} is out of step with {source.name}; {COMMAND}"
    )


def test_no_notebook_is_left_over():
    names = {path.stem for path in sources()}
    assert names and {path.stem for path in FOLDER.glob("*.ipynb")} == names, COMMAND


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_valid_and_have_no_outputs(path):
    import nbformat

    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)  # ids are unique, too
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and not any(cell.outputs or cell.execution_count for cell in code)
    assert "jupytext" not in notebook.metadata


def test_the_cells_are_those_of_the_source():
    cells = json.loads(written(SOURCE))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "code", "code"]
    assert text_of(cells[0]) == "# Übung\n\nTwice the same:"
    assert text_of(cells[1]) == text_of(cells[2]) == 'print("a")'
    assert text_of(cells[3]) == 'def one():\n    """One."""\n\n\none()'
    assert len({cell["id"] for cell in cells}) == 4


def test_a_change_of_a_cell_changes_no_other():
    before = json.loads(written(SOURCE))["cells"]
    after = json.loads(written(SOURCE.replace("one", "two")))["cells"]
    assert before[:3] == after[:3] and before[3]["id"] != after[3]["id"]


def test_the_command_writes_what_is_missing_and_removes_what_is_left_over(tmp_path):
    (tmp_path / "a.py").write_text(SOURCE, "utf-8")
    (tmp_path / "b.ipynb").write_text("{}")
    assert write_all(tmp_path) == ["a.ipynb", "b.ipynb"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ipynb", "a.py"]
    assert (tmp_path / "a.ipynb").read_text("utf-8") == written(SOURCE)
    assert write_all(tmp_path) == []
    (tmp_path / "a.ipynb").write_text("{}")
    assert write_all(tmp_path) == ["a.ipynb"]
