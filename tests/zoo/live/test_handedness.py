"""Sides of followed hands."""

import pytest

from zoo.live.handedness import HandednessVote


def hand(side, score, x=100.0):
    points = [{"position": {"x": x + 10.0 * k, "y": 50.0}} for k in range(10)]
    return {"handedness": side, "handedness_score": score, "keypoints": points}


def sides(vote, hands, size=(100, 640)):
    """The side of one hand in successive frames, with those of its number."""
    return [
        (one["handedness"], one["handedness_score"])
        for time, each in enumerate(hands)
        for one in vote([each], [7], time / 25, size)
    ]


def test_the_first_frame_is_what_the_network_says():
    assert sides(HandednessVote(), [hand("left", 0.93)]) == [("left", 0.93)]


def test_single_frames_do_not_turn_a_hand():
    found = sides(HandednessVote(), [hand("right", 0.95)] * 10 + [hand("left", 0.98)] * 5)
    assert {side for side, _ in found} == {"right"}
    right = (10 * 0.95 + 5 * 0.02) / 15
    assert found[-1][1] == pytest.approx(right, abs=0.01)  # old frames count a little less


def test_hands_beyond_the_edge_count_by_what_is_in_the_picture():
    """Most of the joints are outside for much longer than they were inside."""
    leaving = [hand("left", 0.98, x=620.0)] * 20  # two of ten joints inside
    vote = HandednessVote()
    assert sides(vote, [hand("right", 0.95)] * 10 + leaving)[-1][0] == "right"
    for time in (20.0, 20.04):  # forgotten: a new hand has a new vote
        [new] = vote([hand("left", 0.9)], [7], time, (100, 640))
        assert new["handedness"] == "left"


def test_each_hand_has_its_own_vote():
    vote = HandednessVote()
    for time in range(5):
        both = vote([hand("left", 0.9), hand("right", 0.8)], [1, 2], time / 25, (100, 640))
    both = vote([hand("left", 0.9), hand("right", 0.8)], [2, 1], 0.2, (100, 640))
    assert [one["handedness"] for one in both] == ["right", "left"]
