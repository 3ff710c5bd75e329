"""Collect the pages beside the code, and write the reference: the hook of mkdocs.yml.

MkDocs expects one folder of pages; here the pages are each package's README and its ``docs``.
"""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("zoo", "core", "weights_cache")

#: How names of pictures end.
IMAGES = (".png", ".jpg", ".svg")

#: Public modules with pages of their own.
MODULES = (
    "zoo.web",
    *(
        f"core.{name}"
        for name in (
            "layers",
            "losses",
            "metrics",
            "optimizers",
            "train",
            "callbacks",
            "initializers",
            "regularizers",
            "constraints",
            "data",
            "plots",
        )
    ),
)


def on_files(files: Any, config: Any) -> Any:
    """Add every page, under the path that it has in the repository, and the reference."""
    from mkdocs.structure.files import File

    for file in [f for f in files if Path(f.abs_src_path or "").is_relative_to(ROOT)]:
        files.remove(file)
    for path, text in {**pages(), **reference()}.items():
        files.append(File.generated(config, path, content=text))
    for image in images():
        name = image.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(image)))
    return files


def images() -> list[Path]:
    """The pictures of the documents."""
    folders = (ROOT / "gallery", *(ROOT / package / "docs" for package in PACKAGES))
    return sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in IMAGES)


def pages() -> dict[str, str]:
    """The documents by path; of links to files that are no page the label remains."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for package in PACKAGES:
        found += [*(ROOT / package).glob("*.md"), *(ROOT / package / "docs").rglob("*.md")]
    known = {path.relative_to(ROOT).as_posix() for path in found}
    return {p.relative_to(ROOT).as_posix(): _linked(p, known) for p in sorted(found)}


def _linked(path: Path, known: set[str]) -> str:
    def link(match: re.Match[str]) -> str:
        label, target = match.groups()
        name, _, anchor = target.partition("#")
        if ":" in target or not name:
            return match[0]
        full = (path.parent / name).resolve().relative_to(ROOT).as_posix()
        return match[0] if full in known or full.endswith(IMAGES) else label

    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, path.read_text())


def reference() -> dict[str, str]:
    """A page for each package and public module: every public name, by its docstring."""
    return {f"reference/{name}.md": _reference(name) for name in (*PACKAGES, *MODULES)}


def _reference(name: str) -> str:
    module = importlib.import_module(name)
    lines = [f"# Reference: {name}"]
    if name in MODULES:
        lines.append(inspect.getdoc(module) or "")
    for public in sorted(_public_names(module), key=str.lower):
        lines += [f"## {public}", _documented(name, module, public)]
    return "\n\n".join(lines) + "\n"


def _public_names(module: Any) -> list[str]:
    """What a module lists; else its classes, whose functions of TensorFlow.js are left out."""
    listed = getattr(module, "__all__", None)
    return listed or [name for name in dir(module) if name[0].isupper()]


def _documented(package: str, module: Any, name: str) -> str:
    value = getattr(module, name)
    own = getattr(value, "__name__", name)
    if own != name and getattr(module, own, None) is value:
        return f"Another name of `{own}`."
    home = getattr(value, "__module__", package)
    if _is_written(value):
        return f"::: {home}.{value.__qualname__}"
    rule = getattr(value, "rule", None)
    text = inspect.getdoc(rule or value) or ""
    return f"```text\n{name}{_signature(value)}\n\n{text}\n```"


def _is_written(value: Any) -> bool:
    """Whether a class or function stands in a source file, and is not made by a function."""
    if "<locals>" in getattr(value, "__qualname__", "<locals>"):
        return False
    if inspect.isfunction(value):
        return True
    try:
        return inspect.isclass(value) and bool(inspect.getsource(value))
    except (OSError, TypeError):
        return False


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def on_config(config: Any) -> Any:
    """Show the doctests of docstrings as code."""
    from markdown import Extension
    from markdown.preprocessors import Preprocessor

    class Fences(Preprocessor):
        def run(self, lines: list[str]) -> list[str]:
            return fenced("\n".join(lines)).split("\n")

    class Doctests(Extension):
        def extendMarkdown(self, md: Any) -> None:
            md.preprocessors.register(Fences(md), "doctests", 29)

    config.markdown_extensions.append(Doctests())
    return config


def fenced(text: str) -> str:
    """Put a fence of code around each doctest."""
    return re.sub(r"(?m)^>>> (?:.+\n?)+", lambda m: f"```python\n{m[0].rstrip()}\n```\n", text)
