"""The anchors of detectors, as their decoder in a page takes them."""

from typing import cast

from zoo.publishing.recipes.recipe import Json
from zoo.shared.anchors import AnchorGrid


def grid_numbers(grid: AnchorGrid) -> Json:
    """Return the meaning of a detector's outputs as JSON has it."""
    return cast("Json", grid._asdict())
