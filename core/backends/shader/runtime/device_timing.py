"""Timing of commands on the device."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.memory_blocks import Block
    from core.backends.shader.runtime.session import Session


#: Attempts of a measurement without a result, before the host's clock is used.
_TRIES = 3


class Clock:
    """The total time of an op on the device.

    Attributes:
        seconds: total time; None before the first measurement.
    """

    def __init__(self) -> None:
        self.seconds: float | None = None

    def measure(
        self, session: "Session", command: Callable[[], Any], inputs: "Sequence[Block]"
    ) -> None:
        """Run a command whose inputs are on the device, wait for it, and add its time."""

        def measured() -> float:
            session.storage.begin()
            for block in inputs:
                with suppress(CoreError):  # the command raises the error
                    session.storage.of(block)
            return device_seconds(session, [command])

        self.seconds = (self.seconds or 0.0) + session.gl_thread.call(measured)


def device_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """Run commands, and return their time on the device. In the GL thread only."""
    clock = _wall_seconds if session.device.is_software else _query_seconds
    return clock(session, commands)


def _wall_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """Measure by the host's clock, as software devices have none for compute shaders."""
    session.gl_thread.gl.finish()
    started = perf_counter()
    for command in commands:
        command()
    session.gl_thread.gl.finish()
    return perf_counter() - started


def _query_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """Measure by the device's clock, which reads 0 once in some thousand times on an H100."""
    for _ in range(_TRIES):
        with session.query:
            for command in commands:
                command()
        nanoseconds = session.query.elapsed
        if nanoseconds:
            return nanoseconds * 1e-9
    return _wall_seconds(session, commands)
