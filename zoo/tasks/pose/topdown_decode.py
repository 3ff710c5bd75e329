"""The outputs of the top-down pose network → joints in pixels of its input."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from zoo.shared.logistic import sigmoid

#: Pixels of the input per cell of the outputs, in both top-down networks.
STRIDE = 8


class Joints(NamedTuple):
    """The joints of a batch of crops, in pixels of the network's input."""

    points: np.ndarray  # [batch, 17, 2]
    scores: np.ndarray  # [batch, 17], 0..1: that the joint is there, and seen
    presence: np.ndarray  # [batch], 0..1: that there is somebody


def read_joints(outputs: Mapping[str, np.ndarray]) -> Joints:
    """Return the joints in the outputs of `zoo.catalog.networks.topdown.build_pose`.

    A joint is in the cell with the highest location, moved by the cell's offset; the visibility of
    that cell is its score.
    """
    location = outputs["location"]
    batch, _, columns, joints = location.shape
    cells = location.reshape(batch, -1, joints).argmax(axis=1)
    row, column = np.divmod(cells, columns)
    crop, joint = np.arange(batch)[:, None], np.arange(joints)
    offset = outputs["offset"][crop, row, column].astype(np.float64)  # [batch, 17, 34]
    x = column * STRIDE + offset[crop, joint, joint + joints] + 0.5  # pixels have their middle
    y = row * STRIDE + offset[crop, joint, joint] + 0.5
    return Joints(
        points=np.stack([x, y], axis=2),
        scores=sigmoid(outputs["visibility"][crop, row, column, joint].astype(np.float64)),
        presence=sigmoid(outputs["presence"][:, 0].astype(np.float64)),
    )
