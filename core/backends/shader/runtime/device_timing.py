"""How long commands take on the device."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.memory_blocks import Block
    from core.backends.shader.runtime.session import Session


#: How often a measurement is made that tells no time, before it is made by the host's clock.
_TRIES = 3


class Clock:
    """Adds up the time of an op on the device.

    Attributes:
        seconds: None until something was measured.
    """

    def __init__(self) -> None:
        self.seconds: float | None = None

    def measure(
        self, session: "Session", command: Callable[[], Any], inputs: "Sequence[Block]"
    ) -> None:
        """Run a command, wait for it, and add its time. What it reads is on the device before."""

        def measured() -> float:
            session.storage.begin()
            for block in inputs:
                with suppress(CoreError):  # the command will tell
                    session.storage.of(block)
            return device_seconds(session, [command])

        self.seconds = (self.seconds or 0.0) + session.gl_thread.call(measured)


def device_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """Run commands, and tell how long the device takes for them. In the GL thread only."""
    clock = _wall_seconds if session.device.is_software else _query_seconds
    return clock(session, commands)


def _wall_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """Until the device is done: software has no clock for compute shaders."""
    session.gl_thread.gl.finish()
    started = perf_counter()
    for command in commands:
        command()
    session.gl_thread.gl.finish()
    return perf_counter() - started


def _query_seconds(session: "Session", commands: Sequence[Callable[[], Any]]) -> float:
    """By the device's own clock; that of an H100 told 0 once in some thousand times."""
    for _ in range(_TRIES):
        with session.query:
            for command in commands:
                command()
        nanoseconds = session.query.elapsed
        if nanoseconds:
            return nanoseconds * 1e-9
    return _wall_seconds(session, commands)
