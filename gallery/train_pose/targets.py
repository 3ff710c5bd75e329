"""What the student shall answer, from a teacher that sees the same picture larger as well.

The teacher is far better on a picture of twice the size, where a person covers twice as many of its
cells, so the student is taught to give that answer at the small size. With output stride 16 the
teacher's cells on the large picture lie 8 small pixels apart, and every student cell coincides with
a teacher cell. On 106 photos kept apart, object keypoint similarity of the teacher rose from .634
(small picture) to .731 (large), and to .730 with a better average precision (.218 instead of .190)
when both answers are mixed 1 : 2, to .747 and .228 with mirror images of both. The targets are the
mixture, and in the later part of the training, for it costs time, the large mirror image joins it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import product
from typing import NamedTuple

import torch
from network import FoldedPoseNet
from torch import Tensor
from torch.nn import functional
from training.joints import OTHER_SIDE
from training.scenes import LARGE_RATIO

from zoo.shared.personlab import EDGES

OUTPUT_STRIDE = 16
# Displacements lead along PoseNet's tree of joints, nose first, both ways.
PARENTS = [parent for parent, _ in EDGES]
CHILDREN = [child for _, child in EDGES]

# In a mirror image the edges between left joints are those between right ones.
OTHER_SIDE_EDGES = [EDGES.index((OTHER_SIDE[a], OTHER_SIDE[b])) for a, b in EDGES]

SMALL_SHARE, LARGE_SHARE = 1.0, 2.0
# With the mirror image of the large view, both views of it together count a little more.
MIRRORED_LARGE_SHARE = 1.25
# A neighbouring cell's heat counts a little less than the cell's own, and vectors follow the hot
# cells: their weight is the square of the heat.
NEIGHBOUR_HEAT = 0.9
VOTE_POWER = 2.0
LEAST_WEIGHT = 1e-8


class DenseAnswer(NamedTuple):
    """Answers on the grid of cells; vectors are (y, x) in the student's pixels.

    ``heat`` is ``[n, 17, h, w]``, the probability of a joint; ``offset`` ``[n, 2, 17, h, w]`` leads
    from the cell to the joint, ``forward`` and ``backward`` ``[n, 2, 16, h, w]`` lead from joint to
    joint along PoseNet's edges.
    """

    heat: Tensor
    offset: Tensor
    forward: Tensor
    backward: Tensor


class Votes(NamedTuple):
    """Answers of several cells on their way to an average: each vector field as sum and weight."""

    heat: Tensor
    weights: tuple[Tensor, ...]
    sums: tuple[Tensor, ...]

    def over(self, other: "Votes") -> "Votes":
        """Join neighbours of one view: the hottest cell wins the heat, vectors add up."""
        return Votes(
            torch.maximum(self.heat, other.heat),
            tuple(a + b for a, b in zip(self.weights, other.weights, strict=True)),
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
        )


def dense_targets(
    teacher: FoldedPoseNet, large: Tensor, small: Tensor, *, with_mirror_image: bool = False
) -> DenseAnswer:
    """Return the targets of a batch.

    Args:
        teacher: The frozen teacher.
        large: The scenes as ``[n, 3, 2 side - 1, 2 side - 1]`` in [-1, 1].
        small: The same scenes as ``[n, 3, side, side]``.
        with_mirror_image: Let the teacher look at the large scenes' mirror images, too.
    """
    with torch.no_grad():
        at_small = gather(look(teacher, small), 1)
        at_large = gather(look(teacher, large, LARGE_RATIO), LARGE_RATIO)
        if not with_mirror_image:
            return mix([at_small, at_large], [SMALL_SHARE, LARGE_SHARE])
        mirrored = mirror(look(teacher, large.flip(-1), LARGE_RATIO))
        views = [at_small, at_large, gather(mirrored, LARGE_RATIO)]
        return mix(views, [SMALL_SHARE, MIRRORED_LARGE_SHARE, MIRRORED_LARGE_SHARE])


def without_people(target: DenseAnswer, person_free: Tensor) -> DenseAnswer:
    """Return the targets with no joint in the scenes (bool ``[n]``) that are free of people.

    The teacher may see some there. Vectors need no change: where there is no heat they weigh
    nothing.
    """
    return target._replace(heat=target.heat * (~person_free).float().view(-1, 1, 1, 1))


def mirror(answer: DenseAnswer) -> DenseAnswer:
    """Return an answer for mirror images as one for the scenes themselves."""
    heat, *fields = (field.flip(-1) for field in answer)
    sign = heat.new_tensor([1.0, -1.0]).view(1, 2, 1, 1, 1)  # x turns round, y does not
    offset, forward, backward = (field * sign for field in fields)
    return DenseAnswer(
        heat[:, OTHER_SIDE],
        offset[:, :, OTHER_SIDE],
        forward[:, :, OTHER_SIDE_EDGES],
        backward[:, :, OTHER_SIDE_EDGES],
    )


def look(teacher: FoldedPoseNet, pictures: Tensor, ratio: int = 1) -> DenseAnswer:
    """Return the teacher's answer; vectors in pixels of a picture ``ratio`` times smaller."""
    dtype = teacher.heads.weight.dtype
    pictures = pictures.to(dtype).contiguous(memory_format=torch.channels_last)
    heatmap, *fields = teacher(pictures)
    return DenseAnswer(heatmap.sigmoid(), *(as_vectors(field) / ratio for field in fields))


