"""The commands of a plan, bound once to their objects, and replayed at each run.

Python's own time counts here: a step is about seven calls of moderngl's C methods by `partial`, in
one flat list. Bindings that the previous step made are not repeated, and a step needs no barrier if
it shares no memory with the steps since the last one. A binding takes 0.1 microseconds on a server
with an H200, and all of a step by one ``glBindBuffersRange`` of ctypes 0.9, so they are single.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from core.backends.shader.codegen.compiler.writing import ShaderText
from core.backends.shader.plans.plan_memory import Part
from core.backends.shader.plans.program_lowering import Hosted, Lowered, ValueRef
from core.backends.shader.runtime.gl_functions import BARRIER, BARRIER_TO_ALL
from core.backends.shader.runtime.gl_thread import do_nothing
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.textures import frame_of

#: Numbers of steps after which commands are flushed: the device works while Python goes on, which
#: takes about as long for a step of a small network. A flush costs the device some microseconds.
#: The first sends the inputs, too.
_FLUSHED_AFTER = frozenset({2, *range(10, 100, 8), 200, 400})


class _Rebinding(NamedTuple):
    """A call that binds memory which may change at the next run."""

    position: int
    binding: int
    is_written: bool


class Replay:
    """The recorded commands of a program in a session, for the GL thread only.

    Attributes:
        calls: all commands in order.
        step_ends: end of each step's commands.

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
        self._state: dict[int, Any] = {}
        self._hazards = _Hazards()
        steps = 0
        for each in lowered:
            if isinstance(each, Hosted):
                self._hazards.forget()
                self._state.clear()
                self.calls += [self._barrier(BARRIER_TO_ALL), partial(run_hosted, each)]
            else:
                for step in each.compiled.steps:
                    reads = [each.refs[i] for i in step.reads]
                    self._record(step.program, reads, each.refs[step.writes])
                    steps += 1
                    if steps in _FLUSHED_AFTER:
                        self.calls.append(session.gl_thread.gl.flush)
            self.step_ends.append(len(self.calls))
        self.calls.append(self._barrier(BARRIER_TO_ALL))

    def bind(self, name: str, part: Part) -> None:
        """Bind an exchangeable value to its memory of this run."""
        if self._bound.get(name) == part:
            return
        self._bound[name] = part
        for position, binding, is_written in self._rebindings[name]:
            self.calls[position] = self._binding(part, binding, is_written)

    def _barrier(self, readers: int = BARRIER) -> Callable[[], Any]:
        if self._in_textures:
            return do_nothing
        return partial(self._session.gl_thread.context.mglo.memory_barrier, readers, False)

    def _record(self, program: ShaderText, reads: Sequence[ValueRef], writes: ValueRef) -> None:
        compiled = self._session.programs.of(program)
        needs_barrier = not self._in_textures and self._hazards.meets(
            [*map(self._range, reads)], self._range(writes)
        )
        if needs_barrier:
            self.calls.append(self._barrier())
        for binding, ref in enumerate([*reads, writes]):
            self._bind_ref(ref, binding, is_written=binding == len(reads))
        self.calls.append(compiled.start(program.groups))

    def _bind_ref(self, ref: ValueRef, binding: int, is_written: bool) -> None:
        if isinstance(ref, str) and ref in self._moving:
            self._rebindings[ref].append(_Rebinding(len(self.calls), binding, is_written))
            self.calls.append(do_nothing)  # until `bind`
            self._state[binding] = ref
            return
        part = self._part(ref)
        if self._in_textures:
            self.calls.append(self._binding(part, binding, is_written))
            return
        if self._state.get(binding) == part:
            return
        self._state[binding] = part
        self.calls.append(self._binding(part, binding, is_written))

    def _binding(self, part: Part, binding: int, is_written: bool) -> Callable[[], Any]:
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
