"""The source files that the rules are checked on."""

import ast
import importlib
import pkgutil
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("zoo", "core", "weights_cache")


def source_files(*packages: str) -> list[Path]:
    return sorted(f for p in packages for f in (ROOT / p).rglob("*.py"))


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def imports_of(file: Path) -> list[tuple[str, bool]]:
    """Every module that a file imports, and whether that happens when the file is imported."""
    tree = ast.parse(file.read_text())
    inside = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_type_checking(node)
        for child in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) not in inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            found += [(name, id(node) not in inside) for name in names]
    return found


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def all_modules() -> list[ModuleType]:
    """Every module of the three packages, imported."""
    modules = []
    for package in map(importlib.import_module, PACKAGES):
        modules.append(package)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                modules.append(importlib.import_module(found.name))
    return modules


def imports_in_functions(file: Path) -> list[str]:
    """The import statements inside of functions of a file, with their lines."""
    tree = ast.parse(file.read_text())
    found = {
        child.lineno: f"{name_of(file)}:{child.lineno}: {ast.unparse(child)}"
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
        if isinstance(child, (ast.Import, ast.ImportFrom))
    }
    return list(found.values())
