"""The base of every error this project raises on purpose.

It lives in the lowest package so that ``core`` and ``zoo`` can build on it.
"""


class ZooError(Exception):
    """Something the caller can put right: names the value, the limit and the next step."""


class WeightsError(ZooError):
    """A weight file is missing, damaged, of an unknown kind, or cannot be fetched or written."""
