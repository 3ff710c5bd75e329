"""The floor of a launch: what dispatches that do nothing take, one after the other.

A network cannot run in less than its dispatches and barriers take with empty programs.
"""

from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from core.backends.shader.plans.native_replay import Command, CommandTable
from core.backends.shader.runtime.gl_functions import BARRIER, STORAGE_BUFFER
from core.engine.backends import load_backend

#: Programs in turn, as networks have; buffers of each.
PROGRAMS, BUFFERS = 17, 5

#: Groups of 256 threads: fewer than the multiprocessors of large GPUs.
GROUPS = 112

_BLOCK = "layout(std430, binding = {0}) buffer B{0} {{ float b{0}[]; }};"


def floor(count: int, has_barriers: bool, rounds: int) -> dict[str, float]:
    """Microseconds of one of some empty dispatches: on the GPU, until sent, until done."""
    session = load_backend("shader").session
    return session.gl_thread.call(partial(_floor, session, count, has_barriers, rounds))


def _floor(session: Any, count: int, has_barriers: bool, rounds: int) -> dict[str, float]:
    programs = [_program(session, number) for number in range(PROGRAMS)]
    buffers = [session.gl_thread.context.buffer(reserve=1 << 16) for _ in range(BUFFERS)]
    table = CommandTable(_commands(programs, buffers, count, has_barriers))
    found: dict[str, list[float]] = {"gpu_us": [], "issued_us": [], "done_us": []}
    for _ in range(rounds):
        found["gpu_us"].append(session.timer.seconds([table.send]))
        started = perf_counter()
        table.send()
        found["issued_us"].append(perf_counter() - started)
        session.gl_thread.gl.finish()
        found["done_us"].append(perf_counter() - started)
    for each in (*programs, *buffers):
        each.release()
    return {key: round(1e6 * median(times) / count, 2) for key, times in found.items()}


def _program(session: Any, number: int) -> Any:
    """A program that reads and writes nothing, which its compiler does not know."""
    blocks = "\n".join(_BLOCK.format(i) for i in range(BUFFERS))
    values = " + ".join(f"b{i}[0]" for i in range(BUFFERS))
    return session.gl_thread.context.compute_shader(
        f"#version 430\nlayout(local_size_x = 256) in;\n{blocks}\nuniform int go;\n"
        f"void main() {{ if (go > {number}) b0[gl_LocalInvocationIndex] = {values}; }}\n"
    )


def _commands(
    programs: list[Any], buffers: list[Any], count: int, has_barriers: bool
) -> list[Command]:
    found = []
    for number in range(count):
        found.append(Command("glUseProgram", (programs[number % PROGRAMS].glo,)))
        for binding in range(BUFFERS):
            buffer = buffers[(number + binding) % BUFFERS]
            where = STORAGE_BUFFER, binding, buffer.glo, 0, 1 << 16
            found.append(Command("glBindBufferRange", where))
        found.append(Command("glDispatchCompute", (GROUPS, 1, 1)))
        if has_barriers:
            found.append(Command("glMemoryBarrier", (BARRIER,)))
    return found
