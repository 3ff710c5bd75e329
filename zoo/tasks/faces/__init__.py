"""Faces: where they are, their points, expressions, age and gender."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import IOU_THRESHOLD, MIRROR, Option, by_name, count, flag, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("blazeface", "facemesh", "iris", "faceapi", "yunet")

#: Names of outputs by which a network in a file is known -> the class of such models.
_YUNET = frozenset(f"{kind}_{n}" for kind in ("cls", "obj", "bbox", "kps") for n in (8, 16, 32))
FILE_OUTPUTS = {_YUNET: "yunet:YuNetFile"}

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "estimate_faces": Choices(default="facemesh.base", fast="facemesh.base", best="facemesh.base"),
    "detect_faces": Choices(
        default="blazeface.refined", fast="blazeface.short", best="blazeface.thorough"
    ),
}

_LIMITS = (
    count("max_faces", "maximum number of faces", note="all"),
    threshold("score_threshold", "minimum score of a face"),
    IOU_THRESHOLD,
    MIRROR,
)

#: Verb -> its options.
OPTIONS = {
    "estimate_faces": by_name(
        Option(
            "landmarks",
            "choice",
            "which points to return",
            choices=("mesh", "mesh468", "points68", "points68_tiny", "points6"),
            note="mesh",
        ),
        flag("iris", "also return iris landmarks; needs the mesh"),
        flag("expressions", "also return facial expressions"),
        flag("age_gender", "also estimate age and gender"),
        *_LIMITS,
    ),
    "detect_faces": by_name(*_LIMITS),
}
