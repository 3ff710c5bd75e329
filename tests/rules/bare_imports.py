"""Imports what pytest collects, as on a machine that has no more than the extra ``test`` installs.

Run: ``python -m tests.rules.bare_imports``; it prints what it refused, or fails at the first module
that asks for anything else when it is imported.
"""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.rules.sources import PACKAGES, ROOT

PROJECT = "friendly-zoo"


def installed_by(requirement: Requirement) -> set[str]:
    """The distributions that a requirement brings here, by their normalised names."""
    found: set[str] = set()
    waiting = [requirement]
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in ("", *wanted.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                found.add(name)
                waiting += _asked_for(name, extra)
    return found


def _asked_for(name: str, extra: str) -> Iterator[Requirement]:
    """What a distribution requires on this machine, with one of its extras."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # of another platform, or of no wheel's metadata
        return
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def optional_modules() -> set[str]:
    """Modules that are installed here, but not by the extra ``test``."""
    there = installed_by(Requirement(f"{PROJECT}[test]"))
    return {
        module
        for module, names in metadata.packages_distributions().items()
        if not there & {canonicalize_name(name) for name in names}
    }


class Refusal(MetaPathFinder):
    """Finds no module of certain packages, as if they were not installed."""

    def __init__(self, modules: set[str]):
        self.modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for those, and leave others to other finders."""
        if fullname.partition(".")[0] in self.modules:
            raise ModuleNotFoundError(f"No module named {fullname!r} (refused)", name=fullname)
        return None


def collected_modules() -> Iterator[str]:
    """The modules that are looked into for tests and doctests; a folder may opt out of it."""
    for package in ("tests", *PACKAGES):
        for file in sorted((ROOT / package).rglob("*.py")):
            if file.name != "__main__.py" and not _is_left_out(file):
                parts = file.relative_to(ROOT).with_suffix("").parts
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _is_left_out(file: Path) -> bool:
    """Whether a conftest.py beside it or above says that nothing is collected there."""
    settings = (folder / "conftest.py" for folder in file.relative_to(ROOT).parents)
    return any(
        (ROOT / s).is_file() and "collect_ignore_glob" in (ROOT / s).read_text() for s in settings
    )


def main() -> None:
    """Import all, and print what was refused."""
    refused = optional_modules()
    sys.meta_path.insert(0, Refusal(refused))
    for module in collected_modules():
        # OpenCV is a dependency, but does not load where libGL is missing: its tests say so.
        with suppress(pytest.skip.Exception):
            importlib.import_module(module)
    print(" ".join(sorted(refused)))


if __name__ == "__main__":
    main()
