"""The gestures that are known without anybody's doing."""

from typing import Any

_CURLED = {"full_curl": 1.0, "half_curl": 0.9}  # as fingerpose rates a curled finger
_STRAIGHT = "no_curl"
_FOLDED_THUMB = {"half_curl": 1.0, "full_curl": 1.0, "no_curl": 0.9}  # it may lie there straight
_UP = {"vertical_up": 1.0, "diagonal_up_left": 0.9, "diagonal_up_right": 0.9}
_DOWN = {"vertical_down": 1.0, "diagonal_down_left": 0.9, "diagonal_down_right": 0.9}
_SIDEWAYS = ["horizontal_left", "horizontal_right"]
_UPWARDS = list(_UP)

#: Label -> rules as `GestureRecognizer.add` takes them.
BUILT_IN: dict[str, dict[str, Any]] = {
    # fingerpose 0.1, src/gestures/Victory.js and ThumbsUp.js at commit cbafab4 (MIT)
    "victory": {
        "curls": {"index": _STRAIGHT, "middle": _STRAIGHT, "ring": _CURLED, "pinky": _CURLED},
        "directions": {
            "thumb": _UPWARDS,
            "index": [*_UPWARDS, *_SIDEWAYS],
            "middle": [*_UPWARDS, *_SIDEWAYS],
        },
    },
    "thumbs_up": {
        "curls": {
            "thumb": _STRAIGHT,
            **dict.fromkeys(("index", "middle", "ring", "pinky"), _CURLED),
        },
        "directions": {
            "thumb": _UP,
            "index": [*_SIDEWAYS, "diagonal_up_left", "diagonal_up_right"],
        },
    },
    # Ours, in the same terms.
    "thumbs_down": {
        "curls": {
            "thumb": _STRAIGHT,
            **dict.fromkeys(("index", "middle", "ring", "pinky"), _CURLED),
        },
        "directions": {
            "thumb": _DOWN,
            "index": [*_SIDEWAYS, "diagonal_down_left", "diagonal_down_right"],
        },
    },
    "pointing_up": {
        "curls": {"index": _STRAIGHT, "middle": _CURLED, "ring": _CURLED, "pinky": _CURLED},
        "directions": {"index": _UP},
    },
    "open_palm": {
        "curls": dict.fromkeys(("thumb", "index", "middle", "ring", "pinky"), _STRAIGHT),
    },
    "closed_fist": {
        "curls": {
            "thumb": _FOLDED_THUMB,
            **dict.fromkeys(("index", "middle", "ring", "pinky"), _CURLED),
        },
    },
    "four": {
        "curls": {
            "thumb": ["half_curl", "full_curl"],
            **dict.fromkeys(("index", "middle", "ring", "pinky"), _STRAIGHT),
        },
    },
    # A thumb spread from an upright hand points to the side; over the folded fingers it may lie
    # straight, but along the hand.
    "i_love_you": {
        "curls": {
            **dict.fromkeys(("thumb", "index", "pinky"), _STRAIGHT),
            **dict.fromkeys(("middle", "ring"), _CURLED),
        },
        "directions": {"thumb": [*_SIDEWAYS, "diagonal_up_left", "diagonal_up_right"]},
    },
    "rock": {
        "curls": {
            "thumb": _FOLDED_THUMB,
            **dict.fromkeys(("index", "pinky"), _STRAIGHT),
            **dict.fromkeys(("middle", "ring"), _CURLED),
        },
    },
    "call": {
        "curls": {
            **dict.fromkeys(("thumb", "pinky"), _STRAIGHT),
            **dict.fromkeys(("index", "middle", "ring"), _CURLED),
        },
    },
}
