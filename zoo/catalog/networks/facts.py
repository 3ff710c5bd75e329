"""Facts that decide what a network computes, and whether its files are there: nothing is read."""

from collections.abc import Mapping
from typing import Any

from weights_cache.registry import find_record
from weights_cache.store import locate
from zoo.catalog.entry import Entry


def network_facts(entry: Entry, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all that decides what an entry's network with the registered weights computes.

    Args:
        entry: as for `zoo.catalog.networks.building.build_network`.
        options: options of the model.
    """
    files = find_record(entry.weights).limited_to(entry.files).files
    built = (entry.network, entry.file, entry.head, entry.files, entry.outputs, entry.batch)
    plain = {k: v for k, v in options.items() if isinstance(v, (int, float, str, tuple))}
    return repr(built), repr(sorted(plain.items())), *(f"{f.path} {f.sha256}" for f in files)


def check_files(entry: Entry) -> None:
    """Raise unless the files of an entry are there and whole, as `build_network` does.

    Raises:
        WeightsError: the weights are missing or damaged.
    """
    locate(entry.weights, only=entry.files)
