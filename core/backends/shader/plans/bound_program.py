"""A program in a session: its inputs, its memory, and the commands of its runs."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.plans.plan_memory import (
    Arena,
    Need,
    Part,
    Textures,
    most_bytes,
    raw_values,
)
from core.backends.shader.plans.program_lowering import Hosted, Lowered, Lowering, ValueRef
from core.backends.shader.plans.replay import Replay
from core.backends.shader.plans.result_buffers import ResultBuffers
from core.backends.shader.plans.waves import AnyStep, in_waves, places, reads_of, writes_of
from core.backends.shader.runtime.mapped_memory import LEAST_BYTES, Staging, StagingSlot
from core.backends.shader.runtime.memory_blocks import UNFINISHED, Block, RunOutputs, fail
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.stored_forms import loaded_values, stored_dtype
from core.backends.shader.runtime.values import Value
from core.engine.program import Program
from core.graph.feeds import QuantizedArray

#: The most bytes of inputs and outputs that a plan has memory for twice: the host fills and reads
#: one while the device works on the other.
MOST_TWICE = 1 << 26

#: The most bytes that waves may need besides those of steps one by one. A training step of
#: MobileNet v1 0.25 takes as long in either order on an H200, and would need 80 MB more.
MOST_MORE = 1 << 24

#: An input of a run, from the caller.
Feed: TypeAlias = Value | QuantizedArray | np.ndarray


class RunInput(NamedTuple):
    """An input: its block, and the staging slot of values that are not on the device yet."""

    block: Block
    slot: StagingSlot | None


class Recording(NamedTuple):
    """The commands of a run, and the memory that is its own; recordings are used in turn.

    Attributes:
        replay: the commands.
        parts: the memory of values by name, of inputs and other outputs that of the latest run.
        inputs: blocks of inputs that come from the host.
        copied_at: for each input the number of waits when it was copied last.
        results: memory of the outputs, if these get none of their own.
    """

    replay: Replay
    parts: dict[str, Part]
    inputs: list[Block]
    copied_at: list[int]
    results: ResultBuffers | None


class ReadyProgram:
    """A program in a session: its steps, its memory, and the commands recorded for it.

    Some methods are for the thread that calls a model, others for the GL thread, as their
    docstrings state.

    Attributes:
        lowering: the compiled steps.
        memory: memory of intermediate values.
        recordings: recorded commands, after the first run.
    """

    def __init__(self, program: Program, session: Session):
        self.program, self.session = program, session
        self.lowering = Lowering(program, session)
        owners = self.lowering.owners
        self._outputs = list(
            dict.fromkeys(
                owners[r]
                for r in program.outputs
                if owners[r] not in program.constants and owners[r] not in program.inputs
            )
        )
        self._sources = [(program.specs[r], self._output_source(r)) for r in program.outputs]
        self._returned_inputs = {owners[r] for r in program.outputs} & {*program.inputs}
        kind: type[Arena | Textures] = Textures if session.storing.in_textures else Arena
        self._waves = self._chosen_waves()
        self.memory: Arena | Textures = kind(self._needs(self._waves), session)
        self.recordings: list[Recording] = []
        self._inputs = [
            Block(self.lowering.layouts[r], program.specs[r].size) for r in program.inputs
        ]
        self._staging: list[Staging | None] = [None] * len(self._inputs)
        self._arena: dict[str, Part] = {}
        self._usually_read: set[int] = set()  # indices of outputs
        self._has_results = session.has_mapped and bool(self._outputs)

    def _chosen_waves(self) -> list[list[AnyStep]]:
        """Return the steps in waves, or one by one if waves would need much more memory."""
        singly = [[step] for step in self.lowering.steps]
        if self.session.storing.in_textures:  # which need no barriers
            return singly
        waves = in_waves(self.lowering.steps)
        if len(waves) == len(singly):
            return singly
        more = most_bytes(self._needs(waves)) - most_bytes(self._needs(singly))
        return waves if more <= MOST_MORE else singly

    def _needs(self, waves: Sequence[Sequence[AnyStep]]) -> list[Need]:
        """Return the intermediate values between inputs and outputs.

        Values of one wave live together, as its steps may run in any order.
        """
        found: list[Need] = []
        last = {ref: end for step, _, end in places(waves) for ref in reads_of(step)}
        skipped = {*self._outputs, *self.program.inputs}
        for step, start, end in places(waves):
            for name in writes_of(step):
                if name not in skipped:
                    block = Block(self.lowering.layouts[name], self.program.specs[name].size)
                    found.append(Need(name, block, start, max(end, last.get(name, end))))
            if isinstance(step, Lowered):
                found += [Need(n, Block(*of), start, end) for n, of in step.intermediates.items()]
        return found

    @property
    def steps(self) -> list[AnyStep]:
        """Return the compiled steps in the order in which they run."""
        return [step for wave in self._waves for step in wave]

    # --- in the calling thread --------------------------------------------------------------

    def inputs_of(self, feeds: Sequence[Feed]) -> list[RunInput]:
        """Return the inputs of a run, copied, as the caller may change its arrays later."""
        return [
            _run_input(feed, None if name in self._returned_inputs else staging, own)
            for name, feed, staging, own in zip(
                self.program.inputs, feeds, self._staging, self._inputs, strict=True
            )
        ]

    def new_outputs(self) -> list[Block]:
        """Return new blocks for the values that runs compute as outputs."""
        layouts, specs = self.lowering.layouts, self.program.specs
        made = [Block(layouts[name], specs[name].size) for name in self._outputs]
        if self._has_results or len(made) > 1:
            run_outputs = RunOutputs(made, self._usually_read)
            for block in made:
                block.run_outputs = run_outputs
        for block in made:
            block.error = UNFINISHED
        return made

    def outputs(self, run_inputs: Sequence[RunInput], made: Sequence[Block]) -> list[Value]:
        """Return the outputs; those that are inputs or constants have the blocks of these."""
        blocks = (*made, *(run_input.block for run_input in run_inputs))
        return [
            Value(spec, ref if isinstance(ref, Block) else blocks[ref])
            for spec, ref in self._sources
        ]

    def _output_source(self, reference: str) -> Block | int:
        """Return the block of a constant, or the number of a value among outputs and inputs."""
        ref = self.lowering.ref(reference)
        names = [*self._outputs, *self.program.inputs]
        return ref if isinstance(ref, Block) else names.index(ref)

    # --- in the GL thread -------------------------------------------------------------------

    def forget(self) -> None:
        """Release the memory; the next run allocates it again."""
        for recording in self.recordings:
            if recording.results is not None:
                recording.results.keep()
        self.recordings.clear()
        self._arena = {}
        self.memory = type(self.memory)(self._needs(self._waves), self.session)

    def run(self, run_inputs: Sequence[RunInput], outputs: Sequence[Block]) -> None:
        """Run all steps, in the GL thread; errors are raised when the outputs are read."""
        try:
            for block in outputs:
                block.error = None
            self.session.memory.begin()
            recording = self._bound(run_inputs, outputs)
            recording.replay.run()
            if recording.results is not None:
                recording.results.send_expected()
            if self.session.programs.new:
                self.session.programs.keep_new()
        except BaseException as error:
            fail(outputs, error)

    def times(self, run_inputs: Sequence[RunInput]) -> list[float]:
        """Return the seconds of each step."""
        self.session.memory.begin()
        outputs = self.new_outputs()
        for block in outputs:
            block.error = None
        replay = self._bound(run_inputs, outputs).replay
        return [
            self.session.timer.seconds(replay.calls[begin:end])
            for begin, end in pairwise((0, *replay.step_ends))
        ]

    def gpu_time(self, run_inputs: Sequence[RunInput], repeat: int) -> float:
        """Return the seconds of a run, of several measured together."""
        self.session.memory.begin()
        outputs = self.new_outputs()
        for block in outputs:
            block.error = None
        replay = self._bound(run_inputs, outputs).replay
        return self.session.timer.seconds(replay.timed(repeat)) / repeat

    def _bound(self, run_inputs: Sequence[RunInput], outputs: Sequence[Block]) -> Recording:
        """Return the recording of a run, with the memory of its inputs and outputs."""
        recording = self._next()
        parts, replay, results = recording.parts, recording.replay, recording.results
        if results is not None and outputs[0].run_outputs is not None:
            results.begin(outputs[0].run_outputs)
        for i, (name, run_input) in enumerate(zip(self.program.inputs, run_inputs, strict=True)):
            parts[name] = part = self._input_part(recording, name, i, run_input)
            replay.bind(name, part)
        if results is None:
            for name, block in zip(self._outputs, outputs, strict=True):
                parts[name] = part = Part(self.session.memory.of(block), 0, block.bytes)
                replay.bind(name, part)
        return recording

    def _next(self) -> Recording:
        """Return the recording that was not used last."""
        recordings = self.recordings
        if len(recordings) < self._most_recordings():
            recordings.append(self._recorded())
        else:
            recordings.append(recordings.pop(0))
        return recordings[-1]

    def _most_recordings(self) -> int:
        """Return 1 where a second one would take much memory, or would have none of its own."""
        names = (*self.program.inputs, *self._outputs)
        size = sum(self.program.specs[name].bytes for name in names)
        return 2 if self._has_results and size <= MOST_TWICE else 1

    def _input_part(self, recording: Recording, name: str, index: int, run_input: RunInput) -> Part:
        """Return the memory of an input, with its values."""
        session, own, staging = self.session, recording.inputs[index], self._staging[index]
        if run_input.slot is not None and staging is not None:
            if session.device.reads_mapped and recording.replay.has_one_reader(name):
                staging.use(run_input.slot)
                return Part(run_input.slot, 0, own.bytes)
            if recording.copied_at[index] == session.waits:
                session.wait()  # an earlier run may still read the buffer
            recording.copied_at[index] = session.waits
            resource = session.memory.pinned(own)
            staging.copy(run_input.slot, resource)
            return Part(resource, 0, own.bytes)
        block = run_input.block
        source = block.source
        if source is not None and block.error is None and source.buffers.session is session:
            part: Part = source.buffers.parts[source.number]
            return part
        if block.layout != own.layout:  # drawn to several targets, or of other floats
            block = session.converted(block, own.layout)
        return Part(session.memory.of(block), 0, block.bytes)

    def _recorded(self) -> Recording:
        session = self.session
        if not self.recordings:
            self._arena = self.memory.make()
            if session.has_mapped:
                self._staging = [self._new_staging(own) for own in self._inputs]
        results = self._new_results() if self._has_results else None
        parts, moving = dict(self._arena), [*self.program.inputs]
        if results is None:
            moving += self._outputs
        else:
            parts |= dict(zip(self._outputs, results.parts, strict=True))
        run_hosted = partial(self._run_hosted, parts)
        replay = Replay(self.steps, parts, moving, session, run_hosted)
        inputs = [Block(own.layout, own.size) for own in self._inputs]
        return Recording(replay, parts, inputs, [-1] * len(inputs), results)

    def _new_results(self) -> ResultBuffers:
        layouts, specs = self.lowering.layouts, self.program.specs
        return ResultBuffers(
            self.session, [Block(layouts[name], specs[name].size) for name in self._outputs]
        )

    def _new_staging(self, own: Block) -> Staging | None:
        if own.bytes < LEAST_BYTES or own.layout != MemoryLayout("float32"):
            return None
        return Staging(self.session.gl_thread, self.session.in_use, own.bytes)

    def _run_hosted(self, parts: Mapping[str, Part], step: Hosted) -> None:
        """Read inputs back, compute on the host, and store the results."""
        self.session.wait()
        arrays = [self._read(ref, parts) for ref in step.reads]
        for name, array in zip(step.writes, step.run(arrays), strict=True):
            layout, part = self.lowering.layouts[name], parts[name]
            self.session.memory.fill(part.resource, layout, array, part.offset)

    def _read(self, ref: ValueRef, parts: Mapping[str, Part]) -> np.ndarray:
        if isinstance(ref, Block):
            return self.session.memory.read(ref)
        layout = self.lowering.layouts[ref]
        count = self.program.specs[ref].size * layout.words
        return loaded_values(raw_values(parts[ref], layout, count, stored_dtype(layout)), layout)


def _run_input(feed: Feed, staging: Staging | None, own: Block) -> RunInput:
    """Return an input; an array on the host goes into mapped memory if there is any."""
    if type(feed) is np.ndarray:
        return _array_input(feed.reshape(-1), staging, own, is_private=False)
    if isinstance(feed, QuantizedArray):
        return _array_input(feed.values().reshape(-1), staging, own, is_private=True)
    assert isinstance(feed, Value) and feed.block is not None
    block = feed.block
    host = block.host
    if block.resource is not None or host is None or block.was_fed:
        return RunInput(block, None)  # a tensor that comes again stays on the device
    block.was_fed = True
    return _array_input(host, staging, own, is_private=True)


def _array_input(
    host: np.ndarray, staging: Staging | None, own: Block, is_private: bool
) -> RunInput:
    slot = None if staging is None else staging.take()
    if slot is not None:
        slot.array[: host.nbytes].view(host.dtype)[:] = host
    elif not is_private:
        host = host.copy()  # the caller may change the array before its upload
    return RunInput(Block(own.layout, own.size, host), slot)
