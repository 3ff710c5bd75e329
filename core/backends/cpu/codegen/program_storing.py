"""Stores a program that generated kernels compute: its calls, with offsets for addresses."""

from collections.abc import Sequence

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE
from core.backends.cpu.codegen.machine_code.code_memory import CodeMemory
from core.backends.cpu.codegen.team.native_calls import NativeCall, NativeRun
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.stored_program import (
    IN_ARENA,
    IN_CONSTANTS,
    ArenaValue,
    ProgramParts,
    packed,
)

#: Bytes behind the last constant: kernels may load whole vectors, of which they use a part.
_BEHIND = CACHE_LINE


def stored_program(
    arena: np.ndarray,
    works: Sequence[Work],
    inputs: Sequence[tuple[int, np.ndarray]],
    outputs: Sequence[np.ndarray],
    memory: CodeMemory,
) -> bytes | None:
    """Return the file of a program; None unless one native run computes all outputs in the arena.

    Args:
        arena: the memory of a run.
        works: the calls that are bound to it.
        inputs: number of the feed and value of each input.
        outputs: the values of the outputs.
        memory: the code of the kernels.
    """
    if len(works) != 1 or not isinstance(works[0], NativeRun):
        return None
    calls = works[0].calls
    begin = arena.ctypes.data
    values = [*outputs, *(value for _, value in inputs)]
    if not all(begin <= value.ctypes.data < begin + arena.nbytes for value in values):
        return None  # an output that is a constant
    constants = _Constants()
    rows: list[tuple[int, int, int]] = []
    arguments: list[tuple[int, int]] = []
    for call in calls:
        if not isinstance(call, NativeCall):
            return None
        rows.append((call.address - memory.address, call.tasks, len(arguments)))
        for array in call.arguments:
            offset = array.ctypes.data - begin
            in_arena = 0 <= offset <= arena.nbytes - array.nbytes
            location = (
                (IN_ARENA, offset) if in_arena else (IN_CONSTANTS, constants.offset_of(array))
            )
            arguments.append(location)
    scratch, stride = calls[0].scratch
    return packed(
        ProgramParts(
            [(number, _arena_value(value, begin)) for number, value in inputs],
            [_arena_value(value, begin) for value in outputs],
            arena.nbytes,
            (scratch.ctypes.data - begin, stride),
            np.array(rows, np.int64),
            np.array(arguments, np.int64).reshape(-1, 2),
            np.frombuffer(memory.read(), np.uint8),
            constants.data(),
        )
    )


def _arena_value(value: np.ndarray, begin: int) -> ArenaValue:
    return ArenaValue(value.shape, value.dtype.str, value.ctypes.data - begin)


class _Constants:
    """The bytes of constants one after the other, each array once."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[int, int], tuple[int, np.ndarray]] = {}
        self._end = 0

    def offset_of(self, array: np.ndarray) -> int:
        """Return the offset of a contiguous array, which is added if it is new."""
        key = array.ctypes.data, array.nbytes
        if key not in self._arrays:
            self._arrays[key] = self._end, array
            self._end += -(-array.nbytes // CACHE_LINE) * CACHE_LINE
        return self._arrays[key][0]

    def data(self) -> np.ndarray:
        """Return the bytes of all arrays."""
        whole = np.zeros(self._end + _BEHIND, np.uint8)
        for offset, array in self._arrays.values():
            whole[offset : offset + array.nbytes] = array.reshape(-1).view(np.uint8)
        return whole
