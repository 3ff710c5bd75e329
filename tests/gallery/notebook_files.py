"""Notebooks as Jupyter opens them: an .ipynb beside each source of ``notebooks/``.

Run: ``python -m tests.gallery.notebook_files`` after a source (a .py file in the percent format of
jupytext) was changed, added or removed. The files have no outputs, and the id of a cell is a digest
of its text, so that a change of one cell changes no other line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from weights_cache.atomic_files import replacing

FOLDER = Path(__file__).resolve().parent.parent.parent / "notebooks"

#: What Jupyter needs to choose a kernel and to colour the code; ids of cells came with 4.5.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
FORMAT = {"nbformat": 4, "nbformat_minor": 5}


def sources(folder: Path = FOLDER) -> list[Path]:
    """The sources of notebooks in a folder."""
    return sorted(folder.glob("*.py"))


def written(source: str) -> str:
    """The text of the .ipynb of a source."""
    import jupytext

    cells = [*_cells(jupytext.reads(source, fmt="py:percent").cells)]
    document = {"cells": cells, "metadata": METADATA, **FORMAT}
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _cells(cells: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The cells with an id that no other cell has."""
    seen: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        kind, text = cell["cell_type"], cell["source"]
        name = sha256(f"{kind} {seen[kind, text]}\n{text}".encode()).hexdigest()[:12]
        seen[kind, text] += 1
        lines = text.splitlines(keepends=True)
        found = {"cell_type": kind, "id": name, "metadata": {}, "source": lines}
        yield found | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def write_all(folder: Path = FOLDER) -> list[str]:
    """Write what is missing or out of step, remove what has no source; return the names."""
    changed = []
    for source in sources(folder):
        path, text = source.with_suffix(".ipynb"), written(source.read_text("utf-8"))
        if not path.exists() or path.read_text("utf-8") != text:
            with replacing(path) as file:
                file.write(text.encode())
            changed.append(path.name)
    for path in sorted(folder.glob("*.ipynb")):
        if not path.with_suffix(".py").exists():
            path.unlink()
            changed.append(path.name)
    return changed


if __name__ == "__main__":
    print("\n".join(write_all()) or "all notebooks are in step with their sources")
