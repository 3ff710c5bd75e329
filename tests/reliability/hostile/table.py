"""All hostile files by group and name, and what each is fed with."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.web_writer import constants, prepare_for_web, web_documents
from tests.reliability.hostile import (
    archives,
    frozen_graphs,
    keras_files,
    saved_models,
    web_models,
)
from tests.reliability.hostile_graphs import Hostile, endless_graphs, large_graphs
from weights_cache.write import write_weights

#: Values of large results: far too many, and 2.8 GB of floats.
HUGE, LARGE = 1e12, 7e8


class File(NamedTuple):
    """A hostile file.

    Attributes:
        write: writes it into an empty folder, and gives the path to load.
        feeds: what it runs with; by default zeros of the shapes that it declares.
    """

    write: Callable[[Path], Path]
    feeds: Mapping[str, np.ndarray] | None = None


def files() -> dict[str, dict[str, File]]:
    """All of them, by group."""
    huge, large = large_graphs(HUGE), large_graphs(LARGE)
    return {
        "web": _plain(web_models.files()),
        "large": {
            **{f"{name}, huge": _graph(found) for name, found in huge.items()},
            **{f"{name}, large": _graph(found) for name, found in large.items()},
        },
        "endless": {name: _graph(found) for name, found in endless_graphs().items()},
        "h5": _plain(keras_files.FILES),
        "keras": _plain(archives.keras_files()),
        "teachable": _plain(archives.teachable_files()),
        "frozen": _plain(frozen_graphs.FILES),
        "saved": _plain(saved_models.files()),
    }


def _plain(writers: Mapping[str, Callable[[Path], Path]]) -> dict[str, File]:
    return {name: File(write) for name, write in writers.items()}


def _graph(hostile: Hostile) -> File:
    return File(partial(_write_graph, hostile), hostile.feeds)


def _write_graph(hostile: Hostile, folder: Path) -> Path:
    """Write a graph without reading it back, as a writer of ours would refuse some."""
    graph = prepare_for_web(hostile.graph)
    topology, fields = web_documents(graph)
    return write_weights(folder, constants(graph), topology=topology, fields=fields)
