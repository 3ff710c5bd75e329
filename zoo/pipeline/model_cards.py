"""Model cards: what is known of a pretrained model."""

import textwrap
from collections.abc import Iterator
from itertools import chain, repeat

from weights_cache import find_record, status
from weights_cache.common.errors import WeightsError
from weights_cache.common.sizes import count_text, size_text
from zoo.catalog.entries import all_entries, find, model_class, verbs_of
from zoo.catalog.entry import Channels, Entry
from zoo.catalog.networks.building import build_network
from zoo.catalog.option import OWN, Option
from zoo.pipeline.model_cache import load
from zoo.pipeline.network_summary import Card, network_rows
from zoo.pipeline.options import options_of

_LABEL_WIDTH = 12
_WIDTH = 88
_MOST_LABELS = 7  # that are written out

_FITS = {
    "letterbox": "keeping the aspect ratio, between black borders",
    "stretch": "stretched",
    "crop": "of the square in the middle",
    "pad": "made square with black on the right or below",
}


def describe(name: str) -> Card:
    """The card of a pretrained model, as a text of some lines.

    Args:
        name: one of `zoo.models`, or the path of a model, such as one that was taught.

    Returns:
        What it is, task, licence, source, size, how images are prepared, options with their
        defaults and ranges, known limits and measured accuracy. Inputs and outputs of the network
        are listed if its weights are on this machine; nothing is downloaded.

    Raises:
        ZooError: no such model.
        WeightsError: the file of a path is damaged.

    >>> import zoo
    >>> print(zoo.describe("posenet.tiny").splitlines()[1])
    task        pose: estimate_multiple_poses, estimate_single_pose, infer
    """
    entry = find(name)
    if isinstance(entry, Entry):
        return card_text(entry)
    card: Card = load(name).describe()
    return card


def card_text(entry: Entry, *, placed: bool = True) -> Card:
    """The card of a pretrained model.

    Args:
        entry: of the model.
        placed: whether it says where the weights are on this machine.
    """
    known = (*_facts(entry, placed), *_network(entry))
    facts = [(label.ljust(_LABEL_WIDTH), text) for label, text in known]
    rows = [(f"{entry.name}: ", entry.title), *facts]
    return Card("\n".join(line for label, text in rows for line in _wrapped(label, text)))


def _facts(entry: Entry, placed: bool) -> Iterator[tuple[str, str]]:
    record = find_record(entry.weights).limited_to(entry.files)
    where = f" ({status(record.name, only=entry.files)})" if placed else ""
    files = count_text(len(record.files), "file")
    parts = [f"{name} ({role})" for role, name in entry.parts.items() if name != entry.name]
    yield "task", f"{entry.task}: {', '.join(verbs_of(entry))}"
    yield "licence", record.licence
    yield "source", record.source
    yield "origin", record.upstream
    yield "size", f"{size_text(record.bytes)} in {files}{where}, {record.name}"
    yield "images", _images(entry)
    yield "labels", _labels(entry)
    yield "works with", ", ".join(parts)
    yield from zip(chain(["options"], repeat("")), _options(entry), strict=False)
    yield "limits", entry.limits
    yield "accuracy", entry.accuracy or "not measured by this project"


def _images(entry: Entry) -> str:
    how = entry.preprocess
    size = f"{how.size[1]} x {how.size[0]}" if how.size else "the size that the options give"
    if how.size is None and not entry.options:  # it takes no images
        return ""
    fit = "cropped around what a detector finds" if _has_detector(entry) else _FITS[how.fit]
    resized = f"to {size}, {fit}"
    if how.dtype != "float32":
        return f"{resized}; pixels as they are, {how.dtype}"
    scaled = f"pixels / {_channels(how.divide)} - {_channels(how.subtract)}"
    return f"{resized}; {scaled.removesuffix(' - 0')}"


def _has_detector(entry: Entry) -> bool:
    """Whether a detector finds its input: its part, or a part of the model that it belongs to.

    A part that has functions of its own takes whole images.
    """
    if "detector" in entry.parts or verbs_of(entry) != ["infer"]:
        return "detector" in entry.parts
    return any(entry.name in other.parts.values() for other in all_entries().values())


def _channels(value: Channels) -> str:
    if isinstance(value, (float, int)):
        return f"{value:.4g}"
    return f"({', '.join(f'{channel:.4g}' for channel in value)})"


def _labels(entry: Entry) -> str:
    names = model_class(entry).labels_of(entry)
    if not names:
        return ""
    shown = ", ".join(names[:_MOST_LABELS])
    of_list = f" ({entry.labels})" if entry.labels else ""
    return f"{len(names)}{of_list}: {shown}{', ...' if len(names) > _MOST_LABELS else ''}"


def _options(entry: Entry) -> Iterator[str]:
    """A text for each option of loading the model, then for those of its verbs."""
    for option in entry.options.values():
        yield _option(option, {option.default_text: []})
    cls = model_class(entry)
    defaults: dict[Option, dict[str, list[str]]] = {}
    for verb in verbs_of(entry):
        for name, option in options_of(getattr(cls, verb)).items():
            text = option.default_text
            if option.default is OWN:
                text = str(entry.default_of(verb, name) or "its detector's own")
            defaults.setdefault(option, {}).setdefault(text, []).append(verb)
    yield from (_option(option, texts) for option, texts in defaults.items())


def _option(option: Option, defaults: dict[str, list[str]]) -> str:
    """Name, default, range and meaning; more than one default is written with its verbs."""
    several = len(defaults) > 1
    texts = [f"{text} ({', '.join(its)})" if several else text for text, its in defaults.items()]
    valid = f" ({option.range})" if option.range else ""
    return f"{option.name}={', '.join(texts)}{valid}: {option.meaning}"


def _network(entry: Entry) -> Iterator[tuple[str, str]]:
    """Inputs, outputs and size of the network, or why they are not known."""
    if status(entry.weights, only=entry.files) == "missing":
        command = f"zoo weights fetch {entry.name}"
        yield "network", f"known when the weights are on this machine: run '{command}'"
        return
    defaults = {name: option.default for name, option in entry.options.items()}
    try:
        graph = build_network(entry, defaults)
    except WeightsError as error:
        yield "network", f"cannot be read: {error}"
        return
    for label, lines in network_rows(graph):
        yield from zip([label, *[""] * len(lines)], lines, strict=False)


def _wrapped(label: str, text: str) -> list[str]:
    """The lines of a fact, none if there is no text."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=label,
        subsequent_indent=" " * _LABEL_WIDTH,
        break_on_hyphens=False,
    )
