"""Identities, assignment, the one-euro filter, and smoothing of results."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from zoo.live.result_tracking import sighting_of
from zoo.live.smoothing import SMOOTHING, ItemSmoother, LabelSmoother
from zoo.pipeline.mirroring import flipped_result
from zoo.shared.assignment import assign
from zoo.shared.drafts import Draft
from zoo.shared.filters import GAP, OneEuro, OneEuroFilter
from zoo.shared.mask_blending import MaskBlender, uncertainty
from zoo.shared.sightings import Sighting
from zoo.shared.skeletons import to_keypoints
from zoo.shared.tracking import KEEP, Tracker


def test_assignment_is_scipys(rng):
    for number in range(400):
        rows, columns = rng.integers(1, 9, 2)
        costs = rng.normal(size=(rows, columns))
        if number % 2:
            costs = np.rint(costs)  # with ties
        pairs = assign(costs)
        assert len(pairs) == min(rows, columns)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
        best = costs[linear_sum_assignment(costs)].sum()
        assert sum(costs[pair] for pair in pairs) == pytest.approx(best)


def test_one_euro_is_a_low_pass_filter_at_rest(rng):
    """Without speed the step response is that of a first-order filter of the cutoff."""
    still = OneEuroFilter(OneEuro(min_cutoff=1.0, beta=0.0))
    still(np.zeros(1), 0.0, 1.0)
    value = np.zeros(1)
    for frame in range(1, 101):
        value = still(np.ones(1), frame / 1000, 1.0)
    assert value[0] == pytest.approx(1 - math.exp(-2 * math.pi * 0.1), abs=0.01)


def test_one_euro_steadies_noise_and_follows_speed(rng):
    how = SMOOTHING["hand"]
    noise = rng.normal(0, 0.003, (120, 21, 2))  # in sizes of the hand
    steady = OneEuroFilter(how)
    calm = np.array([steady(values, i / 25, 1.0) for i, values in enumerate(noise)])
    assert calm[30:].std() < 0.4 * noise[30:].std()
    moving = OneEuroFilter(how)
    path = np.cumsum(np.full(60, 2 / 25))  # two sizes per second
    seen = np.array([moving(np.array([x]), i / 25, 1.0)[0] for i, x in enumerate(path)])
    assert (path - seen)[30:].max() < 1.5 * 2 / 25  # less than 1.5 frames behind


def test_both_directions_are_followed_alike(rng):
    right, left = (OneEuroFilter(OneEuro(0.5, 20.0)) for _ in range(2))
    for i, x in enumerate(rng.normal(size=(20, 3)).cumsum(axis=0)):
        assert (right(x, i * 0.04, 2.0) == -left(-x, i * 0.04, 2.0)).all()


def test_speeds_count_in_sizes_of_the_object(rng):
    path = np.cumsum(rng.normal(size=(40, 4)), axis=0)
    filters = [OneEuroFilter(OneEuro(0.5, 20.0)) for _ in range(2)]
    for i, values in enumerate(path):
        near = filters[0](values, i / 30, 10.0)
        far = filters[1](values * 100, i / 30, 1000.0)
        np.testing.assert_allclose(far, near * 100)


def person(x, y=100.0, size=80.0, scores=1.0, colour=None):
    """A sighting of 17 keypoints about a point."""
    shape = np.random.default_rng(7).uniform(-0.5, 0.5, (17, 2)) * size
    colours = None if colour is None else np.full((17, 3), float(colour))
    return Sighting(shape + (x, y), np.full(17, scores), "", colours)


def test_objects_keep_their_numbers_whatever_their_order(rng):
    tracker = Tracker()
    assert tracker.update([person(0), person(300), person(600)], 0.0) == [1, 2, 3]
    for i in range(1, 40):
        order = rng.permutation(3)
        xs = np.array([0, 300, 600]) + 4 * i
        found = tracker.update([person(xs[k]) for k in order], i / 25)
        assert found == [k + 1 for k in order]


def crossing(tracker, frames, hidden=()):
    """The numbers, from left to right at the end, of two people who pass each other."""
    found = []
    for i in range(frames):
        share = i / (frames - 1)
        one = person(500 * share, 100, colour=200)
        other = person(500 - 500 * share, 108, 90, colour=90)
        both = [one] if i in hidden else [one, other]
        found = tracker.update(both, i / 25)
    return found


@pytest.mark.parametrize("frames", [20, 50, 100])
def test_people_who_pass_each_other_do_not_swap(frames):
    assert crossing(Tracker(), frames) == [1, 2]


@pytest.mark.parametrize("frames", [30, 60])
def test_people_of_whom_one_hides_the_other_do_not_swap(frames):
    middle = frames // 2
    reach = frames // 8
    hidden = range(middle - reach, middle + reach)
    assert crossing(Tracker(), frames, hidden) == [1, 2]


@pytest.mark.parametrize(("colour", "number"), [(200, 1), (30, 2)])
def test_colours_decide_between_people_at_one_position(colour, number):
    tracker = Tracker()
    assert tracker.update([person(0, colour=200), person(60, colour=30)], 0.0) == [1, 2]
    assert tracker.update([person(30, colour=colour)], 0.04) == [number]


def test_hidden_objects_are_remembered_for_a_second():
    tracker = Tracker()
    for i in range(10):
        tracker.update([person(10.0 * i)], i / 25)
    for i in range(10, 34):
        assert tracker.update([], i / 25) == []
    assert tracker.update([person(120.0)], 9 / 25 + KEEP) == [1]
    for i in range(35, 61):
        assert tracker.update([], i / 25) == []
    assert tracker.update([person(120.0)], 61 / 25) == [2]


@pytest.mark.parametrize("step", [0.5, 1.0, 1.1, 2.0, 60.0])
def test_sparse_frames_keep_numbers(step):
    """The same picture again and again, and with one frame in which the object is missed."""
    tracker = Tracker()
    for i in range(4):
        assert tracker.update([person(0), person(300)], i * step) == [1, 2]
    assert tracker.update([person(300)], 4 * step) == [2]
    assert tracker.update([person(0), person(300)], 5 * step) == [1, 2]


def test_the_points_of_a_still_body_that_are_sure_may_change():
    whole = person(100)
    scores = np.where(np.arange(17) < 7, 1.0, 0.1)
    head = replace(whole, scores=scores)
    tracker = Tracker()
    for i in range(20):
        assert tracker.update([head if i % 2 else whole], i / 25) == [1]


def test_another_label_at_the_same_place_is_a_mistake_of_the_detector():
    tracker = Tracker()
    van = box(100, 100, 200, 120, label="car")
    for i, label in enumerate(["car", "car", "truck", "car", "truck", "truck", "car"]):
        assert tracker.update([replace(van, label=label)], i / 25) == [1]
        assert tracker.labels([1]) == ["car"]


def test_one_object_is_known_at_a_glance_as_by_comparison(rng, monkeypatch):
    """Moves, sizes, colours, labels and gaps at random, many of them another object's."""
    frames, time, place, size = [], 0.0, 100.0, 40.0
    for _ in range(600):
        time += rng.choice([0.04, 0.1, 0.5, 1.5], p=[0.8, 0.1, 0.05, 0.05])
        place += rng.choice([2, 25, 80], p=[0.8, 0.1, 0.1]) * rng.normal()
        size *= rng.choice([1.0, 1.5, 2.5, 0.4], p=[0.85, 0.05, 0.05, 0.05])
        colours = np.full((4, 3), rng.choice([20.0, 200.0], p=[0.9, 0.1]))
        label = rng.choice(["cup", "phone"], p=[0.9, 0.1])
        seen = box(place, place, size, size, label, colours)
        frames.append(([seen] if rng.random() < 0.95 else [], time))
        size = float(np.clip(size, 10, 200))

    def numbers():
        tracker = Tracker()
        return [tracker.update(*frame) for frame in frames]

    quick = numbers()
    monkeypatch.setattr(Tracker, "_goes_on", lambda *_: False)
    assert quick == numbers()
    assert 20 < max(max(each, default=0) for each in quick) < 300


