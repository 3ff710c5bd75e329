"""A program as a later process runs it: machine code, constants, and where each value lies.

That process needs neither the graph nor the ops, and nothing is lowered, generated or packed: what
takes a model's first run 50 to 100 ms is read from one file. Steps without a generated kernel are
calls of NumPy and of this backend's functions: see `core.backends.cpu.stored_works`.
`core.backends.cpu.codegen.program_storing` writes the file.

The file: the length of the head, the head (JSON), and sections that begin on lines of the cache.
An argument of a kernel is an offset into the arena of a run or into the constants.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from core.backends.cpu.aligned import CACHE_LINE, aligned_bytes, frozen_copy
from core.backends.cpu.codegen.machine_code.code_memory import CodeMemory
from core.backends.cpu.codegen.team.loading import load_team
from core.backends.cpu.codegen.team.thread_team import current_team
from core.engine.executable import MOST_IDLE
from core.engine.real_values import write_real_values

#: An array, or integers with their scale and zero point.
Feed = np.ndarray | tuple[np.ndarray, float, int]

Result = TypeVar("Result")

#: Sections that hold arguments of kernels, and arrays of other calls.
IN_ARENA, IN_CONSTANTS = 0, 1

_HEAD = 8  # bytes of the length of the head


class ArenaValue(NamedTuple):
    """An input or output of a program: a value in the arena of a run."""

    shape: Sequence[int]
    dtype: str
    offset: int

    def view(self, arena: np.ndarray) -> np.ndarray:
        """Return the value in an arena."""
        return np.ndarray(tuple(self.shape), self.dtype, arena.data, self.offset)


class ProgramParts(NamedTuple):
    """All that is stored of a program.

    Attributes:
        inputs: number of the feed and location of each input that is read.
        outputs: location of each output.
        arena_bytes: size of the arena.
        scratch: offset in the arena of the memory of all threads, and the bytes of one of them.
        works: what runs, in order: first and number of kernels that follow one another, or the
            document of another call (see `core.backends.cpu.stored_works`).
        calls: of each kernel the offset of its function in the code, its number of tasks, and the
            first of its arguments, int64 [kernels, 3].
        arguments: `IN_ARENA` or `IN_CONSTANTS`, and the offset there, int64 [arguments, 2].
        code: machine code, uint8.
        constants: the bytes of all constants, uint8.
        is_small: whether it is little work; see `ThreadTeam.run_small`.
    """

    inputs: Sequence[tuple[int, ArenaValue]]
    outputs: Sequence[ArenaValue]
    arena_bytes: int
    scratch: tuple[int, int]
    works: Sequence[tuple[int, int] | Mapping[str, Any]]
    calls: np.ndarray
    arguments: np.ndarray
    code: np.ndarray
    constants: np.ndarray
    is_small: bool = False

    @property
    def is_native(self) -> bool:
        """Return whether all calls are of generated kernels."""
        return not any(isinstance(work, Mapping) for work in self.works)


#: Members of `ProgramParts` that are sections of the file, and the dtype of their numbers.
_SECTIONS = {"calls": "<i8", "arguments": "<i8", "code": "u1", "constants": "u1"}


def packed(parts: ProgramParts) -> bytes:
    """Return the file of a program."""
    raw = {name: getattr(parts, name).tobytes() for name in _SECTIONS}
    head: dict[str, Any] = {k: v for k, v in parts._asdict().items() if k not in _SECTIONS}
    head["sections"] = {name: len(data) for name, data in raw.items()}
    text = json.dumps(head).encode()
    file = bytearray(len(text).to_bytes(_HEAD, "little") + text)
    for data in raw.values():
        file += bytes(-len(file) % CACHE_LINE)
        file += data
    return bytes(file)


def unpacked(data: memoryview) -> ProgramParts:
    """Return the parts in a file, whose arrays show the data.

    Raises:
        ValueError, LookupError, TypeError: of a file of another format.
    """
    offset = _HEAD + int.from_bytes(data[:_HEAD], "little")
    head: Mapping[str, Any] = json.loads(bytes(data[_HEAD:offset]))
    arrays: dict[str, np.ndarray] = {}
    for name, dtype in _SECTIONS.items():
        offset += -offset % CACHE_LINE
        size = head["sections"][name]
        arrays[name] = np.frombuffer(data[offset : offset + size], dtype)
        offset += size
    return ProgramParts(
        [(number, ArenaValue(*value)) for number, value in head["inputs"]],
        [ArenaValue(*value) for value in head["outputs"]],
        head["arena_bytes"],
        tuple(head["scratch"]),
        [work if isinstance(work, dict) else tuple(work) for work in head["works"]],
        arrays["calls"].reshape(-1, 3),
        arrays["arguments"].reshape(-1, 2),
        arrays["code"],
        arrays["constants"],
        head["is_small"],
    )


def program_to_try(file: bytes) -> "StoredProgram | None":
    """Return a program before its file is kept, to compare what it computes with the original.

    Returns:
        The program; None if that is not needed, as generated kernels compute all of it.
    """
    memory = aligned_bytes(len(file))
    memory[:] = np.frombuffer(file, np.uint8)
    return None if unpacked(memory.data).is_native else StoredProgram(memory.data)


class _Workspace(NamedTuple):
    """Memory for one run at a time, and the calls that are bound to it."""

    inputs: Sequence[tuple[int, np.ndarray]]
    outputs: Sequence[np.ndarray]
    works: Sequence[Callable[[], object]]
    alive: Sequence[np.ndarray]  # what the table of the thread team leads to
    is_native: bool  # whether no call is NumPy's: no state of NumPy or its threads matters

    def run(self, feeds: Sequence[Feed]) -> list[np.ndarray]:
        """Return the outputs; see `StoredProgram.run`."""
        for number, target in self.inputs:
            feed = feeds[number]
            if isinstance(feed, np.ndarray):
                target[...] = feed
            else:
                write_real_values(*feed, target)
        for work in self.works:
            work()
        return [frozen_copy(output) for output in self.outputs]


class StoredProgram:
    """A program that is ready to run. Threads may share it.

    Args:
        data: the file, in memory that begins on a line of the cache and stays as it is.

    Raises:
        CoreError: the system does not let programs make memory executable.
        ValueError, LookupError, TypeError, AttributeError, ImportError: of a file of another
            format.
    """

    def __init__(self, data: memoryview):
        self._parts = unpacked(data)
        self._code = CodeMemory(self._parts.code.data)
        load_team()  # which runs the kernels
        self._parts.constants.setflags(write=False)
        self._workspaces = _workspaces_for(self._parts)
        self._workspaces.give_back(self._new_workspace())  # which checks all places

    def run(self, feeds: Sequence[Feed]) -> list[np.ndarray]:
        """Return the outputs as new read-only arrays.

        Args:
            feeds: arrays of the shapes and dtypes that the program was made for, or integers that
                stand for such, with their scale and zero point.

        Raises:
            CoreError, or one of `core.errors.MISUSE`: a call cannot work on these values.
        """
        return self._workspaces.run(self._new_workspace, lambda workspace: workspace.run(feeds))

    def _new_workspace(self) -> _Workspace:
        parts = self._parts
        arena = aligned_bytes(parts.arena_bytes)
        begins = np.array([arena.ctypes.data, parts.constants.ctypes.data], np.int64)
        pointers = begins[parts.arguments[:, 0]] + parts.arguments[:, 1]
        functions, tasks, first = parts.calls.T
        # Rows as `team_program` reads them: a phase has one group, which is one kernel.
        phases = np.zeros((len(tasks), 4), np.int64)
        phases[:, 0], phases[:, 1], phases[:, 2] = np.arange(len(tasks)), 1, tasks
        groups = np.zeros((len(tasks), 4), np.int64)
        groups[:, 0] = functions + self._code.address
        groups[:, 1] = first * pointers.itemsize + pointers.ctypes.data
        offset, stride = parts.scratch
        table = np.array(
            [phases.ctypes.data, groups.ctypes.data, begins[IN_ARENA] + offset, stride], np.int64
        )
        return _Workspace(
            [(number, value.view(arena)) for number, value in parts.inputs],
            [value.view(arena) for value in parts.outputs],
            [*self._works(arena, table.ctypes.data)],
            (arena, pointers, phases, groups, table),
            parts.is_native,
        )

    def _works(self, arena: np.ndarray, table: int) -> Iterator[Callable[[], object]]:
        """Yield the calls of a run: of kernels in a table, and what is bound to an arena."""
        for work in self._parts.works:
            if isinstance(work, Mapping):
                yield _other_calls().WorkReader((arena, self._parts.constants)).work(work)
            else:
                yield partial(_run_kernels, self._parts.is_small, table, *work)


def _run_kernels(is_small: bool, table: int, first: int, count: int) -> None:
    team = current_team()
    run = team.run_small if is_small else team.run
    run(table, first, first + count)


class _NativeWorkspaces:
    """Idle workspaces of a program in which generated kernels compute everything."""

    def __init__(self) -> None:
        self._idle: deque[_Workspace] = deque()

    def run(self, make: Callable[[], _Workspace], do: Callable[[_Workspace], Result]) -> Result:
        """Return the result of a function for a workspace that no other run uses."""
        try:
            workspace = self._idle.pop()
        except IndexError:
            workspace = make()
        try:
            return do(workspace)
        finally:
            self.give_back(workspace)

    def give_back(self, workspace: _Workspace) -> None:
        """Release a workspace for later runs."""
        self._idle.append(workspace)
        if len(self._idle) > MOST_IDLE:
            with suppress(IndexError):
                self._idle.popleft()


def _workspaces_for(parts: ProgramParts) -> Any:
    return _NativeWorkspaces() if parts.is_native else _other_calls().Workspaces()


def _other_calls() -> Any:
    from core.backends.cpu import stored_works  # which most programs do not need

    return stored_works
