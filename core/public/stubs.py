"""Writes the stubs by which editors and type checkers know `core`: ``python -m core.public.stubs``.

Ops are records, and tensors get their methods when `core` is imported: no checker sees either.
``__init__.pyi`` has the names of `core`, ``engine/tensor_methods.pyi`` the methods of tensors, with
the documentation that editors show, and ``engine/op_results.pyi`` the results of ops with several
ones. All are computed from the declarations.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import core
import core.ops  # noqa: F401 - declares what is written
from core.engine.late_ops import OPERATORS, SWAPPED
from core.engine.methods import OTHERS
from core.engine.operation import Op
from core.engine.registry import FUNCTIONS, METHODS, OPS
from core.public.namespaces import NAMESPACES, names_in
from core.public.signatures import Argument, Types, tuple_name

_FOLDER = Path(__file__).parents[1]
_WIDTH = 96  # of the first line of a function, which may be indented


def stubs() -> dict[str, str]:
    """The name of each stub in the folder of `core`, and its text.

    >>> "def relu(x: TensorLike) -> Tensor:" in stubs()["__init__.pyi"]
    True
    """
    return {
        "__init__.pyi": _package_stub(),
        "engine/op_results.pyi": _results_stub(),
        "engine/tensor_methods.pyi": _methods_stub(),
        **{f"{name}.pyi": _namespace_stub(name) for name in NAMESPACES},
    }


def write_stubs(folder: Path = _FOLDER) -> None:
    """Write the stubs into a folder."""
    for name, text in stubs().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _package_stub() -> str:
    types = Types()
    declared: dict[str, Any] = {**OPS, **FUNCTIONS}
    functions = {name: declared[name] for name in sorted(declared) if _is_ours(declared[name])}
    texts = [_function(name, function, types) for name, function in functions.items()]
    others = [name for name in core.__all__ if name not in declared]
    listed = "".join(f'    "{name}",\n' for name in [*others, *functions])
    parts = [f"__all__ = [\n{listed}]\n", *texts]
    return _document("What `core` has.", [*_public_imports(), *_imports(types)], parts)


def _is_ours(function: Any) -> bool:
    """Whether an op or function is of this package, not user-defined."""
    module = function.rule.__module__ if isinstance(function, Op) else function.__module__
    return module.startswith("core.")


def _public_imports() -> Iterator[str]:
    """Import lines of the names that ``core/__init__.py`` imports at their first use."""
    homes = vars(core)["_HOMES"] | {name: f"core.{name}" for name in NAMESPACES}
    for name, module in homes.items():
        package = "core" if module == f"core.{name}" else module
        yield f"from {package} import {name} as {name}"


def _namespace_stub(name: str) -> str:
    imports = [f"from core import {found} as {found}" for found in names_in(name)]
    return _document(NAMESPACES[name][0], imports, [])


def _methods_stub() -> str:
    types = Types()
    types.imported("Self", "typing_extensions")
    of_tensors: dict[str, Any] = {
        **{name: METHODS[name] for name in sorted(METHODS)},
        **OTHERS,
    }
    operators = [_operator(special, OPS[name].count) for special, name in OPERATORS.items()]
    operators += [_operator(f"__r{stem}__", 2) for stem in SWAPPED]
    methods = [_method(name, function, types) for name, function in of_tensors.items()]
    in_place = [f"    def __i{stem}__(self, other: TensorLike) -> Self: ..." for stem in SWAPPED]
    parts = ["class TensorMethods:", *operators, *methods, "class VariableMethods:", *in_place, ""]
    return _document("What `core.engine.methods` gives to tensors.", _imports(types), parts)


def _document(summary: str, imports: Iterable[str], parts: Iterable[str]) -> str:
    head = f'"""{summary} Written by ``python -m core.public.stubs``."""\n'
    return "\n".join([head, *sorted(imports), "", *parts])


def _imports(types: Types) -> list[str]:
    return [f"from {module} import {name}" for name, module in types.modules.items()]


def _results_stub() -> str:
    several = [op for _, op in sorted(OPS.items()) if op.outputs and _is_ours(op)]
    imports = ["from core.engine.tensors import Tensor", "from typing import NamedTuple"]
    return _document("Named tuples that ops return.", imports, map(_results, several))


def _results(op: Op) -> str:
    fields = "".join(f"    {name}: Tensor\n" for name in op.outputs)
    return f"class {tuple_name(op)}(NamedTuple):\n{fields}"


def _operator(special: str, count: int) -> str:
    other = ", other: TensorLike" if count == 2 else ""
    ignored = "  # type: ignore[override]" if special in ("__eq__", "__ne__") else ""
    return f"    def {special}(self{other}) -> Tensor: ...{ignored}"


def _method(name: str, function: Callable[..., Any], types: Types) -> str:
    ways, returned = _signature(function, types)
    of_tensor = [[Argument("self"), *way[1:]] for way in ways]
    summary = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
    origin = "" if name in OTHERS else f"\n\nSee `core.{name}`."
    return indent(_written(name, of_tensor, returned, summary + origin), "    ")


def _function(name: str, function: Callable[..., Any], types: Types) -> str:
    ways, returned = _signature(function, types)
    if len(ways) > 1:
        types.imported("overload", "typing")
    return _written(name, ways, returned, function.__doc__ or "")


def _signature(function: Any, types: Types) -> tuple[list[list[Argument]], str]:
    """The parameter lists of an op or a function, and the type of the result."""
    if isinstance(function, Op):
        return types.of_op(function), types.result(function)
    return types.of_function(function)


def _written(name: str, ways: list[list[Argument]], returned: str, doc: str) -> str:
    """A function; of several ways to call it the first one has the documentation."""
    mark = "@overload\n" if len(ways) > 1 else ""
    first, *others = [mark + _head(name, way, returned) for way in ways]
    documented = f"{first}\n{indent(_docstring(doc), '    ')}\n"
    return "\n".join([documented, *(f"{other} ...\n" for other in others)])


def _head(name: str, arguments: list[Argument], returned: str) -> str:
    """The first line of a function, or a line for each parameter where that is too long."""
    line = f"def {name}({', '.join(map(str, arguments))}) -> {returned}:"
    if len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {each},\n" for each in arguments)
    return f"def {name}(\n{lines}) -> {returned}:"


def _docstring(doc: str) -> str:
    text = inspect.cleandoc(doc)
    end = "\n" if "\n" in text else ""
    return f'{"r" if chr(92) in text else ""}"""{text}{end}"""'


if __name__ == "__main__":
    write_stubs()
