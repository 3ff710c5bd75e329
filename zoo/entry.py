"""What the zoo knows of a pretrained model: facts, not code."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zoo.options import Option


@dataclass(frozen=True)
class Preprocess:
    """How a photo becomes the input of a network; `zoo.preprocess` carries it out.

    The photo keeps its aspect ratio, centred between black borders. A pixel value p in 0..255
    becomes ``p / divide - subtract``.
    """

    divide: float
    subtract: float


@dataclass(frozen=True)
class Entry:
    """One pretrained model, ``family.variant``."""

    name: str
    task: str  # the folder of its verbs
    weights: str  # name of its record in weights_cache/registry.json
    network: str  # builder of networks without topology: "module:function" of zoo.networks
    preprocess: Preprocess
    output: str  # what `infer` gives
    embedding: str  # the node that `infer(embedding=True)` gives: features for other uses
    options: Mapping[str, Option] = field(default_factory=dict)
