"""A line for those who wait because a model is compiled, once for their computer."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from weights_cache.common.messages import is_read_by_people
from zoo.cli.terminal import complain
from zoo.pipeline.model_cache import kept_names

#: The engine's logger that says at level INFO that it compiles.
LOGGER_NAME = "core.compiling"

#: Seconds of waiting for which there is no line.
_SHORT = 0.5

#: A network that no one-line function has loaded, such as one that is fine-tuned.
_UNNAMED = "the network"


@contextmanager
def announcing_compilation() -> Iterator[None]:
    """Print a line to a terminal before models are compiled in the block, once for each."""
    if not is_read_by_people():
        yield
        return
    logger, lines = logging.getLogger(LOGGER_NAME), _Lines()
    level = logger.level
    logger.addHandler(lines)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(lines)
        logger.setLevel(level)


class _Lines(logging.Handler):
    """Prints a line when the engine begins to compile."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._named: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line of a record, unless its model has one."""
        seconds = getattr(record, "seconds", 0.0)
        if seconds < _SHORT:
            return
        name = [_UNNAMED, *kept_names()][-1]  # the last one is in use
        if name not in self._named:
            self._named.add(name)
            complain(
                f"{name} is compiled, once for this computer, which takes some "
                f"{max(1.0, seconds):.0f} s for each network"
            )
