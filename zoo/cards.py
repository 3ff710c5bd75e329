"""Model cards: what is known of a pretrained model."""

import textwrap
from collections.abc import Iterator

from weights_cache.errors import WeightsError
from zoo.catalog import find_entry
from zoo.entry import Channels, Entry
from zoo.options import Option

_LABEL_WIDTH = 12
_WIDTH = 88
_LEAST_SIZE = 8  # of a picture: an input that is smaller takes something else

_FITS = {
    "letterbox": "keeping the aspect ratio, between black borders",
    "stretch": "stretched",
    "crop": "of the square in the middle",
    "pad": "made square with black on the right or below",
}


def describe(name: str) -> str:
    """The card of a pretrained model, as a text of some lines.

    Args:
        name: one of `zoo.models`.

    Returns:
        What it is, task, licence, source, size, how it takes pictures, options, known limits and
        measured accuracy. Inputs and outputs of the network are told where its weights are on
        this machine; nothing is downloaded.

    Raises:
        ZooError: no such model.

    >>> import zoo
    >>> print(zoo.describe("posenet.tiny").splitlines()[1])
    task        pose: estimate_multiple_poses, estimate_single_pose, infer
    """
    entry = find_entry(name)
    rows = [*_facts(entry), *_network(entry)]
    lines = [line for label, text in rows for line in _wrapped(label, text)]
    return "\n".join([f"{entry.name}: {entry.title}", *lines])


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    from weights_cache import find_record, status
    from zoo.terminal import size_text

    record = find_record(entry.weights).limited_to(entry.files)
    where = status(record.name, only=entry.files)
    files = f"{len(record.files)} file{'s' if len(record.files) > 1 else ''}"
    yield "task", f"{entry.task}: {', '.join(_verbs(entry))}"
    yield "licence", record.licence
    yield "source", record.source
    yield "origin", record.upstream
    yield "size", f"{size_text(record.bytes)} in {files} ({where}), {record.name}"
    yield "pictures", _pictures(entry)
    yield "labels", _labels(entry)
    yield "works with", ", ".join(f"{name} ({role})" for role, name in entry.parts.items())
    yield "options", ", ".join(_option(n, o) for n, o in entry.options.items())
    yield "limits", entry.limits
    yield "accuracy", entry.accuracy or "not measured by this project"


def _verbs(entry: Entry) -> list[str]:
    """The functions of `zoo` that the model can be used with, and `infer`."""
    import zoo
    from zoo.runner import LoadedModel, model_class

    its = dir(model_class(entry))
    return [name for name in zoo.__all__ if name in its and not hasattr(LoadedModel, name)]


def _pictures(entry: Entry) -> str:
    how = entry.preprocess
    size = f"{how.size[1]} x {how.size[0]}" if how.size else "the size that the options say"
    if how.size and min(how.size) < _LEAST_SIZE:
        return ""
    fit = "cut out where things are found" if "detector" in entry.parts else _FITS[how.fit]
    resized = f"to {size}, {fit}"
    if how.dtype != "float32":
        return f"{resized}; pixels as they are, {how.dtype}"
    scaled = f"pixels / {_channels(how.divide)} - {_channels(how.subtract)}"
    return f"{resized}; {scaled.removesuffix(' - 0')}"


def _channels(value: Channels) -> str:
    return f"{value:g}" if isinstance(value, (float, int)) else str(tuple(value))


def _labels(entry: Entry) -> str:
    if not entry.labels:
        return ""
    from zoo.labels import read_labels

    names = [name for name in read_labels(entry.labels) if name != "???"]
    shown = ", ".join(names[:6])
    return f"{len(names)} ({entry.labels}): {shown}{', ...' if len(names) > 6 else ''}"


def _option(name: str, option: Option) -> str:
    choices = f" ({', '.join(map(str, option.choices))})" if option.choices else ""
    return f"{name}={option.default}{choices}"


def _network(entry: Entry) -> Iterator[tuple[str, str]]:
    """Inputs, outputs and size of the network, or why they are not known."""
    from weights_cache import status

    if status(entry.weights) == "missing":
        command = f"zoo weights fetch {entry.name}"
        yield "network", f"told when the weights are here: run '{command}'"
        return
    from core.graph.model import GraphModel
    from zoo.descriptions import network_rows
    from zoo.networks import build_network

    defaults = {name: option.default for name, option in entry.options.items()}
    try:
        network = GraphModel(build_network(entry, defaults))
    except WeightsError as error:
        yield "network", f"cannot be read: {error}"
        return
    for label, lines in network_rows(network):
        yield from zip([label, *[""] * len(lines)], lines, strict=False)


def _wrapped(label: str, text: str) -> list[str]:
    """The lines of a fact, none if there is no text."""
    margin = " " * _LABEL_WIDTH
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=label.ljust(_LABEL_WIDTH),
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
