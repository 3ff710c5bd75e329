"""The search for the fastest tiles of a plan, on the present device and in the plan's memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.backends.shader.codegen.tiles.choices import FAMILIES
from core.backends.shader.codegen.tiles.tile_source import Asked, Choice
from core.backends.shader.codegen.tiles.tuned_tiles import fastest, keep_choices
from core.backends.shader.plans.program_lowering import Lowered, Lowering, ValueRef
from core.backends.shader.runtime.gl_functions import BARRIER
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.programs import Programs, ShaderError
from core.backends.shader.runtime.session import Session
from core.engine.program import Program
from core.errors import CoreError

if TYPE_CHECKING:
    from core.plan.plan import Plan

_WARM_SECONDS = 0.05  # until a GPU has raised its clock
_TIMED_SECONDS = 3e-4  # of one measurement; short steps run several times
_MOST_REPEATS = 64


class TunedStep(NamedTuple):
    """Steps of a plan that compute one product, and therefore use one tile.

    Attributes:
        names: names of the steps in the plan.
        old_ms: milliseconds of all steps with the previous tile.
        new_ms: milliseconds with the present tile.
        choice: sizes of the present tile.
        is_new: whether the tile changed.
    """

    names: tuple[str, ...]
    old_ms: float
    new_ms: float
    choice: Choice
    is_new: bool


@dataclass(frozen=True, repr=False)
class ShaderTuning:
    """Result of `core.tune_shader`; printed, it is a table.

    Attributes:
        steps: the measured steps.
    """

    steps: tuple[TunedStep, ...]

    def __repr__(self) -> str:
        lines = [f"{'before ms':>10}  {'now ms':>10}  tile"]
        for step in self.steps:
            more = f" and {len(step.names) - 1} like it" if len(step.names) > 1 else ""
            tile = f"{step.choice.rows}x{step.choice.columns}" if step.is_new else "as before"
            times = f"{step.old_ms:10.4f}  {step.new_ms:10.4f}"
            lines.append(f"{times}  {tile:9}  {step.names[0]}{more}")
        before, now = sum(s.old_ms for s in self.steps), sum(s.new_ms for s in self.steps)
        return "\n".join([*lines, f"{before:10.4f}  {now:10.4f}  all of them"])


def tune_shader(plan: "Plan") -> ShaderTuning:
    """Measure which tiles are the fastest for a plan on this GPU, and use them from now on.

    The shader backend computes convolutions and products of matrices in tiles. By default a table
    measured on another GPU and a model of the time choose the tile of a shape. This function times
    all tiles that fit, which takes seconds on a GPU that does nothing else meanwhile. A tile that
    is faster by more than the spread of the times is used by this plan and by later plans, in this
    process, and in later processes unless the code cache is off (``ZOO_CODE_CACHE``). Results may
    change by roundings, as sums are computed in another order.

    Args:
        plan: plan on the shader backend with compute shaders, such as ``model.plan(inputs)`` for
            inputs of the shapes to tune.

    Returns:
        For each product its steps, their milliseconds before and now, and the tile.

    Raises:
        CoreError: the plan is on another backend, or drawn by fragment shaders, which have no
            tiles; or the device has no memory for the measurements.

    >>> import core
    >>> from core.graph_model.graph_model import GraphModel
    >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
    >>> nodes = [Node("x", "Placeholder"), Node("y", "Relu", ("x",))]
    >>> ends = [Endpoint(name, PartialSpec((None, 2))) for name in ("x", "y")]
    >>> graph = Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]})
    >>> core.tune_shader(GraphModel(graph, backend="cpu").plan())
    Traceback (most recent call last):
    core.errors.CoreError: this plan is of backend 'cpu': tune_shader() needs a plan of 'shader'
    """
    if plan.backend != "shader":
        raise CoreError(
            f"this plan is of backend {plan.backend!r}: tune_shader() needs a plan of 'shader'"
        )
    return ShaderTuning(tuple(plan.tune()))


def tuned_steps(program: Program, session: Session) -> list[TunedStep]:
    """Time the tiles of a program's steps; faster tiles are kept in the session and on disk.

    Raises:
        CoreError: the session has no tiles, or there is no memory for a step.
    """
    if session.storing.in_textures:
        raise CoreError(
            "tune_shader() is for compute shaders, and this session draws by fragment shaders: "
            "core.start_shader(path='compute') where the device has OpenGL 4.3"
        )
    tuning = _Tuning(program, session)
    try:
        found = tuning.found()
    finally:
        session.gl_thread.call(tuning.programs.release)
    new = {asked: step.choice for asked, step in found.items() if step.is_new}
    if new:
        session.tuned.update(new)
        keep_choices(session.device.driver, session.form, session.tuned)
    return [*found.values()]


class _Trial(NamedTuple):
    """A step with one tile: the calls of its programs, each followed by a barrier."""

    step: Lowered
    starts: list[Callable[[], None]]


class _Commands(NamedTuple):
    """Calls of a step: at the first run, and at later runs. The measured time includes Python's."""

    once: list[Callable[[], Any]]
    each: list[Callable[[], Any]]


