"""Person of each location of an image, by long offsets and the poses found.

Algorithm: PersonLab (Papandreou et al., 2018), section 3.3, with the parameters of tfjs-models'
body-pix (multi_person/decode_multiple_masks_cpu.ts): each cell says where the face of the person
that it belongs to is, and the person whose face is nearest to that gets the location.

That code adds offsets, which are in pixels of the network's input, to pixels of the image; here all
is in pixels of the input. And it assigns no location to people whose face is not seen; here the
other keypoints take the part of the face for these.
"""

from collections.abc import Sequence

import numpy as np

from zoo.shared.personlab import Points

FACE = 5  # the first keypoints: nose, eyes, ears
REFINEMENTS = 10  # how often a point that an offset leads to is moved on by the offset there
LEAST_SCORE = 0.3  # of a keypoint that counts
SPACING = 4  # pixels of the input between the locations that are assigned


def reference_points(person: Points) -> list[int]:
    """Return the keypoints that a location's guesses are compared with: the face's, if seen.

    >>> person = Points(np.zeros(17, complex), np.array([0.9, 0.2] + 15 * [0.8]), 0.8)
    >>> reference_points(person)
    [0, 2, 3, 4]
    """
    seen: list[int] = np.flatnonzero(person.scores > LEAST_SCORE).tolist()
    return [k for k in seen if k < FACE] or seen


def closeness(offsets: np.ndarray, people: Sequence[Points], stride: int) -> np.ndarray:
    """Return how well each location fits each person.

    Args:
        offsets: complex [rows, columns, keypoints], from each cell to the keypoints of the person
            that it belongs to, x + iy in pixels of the input.
        people: at least one, each with some keypoint that is seen.
        stride: pixels from cell to cell.

    Returns:
        float64 [rows, columns, people] of locations `SPACING` pixels apart, from the first cell to
        the last: minus the mean squared distance of keypoints from the location's guesses.
    """
    references = [reference_points(person) for person in people]
    guesses = {k: _guess(offsets[:, :, k], stride) for k in sorted({*sum(references, [])})}
    near = [
        -np.mean([abs(guesses[k] - person.positions[k]) ** 2 for k in keypoints], axis=0)
        for person, keypoints in zip(people, references, strict=True)
    ]
    return np.stack(near, axis=2)


def _guess(offsets: np.ndarray, stride: int) -> np.ndarray:
    """Return each location's guess of a keypoint of its person, from the offsets of the cells."""
    rows, columns = offsets.shape
    down, across = (np.arange(0, (n - 1) * stride + 1, SPACING) for n in (rows, columns))
    points = across + 1j * down[:, None]
    for _ in range(1 + REFINEMENTS):
        row = np.clip(np.rint(points.imag / stride).astype(int), 0, rows - 1)
        column = np.clip(np.rint(points.real / stride).astype(int), 0, columns - 1)
        points = points + offsets[row, column]
    return points
