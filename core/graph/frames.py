"""Loops and branches of TensorFlow 1: Switch, Merge, Enter, Exit, NextIteration."""

from collections.abc import Sequence
from typing import Any

from core.errors import CoreError

#: The way back of a loop.
BACK = "NextIteration"

#: Node types that need this file's executor.
LOOP_TYPES = frozenset({"Switch", "Merge", "Enter", "Exit", BACK})


def run_frames(
    run_step: Any, steps: Sequence[Any], values: dict[str, Any], wanted: Sequence[str]
) -> Any:
    """The values of references, from those that are given."""
    raise CoreError("loops are not there yet")