def test_objects_of_another_label_size_or_form_are_others():
    tracker = Tracker()
    cup = Sighting(np.array([[0.0, 0], [50, 50]]), np.ones(2), "cup")
    beside = replace(cup, points=cup.points + 20, label="phone")
    assert tracker.update([cup], 0.0) == [1]
    assert tracker.update([beside], 0.1) == [2]
    assert tracker.update([cup, replace(cup, points=cup.points * 4)], 0.2) == [1, 3]
    assert tracker.update([person(20)], 0.3) == [4]


def box(x, y, width, height, label="", colours=None):
    corners = [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
    return Sighting(np.array(corners, float), np.ones(4), label, colours)


def test_nobody_jumps_to_a_neighbour():
    """One of two people is missed in a frame in which another appears two widths beside."""
    tracker = Tracker()
    for i in range(5):
        assert tracker.update([box(600, 170, 45, 110)], i / 50) == [1]
    assert tracker.update([box(510, 170, 45, 110)], 5 / 50) == [2]
    assert tracker.update([box(510, 170, 45, 110), box(601, 170, 45, 110)], 6 / 50) == [2, 1]


@pytest.mark.parametrize(("colour", "number"), [(40.0, 1), (180.0, 3)])
def test_people_who_come_out_from_behind_something_are_known_by_their_colours(colour, number):
    tracker = Tracker()

    def seen(x, colour):
        return box(x, 100, 40, 100, colours=np.full((3, 3), colour))

    for i in range(20):
        assert tracker.update([seen(8.0 * i, 40.0), seen(900, 90.0)], i / 25) == [1, 2]
    for i in range(20, 29):
        assert tracker.update([seen(900, 90.0)], i / 25) == [2]
    assert tracker.update([seen(8.0 * 29, colour), seen(900, 90.0)], 29 / 25) == [number, 2]


def test_hidden_objects_move_with_the_camera():
    """The camera turns ever faster, to 30 pixels a frame, and one of a row is hidden for a while.

    Where he was, another stands when he is seen again.
    """
    tracker = Tracker()
    crowd = [60.0 * k for k in range(12)]
    camera = np.minimum(3.0 * np.arange(20), 30.0).cumsum()

    grey = np.full((3, 3), 90.0)

    def seen(i, hidden=()):
        xs = [x + camera[i] for k, x in enumerate(crowd) if k not in hidden]
        return [box(x, 100, 40, 100, colours=grey) for x in xs]

    for i in range(12):
        numbers = tracker.update(seen(i), i / 15)
    assert numbers == list(range(1, 13))
    for i in range(12, 16):
        assert 6 not in tracker.update(seen(i, hidden={5}), i / 15)
    assert tracker.update(seen(16), 16 / 15) == numbers


def test_waving_hands_move_farther_than_people_walk():
    """A hand moves by 0.4 of its size between frames, to and fro; a body does not."""
    hand, body = Tracker(speed=15.0), Tracker()
    xs = [0, 30, 0, 30, 0, 30]
    assert {hand.update([box(x, 0, 50, 100)], i / 30)[0] for i, x in enumerate(xs)} == {1}
    assert len({body.update([box(x, 0, 50, 100)], i / 30)[0] for i, x in enumerate(xs)}) > 1


def test_numbers_are_never_given_twice(rng):
    tracker, seen = Tracker(), set()
    for i in range(3000):
        there = [person(x) for x in (0, 400, 800) if rng.random() < 0.9]
        ids = tracker.update(there, i * 0.4)  # mostly longer than they are remembered
        assert len(set(ids)) == len(ids)
        seen |= set(ids)
    assert len(tracker._tracks) <= 6
    assert max(seen) == len(seen)


def hand(rng, noise=0.0, x=0.0):
    points = np.random.default_rng(3).uniform(0, 100, (21, 2)) + rng.normal(0, noise, (21, 2))
    points[:, 0] += x
    keypoints = [
        {"part": str(i), "position": {"x": px, "y": py, "z": 0.0}, "score": 0.9}
        for i, (px, py) in enumerate(points.tolist())
    ]
    low, high = points.min(axis=0), points.max(axis=0)
    box = dict(zip(("x", "y", "width", "height"), (*low, *(high - low)), strict=True))
    return {"score": 0.9, "keypoints": keypoints, "handedness": "left", "box": box}


def test_boxes_around_points_stay_around_the_steadied_points(rng):
    smoother = ItemSmoother("hand")
    for i in range(20):
        [steady] = smoother([hand(rng, 1.0)], [1], i / 25)
    xs = [p["position"]["x"] for p in steady["keypoints"]]
    assert steady["box"]["x"] == pytest.approx(min(xs))
    assert steady["box"]["width"] == pytest.approx(max(xs) - min(xs))
    assert steady["handedness"] == "left" and steady["keypoints"][0]["part"] == "0"


def test_boxes_around_some_points_stay_around_these(rng):
    """Those of poses are around the points that are surely seen, not around guessed ones."""
    smoother = ItemSmoother("pose")
    for i in range(20):
        item = hand(rng, 1.0)
        guess = {"part": "foot", "position": {"x": 50.0, "y": 900.0, "z": 0.0}, "score": 0.1}
        [steady] = smoother([{**item, "keypoints": [*item["keypoints"], guess]}], [1], i / 25)
    ys = [p["position"]["y"] for p in steady["keypoints"][:-1]]
    assert steady["box"]["y"] == pytest.approx(min(ys))
    assert steady["box"]["height"] == pytest.approx(max(ys) - min(ys))


def face(rng, i, depth=True):
    """The draft of a face that moves, whose box is around its points, as that of the mesh is."""
    points = np.random.default_rng(4).uniform(0, 100, (468, 3 if depth else 2)) + 2 * i
    points += rng.normal(0, 0.5, points.shape)
    box = np.concatenate([points[:, :2].min(axis=0), points[:, :2].max(axis=0)])
    names = [f"mesh_{n}" for n in range(468)]
    iris = {"left": to_keypoints(["center"], points[:1], 0.7)}
    return Draft(0.9, box, names, points, 0.8, {"landmarks": "mesh468", "iris": iris})


@pytest.mark.parametrize("depth", [True, False])
def test_drafts_are_steadied_as_their_items_to_the_bit(rng, depth):
    drafts = [face(rng, i, depth) for i in range(12)]
    of_drafts, of_items = ItemSmoother("face"), ItemSmoother("face")
    for i, draft in enumerate(drafts):
        steady = of_drafts([draft], [1], i / 25)
        assert steady == of_items([draft.item()], [1], i / 25)
        assert [*steady[0]] == [*draft.item()]


def test_drafts_with_other_boxes_are_steadied_as_their_items(rng):
    """A box that is not around the points has a filter of its own."""
    drafts = [face(rng, i) for i in range(12)]
    drafts = [draft._replace(box=draft.box + (-7, 5, 3, -9)) for draft in drafts]
    of_drafts, of_items = ItemSmoother("face"), ItemSmoother("face")
    for i, draft in enumerate(drafts):
        [steady] = of_drafts([draft], [1], i / 25)
        [expected] = of_items([draft.item()], [1], i / 25)
        assert steady["keypoints"] == expected["keypoints"]
        assert steady["box"] == pytest.approx(expected["box"], abs=1e-9)


def test_drafts_are_seen_and_flipped_as_their_items(rng):
    image = rng.integers(0, 256, (120, 150, 3), np.uint8)
    draft = face(rng, 3)
    of_draft, of_item = sighting_of(draft, image), sighting_of(draft.item(), image)
    for name in ("points", "scores", "colours"):
        np.testing.assert_array_equal(getattr(of_draft, name), getattr(of_item, name))
    flipped, expected = flipped_result([draft], 150)[0].item(), flipped_result(draft.item(), 150)
    assert flipped.pop("box") == pytest.approx(expected.pop("box"), abs=1e-9)
    assert flipped == expected


def test_sightings_of_whole_forms_measure_as_others(rng):
    """Forms of which all points count are measured in another way than those of which some do."""
    one, other = (rng.uniform(0, 99, (9, 2)) for _ in range(2))
    guess = np.full((1, 2), 500.0)
    whole, later = Sighting(one, np.ones(9)), Sighting(other, np.ones(9))
    scores = np.append(np.ones(9), 0.0)
    part, part_later = (Sighting(np.concatenate([p, guess]), scores) for p in (one, other))
    assert whole.is_whole and not part.is_whole
    np.testing.assert_array_equal(whole.bounds, part.bounds)
    np.testing.assert_allclose(whole.middle, part.middle, rtol=1e-12)
    np.testing.assert_allclose(later.moved_from(whole), part_later.moved_from(part), atol=1e-12)


def test_smoothing_is_by_number_and_starts_anew_after_a_gap(rng):
    smoother = ItemSmoother("hand")
    smoother([hand(rng), hand(rng, x=500)], [1, 2], 0.0)
    [moved, other] = smoother([hand(rng, x=520), hand(rng, x=10)], [2, 1], 0.04)
    exact = [hand(rng, x=520), hand(rng, x=10)]
    for steady, raw, before in ((moved, exact[0], 500), (other, exact[1], 0)):
        x, now = (item["keypoints"][0]["position"]["x"] for item in (steady, raw))
        assert min(before, now - 20) <= x < now  # between both, not of the other hand
    [fresh] = smoother([hand(rng, x=900)], [1], 0.04 + GAP + 0.01)
    assert fresh["keypoints"] == hand(rng, x=900)["keypoints"]


def test_items_given_are_not_changed(rng):
    smoother = ItemSmoother("hand")
    items = [hand(rng, 1.0) for _ in range(3)]
    copies = [{**item, "keypoints": [dict(p) for p in item["keypoints"]]} for item in items]
    for i, item in enumerate(items):
        smoother([item], [1], i / 25)
    assert items == copies


def test_masks_are_blended_where_they_are_unsure():
    blender = MaskBlender()
    first = np.float32([[0.0, 1.0, 0.5, 0.5]])
    assert blender(first, 0.0) is first
    second = blender(np.float32([[1.0, 0.0, 0.4, 0.6]]), 1 / 30)
    np.testing.assert_allclose(second[0, :2], [1.0, 0.0], atol=1e-3)  # sure: as they are
    assert 0.4 < second[0, 2] < 0.5 < second[0, 3] < 0.6
    # After a gap and for another size, the new mask counts alone.
    alone = np.float32([[0.4]])
    assert blender(alone, 0.1) is alone
    assert blender(np.float32([[0.6]]), 1.0)[0, 0] == np.float32(0.6)


def test_uncertainty_is_mediapipes_polynomial():
    given = np.linspace(0, 1, 11, dtype=np.float32)
    x = (given.astype(np.float64) - 0.5) ** 2
    whole = x * (5.68842 + x * (-0.748699 + x * (-57.8051 + x * (291.309 + x * -624.717))))
    np.testing.assert_allclose(uncertainty(given), 1 - np.minimum(1, whole), atol=1e-5)


def test_labels_do_not_flicker():
    smoother, first = LabelSmoother(), []
    for i in range(50):
        scores = {0: 0.6, 1: 0.3} if i % 3 else {0: 0.3, 1: 0.6}
        labels = [
            {"label": "ab"[k], "score": s, "index": k}
            for k, s in sorted(scores.items(), key=lambda pair: -pair[1])
        ]
        first.append(smoother(labels, i / 25)[0]["label"])
    assert set(first[10:]) == {"a"}
