"""A loaded model, and the only pipeline: read → preprocess → run → decode → map back."""

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from core.graph.model import GraphModel
from core.graph.nodes import PartialSpec
from core.tensors import Tensor
from weights_cache import load_weights
from weights_cache.errors import ZooError
from zoo.descriptions import describe
from zoo.entry import Entry
from zoo.images import read_image
from zoo.preprocess import Placement, prepare

Result = TypeVar("Result")
Self = TypeVar("Self", bound="LoadedModel")
Outputs = Mapping[str, np.ndarray]


class LoadedModel:
    """A loaded network: what goes in, what comes out, and any node. Threads may share it.

    Made by `zoo.load`. Usable in a ``with`` statement, which closes it.
    """

    def __init__(self, name: str, network: GraphModel):
        self._name = name
        self._network: GraphModel | None = network

    @property
    def name(self) -> str:
        """Such as ``"posenet.tiny"``, or the path that the model was loaded from."""
        return self._name

    @property
    def backend(self) -> str:
        """Name of the backend it runs on."""
        return self.network.backend

    @property
    def network(self) -> GraphModel:
        """The graph that runs, with its weights."""
        if self._network is None:
            raise ZooError(f"the model {self.name} is closed: load it again with zoo.load")
        return self._network

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input of the network, its shape (None: any length) and dtype."""
        return self.network.inputs

    @property
    def outputs(self) -> dict[str, PartialSpec]:
        """Name of each output of the network, its shape (None: any length) and dtype."""
        return self.network.outputs

    def predict(self, inputs: Any, *, raw: bool = False) -> dict[str, Tensor]:
        """Run the network on ready-made input.

        Args:
            inputs: array or tensor as the property `inputs` tells, or a dict of them by name.
            raw: give the outputs of a quantised network as their integers, not as the real values
                that they stand for.

        Returns:
            Every output by name, as the network gives it.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
            ZooError: the model is closed.
        """
        return self.network.predict(inputs, raw=raw)

    def predict_async(
        self, inputs: Any, *, raw: bool = False
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`predict` to await: the event loop goes on while a worker thread computes.

        Any other method can be awaited likewise, such as
        ``await core.run_async(model.estimate_single_pose, photo)``.

        Args:
            inputs: as for `predict`.
            raw: as for `predict`.

        Returns:
            To await: every output by name.

        >>> import asyncio, zoo
        >>> model = zoo.load("posenet.tiny")
        >>> inputs = {name: np.zeros([n or 1 for n in x.shape], x.dtype)
        ...           for name, x in model.inputs.items()}
        >>> outputs = asyncio.run(model.predict_async(inputs))
        >>> outputs.keys() == model.outputs.keys()
        True
        """
        return self.network.predict_async(inputs, raw=raw)

    def execute(
        self, inputs: Any, outputs: Sequence[str], *, raw: bool = False
    ) -> dict[str, Tensor]:
        """Run what leads to any nodes of the network, not only to its outputs.

        Args:
            inputs: as for `predict`; a dict may name any node, which then is not computed.
            outputs: names of outputs or nodes; ``model.network.graph.nodes`` lists the nodes.
            raw: as for `predict`.

        Returns:
            What was asked for, by the names given.
        """
        return self.network.execute(inputs, outputs, raw=raw)

    def describe(self) -> str:
        """Inputs, outputs, number of parameters and types of nodes, as a text of a few lines."""
        return describe(self.network, repr(self)[1:-1])

    def close(self) -> None:
        """Let go of the network with its weights; the model cannot run after that."""
        self._network = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zoo model {self.name}>"


class Model(LoadedModel, ABC):
    """A pretrained model, by its name in `zoo.models`: a `LoadedModel` that also takes pictures.

    The classes of tasks add their verbs, such as ``estimate_single_pose``.
    """

    def __init__(
        self,
        entry: Entry,
        options: Mapping[str, Any],
        *,
        backend: str | None = None,
        weights: str | os.PathLike[str] | None = None,
    ):
        self.entry, self.options = entry, dict(options)
        self.input_size = self.input_size_of(options)
        graph = _build(entry, self.options, weights)
        super().__init__(entry.name, GraphModel(graph, backend))

    def infer(self, image: Any, *, embedding: bool = False) -> Tensor:
        """Features of a picture, for uses of your own.

        Args:
            image: anything that the verbs take, one picture.
            embedding: the features that the network computes before its last layers, instead
                of its main output; the entry names the nodes of both.

        Returns:
            float32 [1, ...], of the picture brought to the size of the network's input.
        """
        wanted = self.entry.embedding if embedding else self.entry.output
        values, _ = prepare(read_image(image), self.entry.preprocess, self.input_size)
        return self.network.execute(values, [wanted])[wanted]

    @classmethod
    @abstractmethod
    def input_size_of(cls, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to, by the model's options."""

    def run(
        self, source: Any, decode: Callable[[Outputs, Placement], Result], *, mirror: bool
    ) -> Result | Iterator[Result]:
        """Take one picture through the pipeline, or several lazily.

        Args:
            source: a picture, or a list, iterator or batch [n, h, w, 3] of them.
            decode: from the network's outputs and the place of the picture in its input to the
                result, in pixels of the picture.
            mirror: the pictures are mirror images.

        Returns:
            The result of one picture; an iterator over the results of several, which goes on
            after a picture that raised an error.
        """
        network = self.network  # a closed model says so now, not at the first picture

        def run_one(image: Any) -> Result:
            values, placement = prepare(
                read_image(image), self.entry.preprocess, self.input_size, mirror=mirror
            )
            outputs = network.predict(values)
            return decode({name: np.asarray(t) for name, t in outputs.items()}, placement)

        return for_each_picture(source, run_one)

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<zoo model {self.name}{options}>"


def for_each_picture(source: Any, run_one: Callable[[Any], Result]) -> Result | Iterator[Result]:
    """The result of one picture, or a lazy iterator over those of several."""
    if not is_several(source):
        return run_one(source)
    return map(run_one, np.asarray(source) if hasattr(source, "ndim") else source)


def is_several(source: Any) -> bool:
    """Whether a source of pictures is a list, an iterator or a batch rather than one picture."""
    if isinstance(source, (list, tuple)):
        return True
    if hasattr(source, "ndim"):  # an array or a tensor
        return source.ndim == 4
    single = isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike))
    return not single and hasattr(source, "__next__") and not hasattr(source, "read")


def _build(entry: Entry, options: Mapping[str, Any], path: Any) -> Any:
    """The graph of an entry: its builder, given its weights and those options that it takes."""
    module, function = entry.network.split(":")
    builder = getattr(importlib.import_module(f"zoo.networks.{module}"), function)
    taken = {k: options[k] for k in builder.__kwdefaults__ if k in options}
    weights = load_weights(entry.weights if path is None else path)
    return builder(weights, **taken)