def as_vectors(field: Tensor) -> Tensor:
    """View raw channels ``[n, 2 k, h, w]``, all y before all x, as ``[n, 2, k, h, w]``."""
    return field.unflatten(1, (2, -1))


def gather(answer: DenseAnswer, ratio: int) -> Votes:
    """Bring an answer to the student's grid, ``ratio`` times coarser than the answer's.

    Every student cell hears the teacher cells around its own, up to ``ratio - 1`` away.
    """
    return reduce(Votes.over, _neighbours(answer, ratio))


def _neighbours(answer: DenseAnswer, ratio: int) -> Iterator[Votes]:
    reach = ratio - 1
    rows, columns = answer.heat.shape[-2:]
    padded = [functional.pad(field, (reach,) * 4) for field in answer]
    for dy, dx in product(range(-reach, reach + 1), repeat=2):
        down = slice(reach + dy, reach + dy + rows, ratio)
        right = slice(reach + dx, reach + dx + columns, ratio)
        heat, offset, forward, backward = (field[..., down, right] for field in padded)
        # The teacher's cell lies beside the student's: the vector to the joint grows by the way.
        way = heat.new_tensor([dy, dx]).view(1, 2, 1, 1, 1) * (OUTPUT_STRIDE / ratio)
        heat = heat * NEIGHBOUR_HEAT ** max(abs(dy), abs(dx))
        yield _vote(DenseAnswer(heat, offset + way, forward, backward))


def _vote(answer: DenseAnswer) -> Votes:
    """Weigh each vector by the heat of the joint that it starts from."""
    trust = answer.heat**VOTE_POWER
    weights = tuple(w[:, None] for w in (trust, trust[:, PARENTS], trust[:, CHILDREN]))
    sums = tuple(w * field for w, field in zip(weights, answer[1:], strict=True))
    return Votes(answer.heat, weights, sums)


def mix(views: Sequence[Votes], shares: Sequence[float]) -> DenseAnswer:
    """Average the votes of several views by their shares."""

    def sum_up(parts: Iterable[Tensor]) -> Tensor:
        return reduce(torch.add, (a * part for a, part in zip(shares, parts, strict=True)))

    heat = sum_up(view.heat for view in views) / sum(shares)
    weights = map(sum_up, zip(*(view.weights for view in views), strict=True))
    sums = map(sum_up, zip(*(view.sums for view in views), strict=True))
    means = (s / w.clamp_min(LEAST_WEIGHT) for s, w in zip(sums, weights, strict=True))
    return DenseAnswer(heat, *means)
