"""The program for the networks of top-down pose estimation: a short run, and its parts."""

import math
import re
from functools import partial

import numpy as np
import pytest
from PIL import Image, ImageDraw

import zoo
from core import GraphModel
from tests.gallery.programs import (
    BAD_FOLDERS,
    assert_refused,
    draw_person,
    load_program,
    run_program,
)
from tests.helpers import require
from weights_cache import load_weights
from weights_cache.common.errors import ZooError
from zoo.catalog.networks.topdown import PEOPLE, POSE, build_people, build_pose
from zoo.shared.skeletons import BODY_17
from zoo.verification.comparison import Rule, difference

NETWORKS = {
    "people": (PEOPLE, build_people, "topdown-people"),
    "pose": (POSE, build_pose, "topdown-pose"),
}
LEFT_WRIST, RIGHT_WRIST = (BODY_17.names.index(f"{side}_wrist") for side in ("left", "right"))

run_example = partial(run_program, "train_topdown")


@pytest.fixture(scope="module")
def torch():
    return require("torch")


@pytest.fixture(scope="module")
def example(torch):
    return load_program("train_topdown")


def pictures_of(rng, torch, count=4, size=(65, 33)):
    return torch.from_numpy(rng.uniform(-1, 1, (count, 3, *size)).astype(np.float32))


# --- networks -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NETWORKS)
def test_pytorch_gives_what_the_engine_gives(example, torch, rng, name):
    plan, build, weights_name = NETWORKS[name]
    weights = load_weights(weights_name)
    pictures = pictures_of(rng, torch, 2, (97, 65))
    with torch.no_grad():
        found = example.network.FoldedTopDown(plan, weights)(pictures)
    wanted = GraphModel(build(weights)).predict(pictures.permute(0, 2, 3, 1).numpy())
    assert found.keys() == wanted.keys()
    for output, values in found.items():
        array = values.movedim(1, -1).numpy()
        fault = difference(array, np.asarray(wanted[output]), Rule(share=1e-5)).fault
        assert not fault, (output, fault)


