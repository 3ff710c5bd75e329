"""Handles that a builder gives out: of locals, globals, functions and labels."""

from typing import NamedTuple

from core.wasm.types import FunctionType, ValueType


class Local(NamedTuple):
    """A parameter or local of a function."""

    number: int
    type: ValueType


class GlobalVariable(NamedTuple):
    """A global of the module."""

    number: int
    type: ValueType


class ImportedFunction(NamedTuple):
    """A function of the host."""

    number: int
    type: FunctionType


class Label(NamedTuple):
    """A block to whose end, or loop to whose start, branches go.

    Attributes:
        level: number of blocks around it.
        key: which of the blocks that were opened in the function it is.
    """

    level: int
    key: int
