"""The built-in gestures."""

from collections.abc import Sequence
from typing import Any

_CURLED = {"full_curl": 1.0, "half_curl": 0.9}  # as fingerpose rates a curled finger
_STRAIGHT = "no_curl"
_FOLDED_THUMB = {"half_curl": 1.0, "full_curl": 1.0, "no_curl": 0.9}  # it may lie there straight
_UP = {"vertical_up": 1.0, "diagonal_up_left": 0.9, "diagonal_up_right": 0.9}
_DOWN = {"vertical_down": 1.0, "diagonal_down_left": 0.9, "diagonal_down_right": 0.9}
_SIDEWAYS = ["horizontal_left", "horizontal_right"]
_UPWARDS = list(_UP)
_OTHERS = ("index", "middle", "ring", "pinky")  # all fingers but the thumb

# Hands on tables and laps, or around things, are open or closed as well, but seldom point upwards.
_RAISED = {"middle": _UPWARDS}


def _curls(straight: Sequence[str] = (), curled: Sequence[str] = ()) -> dict[str, Any]:
    return {**dict.fromkeys(straight, _STRAIGHT), **dict.fromkeys(curled, _CURLED)}


#: Label -> rules as `GestureRecognizer.add` takes them.
BUILT_IN: dict[str, dict[str, Any]] = {
    # fingerpose 0.1, src/gestures/Victory.js and ThumbsUp.js at commit cbafab4 (MIT)
    "victory": {
        "curls": _curls(["index", "middle"], ["ring", "pinky"]),
        "directions": {
            "thumb": _UPWARDS,
            "index": [*_UPWARDS, *_SIDEWAYS],
            "middle": [*_UPWARDS, *_SIDEWAYS],
        },
    },
    "thumbs_up": {
        "curls": _curls(["thumb"], _OTHERS),
        "directions": {
            "thumb": _UP,
            "index": [*_SIDEWAYS, "diagonal_up_left", "diagonal_up_right"],
        },
    },
    # Additional ones, in the same terms.
    "thumbs_down": {
        "curls": _curls(["thumb"], _OTHERS),
        "directions": {
            "thumb": _DOWN,
            "index": [*_SIDEWAYS, "diagonal_down_left", "diagonal_down_right"],
        },
    },
    "pointing_up": {
        "curls": _curls(["index"], ["middle", "ring", "pinky"]),
        "directions": {"index": _UP},
    },
    "open_palm": {"curls": _curls(["thumb", *_OTHERS]), "directions": _RAISED},
    "closed_fist": {
        "curls": {"thumb": _FOLDED_THUMB, **_curls(curled=_OTHERS)},
        "directions": _RAISED,
    },
    "four": {
        "curls": {"thumb": ["half_curl", "full_curl"], **_curls(_OTHERS)},
        "directions": _RAISED,
    },
    # A thumb spread from an upright hand points to the side; over the folded fingers it may lie
    # straight, but along the hand.
    "i_love_you": {
        "curls": _curls(["thumb", "index", "pinky"], ["middle", "ring"]),
        "directions": {
            "thumb": [*_SIDEWAYS, "diagonal_up_left", "diagonal_up_right"],
            "index": _UPWARDS,
        },
    },
    "rock": {
        "curls": {"thumb": _FOLDED_THUMB, **_curls(["index", "pinky"], ["middle", "ring"])},
        "directions": {"index": _UPWARDS},
    },
    "call": {"curls": _curls(["thumb", "pinky"], ["index", "middle", "ring"])},
}
