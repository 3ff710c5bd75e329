"""What needs what: circles, imports against the order of the floors, sizes of public surfaces.

``python -m tests.rules.structure [folder]`` prints it, of this checkout or of another one. Imports
count wherever they stand: at the head of a file, in functions, for type checkers alone, and as the
name of a module in a string.
"""

import ast
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.rules.sources import PACKAGES, ROOT

#: The floors from the ground up, by the rooms that stand on each: folders, and the few files that
#: lie at a package's root. Files of one floor may import each other.
FLOORS = (
    "weights_cache/common",
    "weights_cache",
    "core/errors.py core/process core/wasm",
    "core/engine core/keras core/ops/__init__.py",
    "core/autodiff core/profiling core/initializers core/constraints core/regularizers core/plots",
    "core/ops core/optimizers core/losses core/callbacks",
    "core/graph core/metrics",
    "core/plan core/data",
    "core/layers core/backends core/compiled_functions core/wasm/plans",
    "core/graph_model core/conformance",
    "core/converter",
    "core/models",
    "core/__init__.py core/train.py core/utils.py core/public",
    "zoo/images zoo/samples",
    "zoo/catalog zoo/results zoo/shared",
    "zoo/pipeline",
    "zoo/tasks",
    "zoo/drawing zoo/export zoo/effects zoo/live zoo/verification",
    "zoo/transfer",
    "zoo/web zoo/jobs zoo/publishing",
    "zoo/__init__.py zoo/__main__.py zoo/cli",
)

#: Files that any room may import, since they import no other file before they are used: tensors
#: have ops as operators, and gradients are made of ops, which take tensors.
DOORS = ("core/ops/__init__.py",)

#: How one file needs another: it imports it when it is imported itself, in a function, or for type
#: checkers; or it names the module in a string, from which it will be imported.
AT_ONCE, LATER, TYPES, BY_NAME = "at once", "later", "types", "by name"

_MODULE = re.compile(rf"({'|'.join(PACKAGES)})(\.\w+)+")


#: Modules of `core` that are for programs, and those for `zoo`; the others are inner ones.
PUBLIC = (
    "core",
    "core.converter",
    "core.data",
    "core.data.augmentation",
    "core.plots",
    "core.backends.cpu.image_kernels",
    "core.converter.class_labels",
    "core.converter.ultralytics",
    "core.graph_model.deferred_model",
    "core.graph_model.network_tails",
    "core.wasm",
    "core.wasm.plans",
)


class Import(NamedTuple):
    """One file needs another; paths are relative to the checkout."""

    file: str
    target: str
    kind: str


class Circle(NamedTuple):
    """Files or folders each of which needs all others, and the imports between them."""

    members: tuple[str, ...]
    imports: tuple[Import, ...]


def all_imports(root: Path = ROOT) -> list[Import]:
    """Every import of a file of the three packages by another one."""
    files = {str(f.relative_to(root)) for p in PACKAGES for f in (root / p).rglob("*.py")}
    return sorted({i for file in files for i in _imports_of(root, file, files) if i.target != file})


def _imports_of(root: Path, file: str, files: Collection[str]) -> Iterator[Import]:
    tree = ast.parse((root / file).read_text())
    for name in module_strings(tree):
        if target := _file_of(name, files):
            yield Import(file, target, BY_NAME)
    for node, kind in _import_nodes(tree, AT_ONCE):
        if isinstance(node, ast.Import):
            modules = [(alias.name,) for alias in node.names]
        else:
            modules = [(f"{node.module}.{alias.name}", node.module or "") for alias in node.names]
        for names in modules:
            target = next((t for name in names if (t := _file_of(name, files))), None)
            if target:
                yield Import(file, target, kind)


