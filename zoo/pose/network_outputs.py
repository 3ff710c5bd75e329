"""What the outputs and nodes of pose networks mean, and default thresholds, for the entries."""

from typing import NamedTuple


class PoseNetThresholds(NamedTuple):
    """How PoseNet tells people apart, by default; its outputs always have the same names."""

    score_threshold: float = 0.15  # least score of a pose: the demos of tfjs-models draw from there
    keypoint_threshold: float = 0.5  # least score of a pose's best keypoint
    nms_radius: float = 20  # pixels of the input: nearer keypoints of a kind are one person's
    # Sides of the input where the option input_size is None: for one person, and for several.
    single_size: int = 257
    multiple_size: int = 257


class LandmarkOutputs(NamedTuple):
    """What a landmark network's outputs are called, and whether a sigmoid is part of it."""

    landmarks: str  # [n, 39 * 5]: x, y, z in pixels of the input, logits of visibility and presence
    presence: str  # [n, 1], 0..1: of a body
    segmentation: str  # [n, side, side, 1]
    heatmap: str  # [n, side / 4, side / 4, 39]
    world: str  # [n, 39 * 3], metres
    logits: bool  # segmentation and heatmap are
    score_threshold: float = 0.5  # least presence of a body, by default


class MoveNetNodes(NamedTuple):
    """Between which of its nodes a MoveNet takes any number of pictures; the last take only one."""

    pixels: str  # float32 [n, side, side, 3], 0..255
    heads: tuple[str, ...]  # [n, side / 4, side / 4, ..]: all that the last nodes need
    score_threshold: float = 0.25  # least score of a pose in a crop that a detector found
    whole_threshold: float = 0.4  # and of the one pose in a whole image: see `zoo/README.md`
