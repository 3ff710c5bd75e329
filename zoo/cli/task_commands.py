"""The commands that look at images: a row for each task, and the options that only it has."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Flag(NamedTuple):
    """An option of the command, which becomes one of the function."""

    name: str
    help: str
    type: Callable[[str], Any] | None = None  # None: a switch
    metavar: str = "N"
    options: tuple[str, ...] = ()  # of the function; by default called as the flag is
    switches: tuple[str, ...] = ()  # those that take it, "" for none of them; by default all

    @property
    def field(self) -> str:
        """Where the parser puts its value."""
        return self.name.strip("-").replace("-", "_")


class Task(NamedTuple):
    """A command: the function of `zoo` that it calls, by default or by a switch."""

    command: str
    help: str
    verb: str
    row: str  # what a line of CSV stands for
    verbs: Mapping[str, tuple[str, str]] = {}  # switch -> function, and what the switch means
    flags: tuple[Flag, ...] = ()
    then: str = ""  # function that takes what the first found, and whose result counts
    then_flags: tuple[Flag, ...] = ()
    see_more: Mapping[str, str] = {}  # switch -> what would find more, where nothing was found
    nothing_else: str = ""  # what is said where the first function found something, and `then` not


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


_HANDS = Flag("--max-hands", "find at most so many hands", int)
_SCORE = Flag("--score-threshold", "leave out what is less sure, 0..1", float)
_IOU = Flag("--iou-threshold", "of boxes that overlap more the less sure one goes, 0..1", float)

_SMALL_HANDS = (
    "--option detector=handpose.palm finds smaller hands, --option detector_threshold=0.3 less "
    "sure ones"
)

_ONE = ("",)  # the command without a switch
_PEOPLE = ("person", "persons", "parts")

TASKS = (
    Task(
        "pose",
        "find the joints of people",
        "estimate_multiple_poses",
        "joint",
        verbs={"single": ("estimate_single_pose", "only the most prominent person of an image")},
        flags=(
            Flag("--max-poses", "find at most so many people (default: 20)", int, switches=_ONE),
            _SCORE,
        ),
        see_more={
            "": "--option input_size=513 finds smaller people, --model best takes another model",
            "single": "without --single smaller people are found; --model best takes another model",
        },
    ),
    Task(
        "classify",
        "label images by what they show",
        "classify",
        "label",
        flags=(Flag("--top-k", "how many labels to give (default: 3)", int),),
    ),
    Task(
        "hands",
        "find the joints of hands",
        "estimate_hands",
        "joint",
        flags=(_HANDS, _SCORE),
        see_more={"": _SMALL_HANDS},
    ),
    Task(
        "gestures",
        "recognize the gestures of hands",
        "estimate_hands",
        "gesture",
        flags=(_HANDS, Flag("--hands-model", "what finds the hands", str, "NAME", ("model",))),
        then="recognize_gestures",
        then_flags=(_SCORE,),
        see_more={"": _SMALL_HANDS},
        nothing_else="hands were found, but none that makes a known gesture,",
    ),
    Task(
        "faces",
        "find faces and what is in them",
        "estimate_faces",
        "point",
        verbs={"boxes": ("detect_faces", "only boxes, with the detector's points")},
        flags=(
            Flag(
                "--landmarks",
                "mesh (default), points68, points68_tiny or points6",
                str,
                "KIND",
                switches=_ONE,
            ),
            Flag("--iris", "the irises, too", switches=_ONE),
            Flag("--expressions", "how the face looks, too", switches=_ONE),
            Flag("--age-gender", "a guess of age and gender, too", switches=_ONE),
            Flag("--max-faces", "find at most so many faces", int),
            _SCORE,
            _IOU,
        ),
        see_more=dict.fromkeys(("", "boxes"), "--score-threshold 0.5 accepts less sure faces"),
    ),
    Task(
        "detect",
        "find objects of 80 kinds",
        "detect",
        "detection",
        flags=(
            Flag("--labels", "only these, such as dog,cat", _names, "NAMES"),
            _SCORE,
            _IOU,
            Flag("--max-detections", "find at most so many objects (default: 20)", int),
        ),
        see_more={"": "--score-threshold 0.3 accepts less sure objects"},
    ),
    Task(
        "segment",
        "find what each pixel belongs to",
        "segment",
        "label that occurs",
        verbs={
            "person": ("segment_person", "people against the background"),
            "persons": ("segment_persons", "each person apart"),
            "parts": ("segment_person_parts", "24 parts of the body"),
        },
        flags=(
            Flag(
                "--threshold",
                "of people: how sure a pixel must be, 0..1",
                float,
                switches=_PEOPLE,
            ),
            Flag(
                "--probability",
                "how sure each pixel is, too, as an image in the JSON; not with --persons",
                switches=("", "person", "parts"),
            ),
            Flag(
                "--max-persons",
                "with --persons: find at most so many",
                int,
                switches=("persons",),
            ),
            Flag(
                "--score-threshold",
                "with --persons: leave out who is less sure, 0..1",
                float,
                switches=("persons",),
            ),
        ),
        see_more={
            "": "the model knows 20 classes; 'zoo detect' knows 80",
            "person": "--model bodypix.mobilenet_075 finds people farther away",
            "persons": "--score-threshold 0.1 accepts less sure people",
            "parts": "--threshold 0.3 accepts less sure pixels",
        },
    ),
)
