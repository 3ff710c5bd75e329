"""Detectors of faces in a page, alone or refined: their networks, and numbers of their decoder."""

from typing import NamedTuple

from weights_cache.common.errors import ZooError
from zoo.pipeline.model import Model
from zoo.publishing.recipes.grids import grid_numbers
from zoo.publishing.recipes.recipe import Json, NetworkUse
from zoo.tasks.faces.detectors import BlazeFace, RefinedBlazeFace


class DetectorUse(NamedTuple):
    """The networks of a detector by the names of their functions, and the numbers it needs."""

    networks: dict[str, NetworkUse]
    decode: dict[str, Json]


def detector_use(model: Model) -> DetectorUse:
    """Return what a detector of faces needs.

    Raises:
        ZooError: it, or the one that proposes faces to it, is no BlazeFace that pages have.
    """
    networks = {"detect": NetworkUse(model, model.input_size)}
    how = model.entry.decode
    if isinstance(model, BlazeFace):
        return DetectorUse(networks, {"grid": grid_numbers(how)})
    detector = model.part("detector") if isinstance(model, RefinedBlazeFace) else model
    if not isinstance(detector, BlazeFace):
        raise ZooError(
            f"faces found by {detector.name} cannot be published yet: load the model with "
            "detector='blazeface.back' or 'blazeface.full'"
        )
    networks["detector"] = NetworkUse(detector, detector.input_size)
    refinement = how._asdict()
    decode: dict[str, Json] = {
        "grid": grid_numbers(refinement.pop("grid")),
        "refinement": refinement,
        "proposals": {
            "grid": grid_numbers(detector.entry.decode),
            "iou_threshold": detector.entry.defaults["iou_threshold"],
        },
    }
    return DetectorUse(networks, decode)
