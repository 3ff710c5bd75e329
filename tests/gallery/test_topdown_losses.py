"""Losses of the program, against values that are computed by hand."""

import math

import pytest

from zoo.catalog.networks.topdown import PEOPLE, POSE


def joints_at(topdown, torch, x, y, probability=0.8, weight=1.0):
    """All joints of one crop in one place."""
    whole = torch.ones(1, 17, dtype=torch.float64)
    points = torch.stack([whole * x, whole * y], -1)
    known = torch.ones(1, 17, dtype=torch.bool)
    somebody = torch.ones(1, dtype=torch.float64)
    return topdown.crop_scenes.Joints(points, whole * probability, known, whole * weight, somebody)


def zero_outputs(torch, rows=4, columns=3):
    def zeros(*shape):
        return torch.zeros(1, *shape, dtype=torch.float64)

    heads = {head: zeros(channels, rows, columns) for head, channels in POSE.heads.items()}
    return heads | {"presence": zeros(1)}


def test_losses_of_a_network_that_says_nothing(topdown, torch):
    joints = joints_at(topdown, torch, 8, 16)  # on the cell of row 2, column 1
    losses = topdown.pose_losses.pose_losses(zero_outputs(torch, 6, 4), joints)
    # the cross entropy of equal chances over 24 cells, 17 joints, and one in the denominator
    assert float(losses.location) == pytest.approx(math.log(24) * 17 / 18)
    assert float(losses.presence) == pytest.approx(math.log(2))
    # at the joint log 2; the guess is the first cell, 17.9 pixels away: not far
    assert float(losses.visibility) == pytest.approx(math.log(2))
    # the cells near the joint: its own needs no offset; Huber of the others' ways in cells
    ways = [(8 * (c - 1), 8 * (r - 2)) for r in range(6) for c in range(4)]
    near = {way: math.exp(-(way[0] ** 2 + way[1] ** 2) / 2 / 81) for way in ways}
    near = {way: share for way, share in near.items() if share > 0.1}
    assert len(near) == 18
    slopes = {0: 0, 8: 1 - 0.0625, 16: 2 - 0.0625}  # Huber of 0, 1 and 2 cells
    errors = sum(n * (slopes[abs(w[0])] + slopes[abs(w[1])]) for w, n in near.items())
    total = 17 * sum(near.values())
    assert float(losses.offset) == pytest.approx(17 * errors / (2 * total + 1))
    parts = losses.location + 1.5 * losses.offset + losses.visibility + 0.5 * losses.presence
    assert float(losses.total) == pytest.approx(float(parts))


def test_losses_of_a_network_that_is_right(topdown, torch):
    joints = joints_at(topdown, torch, 8, 16, probability=1.0)
    outputs = zero_outputs(torch)
    mass = torch.exp(
        -((torch.arange(4.0)[:, None] - 2) ** 2 + (torch.arange(3.0) - 1) ** 2) * 64 / 2 / 5.5**2
    )
    outputs["location"] += mass.log()
    rows, columns = torch.arange(4)[:, None] * 8, torch.arange(3) * 8
    outputs["offset"][:, :17] += 16 - rows
    outputs["offset"][:, 17:] += 8 - columns
    outputs["visibility"] += 20
    outputs["presence"] += 20
    losses = topdown.pose_losses.pose_losses(outputs, joints)
    share = (mass / mass.sum()).flatten()
    entropy = -float((share * share.log()).sum())
    assert float(losses.location) == pytest.approx(entropy * 17 / 18, rel=1e-5)
    assert float(losses.offset) == 0
    assert float(losses.visibility) < 1e-8
    assert float(losses.presence) < 1e-8


def test_where_the_network_looks_in_vain_nothing_is_to_be_seen(topdown, torch):
    outputs = zero_outputs(torch, 9, 3)
    outputs["location"][:, :, 8, 0] = 5  # 49 pixels from the joint
    joints = joints_at(topdown, torch, 8, 16)
    far = topdown.pose_losses.pose_losses(outputs, joints).visibility
    assert float(far) == pytest.approx(1.5 * math.log(2))
    nobody = joints._replace(
        known=torch.zeros_like(joints.known),
        weight=torch.zeros_like(joints.weight),
        somebody=torch.zeros_like(joints.somebody),
    )
    losses = topdown.pose_losses.pose_losses(outputs, nobody)
    assert float(losses.visibility) == pytest.approx(0.5 * math.log(2))
    assert float(losses.location) == float(losses.offset) == 0


