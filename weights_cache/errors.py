"""The base of every error this project raises on purpose.

It lives in the lowest package so that ``core`` and ``zoo`` can build on it.
"""


class ZooError(Exception):
    """Something the caller can put right: names the value, the limit and the next step."""

    __module__ = "zoo"  # where users find it, so tracebacks say so


class WeightsError(ZooError):
    """A weight file is missing, damaged, of an unknown kind, or cannot be fetched or written."""

    __module__ = "zoo"


class OfflineError(WeightsError):
    """Weights are missing or damaged on this machine, and the network is switched off.

    Args:
        name: what `zoo weights fetch` gets them by.
        advice: what else would help.
        searched: which files were looked for, and where.
    """

    def __init__(self, name: str, advice: str, searched: str):
        super().__init__(
            f"the weights of {name} are missing or damaged: run `zoo weights fetch {name}` with a "
            f"network, {advice}; searched for {searched}"
        )
        self._advice, self._searched = advice, searched

    def named(self, name: str) -> "OfflineError":
        """The same of what the user calls otherwise."""
        return OfflineError(name, self._advice, self._searched)
