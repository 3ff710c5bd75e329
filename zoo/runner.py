"""A loaded model, and the only pipeline: read → preprocess → run → decode → map back."""

import importlib
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from core.graph.model import GraphModel
from core.graph.nodes import PartialSpec
from core.tensors import Tensor
from weights_cache.errors import MissingError, ZooError
from zoo.catalog import find_entry, is_entry, with_parts
from zoo.descriptions import network_text
from zoo.entry import Entry
from zoo.images import read_image
from zoo.mirroring import flipped_result
from zoo.networks import build_network
from zoo.options import check_flag, check_options
from zoo.planned import Planned
from zoo.preprocess import prepare, prepare_crops
from zoo.shared.placement import Placement
from zoo.shared.regions import Region

Result = TypeVar("Result")
Self = TypeVar("Self", bound="LoadedModel")
Outputs = Mapping[str, np.ndarray]

MOST_CROPS = 16  # in one batch: each takes megabytes while a network runs


class LoadedModel(Planned):
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
        return network_text(self.network, repr(self)[1:-1])

    def close(self) -> None:
        """Let go of the network with its weights; the model cannot run after that."""
        self._network = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zoo model {self.name}>"


class Model(LoadedModel):
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
        self.input_size = self.input_size_of(entry, options)
        super().__init__(entry.name, GraphModel(build_network(entry, options, weights), backend))
        self._parts: dict[str, Model] = {}
        self._making_parts = RLock()

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Names of what it tells apart, without loading it; none of models that do not."""
        from zoo.labels import read_labels

        return read_labels(entry.labels) if entry.labels else ()

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to."""
        assert entry.preprocess.size is not None  # or else the class of the model says
        return entry.preprocess.size

    def part(self, role: str) -> Any:
        """Another network that this one works with, such as its ``"detector"``; loaded once.

        It is the entry's, or the one that the option of that name chose.
        """
        network = self.network  # a closed model loads nothing
        with self._making_parts:
            if role not in self._parts:
                name = self.options.get(role) or self.entry.parts[role]
                entry = find_entry(name)
                defaults = check_options(name, entry.options, {})
                self._parts[role] = make_model(entry, defaults, network.backend)
            return self._parts[role]

    def network_input(self, image: Any) -> Any:
        """What the network is given for a whole picture; by default for a black one."""
        if image is None and all(s.smallest is not None for s in self.inputs.values()):
            return None  # the shapes are declared, and need not be those of pictures
        photo = np.zeros((*self.input_size, 3), np.uint8) if image is None else read_image(image)
        return prepare(photo, self.entry.preprocess, self.input_size)[0]

    def warmup(self, *parts: str) -> None:
        """Make the network ready, so that the first picture takes no longer than the next ones.

        Args:
            parts: other networks that are to be loaded and made ready, too, by the roles of the
                entry's ``parts``, such as ``"detector"``. Those that were used already always are.

        Raises:
            ZooError: there is no such part, or the model is closed.

        >>> import zoo
        >>> model = zoo.load("posenet.tiny")
        >>> model.warmup()
        """
        for role in parts:
            if role not in self.entry.parts:
                known = ", ".join(self.entry.parts) or "none"
                raise ZooError(f"{self.name} has no part {role!r}; its parts: {known}")
        super().warmup()
        for role in dict.fromkeys([*parts, *self._parts]):
            self.part(role).warmup()

    def close(self) -> None:
        """Let go of the network and its parts; the model cannot run after that."""
        super().close()
        with self._making_parts:
            for part in self._parts.values():
                part.close()
            self._parts.clear()

    def infer(self, image: Any, *, embedding: bool = False) -> Tensor:
        """Features of a picture, for uses of your own.

        Args:
            image: anything that the verbs take, one picture.
            embedding: the features that the network computes before its last layers, instead
                of its main output; the entry names the nodes of both.

        Returns:
            float32 [1, ...], of the picture brought to the size of the network's input.

        Raises:
            ZooError: the model has no embedding, or the picture cannot be read.
        """
        wanted = self.entry.embedding if embedding else self.entry.output
        if not wanted:
            raise ZooError(
                f"{self.name} has no embedding: execute gives any node of network.graph.nodes"
            )
        network = self.network
        values, _ = prepare(read_image(image), self.entry.preprocess, self.input_size)
        return network.execute(values, [wanted])[wanted]

    def look_at(
        self, photo: np.ndarray, size: tuple[int, int] | None = None
    ) -> tuple[Outputs, Placement]:
        """Run the network on a whole photo.

        Args:
            photo: uint8 [height, width, 3].
            size: height and width that it is brought to, by default the model's.

        Returns:
            What `looked_at` names, [1, ...], by name, and where the photo lies in the input.
        """
        values, placement = prepare(photo, self.entry.preprocess, size or self.input_size)
        return self._outputs(values), placement

    def look_closer(
        self, photo: np.ndarray, regions: Sequence[Region]
    ) -> tuple[Outputs, list[Placement]]:
        """Run the network on parts of a photo: in batches where it takes them, else one by one.

        Args:
            photo: uint8 [height, width, 3].
            regions: at least one, in pixels of the photo.

        Returns:
            Every output [regions, ...] by name, and where each region lies in the input.
        """
        seen: list[Outputs] = []
        placements: list[Placement] = []
        most = MOST_CROPS if self.entry.batch else 1
        for start in range(0, len(regions), most):
            some = regions[start : start + most]
            values, places = prepare_crops(photo, self.entry.preprocess, self.input_size, some)
            seen.append(self._outputs(values))
            placements += places
        return {name: np.concatenate([o[name] for o in seen]) for name in seen[0]}, placements

    def _outputs(self, values: np.ndarray) -> Outputs:
        found = self.network.execute(values, self.looked_at)
        return {name: np.asarray(tensor) for name, tensor in found.items()}

    def run(
        self, source: Any, estimate: Callable[[np.ndarray], Result], *, mirror: bool
    ) -> Result | Iterator[Result]:
        """Take one picture through the pipeline, or several lazily.

        Args:
            source: a picture, or a list, iterator or batch [n, h, w, 3] of them.
            estimate: from a photo, uint8 [height, width, 3], to the result in its pixels.
            mirror: the pictures are mirror images: what is seen is their flip.

        Returns:
            The result of one picture; an iterator over the results of several, which goes on
            after a picture that raised an error.
        """
        _ = self.network  # a closed model says so now, not at the first picture
        check_flag("mirror", mirror)

        def run_one(image: Any) -> Result:
            photo = read_image(image)
            if not mirror:
                return estimate(photo)
            seen = np.ascontiguousarray(photo[:, ::-1])
            return flipped_result(estimate(seen), photo.shape[1])

        return for_each_picture(source, run_one)

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<zoo model {self.name}{options}>"


def make_model(
    entry: Entry,
    options: Mapping[str, Any],
    backend: str | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> Any:
    """Load the network of an entry, with all its options."""
    try:
        return model_class(entry)(entry, options, backend=backend, weights=weights)
    except MissingError as error:
        raise _of_model(error, entry) from None


def _of_model(error: MissingError, entry: Entry) -> MissingError:
    """The error about a model, with all else that is missing of what it works with."""
    if is_entry(error.name):
        return error  # of a part; else the name is the record's
    from zoo.selection import missing_files, of_entry

    lacking = {part.name: missing_files(of_entry(part)) for part in with_parts(entry)}
    partners = [name for name, files in lacking.items() if files and name != entry.name]
    return error.of_model(entry.name, [f for files in lacking.values() for f in files], partners)


def model_class(entry: Entry) -> Any:
    """The class of an entry's task whose verbs the model has."""
    module, name = entry.model.split(":")
    return getattr(importlib.import_module(f"zoo.{entry.task}.{module}"), name)


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