def boxes_of(topdown, torch, *corners, certainty=1.0, weight=1.0):
    count = len(corners)
    every = torch.ones(1, count, dtype=torch.float64)
    corners = torch.tensor([corners], dtype=torch.float64)
    return topdown.people_scenes.Boxes(corners, every * certainty, every * weight)


def test_cells_belong_to_the_nearest_person(topdown, torch):
    boxes = boxes_of(topdown, torch, (0, 0, 16, 16), (32, 0, 64, 80))
    cells = topdown.people_losses.to_cells(boxes, (9, 9))
    assert float(cells.nearness[0, 1, 1]) == 1  # in the middle of the first
    assert cells.box[0, :, 1, 1].tolist() == [0, 0, 16, 16]
    assert float(cells.nearness[0, 5, 6]) == 1  # in the middle of the second
    assert cells.box[0, :, 5, 6].tolist() == [32, 0, 64, 80]
    # deviations: a tenth of the side, but 4.5 pixels at least
    assert float(cells.nearness[0, 6, 7]) == pytest.approx(math.exp(-((8 / 4.5) ** 2 + 1) / 2))
    assert float(cells.heat[0, 8, 0]) == 0
    doubtful = boxes_of(topdown, torch, (0, 0, 16, 16), certainty=0.5)
    assert float(topdown.people_losses.to_cells(doubtful, (9, 9)).heat[0, 1, 1]) == 0.5


def test_box_losses_by_hand(topdown, torch):
    boxes = boxes_of(topdown, torch, (18, 2, 46, 62))  # with its margin 16, 0 to 48, 64
    cells = topdown.people_losses.to_cells(boxes, (9, 9))
    only = torch.zeros_like(cells.nearness)
    only[0, 4, 4] = 1  # the cell at (32, 32)
    cells = cells._replace(nearness=only)

    def loss(left, up, right, down):
        distances = torch.tensor([left, up, right, down], dtype=torch.float64)
        logarithms = (distances / 16).log().view(1, 4, 1, 1).expand(1, 4, 9, 9)
        return float(topdown.people_losses.box_loss(logarithms, cells))

    assert loss(16, 32, 16, 32) == pytest.approx(0, abs=1e-12)
    # twice as wide to the right: half of it overlaps, middles are 8 apart, 32 x 64 in the hull
    union, both = 48 * 64, 32 * 64
    expected = 1 - both / union + 8**2 / (48**2 + 64**2)
    assert loss(16, 32, 32, 32) == pytest.approx(expected / 2)  # one more in the denominator


@pytest.mark.parametrize("name", ["people", "pose"])
def test_gradients_are_those_of_finite_differences(topdown, torch, rng, name):
    """Nothing is cut off from the loss, and nothing counts that should not."""
    if name == "pose":
        outputs = zero_outputs(torch, 9, 5)
        target = joints_at(topdown, torch, 13, 30, weight=0.7)
        losses = topdown.pose_losses.pose_losses
    else:
        outputs = {
            head: torch.zeros(1, channels, 9, 5, dtype=torch.float64)
            for head, channels in PEOPLE.heads.items()
        }
        target = boxes_of(topdown, torch, (3, 5, 30, 60), (10, 20, 20, 40), certainty=0.8)
        losses = topdown.people_losses.people_losses
    for values in outputs.values():
        values += torch.from_numpy(rng.normal(size=values.shape))
    ways = {head: torch.from_numpy(rng.normal(size=v.shape)) for head, v in outputs.items()}

    def total(step):
        return losses({head: v + step * ways[head] for head, v in outputs.items()}, target).total

    step = torch.zeros((), dtype=torch.float64, requires_grad=True)
    total(step).backward()
    difference = (total(1e-5) - total(-1e-5)) / 2e-5
    assert float(step.grad) == pytest.approx(float(difference), rel=1e-5)
    assert abs(float(step.grad)) > 1e-3
