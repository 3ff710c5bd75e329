"""Lines, areas and trails: who crosses, who is inside and for how long, by ids."""

import numpy as np
import pytest

import zoo
from tests.helpers import require_opencv
from tests.zoo.drawing.test_drawing import blank, keypoint
from weights_cache.common.errors import ZooError
from zoo.drawing.colours import PALETTE
from zoo.live.zones import memory
from zoo.shared.skeletons import BODY_17

require_opencv()

SQUARE = [(100, 100), (200, 100), (200, 200), (100, 200)]


def thing(x, y, label="person", size=(20, 80)) -> dict:
    """A detection whose feet are at a place."""
    width, height = size
    box = {"x": x - width / 2, "y": float(y - height), "width": width, "height": height}
    return {"label": label, "score": 0.9, "box": box}


def moment(time, **things) -> dict:
    """A moment of things by their ids, ``i7=thing(1, 2)``."""
    ids = [int(name[1:]) for name in things]
    return {"time": time, "result": [*things.values()], "ids": ids, "frame": blank(300, 300)}


def passages(line, *way, label="person") -> list[str]:
    """The directions in which somebody crosses a line on a way of feet."""
    found = [line.update(moment(i / 25, i1=thing(*at, label))) for i, at in enumerate(way)]
    return [crossing["direction"] for crossed in found for crossing in crossed]


def level() -> zoo.LineZone:
    return zoo.LineZone((0, 100), (300, 100))


def test_up_is_in_and_down_is_out_of_a_line_from_left_to_right():
    """As in supervision."""
    assert passages(level(), (50, 80), (50, 120)) == ["out"]
    assert passages(level(), (50, 120), (50, 80)) == ["in"]
    assert passages(zoo.LineZone((300, 100), (0, 100)), (50, 120), (50, 80)) == ["out"]
    upright = zoo.LineZone((100, 300), (100, 0))  # upwards: left-hand is left
    assert passages(upright, (150, 150), (50, 150)) == ["in"]


def test_a_crossing_says_who_when_and_where():
    line = level()
    line.update(moment(1.0, i7=thing(50, 80, "car"), i8=thing(90, 150)))
    (crossing,) = line.update(moment(1.5, i7=thing(52, 120, "car"), i8=thing(90, 149)))
    assert crossing == {
        **{"id": 7, "label": "car", "direction": "out", "time": 1.5},
        "position": {"x": 52.0, "y": 120.0},
    }
    line.update(moment(2.0, i8=thing(90, 80)))
    assert (line.in_count, line.out_count) == (1, 1)
    assert line.counts == {"car": {"in": 0, "out": 1}, "person": {"in": 1, "out": 0}}


def test_boxes_that_tremble_on_the_line_count_once(rng):
    """Somebody stands on the line for four seconds; the edge of the box moves by 3 pixels."""
    line = level()
    standing = [(50, float(100 + y)) for y in rng.uniform(-3, 3, 100)]
    assert passages(line, (50, 70), *standing, (50, 130), *standing[:50]) == ["out"]
    assert passages(level(), (50, 70), *standing, (50, 70)) == []
    eager = zoo.LineZone((0, 100), (300, 100), slack=0)
    assert len(passages(eager, (50, 70), *standing)) > 20


def test_only_ways_between_the_ends_cross():
    line = zoo.LineZone((100, 100), (200, 100))
    assert passages(line, (90, 50), (90, 150)) == []
    assert passages(line, (150, 50), (250, 90), (250, 110), (150, 150)) == []  # around the end
    assert passages(line, (180, 150), (190, 50)) == ["in"]
    assert passages(line, (50, 50), (150, 150)) == ["out"]  # met at its start


def test_who_was_hidden_counts_under_the_same_id():
    line = level()
    line.update(moment(0.0, i1=thing(50, 60), i2=thing(200, 60)))
    for time in (0.1, 0.2, 5.0):
        assert line.update(moment(time, i2=thing(200, 60))) == []
    (crossing,) = line.update(moment(5.1, i1=thing(60, 140), i3=thing(200, 140)))
    assert crossing["id"] == 1 and line.in_count == 0  # number 3 is somebody new


