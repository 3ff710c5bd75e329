"""Stores a program that generated kernels compute: its calls, with offsets for addresses."""

import ctypes
from collections.abc import Sequence

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE
from core.backends.cpu.codegen.machine_code.code_memory import CodeMemory
from core.backends.cpu.codegen.team.native_calls import NativeCall, NativeRun
from core.backends.cpu.codegen.work_storing import NotStorableError, WorkWriter
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.stored_program import (
    IN_ARENA,
    IN_CONSTANTS,
    ArenaValue,
    ProgramParts,
    packed,
)
from core.backends.cpu.stored_works import ArrayPlace

#: Bytes behind the last constant: kernels may load whole vectors, of which they use a part.
_BEHIND = CACHE_LINE


def stored_program(
    arena: np.ndarray,
    works: Sequence[Work],
    inputs: Sequence[tuple[int, np.ndarray]],
    outputs: Sequence[np.ndarray],
    memory: CodeMemory,
) -> bytes | None:
    """Return the file of a program; None if a call cannot be written, or an output is constant.

    Args:
        arena: the memory of a run.
        works: the calls that are bound to it.
        inputs: number of the feed and value of each input.
        outputs: the values of the outputs.
        memory: the code of the kernels.
    """
    begin = arena.ctypes.data
    values = [*outputs, *(value for _, value in inputs)]
    if not all(begin <= value.ctypes.data < begin + arena.nbytes for value in values):
        return None
    calls = _Calls(arena, memory)
    try:
        for work in works:
            calls.add(work)
    except NotStorableError:
        return None
    return packed(
        ProgramParts(
            [(number, _arena_value(value, begin)) for number, value in inputs],
            [_arena_value(value, begin) for value in outputs],
            arena.nbytes,
            calls.scratch,
            calls.works,
            np.array(calls.rows, np.int64).reshape(-1, 3),
            np.array(calls.arguments, np.int64).reshape(-1, 2),
            np.frombuffer(memory.read(), np.uint8),
            calls.constants.data(),
            any(work.is_small for work in works if isinstance(work, NativeRun)),
        )
    )


def _arena_value(value: np.ndarray, begin: int) -> ArenaValue:
    return ArenaValue(value.shape, value.dtype.str, value.ctypes.data - begin)


class _Calls:
    """The calls of a program, as `ProgramParts` has them.

    Args:
        arena: the memory that they are bound to.
        memory: the code of the kernels.
    """

    def __init__(self, arena: np.ndarray, memory: CodeMemory):
        self._begin, self._end = arena.ctypes.data, arena.ctypes.data + arena.nbytes
        self._memory, self._writer = memory, WorkWriter(self._place)
        self.works: list[tuple[int, int] | dict[str, object]] = []
        self.rows: list[tuple[int, int, int]] = []
        self.arguments: list[tuple[int, int]] = []
        self.constants = Constants()
        self.scratch = 0, 0

    def add(self, work: Work) -> None:
        """Add a call.

        Raises:
            NotStorableError: it cannot be written.
        """
        if not isinstance(work, NativeRun):
            self.works.append(self._writer.document(work))
            return
        self.works.append((len(self.rows), len(work.calls)))
        for call in work.calls:
            if not isinstance(call, NativeCall):
                raise NotStorableError
            address = call.address - self._memory.address
            self.rows.append((address, call.tasks, len(self.arguments)))
            self.arguments += [self._place(array)[:2] for array in call.arguments]
            scratch, stride = call.scratch
            self.scratch = scratch.ctypes.data - self._begin, stride

    def _place(self, array: np.ndarray) -> ArrayPlace:
        low, high = ends_of(array)
        is_in_arena = self._begin <= low and high <= self._end
        section = IN_ARENA if is_in_arena else IN_CONSTANTS
        start = low - self._begin if is_in_arena else self.constants.offset_of(array, low, high)
        offset = start + array.ctypes.data - low
        return ArrayPlace(section, offset, array.shape, array.strides, array.dtype.str)


def ends_of(array: np.ndarray) -> tuple[int, int]:
    """Return the addresses of the first byte of an array, and after the last one."""
    low = high = array.ctypes.data
    if not array.size:
        return low, high
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + array.itemsize


class Constants:
    """The bytes of constants one after the other, each piece of memory once."""

    def __init__(self) -> None:
        self._pieces: dict[tuple[int, int], tuple[int, np.ndarray]] = {}
        self._end = 0

    def offset_of(self, array: np.ndarray, low: int, high: int) -> int:
        """Return the offset of the memory of an array, which is added if it is new.

        Args:
            array: the array, which keeps the memory alive.
            low: address of its first byte.
            high: address after its last byte.
        """
        if (low, high) not in self._pieces:
            self._pieces[low, high] = self._end, array
            self._end += -(-(high - low) // CACHE_LINE) * CACHE_LINE
        return self._pieces[low, high][0]

    def pieces(self) -> list[tuple[int, str, int]]:
        """Return the offset of each piece, the dtype of its numbers, and how many there are."""
        return [
            (offset, array.dtype.name, (high - low) // array.itemsize)
            for (low, high), (offset, array) in self._pieces.items()
        ]

    def data(self) -> np.ndarray:
        """Return the bytes of all pieces."""
        whole = bytearray(self._end + _BEHIND)
        for (low, high), (offset, _) in self._pieces.items():
            whole[offset : offset + high - low] = ctypes.string_at(low, high - low)
        return np.frombuffer(whole, np.uint8)
