"""How long commands take on the device."""

from collections.abc import Callable, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any

from core.backends.shader.runtime.gl_thread import GLThread

#: How often a measurement is made that tells no time, before it is made by the host's clock.
_TRIES = 3


class DeviceTimer:
    """Measures commands on the device. In the GL thread only."""

    def __init__(self, gl_thread: GLThread):
        self._gl_thread = gl_thread

    @cached_property
    def _query(self) -> Any:
        """Takes the time of commands; the only one, as moderngl lets go of none."""
        return self._gl_thread.context.query(time=True)

    def seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """Run commands, and return how long the device takes for them."""
        is_software = self._gl_thread.device.is_software
        return self._wall_seconds(commands) if is_software else self._query_seconds(commands)

    def _wall_seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """Until the device is done: software has no clock for compute shaders."""
        finish = self._gl_thread.gl.finish
        finish()
        started = perf_counter()
        for command in commands:
            command()
        finish()
        return perf_counter() - started

    def _query_seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """By the device's own clock; that of an H100 gave 0 once in some thousand times."""
        for _ in range(_TRIES):
            with self._query:
                for command in commands:
                    command()
            nanoseconds = self._query.elapsed
            if nanoseconds:
                return nanoseconds * 1e-9
        return self._wall_seconds(commands)
