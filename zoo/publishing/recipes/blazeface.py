"""BlazeFace in a page."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.grids import grid_numbers
from zoo.publishing.recipes.recipe import NetworkUse, Recipe


def recipe(model: Model) -> Recipe:
    """Return the recipe of a BlazeFace."""
    return Recipe(
        script="faces.js",
        class_name="Faces",
        element="zoo-faces",
        networks={"detect": NetworkUse(model, model.input_size)},
        verbs=("detect_faces",),
        decode={"grid": grid_numbers(model.entry.decode)},
    )
