"""Networks from files of which only the input is known: images in, outputs as they are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core import GraphModel
from weights_cache.common.errors import ZooError
from zoo.images.reading import read_image
from zoo.pipeline.file_tasks import FileTask
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.network_summary import shown_specs
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.preparation import image_input, read_preparation
from zoo.shared.placement import Placement


class ImageNetwork(LoadedModel):
    """A network from a file with `preprocessing`: `run_on_image`, `predict` and `execute`.

    Args:
        name: path or URL of the file.
        network: the network.
        recipe: call that loads the model, for pickles.
        task: how an image becomes its input.

    Raises:
        ZooError: the network does not take one image.
    """

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None, task: FileTask):
        super().__init__(name, network, recipe)
        specs = list(self.inputs.values())
        if len(specs) != 1:
            raise ZooError(
                f"{name} takes {shown_specs(specs)}, not one image: leave preprocessing= out and "
                f"use predict"
            )
        self._preparation = read_preparation(task.preprocessing)
        preparation = self._preparation
        self._input = image_input(name, specs[0], preparation.size, preparation.axes)
        preparation.check(name, self._input)

    def run_on_image(self, image: Any) -> tuple[Mapping[str, np.ndarray], Placement]:
        """Run the network on an image.

        Args:
            image: anything that functions of the zoo take as one image.

        Returns:
            The outputs by name, as the network gives them, and the placement of the image in the
            input: its ``to_image(x, y)`` maps pixels of the input to those of the image.

        Raises:
            ImageError: the image cannot be read.
        """
        values, placement = self._preparation.input_of(read_image(image), self._input)
        return {name: tensor.numpy() for name, tensor in self.predict(values).items()}, placement

    def network_input(self, image: Any) -> Any:
        """Return the network's input for an image."""
        if image is None:
            return None
        return self._preparation.input_of(read_image(image), self._input)[0]
