"""PoseNet in a page: one network for one person and for several, as each size has its own code."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.recipe import NetworkUse, Recipe
from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.posenet import PoseNetModel


def recipe(model: Model) -> Recipe:
    """Return the recipe of a PoseNet, with the size of the input for several people."""
    assert isinstance(model, PoseNetModel)
    size = model.input_size_of(model.entry, model.options, several=True)
    return Recipe(
        script="posenet.js",
        class_name="PoseNet",
        element="zoo-pose",
        networks={"pose": NetworkUse(model, size)},
        verbs=("estimate_single_pose", "estimate_multiple_poses"),
        decode={"stride": model.options["output_stride"]},
        skeleton=BODY_17,
    )
