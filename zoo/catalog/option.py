"""Options of functions and models as data: their names, types, ranges, defaults and meanings.

Each is declared once: those of a verb in the package of its task, as ``OPTIONS``; those of loading
in the entries. Checks, flags of the command line, model cards and error messages follow from them.
"""

from typing import Any, NamedTuple

#: The default of an option that differs by model: see `zoo.catalog.entry.Entry.default_of`.
OWN: Any = "the model's own"


class Option(NamedTuple):
    """One option of a verb, or of loading a model. None always stands for the default."""

    name: str
    type: str  # number, integer, flag, choice, names, size (an integer or a pair), model
    meaning: str  # for help texts and model cards
    default: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()
    note: str = ""  # what the default stands for where it is None or the model's own
    expert: bool = False  # on the command line ``--option NAME=VALUE``, without a flag of its own

    @property
    def range(self) -> str:
        """The valid values in short, such as ``0..1``; ``""`` where the type says it all."""
        if self.choices:
            return ", ".join(map(str, self.choices))
        if self.low is None:
            return ""
        return f"{self.low} or more" if self.high is None else f"{self.low}..{self.high}"

    @property
    def expected(self) -> str:
        """The valid values as errors name them, such as ``a number between 0 and 1``."""
        if self.choices:
            return f"one of {list(self.choices)}"
        if self.type == "flag":
            return "True or False"
        limit = f"of at least {self.low}"
        if self.high is not None:
            limit = f"between {self.low} and {self.high}"
        return f"{'an integer' if self.type == 'integer' else 'a number'} {limit}"

    @property
    def default_text(self) -> str:
        """The default for people, as far as it is known."""
        return self.note or ("" if self.default is None else str(self.default))

    def as_dict(self) -> dict[str, Any]:
        """The record as a plain dict without what is empty, such as for a form on a page.

        >>> threshold("score_threshold", "minimum score", 0.5).as_dict()
        {'name': 'score_threshold', 'type': 'number', 'meaning': 'minimum score', 'default': 0.5, \
'low': 0, 'high': 1, 'expert': False}
        """
        return {k: v for k, v in self._asdict().items() if v not in (None, (), "")}


Options = dict[str, Option]


def threshold(name: str, meaning: str, default: Any = OWN, **more: Any) -> Option:
    """An option in 0..1."""
    return Option(name, "number", meaning, default, low=0, high=1, **more)


def count(name: str, meaning: str, default: int | None = None, **more: Any) -> Option:
    """An option that is 1 or more."""
    return Option(name, "integer", meaning, default, low=1, **more)


def flag(name: str, meaning: str, default: bool = False, **more: Any) -> Option:
    """An option that is True or False."""
    return Option(name, "flag", meaning, default, **more)


def by_name(*options: Option) -> Options:
    """Options as the mapping that functions and entries have."""
    return {option.name: option for option in options}


# Options of several tasks.
MIRROR = flag("mirror", "the image is a mirror image (selfie view)")
IOU_THRESHOLD = threshold(
    "iou_threshold", "maximum overlap of two boxes; above it the one of the lower score is dropped"
)
NMS_RADIUS = Option(
    "nms_radius",
    "number",
    "keypoints of one kind that are nearer belong to one person, in pixels of the network's input",
    OWN,
    low=0,
    expert=True,
)
