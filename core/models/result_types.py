"""Types of what models take and return."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.layers.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: Result of a model for data: a tensor, a list or a dict of tensors; open for subclasses.
    Result = TypeVar("Result", default=Any)
else:
    from typing import TypeVar

    Result = TypeVar("Result")

#: A symbolic tensor, or a list or dict of them.
Symbols = SymbolicTensor | Sequence[SymbolicTensor] | Mapping[str, SymbolicTensor]
