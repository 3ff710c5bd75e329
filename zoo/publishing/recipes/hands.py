"""Hand landmarks in a page, after the palm detector."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.grids import grid_numbers
from zoo.publishing.recipes.recipe import NetworkUse, Recipe
from zoo.shared.skeletons import HAND_21
from zoo.tasks.hands.landmarks import JointPalmDetector


def recipe(model: Model) -> Recipe:
    """Return the recipe of a hand landmark network with its detector."""
    detector: Model = model.part("detector")
    return Recipe(
        script="hands.js",
        class_name="Hands",
        element="zoo-hands",
        networks={
            "detector": NetworkUse(detector, detector.input_size),
            "landmarks": NetworkUse(model, model.input_size),
        },
        verbs=("estimate_hands",),
        decode={
            "grid": {
                **grid_numbers(detector.entry.decode),
                "joint": isinstance(detector, JointPalmDetector),
            },
            "detector": dict(detector.entry.defaults),
            "outputs": model.entry.decode._asdict(),
        },
        skeleton=HAND_21,
    )
