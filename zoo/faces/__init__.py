"""Faces: where they are, their points, expressions, age and gender."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("blazeface", "facemesh", "iris", "faceapi")

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
MODELS = {
    "estimate_faces": Choices(default="facemesh.base", fast="facemesh.base", best="facemesh.base"),
    "detect_faces": Choices(
        default="blazeface.refined", fast="blazeface.short", best="blazeface.refined"
    ),
}
