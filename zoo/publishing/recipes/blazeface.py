"""BlazeFace in a page, refined or not."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.face_detectors import detector_use
from zoo.publishing.recipes.recipe import Recipe


def recipe(model: Model) -> Recipe:
    """Return the recipe of a BlazeFace."""
    networks, decode = detector_use(model)
    return Recipe(
        script="faces.js",
        class_name="Faces",
        element="zoo-faces",
        networks=networks,
        verbs=("detect_faces",),
        decode=decode,
    )
