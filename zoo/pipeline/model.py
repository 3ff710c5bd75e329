"""A loaded model, and the only pipeline: read → prepare → network → decode → map back."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from core.graph_model.deferred_model import DeferredModel, deferred_model, network_backend
from core.process.locks import new_lock
from weights_cache.common.errors import MissingError, ZooError
from zoo.catalog.entries import find_entry, is_entry, model_class, with_parts
from zoo.catalog.entry import Entry
from zoo.catalog.labels import read_labels
from zoo.catalog.networks.facts import check_files, network_facts
from zoo.images.lists import for_each_batch
from zoo.images.reading import read_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.mirroring import results_of_mirrored
from zoo.pipeline.options import checked
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.preprocess import prepare, prepare_crops
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.shared.placement import Placement, Region

if TYPE_CHECKING:
    from core import GraphModel, Tensor
    from core.graph_model.deferred_model import StoredCalls

Result = TypeVar("Result")
Outputs = Mapping[str, np.ndarray]

MOST_CROPS = 16  # in one batch: each takes megabytes while a network runs


class Model(LoadedModel):
    """A pretrained model, by its name in `zoo.models`: a `LoadedModel` that also takes images.

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
        network = _network_of(entry, options, network_backend(backend), weights)
        self._begin(entry, options, network, LoadCall.of_entry(entry, options, weights))

    def _begin(
        self,
        entry: Entry,
        options: Mapping[str, Any],
        network: "GraphModel | DeferredModel",
        recipe: LoadCall | None,
    ) -> None:
        """Set all that a model has beside the labels and verbs of its class."""
        self.entry, self.options = entry, dict(options)
        self.input_size = self.input_size_of(entry, options)
        super().__init__(entry.name, network, recipe)
        self._parts: dict[str, Model] = {}
        self._making_parts = new_lock()

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Names of the classes, without loading the network; empty for models without classes."""
        return read_labels(entry.labels) if entry.labels else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes that the network knows; empty for models without classes."""
        return self.labels_of(self.entry)

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that images are brought to."""
        assert entry.preprocess.size is not None  # or else the class of the model says
        return entry.preprocess.size

    def part(self, role: str) -> Any:
        """Return a part of this model, such as its ``"detector"``, which is loaded once.

        It is the entry's, or the one that the option of that name chose.
        """
        backend = self.backend  # a closed model loads nothing
        with self._making_parts:
            if role not in self._parts:
                chosen = self.options.get(role) or self.entry.parts[role]
                if isinstance(chosen, Model):
                    return chosen  # the caller's own, who closes it
                entry = find_entry(chosen)
                defaults = checked(chosen, entry.options, {})
                self._parts[role] = make_model(entry, defaults, backend)
            return self._parts[role]

    def network_input(self, image: Any) -> Any:
        """Return the network's input for a whole image, by default for a black one."""
        if image is None and all(s.smallest is not None for s in self.inputs.values()):
            return None  # the shapes are declared, and need not be those of images
        pixels = np.zeros((*self.input_size, 3), np.uint8) if image is None else read_image(image)
        return prepare(pixels, self.entry.preprocess, self.input_size)[0]

    def warmup(self, *parts: str) -> float:
        """Make the network ready, so that the first image takes no longer than the next ones.

        Args:
            parts: other networks that are to be loaded and made ready, too, by the roles of the
                entry's ``parts``, such as ``"detector"``. Those that were used already always are.

        Returns:
            How many milliseconds it took, parts included.

        Raises:
            ZooError: there is no such part, or the model is closed.

        >>> import zoo
        >>> model = zoo.load("posenet.tiny")
        >>> model.warmup() > 0
        True
        """
        for role in parts:
            if role not in self.entry.parts:
                known = ", ".join(self.entry.parts) or "none"
                raise ZooError(f"{self.name} has no part {role!r}; its parts: {known}")
        taken = super().warmup()
        return taken + sum(self.part(r).warmup() for r in dict.fromkeys([*parts, *self._parts]))

    def close(self) -> None:
        """Release the network and its parts; the model cannot run after that."""
        super().close()
        with self._making_parts:
            for part in self._parts.values():
                part.close()
            self._parts.clear()

    @model_verb
    def infer(self, image: ImageSource, *, embedding: bool = False) -> "Tensor":
        """Return features of an image, such as to train on them.

        Args:
            image: anything that the verbs take.
            embedding: the features that the network computes before its last layers, instead
                of its main output; the entry names the nodes of both.

        Returns:
            float32 [1, ...], of the image brought to the size of the network's input; for a list
            of images a list of such tensors.

        Raises:
            ZooError: the model has no embedding, or the image cannot be read.
        """
        wanted = self.entry.embedding if embedding else self.entry.output
        if not wanted:
            raise ZooError(
                f"{self.name} has no embedding: execute gives any node of network.graph.nodes"
            )
        self.check_open()

        return for_each_batch(image, partial(self._inferred, wanted), self.entry.together, list)

    def _inferred(self, wanted: str, images: Sequence[np.ndarray]) -> "list[Tensor]":
        """Return a node's output for each image of a batch."""
        values, _ = self._prepared(images, self.input_size)
        return self.rows_of(self.execute(values, [wanted])[wanted], len(images))

    def rows_of(self, batch: "Tensor", count: int) -> "list[Tensor]":
        """Return the network's output for each image of a batch, [1, ...]."""
        return [batch] if count == 1 else [batch[i : i + 1] for i in range(count)]

    def run_on_image(
        self, image: np.ndarray, size: tuple[int, int] | None = None
    ) -> tuple[Outputs, Placement]:
        """Run the network on a whole image; see `run_on_images`."""
        return self.run_on_images([image], size)[0]

    def run_on_images(
        self, images: Sequence[np.ndarray], size: tuple[int, int] | None = None
    ) -> list[tuple[Outputs, Placement]]:
        """Run the network once, on a batch of whole images.

        Args:
            images: uint8 [height, width, 3] each.
            size: height and width that they are brought to, by default the model's.

        Returns:
            For each image what `output_names` names, [1, ...], by name, and where the image lies
            in the input.
        """
        values, placements = self._prepared(images, size or self.input_size)
        outputs = self.outputs_of(values)
        if len(images) == 1:
            return [(outputs, placements[0])]
        return [
            ({name: array[i : i + 1] for name, array in outputs.items()}, placement)
            for i, placement in enumerate(placements)
        ]

    def _prepared(
        self, images: Sequence[np.ndarray], size: tuple[int, int]
    ) -> tuple[np.ndarray, list[Placement]]:
        """Whole images as the input of the network, [images, ...], and where each lies in it."""
        values, placements = [], []
        for image in images:
            value, placement = prepare(image, self.entry.preprocess, size)
            values.append(value)
            placements.append(placement)
        return values[0] if len(values) == 1 else np.concatenate(values), placements

    def run_on_regions(
        self,
        image: np.ndarray,
        regions: Sequence[Region],
        outputs: Sequence[str] = (),
        size: tuple[int, int] | None = None,
    ) -> tuple[Outputs, list[Placement]]:
        """Run the network on parts of an image: in batches where it takes them, else one by one.

        Args:
            image: uint8 [height, width, 3].
            regions: at least one, in pixels of the image.
            outputs: names of outputs or nodes, by default `output_names`.
            size: height and width that they are brought to, by default the model's.

        Returns:
            Each output [regions, ...] by name, and where each region lies in the input.
        """
        seen: list[Outputs] = []
        placements: list[Placement] = []
        most = MOST_CROPS if self.entry.batch else 1
        for start in range(0, len(regions), most):
            some = regions[start : start + most]
            sides = size or self.input_size
            values, located = prepare_crops(image, self.entry.preprocess, sides, some)
            seen.append(self.outputs_of(values, outputs))
            placements += located
        if len(seen) == 1:
            return seen[0], placements
        return {name: np.concatenate([o[name] for o in seen]) for name in seen[0]}, placements

    def outputs_of(
        self, values: np.ndarray | Mapping[str, np.ndarray], names: Sequence[str] = ()
    ) -> Outputs:
        """Return outputs of the network as read-only arrays.

        Args:
            values: the input of the network, or values of nodes by name.
            names: names of outputs or nodes, by default `output_names`.
        """
        names = names or self.output_names
        found = self._run_stored(values, names, as_arrays=True)
        return found or self.network.execute(values, names, as_arrays=True)

    def run(
        self,
        source: Any,
        decode: Callable[[np.ndarray, Outputs, Placement], Result],
        *,
        mirror: bool,
        size: tuple[int, int] | None = None,
    ) -> Result:
        """Take an image, or several, through the network: prepare, run, decode.

        Args:
            source: an image, or a list, iterator or batch [n, h, w, 3] of them.
            decode: from an image, uint8 [height, width, 3], the outputs of the network for it,
                [1, ...], and where it lies in the input, to the result in pixels of the image.
            mirror: the images are mirror images: what is seen is their flip.
            size: height and width that images are brought to, by default the model's.

        Returns:
            The result of one image; of a list the list of results, of an iterator an iterator
            over them, which goes on after an image that raised an error. Of a list the network
            runs on as many images together as the entry allows. The type is that of one result,
            as the decorator of the verb says the others.
        """
        decode_batch = self._for_images(partial(self._decoded, decode, size), mirror)
        return for_each_batch(source, decode_batch, self.entry.together)

    def run_each(
        self, source: Any, find: Callable[[np.ndarray], Result], *, mirror: bool
    ) -> Result:
        """Return what a function finds in an image, or in each of several, like `run`.

        Args:
            source: see `run`.
            find: from an image, uint8 [height, width, 3], to the result in its pixels: it may run
                networks on the whole and on parts of it.
            mirror: see `run`.
        """
        find_batch = self._for_images(lambda images: [*map(find, images)], mirror)
        return for_each_batch(source, find_batch, 1)

    def _for_images(
        self, results_of: Callable[[Sequence[np.ndarray]], list[Result]], mirror: bool
    ) -> Callable[[Sequence[np.ndarray]], list[Result]]:
        """Return a function of images, or that for mirror images; raise if the model is closed."""
        self.check_open()  # now, not at the first image
        return partial(results_of_mirrored, results_of) if mirror else results_of

    def _decoded(
        self,
        decode: Callable[[np.ndarray, Outputs, Placement], Result],
        size: tuple[int, int] | None,
        images: Sequence[np.ndarray],
    ) -> list[Result]:
        """Return the results of images that the network runs on together."""
        results = []
        for image, (outputs, placement) in zip(
            images, self.run_on_images(images, size), strict=True
        ):
            results.append(decode(image, outputs, placement))
        return results

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<zoo model {self.name}{options}>"


def _network_of(
    entry: Entry,
    options: Mapping[str, Any],
    backend: str,
    weights: str | os.PathLike[str] | None,
) -> "GraphModel | DeferredModel":
    """Return the network of an entry; if an earlier process stored calls of it, it is read later.

    Weights of the user's own are always read now, as they may be those of another network.
    """

    def made(stored: "StoredCalls | None" = None) -> "GraphModel":
        # Stored calls need neither.
        from core import GraphModel
        from zoo.catalog.networks.building import build_network

        return GraphModel(build_network(entry, options, weights), backend, stored=stored)

    if weights is not None:
        return made()
    network = deferred_model(made, backend, network_facts(entry, options), ["zoo.catalog.networks"])
    if isinstance(network, DeferredModel):
        check_files(entry)  # of which none is read
    return network


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
    from zoo.catalog.weight_files import missing_files, of_entry

    lacking = {part.name: missing_files(of_entry(part)) for part in with_parts(entry)}
    partners = [name for name, files in lacking.items() if files and name != entry.name]
    return error.for_model(entry.name, [f for files in lacking.values() for f in files], partners)