@pytest.mark.parametrize("name", NETWORKS)
def test_folded_student_computes_the_same(example, torch, rng, name):
    plan, _, weights_name = NETWORKS[name]
    torch.manual_seed(0)
    student = example.network.Student(plan)
    pictures = pictures_of(rng, torch)
    student(pictures)  # moves the means and variances of batch norm away from 0 and 1
    student.eval()
    weights = example.network.fold(student)
    shapes = {name: array.shape for name, array in load_weights(weights_name).items()}
    assert {name: array.shape for name, array in weights.items()} == shapes
    with torch.no_grad():
        wanted = student(pictures)
        found = example.network.FoldedTopDown(plan, weights)(pictures)
    for output, values in wanted.items():
        np.testing.assert_allclose(found[output], values, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_student_set_from_the_bundled_weights_computes_the_same(example, torch, rng, name):
    plan, _, weights_name = NETWORKS[name]
    weights = load_weights(weights_name)
    pictures = pictures_of(rng, torch)
    student = example.network.Student(plan)
    example.network.unfold(student, weights, pictures)
    student.eval()
    with torch.no_grad():
        found = student(pictures)
        wanted = example.network.FoldedTopDown(plan, weights)(pictures)
    for output, values in wanted.items():
        span = float(values.max() - values.min())
        np.testing.assert_allclose(found[output], values, rtol=0, atol=1e-4 * span)


def test_first_weights_of_the_other_network_are_refused(example, torch, rng):
    with pytest.raises(ZooError, match="give those of the network"):
        example.network.unfold(
            example.network.Student(POSE), load_weights("topdown-people"), pictures_of(rng, torch)
        )


# --- labels ---------------------------------------------------------------------------------

#: Every joint is confident.
CONFIDENCE = 0.9


def body(left, top, width, height):
    """Keypoints ``[17, 3]`` whose outermost ones are the corners of a box."""
    keypoints = np.zeros((17, 3), np.float32)
    shares = np.linspace(0, 1, 17)
    keypoints[:, 0] = np.round(left + width * shares)
    keypoints[:, 1] = np.round(top + height * shares[::-1])
    keypoints[:, 2] = CONFIDENCE
    return keypoints


def save_photos(folder, rng, count=3):
    """Drawn photos on which a body may be."""
    folder.mkdir(parents=True)
    for i in range(count):
        draw_person((150 + 10 * i, 200), rng).save(folder / f"{i}.png")
    return folder


def load(example, torch, *folders):
    people, free = (*folders, None)[:2]
    cpu = torch.device("cpu")
    return example.training.photos.load_photos(people, free, cpu, example.train.PHOTO_SIDE)


def find_one(picture):
    """A teacher that sees somebody in the middle of every picture."""
    return body(20, 30, 100, 140)[None]


def label_by_hand(example, torch, folder, file, *more):
    return example.labels.label_photos(load(example, torch, folder, *more), find_one, file)


def test_photos_are_looked_at_once(example, torch, rng, tmp_path):
    folder, file = save_photos(tmp_path / "photos", rng), tmp_path / "labels.jsonl"
    first = label_by_hand(example, torch, folder, file)
    draw_person((222, 111), rng).save(folder / "0_another.png")
    looked_at = []

    def look(picture):
        looked_at.append(picture.shape)
        return np.zeros((0, 17, 3), np.float32)

    people = example.labels.label_photos(load(example, torch, folder), look, file)
    assert looked_at == [(111, 222, 3)]
    assert people.keypoints[[0, 2, 3]].equal(first.keypoints)
    assert people.scores[1].tolist() == [0] * 8
    np.testing.assert_allclose(people.keypoints[0, 0], find_one(None)[0], rtol=0, atol=5e-4)


def test_nobody_is_looked_for_in_photos_free_of_people(example, torch, rng, tmp_path):
    folder, free = (save_photos(tmp_path / name, rng) for name in ("photos", "free"))
    people = label_by_hand(example, torch, folder, tmp_path / "labels.jsonl", free)
    assert (people.scores > 0).sum(1).tolist() == [1, 1, 1, 0, 0, 0]


def test_people_are_ranked_by_the_confidence_of_their_joints(example, torch, rng, tmp_path):
    folder = save_photos(tmp_path / "photos", rng, 1)
    few, doubtful, sure = body(1, 1, 50, 50), body(2, 2, 50, 50), body(3, 3, 50, 50)
    few[2:, 2] = 0.1  # two joints that count, of four at least: .9 * 2 / 4
    doubtful[:, 2] = 0.14
    photos = load(example, torch, folder)
    teacher = {"find_people": lambda picture: np.stack([few, doubtful, sure])}
    people = example.labels.label_photos(photos, **teacher, file=tmp_path / "labels.jsonl")
    assert people.scores[0].tolist() == pytest.approx([0.9, 0.45] + [0] * 6)
    assert people.keypoints[0, :2, 0, 0].tolist() == [3, 1]


def test_the_teacher_finds_the_astronaut(example, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    finder = example.labels.people_finder("movenet.lightning")
    photo = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    people = finder(photo)
    assert people.shape[1:] == (17, 3)
    nose = people[people[..., 2].mean(1).argmax(), 0]
    assert nose[2] > 0.5
    pose = zoo.estimate_single_pose(photo)
    wanted = pose["keypoints"][0]["position"]
    assert math.dist(nose[:2], (wanted["x"], wanted["y"])) < 0.05 * max(photo.shape)


# --- scenes ---------------------------------------------------------------------------------


@pytest.fixture
def bank(example, torch, tmp_path):
    """Grey photos with somebody whose left wrist is red and whose right wrist is green."""
    for name in ("people", "free"):
        (tmp_path / name).mkdir()
    Image.new("RGB", (300, 240), (40, 40, 40)).save(tmp_path / "free" / "grey.png")
    keypoints = []
    for i, (x, y) in enumerate([(60, 40), (100, 60), (30, 80)]):
        person = body(x, y, 90, 130)
        keypoints.append(person)
        photo = Image.new("RGB", (260, 240), (90, 90, 90))
        for joint, colour in ((LEFT_WRIST, "red"), (RIGHT_WRIST, "lime")):
            across, down = person[joint, :2]
            ImageDraw.Draw(photo).ellipse((across - 2, down - 2, across + 2, down + 2), colour)
        photo.save(tmp_path / "people" / f"{i}.png")
    photos = load(example, torch, tmp_path / "people", tmp_path / "free")
    of_photos = torch.zeros(4, 8, 17, 3)
    of_photos[:3, 0] = torch.from_numpy(np.stack(keypoints))
    scores = torch.zeros(4, 8)
    scores[:3, 0] = CONFIDENCE
    return photos, example.bodies.People(of_photos, scores)


def pools_of(example, bank):
    photos, people = bank
    return example.training.pools.even_pools(photos, people.scores[:, 0], example.pools.TASTE)


def render(example, torch, photos, layers, size):
    """A scene as it is, at the size of the network's input."""
    scenes, one = example.training.scenes, torch.ones(len(layers[0].shown))
    plain = example.training.colours.Colours(one, one, one[:, None].expand(-1, 3), one)
    drawn = scenes.Scenes(torch.zeros(len(one), 3), layers, plain)
    large = scenes.render(photos, drawn, scenes.large_size(size))
    return example.training.layers.halve(large)


def crops_of(example, torch, bank, size, count=24):
    torch.manual_seed(0)
    scenes = example.crop_scenes.CropScenes(*bank, pools_of(example, bank), None)
    bodies = scenes.bodies.of(torch.arange(count) % 3)
    nobody = torch.zeros(count, dtype=torch.bool)
    crop = scenes.crop(bodies, nobody, example.training.scenes.large_size(size))
    return scenes, bodies, nobody, crop


def centre_of(image, channel, others):
    """Where a colour is, (x, y), by its excess over the other channels, or None."""
    excess = (image[channel] - image[others].amax(0)).clamp_min(0)
    if excess.sum() < 0.5:
        return None
    rows, columns = np.indices(excess.shape)
    share = (excess / excess.sum()).numpy()
    return np.array([(share * columns).sum(), (share * rows).sum()])


def test_joints_are_where_they_are_drawn_and_sides_swap_in_mirror_images(example, torch, bank):
    size = (129, 97)
    scenes, bodies, nobody, crop = crops_of(example, torch, bank, size)
    joints = scenes.joints(bodies, nobody, crop, [], size)
    images = render(example, torch, bank[0], [crop], size)
    reflected = example.bodies.is_reflected(crop)
    assert 4 < int(reflected.sum()) < 20
    checked = {True: 0, False: 0}
    for i, image in enumerate(images):
        mirrored = bool(reflected[i])
        # in a mirror image the wrist drawn red is a right one
        for channel, joint in ((0, LEFT_WRIST), (1, RIGHT_WRIST)):
            told = joints.points[i, RIGHT_WRIST + LEFT_WRIST - joint if mirrored else joint].numpy()
            room = np.minimum(told, np.array([size[1], size[0]]) - 1 - told).min()
            found = centre_of(image, channel, [1 - channel, 2])
            if room > 6 and found is not None:
                assert math.dist(found, told) < 0.5
                checked[mirrored] += 1
    assert min(checked.values()) >= 5


def test_joints_under_other_layers_and_outside_count_less(example, torch, bank):
    size = (129, 97)
    scenes, bodies, nobody, crop = crops_of(example, torch, bank, size)
    free = scenes.joints(bodies, nobody, crop, [], size)
    count = len(nobody)
    every = torch.ones(count, dtype=torch.bool)
    black = torch.full((count,), 3)
    whole = example.training.layers.draw_layer(
        black,
        every,
        bank[0].sizes[black],
        example.training.scenes.large_size(size),
        example.training.layers.Placement(torch.full((count,), 4.0), torch.zeros(count), 0.0),
    )
    hidden = scenes.joints(bodies, nobody, crop, [whole], size)
    inside = ((free.points >= 0) & (free.points < torch.tensor([97.0, 129.0]))).all(-1)
    assert free.known[inside].all() and (free.weight[inside] == 1).all()
    np.testing.assert_allclose(hidden.probability[inside], 0.3 * free.probability[inside])
    assert (hidden.weight[inside] < 0.3).all()
    away = ((free.points < -4) | (free.points > torch.tensor([100.0, 132.0]))).any(-1)
    assert away.any() and not free.known[away].any() and not free.weight[away].any()
    none = scenes.joints(bodies, every, crop, [], size)
    assert not none.known.any() and not none.weight.any() and not none.somebody.any()


def test_crops_of_nobody_have_only_photos_free_of_people(example, torch, bank, monkeypatch):
    monkeypatch.setattr(example.crop_scenes, "NOBODY_SHARE", 1.0)
    drawn = []
    monkeypatch.setattr(
        example.crop_scenes, "render", lambda photos, scenes, size: drawn.append(scenes) or blank
    )
    blank = torch.zeros(40, 3, 257, 193)
    scenes = example.crop_scenes.CropScenes(*bank, pools_of(example, bank), None)
    pictures, joints = scenes.batch(40, (129, 97))
    assert pictures.shape == (40, 3, 129, 97)
    assert not joints.known.any()
    for layer in drawn[0].layers:
        assert bank[0].person_free[layer.photos[layer.shown]].all()


def test_boxes_are_around_the_people_who_can_be_seen(example, torch, bank):
    size = (129, 97)
    photos, people = bank
    scenes = example.people_scenes.PeopleScenes(photos, people, pools_of(example, bank))
    chosen = torch.tensor([0, 1, 2])
    every = torch.ones(3, dtype=torch.bool)
    large = example.training.scenes.large_size(size)
    layers = example.training.layers
    scale = 0.5
    upright = layers.turned_layer(
        chosen,
        every,
        (torch.full((3,), -2 * scale), torch.full((3,), 2 * scale)),
        torch.zeros(3),
        layers.Anchor(torch.zeros(3, 2), torch.tensor([[large[1] - 1.0, 0.0]]).expand(3, 2)),
    )
    off = upright._replace(shown=~every)
    found = scenes.boxes([off, upright, off, off], size)
    assert (found.certainty > 0).sum(1).tolist() == [1, 1, 1]
    lefts, tops = np.array([60, 100, 30]), np.array([40, 60, 80])
    right = size[1] - 1 - scale * lefts  # the photo's left is the scene's right
    wanted = [right - scale * 90, scale * tops, right, scale * (tops + 130)]
    wanted = np.clip(np.stack(wanted, 1), 0, [96, 128, 96, 128])
    # of the second person some joints are to the left of the scene: the box ends at the first seen
    np.testing.assert_allclose(found.corners[[0, 2], 0], wanted[[0, 2]], rtol=0, atol=1e-3)
    assert 0 <= float(found.corners[1, 0, 0]) <= 4
    hiding = layers.draw_layer(
        torch.full((3,), 3),
        every,
        photos.sizes[[3, 3, 3]],
        large,
        layers.Placement(torch.full((3,), 4.0), torch.zeros(3), 0.0),
    )
    covered = scenes.boxes([off, upright, off, off, hiding], size)
    assert not covered.certainty.any()
    assert not scenes.boxes([off] * 4, size).certainty.any()


def test_batches_have_pictures_in_range(example, torch, bank):
    torch.manual_seed(0)
    for scenes in (
        example.people_scenes.PeopleScenes(*bank, pools_of(example, bank)),
        example.crop_scenes.CropScenes(*bank, pools_of(example, bank), None),
    ):
        pictures, target = scenes.batch(6, (65, 33))
        assert pictures.shape == (6, 3, 65, 33)
        assert pictures.min() >= -1 and pictures.max() <= 1 and pictures.std() > 0.1
        assert all(len(part) == 6 and torch.isfinite(part).all() for part in target)


def test_shares_of_the_reported_run_add_up_to_one(example):
    for shares in (*example.pools.REPORTED_SHARES.values(), example.pools.REPORTED_CROP_SHARES):
        assert sum(shares.values()) == pytest.approx(1)


def test_reported_pools_draw_people_only_from_photos_of_people(example, bank):
    photos, people = bank
    named, taste = photos._replace(sources=["coco"]), example.pools.TASTE
    confidence, shares = people.scores[:, 0], example.pools.REPORTED_SHARES
    pools = example.training.pools.reported_pools(named, confidence, taste, shares)
    free = photos.person_free
    for name in ("everyday", "collage", "pasted", "person_free"):
        pool, meant = getattr(pools, name), free if name == "person_free" else ~free
        assert float(pool[~meant].max()) < 1e-6
        assert float(pool[meant].sum()) == pytest.approx(shares[name]["coco"], abs=1e-6)


# --- losses ---------------------------------------------------------------------------------


def joints_at(example, torch, x, y, probability=0.8, weight=1.0):
    """All joints of one crop in one place."""
    whole = torch.ones(1, 17, dtype=torch.float64)
    points = torch.stack([whole * x, whole * y], -1)
    known = torch.ones(1, 17, dtype=torch.bool)
    somebody = torch.ones(1, dtype=torch.float64)
    return example.crop_scenes.Joints(points, whole * probability, known, whole * weight, somebody)


def zero_outputs(torch, rows=4, columns=3):
    def zeros(*shape):
        return torch.zeros(1, *shape, dtype=torch.float64)

    heads = {head: zeros(channels, rows, columns) for head, channels in POSE.heads.items()}
    return heads | {"presence": zeros(1)}


def test_losses_of_a_network_that_says_nothing(example, torch):
    joints = joints_at(example, torch, 8, 16)  # on the cell of row 2, column 1
    losses = example.pose_losses.pose_losses(zero_outputs(torch, 6, 4), joints)
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


def test_losses_of_a_network_that_is_right(example, torch):
    joints = joints_at(example, torch, 8, 16, probability=1.0)
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
    losses = example.pose_losses.pose_losses(outputs, joints)
    share = (mass / mass.sum()).flatten()
    entropy = -float((share * share.log()).sum())
    assert float(losses.location) == pytest.approx(entropy * 17 / 18, rel=1e-5)
    assert float(losses.offset) == 0
    assert float(losses.visibility) < 1e-8
    assert float(losses.presence) < 1e-8


def test_where_the_network_looks_in_vain_nothing_is_to_be_seen(example, torch):
    outputs = zero_outputs(torch, 9, 3)
    outputs["location"][:, :, 8, 0] = 5  # 49 pixels from the joint
    joints = joints_at(example, torch, 8, 16)
    far = example.pose_losses.pose_losses(outputs, joints).visibility
    assert float(far) == pytest.approx(1.5 * math.log(2))
    nobody = joints._replace(
        known=torch.zeros_like(joints.known),
        weight=torch.zeros_like(joints.weight),
        somebody=torch.zeros_like(joints.somebody),
    )
    losses = example.pose_losses.pose_losses(outputs, nobody)
    assert float(losses.visibility) == pytest.approx(0.5 * math.log(2))
    assert float(losses.location) == float(losses.offset) == 0


def boxes_of(example, torch, *corners, certainty=1.0, weight=1.0):
    count = len(corners)
    every = torch.ones(1, count, dtype=torch.float64)
    corners = torch.tensor([corners], dtype=torch.float64)
    return example.people_scenes.Boxes(corners, every * certainty, every * weight)


def test_cells_belong_to_the_nearest_person(example, torch):
    boxes = boxes_of(example, torch, (0, 0, 16, 16), (32, 0, 64, 80))
    cells = example.people_losses.to_cells(boxes, (9, 9))
    assert float(cells.nearness[0, 1, 1]) == 1  # in the middle of the first
    assert cells.box[0, :, 1, 1].tolist() == [0, 0, 16, 16]
    assert float(cells.nearness[0, 5, 6]) == 1  # in the middle of the second
    assert cells.box[0, :, 5, 6].tolist() == [32, 0, 64, 80]
    # deviations: a tenth of the side, but 4.5 pixels at least
    assert float(cells.nearness[0, 6, 7]) == pytest.approx(math.exp(-((8 / 4.5) ** 2 + 1) / 2))
    assert float(cells.heat[0, 8, 0]) == 0
    doubtful = boxes_of(example, torch, (0, 0, 16, 16), certainty=0.5)
    assert float(example.people_losses.to_cells(doubtful, (9, 9)).heat[0, 1, 1]) == 0.5


def test_box_losses_by_hand(example, torch):
    boxes = boxes_of(example, torch, (18, 2, 46, 62))  # with its margin 16, 0 to 48, 64
    cells = example.people_losses.to_cells(boxes, (9, 9))
    only = torch.zeros_like(cells.nearness)
    only[0, 4, 4] = 1  # the cell at (32, 32)
    cells = cells._replace(nearness=only)

    def loss(left, up, right, down):
        distances = torch.tensor([left, up, right, down], dtype=torch.float64)
        logarithms = (distances / 16).log().view(1, 4, 1, 1).expand(1, 4, 9, 9)
        return float(example.people_losses.box_loss(logarithms, cells))

    assert loss(16, 32, 16, 32) == pytest.approx(0, abs=1e-12)
    # twice as wide to the right: half of it overlaps, middles are 8 apart, 32 x 64 in the hull
    union, both = 48 * 64, 32 * 64
    expected = 1 - both / union + 8**2 / (48**2 + 64**2)
    assert loss(16, 32, 32, 32) == pytest.approx(expected / 2)  # one more in the denominator


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_are_those_of_finite_differences(example, torch, rng, name):
    """Nothing is cut off from the loss, and nothing counts that should not."""
    if name == "pose":
        outputs = zero_outputs(torch, 9, 5)
        target = joints_at(example, torch, 13, 30, weight=0.7)
        losses = example.pose_losses.pose_losses
    else:
        outputs = {
            head: torch.zeros(1, channels, 9, 5, dtype=torch.float64)
            for head, channels in PEOPLE.heads.items()
        }
        target = boxes_of(example, torch, (3, 5, 30, 60), (10, 20, 20, 40), certainty=0.8)
        losses = example.people_losses.people_losses
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


# --- training -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NETWORKS)
def test_the_loss_falls(example, torch, bank, name):
    """A network learns a few scenes by heart."""
    torch.manual_seed(0)
    recipe = example.recipes.RECIPES[name]
    scenes = example.recipes.make_scenes(name, *bank, "even")
    pictures, target = scenes.batch(6, (65, 65))
    learner = example.training.learner.Learner(example.network.Student(recipe.plan))
    totals = []
    for _ in range(16):
        losses = recipe.losses(learner.look(pictures), target)
        learner.descend(losses.total, 3e-3)
        totals.append(float(losses.total.detach()))
    assert totals[-1] < 0.75 * totals[0]


def test_recipes_are_those_of_the_reported_run(example):
    people, pose = (example.recipes.RECIPES[name] for name in ("people", "pose"))
    assert people.sizes == {(193, 193): 0.45, (257, 257): 0.2, (321, 321): 0.25, (385, 385): 0.1}
    assert pose.sizes == {(257, 193): 0.64, (193, 161): 0.18, (161, 129): 0.18}
    assert (people.peak_rate, pose.peak_rate) == (3e-3, 2.5e-3)
    assert (people.plan, pose.plan) == (PEOPLE, POSE)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_short_run_writes_weights_that_can_be_used(example, torch, rng, tmp_path, name):
    folder, free = (save_photos(tmp_path / part, rng) for part in ("photos", "free"))
    (folder / "broken.jpeg").write_text("not a picture")
    out = tmp_path / "out"
    out.mkdir()
    label_by_hand(example, torch, folder, out / "labels.jsonl")
    options = ["--person-free", free, "--out", out, "--steps", 2, "--batch", 2, "--device", "cpu"]
    options += ["--init", NETWORKS[name][2]]
    done = run_example(name, folder, *options, ZOO_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    assert "3 photos, 1 unreadable" in done.stdout
    assert "labels: 3 people in 3 photos, 0 of which were new" in done.stdout
    losses = [float(text) for text in re.findall(r"loss total (\S+)", done.stdout)]
    assert "step 2 " in done.stdout
    assert losses and all(math.isfinite(loss) for loss in losses)
    *_, weights_name = NETWORKS[name]
    exact, mixed = (load_weights(str(out / part)) for part in ("float32", "uint8-mixed"))
    bundled = load_weights(weights_name)
    assert {n: a.shape for n, a in exact.items()} == {n: a.shape for n, a in bundled.items()}
    with zoo.load(example.recipes.RECIPES[name].model, weights=out / "uint8-mixed") as model:
        assert model.infer(folder / "0.png").shape[0] == 1
    for part, array in exact.items():
        # half a step of 1/255 of the range, or float16's eleven bits
        span = max(array.max(), 0) - min(array.min(), 0)
        np.testing.assert_allclose(mixed[part], array, rtol=1e-3, atol=span / 255 * 0.51 + 1e-6)


# --- what bad input gets --------------------------------------------------------------------


@pytest.mark.parametrize(("prepare", "words"), BAD_FOLDERS)
def test_bad_folder_is_one_line_and_status_2(torch, tmp_path, prepare, words):
    folder = tmp_path / "photos"
    prepare(folder)
    done = run_example("pose", folder, "--out", tmp_path / "out", "--steps", 1, "--device", "cpu")
    assert_refused(done, words, str(folder))


def test_missing_gpu_is_one_line_and_status_2(torch, rng, tmp_path):
    options = ["--out", tmp_path / "out", "--steps", 1, "--device", "cuda"]
    done = run_example("pose", save_photos(tmp_path / "in", rng), *options, CUDA_VISIBLE_DEVICES="")
    assert_refused(done, "--device cpu")


def refused(example, torch, rng, tmp_path, *options, network="pose", more=""):
    """What the program says of photos with a file of labels, which may have more lines."""
    folder, file = save_photos(tmp_path / "photos", rng), tmp_path / "labels.jsonl"
    label_by_hand(example, torch, folder, file)
    file.write_text(file.read_text() + more)
    options += ("--out", tmp_path / "out", "--labels", file, "--steps", 1, "--device", "cpu")
    return run_example(network, folder, *options, ZOO_OFFLINE="1")


def test_damaged_labels_are_one_line_and_status_2(example, torch, rng, tmp_path):
    assert_refused(refused(example, torch, rng, tmp_path, more="{"), "line 4", "delete")


def test_weights_of_the_other_network_are_one_line_and_status_2(example, torch, rng, tmp_path):
    options = ["--init", "topdown-people", "--batch", 2]
    done = refused(example, torch, rng, tmp_path, *options)
    assert_refused(done, "first weights", "the network that is trained")


def test_a_source_that_the_reported_run_lacks_is_one_line_and_status_2(
    example, torch, rng, tmp_path
):
    done = refused(example, torch, rng, tmp_path, "--pools", "reported", network="people")
    assert_refused(done, "--pools even", "full")


@pytest.mark.parametrize("line", ["[]", '{"photo": "a"}', '{"photo": "a", "people": [1]}', "\x00"])
def test_a_line_that_has_no_labels_is_refused(example, torch, rng, tmp_path, line):
    file = tmp_path / "labels.jsonl"
    file.write_text(f'{{"photo": "a", "people": []}}\n{line}\n')
    with pytest.raises(ZooError, match="line 2 of .* delete that line, or the file"):
        label_by_hand(example, torch, save_photos(tmp_path / "photos", rng, 1), file)


def test_photos_without_people_are_refused(example, torch, rng, tmp_path):
    photos = load(example, torch, save_photos(tmp_path / "photos", rng, 1))
    with pytest.raises(ZooError, match="finds nobody"):
        example.labels.label_photos(
            photos, lambda picture: np.zeros((0, 17, 3), np.float32), tmp_path / "labels.jsonl"
        )


def test_people_too_small_for_crops_are_refused(example, bank):
    photos, people = bank
    small = people._replace(keypoints=people.keypoints * people.keypoints.new_tensor([0.3, 0.3, 1]))
    with pytest.raises(ZooError, match="nobody in the photos is larger than 44 pixels"):
        example.recipes.make_scenes("pose", photos, small, "even")
    example.recipes.make_scenes("people", photos, small, "even")
