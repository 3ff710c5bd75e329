"""The commands of a plan, bound once to their objects, and replayed at each run.

A step is about seven commands. With compute shaders one native call sends all of a run
(`native_replay`); without llvmlite, or with steps on the host, they are calls of moderngl's C
methods by `partial`, in one flat list. Bindings that the previous step made are not repeated, and a
step needs no barrier if it shares no memory with the steps since the last one.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from core.backends.shader.codegen.compiler.writing import ShaderText
from core.backends.shader.plans.native_replay import Command, CommandTable, can_send
from core.backends.shader.plans.plan_memory import Part
from core.backends.shader.plans.program_lowering import Hosted, Lowered, ValueRef
from core.backends.shader.runtime.gl_functions import BARRIER, BARRIER_TO_ALL, STORAGE_BUFFER
from core.backends.shader.runtime.gl_thread import do_nothing
from core.backends.shader.runtime.mapped_memory import MappedMemory
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.textures import frame_of

#: Numbers of steps after which commands are flushed: the device works while Python goes on, which
#: takes about as long for a step of a small network. A flush costs the device some microseconds.
#: The first sends the inputs, too.
_FLUSHED_AFTER = frozenset({2, *range(10, 100, 8), 200, 400})

#: Numbers of steps for one native call, which is far ahead of the device after some steps.
_FLUSHED_IN_CALL = frozenset({2, 10, 18, 200, 400})

#: A row of the table until there is something to bind.
_NOTHING = Command("glMemoryBarrier", (0,))


class _Rebinding(NamedTuple):
    """A call that binds memory which may change at the next run, and its row in the table."""

    position: int
    row: int
    binding: int
    is_written: bool


class Replay:
    """The recorded commands of a program in a session, for the GL thread only.

    Attributes:
        calls: all commands in order, as calls of Python.
        step_ends: end of each step's calls.
        table: the commands of all calls, if one native call can send them.

    Args:
        lowered: the steps in order.
        parts: the memory of values by name; not of those in ``moving``.
        moving: the values whose memory is bound before each run.
        session: session of the context.
        run_hosted: runs a step on the cpu backend.
    """

    def __init__(
        self,
        lowered: Sequence[Lowered | Hosted],
        parts: Mapping[str, Part],
        moving: Sequence[str],
        session: Session,
        run_hosted: Callable[[Hosted], None],
    ):
        self._session, self._parts, self._moving = session, parts, frozenset(moving)
        self._rebindings: dict[str, list[_Rebinding]] = {name: [] for name in moving}
        self._bound: dict[str, Part] = {}
        self._in_textures = session.storing.in_textures
        self.calls: list[Callable[[], Any]] = []
        self.step_ends: list[int] = []
        self._commands: list[Command] = []  # of each call
        self._readers = dict.fromkeys(moving, 0)  # number of steps
        self._state: dict[int, Any] = {}
        self._hazards = _Hazards()
        is_native = not self._in_textures and Hosted not in {*map(type, lowered)} and can_send()
        flushed_after = _FLUSHED_IN_CALL if is_native else _FLUSHED_AFTER
        steps = 0
        for each in lowered:
            if isinstance(each, Hosted):
                self._hazards.forget()
                self._state.clear()
                self._readers |= {name: 2 for name in each.reads if name in self._moving}
                self.calls += [self._barrier_call(BARRIER_TO_ALL), partial(run_hosted, each)]
            else:
                for step in each.compiled.steps:
                    reads = [each.refs[i] for i in step.reads]
                    self._record(step.program, reads, each.refs[step.writes])
                    steps += 1
                    if steps in flushed_after:
                        self._add(session.gl_thread.gl.flush, Command("glFlush"))
            self.step_ends.append(len(self.calls))
        self._barrier(BARRIER_TO_ALL)
        self.table = CommandTable(self._commands) if is_native else None

    def run(self) -> None:
        """Send all commands."""
        if self.table is not None:
            self.table.send()
            return
        for call in self.calls:
            call()

    def timed(self, repeat: int) -> list[Callable[[], Any]]:
        """Return calls that send all commands several times, without flushes in between."""
        if self.table is not None:
            kept = [each for each in self._commands if each.function != "glFlush"]
            return [CommandTable(kept).send] * repeat
        flush = self._session.gl_thread.gl.flush
        return [call for call in self.calls if call is not flush] * repeat

    def has_one_reader(self, name: str) -> bool:
        """Return whether one step alone reads an exchangeable value, by a shader."""
        return self._readers[name] == 1

    def bind(self, name: str, part: Part) -> None:
        """Bind an exchangeable value to its memory of this run."""
        if self._bound.get(name) == part:
            return
        self._bound[name] = part
        for position, row, binding, is_written in self._rebindings[name]:
            self.calls[position] = self._binding(part, binding, is_written)
            if self.table is not None:
                self.table[row] = self._commands[row] = _bind_command(part, binding)

    def _add(self, call: Callable[[], Any], *commands: Command) -> None:
        """Add a call, and what it does as commands of the table."""
        self.calls.append(call)
        self._commands += commands

    def _barrier(self, readers: int = BARRIER) -> None:
        if not self._in_textures:
            self._add(self._barrier_call(readers), Command("glMemoryBarrier", (readers,)))

    def _barrier_call(self, readers: int) -> Callable[[], Any]:
        if self._in_textures:
            return do_nothing
        return partial(self._session.gl_thread.context.mglo.memory_barrier, readers, False)

    def _record(self, program: ShaderText, reads: Sequence[ValueRef], writes: ValueRef) -> None:
        compiled = self._session.programs.of(program)
        needs_barrier = not self._in_textures and self._hazards.meets(
            [*map(self._range, reads)], self._range(writes)
        )
        for name in self._moving.intersection(r for r in reads if isinstance(r, str)):
            self._readers[name] += 1
        if needs_barrier:
            self._barrier()
        for binding, ref in enumerate([*reads, writes]):
            self._bind_ref(ref, binding, is_written=binding == len(reads))
        dispatch = Command("glDispatchCompute", program.groups)
        use = Command("glUseProgram", (compiled.program.glo,))
        self._add(compiled.start(program.groups), use, dispatch)

    def _bind_ref(self, ref: ValueRef, binding: int, is_written: bool) -> None:
        if isinstance(ref, str) and ref in self._moving:
            here = len(self.calls), len(self._commands)
            self._rebindings[ref].append(_Rebinding(*here, binding, is_written))
            self._add(do_nothing, _NOTHING)  # until `bind`
            self._state[binding] = ref
            return
        part = self._part(ref)
        if self._in_textures:
            self.calls.append(self._binding(part, binding, is_written))
            return
        if self._state.get(binding) == part:
            return
        self._state[binding] = part
        self._add(self._binding(part, binding, is_written), _bind_command(part, binding))

    def _binding(self, part: Part, binding: int, is_written: bool) -> Callable[[], Any]:
        if isinstance(part.resource, MappedMemory):  # of which moderngl knows nothing
            bind = self._session.gl_thread.gl.bind_buffer_range
            return partial(bind, *_bind_command(part, binding).arguments)
        if not self._in_textures:
            bind = part.resource.mglo.bind_to_storage_buffer
            return partial(bind, binding, part.offset, part.bytes)
        if is_written:
            return frame_of(self._session.gl_thread, part.resource).mglo.use
        return partial(part.resource.mglo.use, binding)

    def _part(self, ref: ValueRef) -> Part:
        if not isinstance(ref, Block):
            return self._parts[ref]
        resource = self._session.memory.pinned(ref)
        return Part(resource, 0, ref.bytes)

    def _range(self, ref: ValueRef) -> tuple[Any, int, int]:
        """Return the memory range of a value: the resource, its start and its end."""
        if isinstance(ref, str) and ref in self._moving:
            return ref, 0, 1
        part = self._part(ref)
        return id(part.resource), part.offset, part.offset + part.bytes


def _bind_command(part: Part, binding: int) -> Command:
    """Return the command that binds a buffer of shaders."""
    where = STORAGE_BUFFER, binding, part.resource.glo, part.offset, part.bytes
    return Command("glBindBufferRange", where)


class _Hazards:
    """The ranges read and written since the last barrier."""

    def __init__(self) -> None:
        self._read: list[tuple[Any, int, int]] = []
        self._written: list[tuple[Any, int, int]] = []

    def forget(self) -> None:
        """Clear the ranges after a barrier."""
        self._read, self._written = [], []

    def meets(self, reads: Sequence[tuple[Any, int, int]], writes: tuple[Any, int, int]) -> bool:
        """Return whether a step needs a barrier before it; if so, clear the ranges."""
        clash = any(_overlap(r, w) for r in reads for w in self._written) or any(
            _overlap(writes, other) for other in (*self._read, *self._written)
        )
        if clash:
            self.forget()
        self._read += reads
        self._written.append(writes)
        return clash


def _overlap(a: tuple[Any, int, int], b: tuple[Any, int, int]) -> bool:
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]
