"""Meaning of the outputs and nodes of pose networks, for the entries."""

from typing import NamedTuple


class PoseNetSizes(NamedTuple):
    """Sides of PoseNet's input where the option input_size is None."""

    single_size: int  # for one person
    multiple_size: int  # for several


class LandmarkOutputs(NamedTuple):
    """Names of a landmark network's outputs, and whether a sigmoid is part of the network."""

    landmarks: str  # [n, 39 * 5]: x, y, z in pixels of the input, logits of visibility and presence
    presence: str  # [n, 1], 0..1: of a body
    segmentation: str  # [n, side, side, 1]
    heatmap: str  # [n, side / 4, side / 4, 39]
    world: str  # [n, 39 * 3], metres
    logits: bool  # segmentation and heatmap are


class MoveNetNodes(NamedTuple):
    """Nodes between which a MoveNet takes any number of images; the last take only one."""

    pixels: str  # float32 [n, side, side, 3], 0..255
    heads: tuple[str, ...]  # [n, side / 4, side / 4, ..]: all that the last nodes need
