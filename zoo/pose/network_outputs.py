"""What the outputs and nodes of pose networks mean, for the entries."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PoseNetSizes:
    """Sides of PoseNet's input where the option input_size is None."""

    single_size: int  # for one person
    multiple_size: int  # for several


@dataclass(frozen=True)
class LandmarkOutputs:
    """What a landmark network's outputs are called, and whether a sigmoid is part of it."""

    landmarks: str  # [n, 39 * 5]: x, y, z in pixels of the input, logits of visibility and presence
    presence: str  # [n, 1], 0..1: of a body
    segmentation: str  # [n, side, side, 1]
    heatmap: str  # [n, side / 4, side / 4, 39]
    world: str  # [n, 39 * 3], metres
    logits: bool  # segmentation and heatmap are


@dataclass(frozen=True)
class MoveNetNodes:
    """Between which of its nodes a MoveNet takes any number of pictures; the last take only one."""

    pixels: str  # float32 [n, side, side, 3], 0..255
    heads: tuple[str, ...]  # [n, side / 4, side / 4, ..]: all that the last nodes need