def _import_nodes(node: ast.AST, kind: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node, kind
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        kind = LATER
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        kind = TYPES
    for child in ast.iter_child_nodes(node):
        yield from _import_nodes(child, kind)


def module_strings(tree: ast.AST) -> Iterator[str]:
    """Names of our modules in strings: ``"zoo.live.session:model_session"``, ``f"core.ops.{x}"``.

    Documentation is no such string, nor is a text that merely begins like one.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            text = first.value if isinstance(first, ast.Constant) else ""
            if isinstance(text, str) and _MODULE.fullmatch(text.rstrip(".")):
                yield text.rstrip(".")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            module = node.value.partition(":")[0]
            if _MODULE.fullmatch(module):
                yield module


def _file_of(module: str, files: Collection[str]) -> str | None:
    path = module.replace(".", "/")
    return next((f for f in (f"{path}.py", f"{path}/__init__.py") if f in files), None)


def circles_of_files(imports: Iterable[Import]) -> list[Circle]:
    """Files that need each other, by whatever kind of imports."""
    return _circles({(i.file, i.target): [i] for i in imports})


def circles_of_folders(imports: Iterable[Import]) -> list[Circle]:
    """Folders that need each other; a folder inside of another one may need it, and be needed.

    The files that lie loose in a package are in no folder: a package's floors say how they lie.
    Neither are `DOORS`.
    """
    between: dict[tuple[str, str], list[Import]] = defaultdict(list)
    for one in imports:
        ends = _folder(one.file), _folder(one.target)
        inside = f"{ends[0]}/".startswith(f"{ends[1]}/") or f"{ends[1]}/".startswith(f"{ends[0]}/")
        if "" not in ends and not inside and one.target not in DOORS:
            between[ends].append(one)
    return _circles(between)


def _folder(file: str) -> str:
    folder = file.rpartition("/")[0]
    return folder if "/" in folder else ""


def _circles(between: Mapping[tuple[str, str], Iterable[Import]]) -> list[Circle]:
    """The strongly connected components with more than one member."""
    targets: dict[str, set[str]] = defaultdict(set)
    for source, target in between:
        targets[source].add(target)
    reach = {name: _reached(name, targets) for name in targets}
    groups = {
        tuple(sorted({name, *(n for n in found if name in reach.get(n, ()))}))
        for name, found in reach.items()
        if name in found
    }
    return [
        Circle(g, tuple(i for ends, some in between.items() if {*ends} <= {*g} for i in some))
        for g in sorted(groups, key=lambda g: (-len(g), g))
    ]


def _reached(name: str, targets: Mapping[str, Collection[str]]) -> set[str]:
    """What a name needs, directly or by others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        more = set(targets.get(waiting.pop(), ())) - found
        found |= more
        waiting += more
    return found


def floor_of(file: str) -> int:
    """The number of the floor that a file stands on."""
    fitting = [
        (len(path), number)
        for number, paths in enumerate(FLOORS)
        for path in paths.split()
        if file == path or file.startswith(f"{path}/")
    ]
    return max(fitting)[1]


def upward_imports(imports: Iterable[Import]) -> list[Import]:
    """Imports of what stands on a higher floor."""
    return [i for i in imports if floor_of(i.target) > floor_of(i.file)]


def inner_names() -> dict[str, int]:
    """How many names `zoo` imports of each module of `core`, of which `PUBLIC` are its face.

    A name counts once for each file that imports it.
    """
    counts: dict[str, int] = defaultdict(int)
    for file in sorted((ROOT / "zoo").rglob("*.py")):
        for node, _ in _import_nodes(ast.parse(file.read_text()), AT_ONCE):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                modules = [node.module or ""] * len(node.names)
            for module in modules:
                if module.split(".")[0] == "core":
                    counts[module] += 1
    return dict(counts)


def surfaces() -> dict[str, int]:
    """How many public names packages and tensors have."""
    import core

    packages = {name: importlib.import_module(name) for name in ("core", "zoo", "weights_cache")}
    return {
        name: sum(not n.startswith("_") for n in dir(found))
        for name, found in {**packages, "core.Tensor": core.Tensor}.items()
    }


def _print_circles(title: str, circles: Collection[Circle]) -> None:
    print(f"{title}: {len(circles)}")
    for circle in circles:
        kinds = [i.kind for i in circle.imports]
        how = ", ".join(
            f"{kinds.count(k)} {k}" for k in (AT_ONCE, LATER, TYPES, BY_NAME) if k in kinds
        )
        print(f"  {len(circle.members)}: {' '.join(circle.members)} ({how})")


def main(folder: str = "") -> None:
    """Print the structure of a checkout, by default of this one with the sizes of surfaces."""
    imports = all_imports(Path(folder) if folder else ROOT)
    print(f"{len({i.file for i in imports})} files import others, {len(imports)} imports")
    _print_circles("circles of folders", circles_of_folders(imports))
    at_once = [i for i in imports if i.kind == AT_ONCE]
    _print_circles("circles of files by imports at once", circles_of_files(at_once))
    _print_circles("circles of files by any imports", circles_of_files(imports))
    if folder:
        return
    upward = upward_imports(imports)
    print(f"upward imports: {len(upward)}")
    for one in upward:
        print(f"  {one.file} -> {one.target} ({one.kind})")
    counts = inner_names()
    public = sum(counts.pop(module, 0) for module in PUBLIC)
    print(f"zoo imports {public} public names of core, {sum(counts.values())} inner ones")
    for name, size in surfaces().items():
        print(f"public names of {name}: {size}")


if __name__ == "__main__":
    main(*sys.argv[1:])
