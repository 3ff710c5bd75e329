"""Sources of `zoo convert`: a file, or the network of a pretrained model by its name."""

import os
from pathlib import Path

from core import Graph
from core.converter import read_graph
from core.converter.class_labels import Pixels
from weights_cache import locate
from weights_cache.common.errors import MissingError, ZooError
from weights_cache.common.similar_names import did_you_mean
from weights_cache.manifest import manifest_name
from zoo.catalog.entries import all_entries, find_entry, is_entry, model_class
from zoo.catalog.entry import Entry
from zoo.catalog.networks.building import build_network
from zoo.pipeline.image_inputs import pixels_of
from zoo.pipeline.options import checked


def find_source(name: str) -> tuple[str | Path | Graph, Entry | None]:
    """Return what `core.converter.convert` takes for a name or a path, and the entry of a name.

    Args:
        name: of a model of `zoo.models`, or the path of a file or folder. A name goes first.

    Raises:
        ZooError: no path and no model has that name, but a model has a similar one.
        WeightsError: the weights of the model are missing, or damaged.
    """
    if not is_entry(name):
        hint = "" if os.path.exists(name) else did_you_mean(name, all_entries())
        if hint:
            raise ZooError(f"there is no file, folder or model {name!r}{hint}")
        return name, None
    entry = find_entry(name)
    try:
        return _of_entry(entry), entry
    except MissingError as error:  # which knows the name of the record only
        raise error.for_model(entry.name) from None


def _of_entry(entry: Entry) -> Path | Graph:
    """Return the entry's file, or a graph where the entry has no file, or several."""
    if entry.network or entry.head:
        return build_network(entry, checked(entry.name, entry.options, {}))
    files = locate(entry.weights, only=entry.files)
    return files[entry.file or manifest_name(files, entry.name)]


def said_pixels(source: str | Path | Graph, signature: str | None) -> Pixels | None:
    """Return how a source says that its network takes pixels; None if it does not, or is damaged.

    What is wrong with it, the conversion reports.
    """
    try:
        graph = source if isinstance(source, Graph) else read_graph(source, signature=signature)
    except ZooError:
        return None
    return pixels_of(graph.metadata)


def input_size(entry: Entry) -> tuple[int, int]:
    """Height and width that images are brought to by default."""
    size: tuple[int, int] = model_class(entry).input_size_of(
        entry, checked(entry.name, entry.options, {})
    )
    return size
