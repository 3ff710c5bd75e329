"""The commands that run models on images: a row for each task, and the flags of its functions."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zoo.catalog.option import Option


class Flag(NamedTuple):
    """An option of a task's functions as a flag of its command."""

    option: "Option"
    switches: tuple[str, ...]  # of the functions that have it, "" for the one without a switch
    keyword: str  # of the function
    then: bool = False  # for the second function of the task

    @property
    def name(self) -> str:
        """Such as ``--max-poses``."""
        return f"--{self.option.name.replace('_', '-')}"


class Task(NamedTuple):
    """A command: the function of `zoo` that it calls, by default or by a switch."""

    command: str
    help: str
    verb: str
    row: str  # what a line of CSV stands for
    verbs: Mapping[str, tuple[str, str]] = {}  # switch -> function, and what the switch means
    then: str = ""  # function that takes what the first found, and whose result counts
    first_model: str = ""  # option of ``then`` that is the model of the first function
    see_more: Mapping[str, str] = {}  # switch -> what would find more, where nothing was found
    nothing_else: str = ""  # what is said where the first function found something, and `then` not

    def flags(self) -> list[Flag]:
        """The flags of the command: all options of its functions but those for experts."""
        flags: dict[str, Flag] = {}
        for switch, verb in {"": self.verb, **{s: v for s, (v, _) in self.verbs.items()}}.items():
            for option in _options_with_flags(verb):
                others = flags[option.name].switches if option.name in flags else ()
                flags[option.name] = Flag(option, (*others, switch), option.name)
        for option in _options_with_flags(self.then) if self.then else ():
            of_first = option.name == self.first_model
            keyword = "model" if of_first else option.name
            flags[option.name] = Flag(option, ("",), keyword, then=not of_first)
        return list(flags.values())

    def help_of(self, flag: Flag) -> str:
        """Return a flag's meaning, its range, its default, and the switches that the flag needs."""
        option = flag.option
        default = "" if option.type == "flag" else option.default_text
        details = [option.range, default and f"default: {default}", self._where(flag)]
        known = "; ".join(filter(None, details))
        return f"{option.meaning} ({known})" if known else option.meaning

    def _where(self, flag: Flag) -> str:
        if "" in flag.switches:
            others = [f"--{name}" for name in self.verbs if name not in flag.switches]
            return f"not with {' or '.join(others)}" if others else ""
        return f"only with {' or '.join(f'--{name}' for name in flag.switches)}"


def _options_with_flags(verb: str) -> "Iterator[Option]":
    from zoo.catalog.entries import verb_options

    options = verb_options(verb).values()
    return (option for option in options if not option.expert and option.name != "mirror")


_SMALL_HANDS = (
    "--option detector=handpose.palm finds smaller hands, --option detector_threshold=0.3 those "
    "with lower scores"
)

TASKS = (
    Task(
        "pose",
        "find the joints of people",
        "estimate_multiple_poses",
        "joint",
        verbs={"single": ("estimate_single_pose", "only the most prominent person of an image")},
        see_more={
            "": "--option input_size=513 finds smaller people, --model best takes another model",
            "single": "without --single smaller people are found; --model best takes another model",
        },
    ),
    Task("classify", "label images by what they show", "classify", "label"),
    Task(
        "hands",
        "find the joints of hands",
        "estimate_hands",
        "joint",
        see_more={"": _SMALL_HANDS},
    ),
    Task(
        "gestures",
        "recognize the gestures of hands",
        "estimate_hands",
        "gesture",
        then="recognize_gestures",
        first_model="hands_model",
        see_more={"": _SMALL_HANDS},
        nothing_else="hands were found, but none that makes a known gesture,",
    ),
    Task(
        "faces",
        "find faces and their landmarks",
        "estimate_faces",
        "point",
        verbs={"boxes": ("detect_faces", "only boxes, with the detector's points")},
        see_more=dict.fromkeys(("", "boxes"), "--score-threshold 0.5 accepts lower scores"),
    ),
    Task(
        "detect",
        "find objects of 80 kinds",
        "detect",
        "detection",
        see_more={"": "--score-threshold 0.3 accepts objects with lower scores"},
    ),
    Task(
        "segment",
        "find the class of each pixel",
        "segment",
        "label that occurs",
        verbs={
            "person": ("segment_person", "one mask of all people"),
            "persons": ("segment_persons", "a mask for each person"),
            "parts": ("segment_person_parts", "24 parts of the body"),
        },
        see_more={
            "": "the model knows 20 classes; 'zoo detect' knows 80",
            "person": "--model bodypix.mobilenet_075 finds people farther away",
            "persons": "--score-threshold 0.1 accepts people with lower scores",
            "parts": "--threshold 0.3 accepts pixels of lower probability",
        },
    ),
)
