"""Classifiers in a page."""

from zoo.pipeline.model import Model
from zoo.publishing.recipes.recipe import NetworkUse, Recipe


def recipe(model: Model) -> Recipe:
    """Return the recipe of a classifier."""
    return Recipe(
        script="classes.js",
        class_name="Classifier",
        element="zoo-classes",
        networks={"classify": NetworkUse(model, model.input_size)},
        verbs=("classify",),
        labels=tuple(model.labels),
    )