class _Tuning:
    """The tiles of a program in a session.

    Programs compiled here are separate: slow tiles are kept neither in memory nor on disk.
    """

    def __init__(self, program: Program, session: Session):
        self._session = session
        self.programs = Programs(session.gl_thread)
        self._lowering = Lowering(program, session)

    def found(self) -> dict[Asked, TunedStep]:
        """Compile everything before timing, as an idle GPU lowers its clock; return the results."""
        call = self._session.gl_thread.call
        steps = self._steps()
        trials = {asked: self._trials(asked, steps[asked]) for asked in steps}
        return {
            asked: call(partial(self._timed, self._old(asked), each))
            for asked, each in trials.items()
            if len(each) > 1 and self._old(asked) in each
        }

    def _old(self, asked: Asked) -> Choice:
        return FAMILIES[asked[0]].choose(asked[1], self._session.limits)

    def _steps(self) -> dict[Asked, list[Lowered]]:
        """Return the steps by the product for which they need a tile."""
        found: dict[Asked, list[Lowered]] = {}
        for step in self._lowering.steps:
            questions: list[Asked] = []
            self._lowering.tiled(step, questions.append)
            for asked in questions:
                if isinstance(step, Lowered) and step.compiled.steps:
                    found.setdefault(asked, []).append(step)
        return found

    def _trials(self, asked: Asked, steps: Sequence[Lowered]) -> dict[Choice, list[_Trial]]:
        """Return the steps with each tile that fits and that the driver compiles."""
        fitting = FAMILIES[asked[0]].fitting(asked[1], self._session.limits)
        found = {}
        for choice in dict.fromkeys([self._old(asked), *fitting]):
            made = [self._lowering.tiled(step, {asked: choice}.get) for step in steps]
            lowered = [step for step in made if isinstance(step, Lowered)]
            try:
                found[choice] = self._session.gl_thread.call(partial(self._compiled, lowered))
            except ShaderError:
                continue  # too much for this driver
        return found

    # --- in the GL thread -------------------------------------------------------------------

    def _compiled(self, steps: Sequence[Lowered]) -> list[_Trial]:
        return [
            _Trial(
                step,
                [self.programs.of(s.program).start(s.program.groups) for s in step.compiled.steps],
            )
            for step in steps
        ]

    def _timed(self, old: Choice, trials: dict[Choice, list[_Trial]]) -> TunedStep:
        self._session.memory.begin()
        memory: dict[Any, Block] = {}
        commands = {
            choice: [self._commands(trial, memory) for trial in each]
            for choice, each in trials.items()
        }
        repeats = self._repeats(commands[old])
        runs = {choice: partial(self._seconds, each, repeats) for choice, each in commands.items()}
        _warm(runs[old])
        best = fastest(runs, old)
        names = tuple(trial.step.sources[-1].name for trial in trials[old])
        return TunedStep(names, 1e3 * best.old, 1e3 * best.new, best.choice, best.choice != old)

    def _commands(self, trial: _Trial, memory: dict[Any, Block]) -> _Commands:
        """Return calls with bound memory and barriers; a program keeps its bindings."""
        barrier = partial(self._session.gl_thread.context.mglo.memory_barrier, BARRIER, False)
        once: list[Callable[[], Any]] = []
        each: list[Callable[[], Any]] = []
        binds = once if len(trial.starts) == 1 else each
        for step, start in zip(trial.step.compiled.steps, trial.starts, strict=True):
            for binding, number in enumerate([*step.reads, step.writes]):
                block = self._block(trial.step, trial.step.refs[number], memory)
                resource = self._session.memory.pinned(block)
                binds.append(partial(resource.mglo.bind_to_storage_buffer, binding, 0, -1))
            each += [start, barrier]
        return _Commands(once, each)

    def _block(self, step: Lowered, ref: ValueRef, memory: dict[Any, Block]) -> Block:
        """Return a constant, or memory filled with numbers for a value."""
        if isinstance(ref, Block):
            return ref
        if ref in step.intermediates:  # their number depends on the tile
            layout, size = step.intermediates[ref]
            return memory.setdefault((ref, layout, size), Block(layout, size))
        if ref not in memory:
            spec = self._lowering.program.specs[ref]
            values = np.zeros(spec.size, spec.dtype)
            if spec.dtype == "float32":  # a GPU computes faster with zeros, which take less power
                values = np.random.default_rng(0).random(spec.size, np.float32)
            memory[ref] = Block(self._lowering.layouts[ref], spec.size, values)
        return memory[ref]

    def _repeats(self, steps: Sequence[_Commands]) -> int:
        self._seconds(steps, 1)  # the first run of a program takes longer
        once = self._seconds(steps, 1)
        return min(max(1, ceil(_TIMED_SECONDS / max(once, 1e-9))), _MOST_REPEATS)

    def _seconds(self, steps: Sequence[_Commands], repeats: int) -> float:
        """Return the seconds of all steps, each repeated."""
        commands = [c for step in steps for c in (*step.once, *step.each * repeats)]
        return self._session.timer.seconds(commands) / repeats


def _warm(run: Callable[[], Any]) -> None:
    until = perf_counter() + _WARM_SECONDS
    while perf_counter() < until:
        run()
