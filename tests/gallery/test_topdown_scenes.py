"""Scenes of the program: joints and boxes are told where people are drawn."""

import math

import numpy as np
import pytest

from tests.gallery.topdown_photos import LEFT_WRIST, RIGHT_WRIST, wrists
from weights_cache.common.errors import ZooError


@pytest.fixture
def bank(topdown, torch, tmp_path):
    return wrists(topdown, torch, tmp_path)


def pools_of(topdown, bank):
    photos, people = bank
    return topdown.training.pools.even_pools(photos, people.scores[:, 0], topdown.pools.TASTE)


def render(topdown, torch, photos, layers, size):
    """A scene as it is, at the size of the network's input."""
    scenes, one = topdown.training.scenes, torch.ones(len(layers[0].shown))
    plain = topdown.training.colours.Colours(one, one, one[:, None].expand(-1, 3), one)
    drawn = scenes.Scenes(torch.zeros(len(one), 3), layers, plain)
    large = scenes.render(photos, drawn, scenes.large_size(size))
    return topdown.training.layers.halve(large)


def crops_of(topdown, torch, bank, size, count=24):
    torch.manual_seed(0)
    scenes = topdown.crop_scenes.CropScenes(*bank, pools_of(topdown, bank), None)
    bodies = scenes.bodies.of(torch.arange(count) % 3)
    nobody = torch.zeros(count, dtype=torch.bool)
    crop = scenes.crop(bodies, nobody, topdown.training.scenes.large_size(size))
    return scenes, bodies, nobody, crop


def centre_of(image, channel, others):
    """Where a colour is, (x, y), by its excess over the other channels, or None."""
    excess = (image[channel] - image[others].amax(0)).clamp_min(0)
    if excess.sum() < 0.5:
        return None
    rows, columns = np.indices(excess.shape)
    share = (excess / excess.sum()).numpy()
    return np.array([(share * columns).sum(), (share * rows).sum()])


def test_joints_are_where_they_are_drawn_and_sides_swap_in_mirror_images(topdown, torch, bank):
    size = (129, 97)
    scenes, bodies, nobody, crop = crops_of(topdown, torch, bank, size)
    joints = scenes.joints(bodies, nobody, crop, [], size)
    images = render(topdown, torch, bank[0], [crop], size)
    reflected = topdown.bodies.is_reflected(crop)
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


def test_joints_under_other_layers_and_outside_count_less(topdown, torch, bank):
    size = (129, 97)
    scenes, bodies, nobody, crop = crops_of(topdown, torch, bank, size)
    free = scenes.joints(bodies, nobody, crop, [], size)
    count = len(nobody)
    every = torch.ones(count, dtype=torch.bool)
    black = torch.full((count,), 3)
    whole = topdown.training.layers.draw_layer(
        black,
        every,
        bank[0].sizes[black],
        topdown.training.scenes.large_size(size),
        topdown.training.layers.Placement(torch.full((count,), 4.0), torch.zeros(count), 0.0),
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


def test_crops_of_nobody_have_only_photos_free_of_people(topdown, torch, bank, monkeypatch):
    monkeypatch.setattr(topdown.crop_scenes, "NOBODY_SHARE", 1.0)
    drawn = []
    monkeypatch.setattr(
        topdown.crop_scenes, "render", lambda photos, scenes, size: drawn.append(scenes) or blank
    )
    blank = torch.zeros(40, 3, 257, 193)
    scenes = topdown.crop_scenes.CropScenes(*bank, pools_of(topdown, bank), None)
    pictures, joints = scenes.batch(40, (129, 97))
    assert pictures.shape == (40, 3, 129, 97)
    assert not joints.known.any()
    for layer in drawn[0].layers:
        assert bank[0].person_free[layer.photos[layer.shown]].all()


def test_boxes_are_around_the_people_who_can_be_seen(topdown, torch, bank):
    size = (129, 97)
    photos, people = bank
    scenes = topdown.people_scenes.PeopleScenes(photos, people, pools_of(topdown, bank))
    chosen = torch.tensor([0, 1, 2])
    every = torch.ones(3, dtype=torch.bool)
    large = topdown.training.scenes.large_size(size)
    layers = topdown.training.layers
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


def test_batches_have_pictures_in_range(topdown, torch, bank):
    torch.manual_seed(0)
    for scenes in (
        topdown.people_scenes.PeopleScenes(*bank, pools_of(topdown, bank)),
        topdown.crop_scenes.CropScenes(*bank, pools_of(topdown, bank), None),
    ):
        pictures, target = scenes.batch(6, (65, 33))
        assert pictures.shape == (6, 3, 65, 33)
        assert pictures.min() >= -1 and pictures.max() <= 1 and pictures.std() > 0.1
        assert all(len(part) == 6 and torch.isfinite(part).all() for part in target)


def test_shares_of_the_reported_run_add_up_to_one(topdown):
    for shares in (*topdown.pools.REPORTED_SHARES.values(), topdown.pools.REPORTED_CROP_SHARES):
        assert sum(shares.values()) == pytest.approx(1)


def test_reported_pools_draw_people_only_from_photos_of_people(topdown, bank):
    photos, people = bank
    named, taste = photos._replace(sources=["coco"]), topdown.pools.TASTE
    confidence, shares = people.scores[:, 0], topdown.pools.REPORTED_SHARES
    pools = topdown.training.pools.reported_pools(named, confidence, taste, shares)
    free = photos.person_free
    for name in ("everyday", "collage", "pasted", "person_free"):
        pool, meant = getattr(pools, name), free if name == "person_free" else ~free
        assert float(pool[~meant].max()) < 1e-6
        assert float(pool[meant].sum()) == pytest.approx(shares[name]["coco"], abs=1e-6)


def test_people_too_small_for_crops_are_refused(topdown, bank):
    photos, people = bank
    small = people._replace(keypoints=people.keypoints * people.keypoints.new_tensor([0.3, 0.3, 1]))
    with pytest.raises(ZooError, match="nobody in the photos is larger than 44 pixels"):
        topdown.recipes.make_scenes("pose", photos, small, "even")
    topdown.recipes.make_scenes("people", photos, small, "even")
