"""The anchors of detectors, as their decoder in a page takes them."""

from typing import cast

from zoo.publishing.recipes.recipe import Json
from zoo.shared.anchors import AnchorGrid


def grid_numbers(grid: AnchorGrid) -> dict[str, Json]:
    """Return the meaning of a detector's outputs as JSON has it."""
    return cast("dict[str, Json]", grid._asdict())
