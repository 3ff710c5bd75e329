"""The text by which editors and type checkers know `core.layers`; see `core.public.stubs`."""

import inspect
from collections.abc import Callable
from textwrap import indent

from core.keras.configured import snake_case
from core.layers import class_names
from core.layers.adapting import METHODS
from core.layers.argument_docs import COMMON_DOCS, argument_doc
from core.layers.built_in import BuiltIn, layer_class
from core.layers.lowering.arguments import REQUIRED

_HEAD = '''"""Layers. Written by ``python -m core.public.stubs``."""
from collections.abc import Callable, Sequence
from typing import Literal, overload

import numpy as np

from core.engine.argument_types import TensorLike
from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.adapted_data import AdaptedTo
from core.layers.built_in import BuiltIn
from core.layers.inference import layer_classes as layer_classes
from core.layers.inference import layers_graph as layers_graph
from core.layers.input_layer import Input as Input
from core.layers.input_layer import InputLayer as InputLayer
from core.layers.layer import Layer as Layer
from core.layers.symbolic import SymbolicTensor as SymbolicTensor
from core.regularizers import RegularizerLike
from core.engine.tensors import Tensor

ActivationLike = str | Callable[[Tensor], Tensor] | None

input = Input
input_layer = InputLayer

def class_names() -> dict[str, str]: ...

class _OneResult(BuiltIn):
    @overload
    def __call__(
        self,
        *arguments: SymbolicTensor | Sequence[SymbolicTensor],
        training: bool | None = None,
        **keywords: SymbolicTensor | TensorLike | None,
    ) -> SymbolicTensor: ...
    @overload
    def __call__(
        self,
        *arguments: TensorLike | Sequence[TensorLike],
        training: bool | None = None,
        **keywords: TensorLike | None,
    ) -> Tensor: ...
'''

#: Types of the parameters of `METHODS`.
_METHOD_TYPES = {
    "data": "AdaptedTo",
    "idf_weights": "Sequence[float] | None",
    "include_special_tokens": "bool",
    "vocabulary": "Sequence[str] | Sequence[int]",
}


def layers_stub() -> str:
    """Return the text of ``core/layers/__init__.pyi``.

    >>> "class Dense(_OneResult):" in layers_stub()
    True
    """
    names = class_names()
    classes = {name: found for name in names.values() if (found := layer_class(name)) is not None}
    own = {name: found for name, found in classes.items() if found.__name__ == name}
    others = [
        f"{name} = {found.__name__}" for name, found in classes.items() if found.__name__ != name
    ]
    functions = [f"{snake_case(name)} = {found.__name__}" for name, found in classes.items()]
    parts = [_HEAD, *(_class(name, own[name]) for name in sorted(own))]
    return "\n".join([*parts, *sorted(others), *sorted(functions), ""])


def _class(name: str, found: type[BuiltIn]) -> str:
    """Return the stub of a class, with its documentation."""
    needed, optional = [], []
    for argument, default in (found.kind.arguments or {}).items():
        kind = argument_doc(name, argument).type
        if default is REQUIRED:
            needed.append(f"{argument}: {kind}")
        else:
            optional.append(f"{argument}: {_open(kind, default)} = {default!r}")
    common = [f"{key}: {doc.type} = ..." for key, doc in COMMON_DOCS.items()]
    lines = ["self", *needed, *optional, "*", *common]
    signature = "".join(f"        {line},\n" for line in lines)
    text = indent(inspect.cleandoc(found.__doc__ or ""), "    ").strip()
    base = "BuiltIn" if found.kind.several else "_OneResult"
    return (
        f'class {name}({base}):\n    r"""{text}\n    """\n'
        f"    def __init__(\n{signature}    ) -> None: ...\n"
        + "".join(_method(*each) for each in METHODS.get(name, {}).items())
    )


def _method(name: str, function: Callable[..., object]) -> str:
    """Return the stub of a method, whose annotations are types that the head imports."""
    text = indent(inspect.cleandoc(function.__doc__ or ""), "        ").strip()
    signature = inspect.signature(function)
    _, *parameters = signature.parameters.values()
    given = "".join(map(_parameter, parameters))
    result = inspect.formatannotation(signature.return_annotation)
    return f'    def {name}(self{given}) -> {result}:\n        r"""{text}\n        """\n'


def _parameter(each: inspect.Parameter) -> str:
    default = "" if each.default is inspect.Parameter.empty else f" = {each.default!r}"
    return f", {each.name}: {_METHOD_TYPES[each.name]}{default}"


def _open(kind: str, default: object) -> str:
    """Return a type that admits the default."""
    return f"{kind} | None" if default is None and not kind.endswith(("None", "Like")) else kind
