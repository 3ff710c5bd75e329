"""PoseNet's decoder for outputs of any origin: `decode_multiple_poses`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.results.vocabulary import Pose
from zoo.shared.personlab import decode_multiple, read_fields, to_pose
from zoo.shared.placement import Placement

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

#: Channels of each output.
_CHANNELS = {"heatmap": 17, "offset": 34, "displacement_fwd": 32, "displacement_bwd": 32}


def decode_multiple_poses(
    outputs: Mapping[str, ArrayLike],
    output_stride: int,
    *,
    max_poses: int = 5,
    score_threshold: float = 0.5,
    nms_radius: float = 20.0,
) -> list[Pose]:
    """Return the poses of several people, from the outputs of a PoseNet of your own or of `zoo`.

    The decoder of PersonLab (Papandreou et al., 2018), as tfjs-models exports it under this name.
    `zoo.estimate_multiple_poses` uses it, and maps the poses back to the image.

    >>> import zoo
    >>> model = zoo.load("posenet.tiny", output_stride=16)
    >>> outputs = model.predict(np.zeros((1, 257, 257, 3), np.float32))
    >>> decode_multiple_poses(outputs, 16)  # of an empty image
    []

    Args:
        outputs: ``heatmap`` [1, rows, columns, 17], before the sigmoid; ``offset`` [1, rows,
            columns, 34], all y, then all x; ``displacement_fwd`` and ``displacement_bwd`` [1, rows,
            columns, 32]: what ``model.predict`` gives.
        output_stride: pixels of the input between two cells of the outputs: 8, 16 or 32.
        max_poses: the most people, from 1 on.
        score_threshold: the least score, 0..1, of the joint where a person is begun.
        nms_radius: pixels of the input within which a joint is that of an earlier person.

    Returns:
        Poses in pixels of the network's input, in the order in which they were found.

    Raises:
        ZooError: an output is missing, or has another shape.
    """
    arrays = _checked(outputs)
    people = decode_multiple(
        read_fields(arrays, output_stride),
        max_poses=max_poses,
        score_threshold=score_threshold,
        nms_radius=nms_radius,
    )
    rows, columns = arrays["heatmap"].shape[1:3]
    size = (rows - 1) * output_stride + 1, (columns - 1) * output_stride + 1
    return [to_pose(person, Placement(1, 0, 0, 0, 1, 0), size) for person in people]


def _checked(outputs: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
    """Return the outputs of a PoseNet as arrays."""
    arrays = {name: np.asarray(array) for name, array in outputs.items()}
    cells = arrays["heatmap"].shape[:3] if "heatmap" in arrays else ()
    for name, channels in _CHANNELS.items():
        found = arrays[name].shape if name in arrays else None
        if found is None or found != (*cells, channels) or found[0] != 1:
            raise ZooError(
                f"output {name!r} has the shape {found}, and must have [1, rows, columns, "
                f"{channels}]: pass what predict of a PoseNet gives"
            )
    return arrays
