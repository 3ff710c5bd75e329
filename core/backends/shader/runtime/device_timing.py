"""Time of commands on the device."""

from collections.abc import Callable, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any

from core.backends.shader.runtime.gl_thread import GLThread

#: Attempts by the device's clock, which may give 0, before the host's clock is used.
_TRIES = 3


class DeviceTimer:
    """Timer of commands on the device, for the GL thread only."""

    def __init__(self, gl_thread: GLThread):
        self._gl_thread = gl_thread

    @cached_property
    def _query(self) -> Any:
        """Return the time query; there is only one, as moderngl frees none."""
        return self._gl_thread.context.query(time=True)

    def seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """Run commands, and return the seconds that the device takes for them."""
        is_software = self._gl_thread.device.is_software
        return self._wall_seconds(commands) if is_software else self._query_seconds(commands)

    def _wall_seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """Measure on the host until the device has finished: software has no device clock."""
        finish = self._gl_thread.gl.finish
        finish()
        started = perf_counter()
        for command in commands:
            command()
        finish()
        return perf_counter() - started

    def _query_seconds(self, commands: Sequence[Callable[[], Any]]) -> float:
        """Measure by the device's clock, which on an H100 gave 0 once in some thousand times."""
        for _ in range(_TRIES):
            with self._query:
                for command in commands:
                    command()
            nanoseconds = self._query.elapsed
            if nanoseconds:
                return nanoseconds * 1e-9
        return self._wall_seconds(commands)