def test_random_walks_leave_as_many_beyond_the_line_as_the_counts_say(rng):
    """Whoever is below at the end and was above at first crossed once more outwards."""
    line = level()
    ways = np.cumsum(rng.normal(0, 9, (12, 200)), axis=1) + 100
    for step in range(200):
        things = {f"i{n}": thing(10 + 20 * n, way[step]) for n, way in enumerate(ways)}
        line.update(moment(step / 25, **things))
    sides = np.where(np.abs(ways - 100) > 8, np.sign(ways - 100), 0)  # slack: 0.2 * 40 pixels
    first, last = (np.array([s[s != 0][end] for s in sides]) for end in (0, -1))
    assert line.out_count + line.in_count > 20
    assert line.out_count - line.in_count == (last - first).sum() / 2


def test_another_video_begins_anew():
    """Its ids begin at 1 again: number 1 is somebody else."""
    line, zone, trails = level(), zoo.PolygonZone(SQUARE), zoo.Trails()
    for each in (line, zone, trails):
        each.update(moment(9.0, i1=thing(150, 180)))
    other = moment(0.0, i1=thing(150, 60))
    assert line.update(other) == [] == zone.update(other)
    trails.update(other)
    assert trails.positions == {1: [(150.0, 60.0)]}


def test_memory_is_of_the_latest_ids(monkeypatch):
    monkeypatch.setattr(memory, "_MOST", 2)
    line = level()
    for number in (1, 2, 3):
        line.update(moment(0.0, **{f"i{number}": thing(50, 50)}))
    found = line.update(moment(0.1, i3=thing(50, 150), i2=thing(50, 150), i1=thing(50, 150)))
    assert [crossing["id"] for crossing in found] == [3, 2]


def test_who_is_inside_and_for_how_long():
    zone = zoo.PolygonZone(SQUARE)
    assert zone.update(moment(0.0, i1=thing(150, 90), i2=thing(150, 150))) == zone.inside
    assert [(stay["id"], stay["seconds"]) for stay in zone.inside] == [(2, 0.0)]
    zone.update(moment(1.0, i1=thing(150, 110), i2=thing(160, 150)))
    (one, two) = zone.update(moment(3.0, i1=thing(150, 120), i2=thing(170, 150)))
    assert one == {
        **{"id": 1, "label": "person", "since": 1.0, "seconds": 2.0},
        "position": {"x": 150.0, "y": 120.0},
    }
    assert two["seconds"] == 3.0 and zone.seconds == {1: 2.0, 2: 3.0} and zone.visit_count == 2


def test_visits_go_on_at_trembling_edges_and_while_hidden(rng):
    zone = zoo.PolygonZone(SQUARE)
    zone.update(moment(0.0, i1=thing(150, 198)))
    for step, y in enumerate(rng.uniform(-3, 3, 50), 1):
        zone.update(moment(step / 10, i1=thing(150, 200 + y)))
    zone.update(moment(6.0))  # hidden
    assert zone.inside == [] and zone.seconds == {1: 5.0}
    (stay,) = zone.update(moment(7.0, i1=thing(150, 150)))
    assert stay["seconds"] == 7.0 and zone.visit_count == 1


def test_two_visits_are_added():
    zone = zoo.PolygonZone(SQUARE)
    for time, y in ((0, 150), (2, 150), (3, 250), (10, 150), (11, 150), (12, 250)):
        zone.update(moment(time, i1=thing(150, y)))
    assert zone.seconds == {1: 3.0} and zone.visit_count == 2


def test_without_ids_somebody_is_inside_but_nobody_crosses():
    found = {"time": 1.0, "result": [thing(150, 150), thing(50, 50)]}
    (stay,) = zoo.PolygonZone(SQUARE).update(found)
    assert (stay["id"], stay["seconds"]) == (None, 0.0)
    with pytest.raises(ZooError, match="these items have none: use zoo.watch"):
        level().update(found)


