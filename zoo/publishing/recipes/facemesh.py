"""The face mesh in a page, after its detector."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.face_detectors import detector_use
from zoo.publishing.recipes.recipe import Json, NetworkUse, Recipe
from zoo.tasks.faces.estimating import CONTOURS


def recipe(model: Model) -> Recipe:
    """Return the recipe of a face mesh; its page has no irises, expressions, ages."""
    detector: Model = model.part("detector")
    networks, decode = detector_use(detector)
    contours: dict[str, Json] = {name: [*each] for name, each in CONTOURS["mesh468"].items()}
    return Recipe(
        script="mesh.js",
        class_name="FaceMesh",
        element="zoo-faces",
        networks={**networks, "mesh": NetworkUse(model, model.input_size)},
        verbs=("estimate_faces",),
        left_out=("iris", "expressions", "age_gender"),
        decode={
            **decode,
            "detector": dict(detector.entry.defaults),
            "outputs": {"mesh": model.entry.output, "presence": "output_faceflag"},
            "contours": contours,
        },
    )
