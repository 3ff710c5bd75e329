"""Exact counts of live tensors and data containers, under threads and without a lock.

Adding to and removing from a set or dict is one atomic step, also when it happens in a finaliser
in the middle of another one; sums are made only when somebody asks.
"""

from itertools import count
from typing import TypedDict

from core.specs import Spec

next_id = count(1).__next__

live_tensors: set[int] = set()
live_containers: dict[int, Spec] = {}


class MemoryInfo(TypedDict):
    """The counts that `core.memory` returns."""

    num_tensors: int
    num_data_containers: int
    num_bytes: int


def memory() -> MemoryInfo:
    """Count the live tensors, the data containers that they share, and the containers' bytes.

    >>> import core
    >>> before = core.memory()["num_bytes"]
    >>> x = core.zeros((2, 3))
    >>> core.memory()["num_bytes"] - before
    24
    """
    held = list(live_containers.values())
    return {
        "num_tensors": len(live_tensors),
        "num_data_containers": len(held),
        "num_bytes": sum(spec.bytes for spec in held),
    }