def test_anchors_are_places_of_boxes_or_joints():
    points = [keypoint(name, 10 * i, 100) for i, name in enumerate(BODY_17.names)]
    points[9]["score"] = 0.1  # left_wrist
    pose = {"score": 0.9, "keypoints": points, "box": thing(150, 200)["box"]}
    at = {}
    for anchor in ("feet", "centre", "head", "nose", "left_wrist", "right_wrist"):
        trails = zoo.Trails(anchor=anchor)
        trails.update(moment(0.0, i1=pose))
        at[anchor] = trails.positions.get(1)
    assert at == {
        **{"feet": [(150.0, 200.0)], "centre": [(150.0, 160.0)], "head": [(150.0, 120.0)]},
        **{"nose": [(0, 100)], "left_wrist": None, "right_wrist": [(100, 100)]},
    }
    hands = moment(0.0, i1={"label": "rock", "score": 0.9, "hand": 0})
    hand = {"score": 0.9, "handedness": "left", "keypoints": [keypoint("wrist", 5, 6)]}
    trails = zoo.Trails(anchor="wrist")
    trails.update({**hands, "hands": [hand]})
    assert trails.positions == {1: [(5, 6)]}


def test_items_without_a_box_have_that_of_their_sure_joints():
    points = [keypoint("nose", 150, 110), keypoint("left_hip", 160, 180)]
    guessed = keypoint("left_ankle", 160, 290, 0.1)
    trails = zoo.Trails()
    trails.update(moment(0.0, i1={"score": 0.9, "keypoints": [*points, guessed]}))
    assert trails.positions == {1: [(155.0, 180.0)]}
    trails.update(moment(0.1, i2={"score": 0.9, "keypoints": [guessed]}))
    assert list(trails.positions) == [1]


def test_trails_are_those_of_the_last_seconds():
    trails = zoo.Trails(1.0)
    for step in range(30):
        things = {"i1": thing(100 + step, 100)} | ({"i2": thing(50, 50)} if step < 5 else {})
        trails.update(moment(step / 10, **things))
    assert trails.positions == {1: [(100.0 + step, 100.0) for step in range(19, 30)]}


def test_all_are_painted_on_the_frame():
    line, zone, trails = level(), zoo.PolygonZone(SQUARE), zoo.Trails()
    for time, x in ((0.0, 210), (0.1, 280)):
        now = moment(time, i2=thing(x, 250))
        for each in (line, zone, trails):
            each.update(now)
    painted = zoo.paint({**now, "result": []}, overlays=[line, zone, trails])
    line_and_arrow = [(100, 30), (90, 150)]
    for colour, places in (
        (PALETTE[4], line_and_arrow),
        (PALETTE[0], [(150, 200)]),  # the area
        (PALETTE[1], [(250, 275)]),  # the trail, in the colour of number 2
    ):
        for place in places:
            assert np.abs(painted[place].astype(int) - colour).max() < 25
    assert not (now["frame"] != painted).any(axis=2)[260:].any()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: zoo.LineZone((1, 2), (1, 2)), "give two points"),
        (lambda: zoo.LineZone((1, 2), 5), "must be points"),
        (lambda: zoo.LineZone((1, 2), (3, float("nan"))), "finite numbers"),
        (lambda: zoo.LineZone((1, 2), (3, 4), anchor="feets"), "did you mean 'feet'"),
        (lambda: zoo.LineZone((1, 2), (3, 4), slack=2), "slack=2 must be a number in 0..1"),
        (lambda: zoo.PolygonZone([(1, 2), (3, 4)]), "has 2 points: give at least 3"),
        (lambda: zoo.Trails(0), "seconds=0 must be above 0"),
        (lambda: zoo.Trails("long"), "seconds='long' must be above 0"),
        (lambda: zoo.Trails().update([thing(1, 2)]), "takes a moment of zoo.watch"),
    ],
)
def test_mistakes_are_explained(wrong, words):
    with pytest.raises(ZooError, match=words):
        wrong()
