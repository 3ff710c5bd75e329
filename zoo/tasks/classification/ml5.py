"""Networks of numbers and texts that ml5's neuralNetwork trained."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from core import GraphModel, Tensor, backend, tensor
from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.labels import best_labels
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.options import checked_for
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import NetworkInput
from zoo.results.vocabulary import Label

if TYPE_CHECKING:
    from core.converter.ml5 import Ml5Meta, Ml5Value

#: Inputs in the order of the network, or by name: numbers and texts.
Values = Sequence[float | str] | Mapping[str, float | str] | np.ndarray


class Ml5Model(LoadedModel):
    """A network that ml5 saved, with the units of its inputs and outputs."""

    def __init__(self, name: str, network: GraphModel, recipe: LoadCall | None = None):
        super().__init__(name, network, recipe)
        #: Inputs and outputs in ml5's units.
        self.meta: Ml5Meta = network.graph.metadata

    def _outputs_of(self, values: Any) -> np.ndarray:
        """Return what the network gives for one row of values: float32 [numbers]."""
        row = np.concatenate([self._numbers(*pair) for pair in self._pairs(values)])
        (found,) = super().predict(row[None].astype(np.float32)).values()
        return found.numpy()[0]

    def _pairs(self, values: Any) -> "list[tuple[Ml5Value, Any]]":
        """Return each input with its value."""
        names = [value.name for value in self.meta.inputs]
        if isinstance(values, Mapping):
            for name in values:
                if name not in names:
                    hint = did_you_mean(name, names) if isinstance(name, str) else ""
                    raise ZooError(f"{self.name} has no input {name!r:.80}{hint}: {_listed(names)}")
            if len(values) == len(names):
                return [(value, values[value.name]) for value in self.meta.inputs]
        elif isinstance(values, (list, tuple, np.ndarray)) and len(values) == len(names):
            return list(zip(self.meta.inputs, values, strict=True))
        raise ZooError(
            f"{self.name} takes {len(names)} values, in this order or by name, not "
            f"{values!r:.80}: {_listed(names)}"
        )

    def _numbers(self, value: "Ml5Value", given: Any) -> np.ndarray:
        """Return the numbers of the network for a value."""
        if value.choices:
            if given not in value.choices:
                raise ZooError(
                    f"{value.name}={given!r:.80} must be one of {_listed(value.choices)}"
                )
            return np.array([text == given for text in value.choices], np.float64)
        is_number = isinstance(given, Real) and not isinstance(given, (bool, np.bool_))
        if not is_number or not math.isfinite(given):
            raise ZooError(f"{value.name}={given!r:.80} must be a number")
        if not self.meta.is_normalized:
            return np.array([given], np.float64)
        if value.high == value.low:
            raise ZooError(
                f"{self.name} cannot be used: its input {value.name} was {value.low:g} in all "
                f"examples, so ml5 divides by 0"
            )
        scaled = (float(given) - value.low) / (value.high - value.low)
        return np.array([scaled], np.float64)


class Ml5Classifier(Ml5Model):
    """A classifier that ml5 trained."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        return self.meta.outputs[0].choices

    def classify(self, values: Values, *, top_k: int = 3, mirror: bool = False) -> list[Label]:
        """Return the best classes of some values.

        Args:
            values: numbers and texts, in the order of ml5's inputs or by their names, in the units
                of the training data.
            top_k: largest number of labels, 1 or more.
            mirror: is for images: leave it out.

        Returns:
            As of `zoo.classify`.

        Raises:
            ZooError: values are missing, unknown or no numbers.
        """
        options = checked_for(self, Ml5Classifier.classify, {"top_k": top_k, "mirror": mirror})
        if options["mirror"]:
            raise ZooError(f"mirror=True is for images, {self.name} takes values: leave it out")
        return best_labels(self._outputs_of(values), self.labels, options["top_k"])


class Ml5Regressor(Ml5Model):
    """A regression model that ml5 trained."""

    def predict(self, inputs: NetworkInput, *, raw: bool = False) -> dict[str, Tensor]:
        """Return the numbers for some values, in the units of the training data.

        Args:
            inputs: numbers and texts, in the order of ml5's inputs or by their names, in the units
                of the training data.
            raw: give the network's numbers, which ml5 scaled to 0..1.

        Returns:
            Every output of ml5 by name, float32 [1].

        Raises:
            ZooError: values are missing, unknown or no numbers.
        """
        found = {}
        for value, number in zip(self.meta.outputs, self._outputs_of(inputs), strict=True):
            is_scaled = self.meta.is_normalized and not raw
            scale, low = (value.high - value.low, value.low) if is_scaled else (1.0, 0.0)
            found[value.name] = np.array([float(number) * scale + low], np.float32)
        with backend("cpu"):
            return {name: tensor(array) for name, array in found.items()}


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names)):.300}"
