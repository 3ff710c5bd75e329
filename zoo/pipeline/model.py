"""A loaded model, and the only pipeline: read → preprocess → run → decode → map back."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from core.graph_model.deferred_model import DeferredModel, deferred_model, network_backend
from core.process.context_vars import in_new_context
from core.process.locks import new_lock
from weights_cache.common.errors import MissingError, ZooError
from zoo.catalog.entries import find_entry, is_entry, model_class, with_parts
from zoo.catalog.entry import Entry
from zoo.catalog.networks import build_network, check_files, network_facts
from zoo.images.flips import flipped
from zoo.images.lists import for_each_batch
from zoo.images.reading import read_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.mirroring import flipped_result
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

#: The model and the image by their identity, and the size that the image was brought to.
Look = tuple[int, int, tuple[int, int]]

#: Results of the images that ran as one batch, which `Model.run_on_image` returns.
_seen: ContextVar[Mapping[Look, tuple[Outputs, Placement]]] = ContextVar(
    "seen", default=MappingProxyType({})
)


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
        self.entry, self.options = entry, dict(options)
        self.input_size = self.input_size_of(entry, options)
        network = _network_of(entry, options, network_backend(backend), weights)
        super().__init__(entry.name, network, LoadCall.of_entry(entry, options, weights))
        self._parts: dict[str, Model] = {}
        self._making_parts = new_lock()

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Names of the classes, without loading the network; empty for models without classes."""
        from zoo.catalog.labels import read_labels

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

        def infer_batch(images: Sequence[np.ndarray]) -> "list[Tensor]":
            values, _ = self._prepared(images, self.input_size)
            return self.rows_of(self.execute(values, [wanted])[wanted], len(images))

        return for_each_batch(image, infer_batch, self.entry.together, list)

    def rows_of(self, batch: "Tensor", count: int) -> "list[Tensor]":
        """Return the network's output for each image of a batch, [1, ...]."""
        return [batch] if count == 1 else [batch[i : i + 1] for i in range(count)]

    def run_on_image(
        self, image: np.ndarray, size: tuple[int, int] | None = None
    ) -> tuple[Outputs, Placement]:
        """Run the network on a whole image.

        Args:
            image: uint8 [height, width, 3].
            size: height and width that it is brought to, by default the model's.

        Returns:
            What `output_names` names, [1, ...], by name, and where the image lies in the input.
        """
        size = size or self.input_size
        seen = _seen.get().get((id(self), id(image), size))
        return seen or self._run_on_images([image], size)[0]

    def _run_on_images(
        self, images: Sequence[np.ndarray], size: tuple[int, int]
    ) -> list[tuple[Outputs, Placement]]:
        """Return what `run_on_image` returns for each of some images, by one run of the network."""
        values, placements = self._prepared(images, size)
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
        pairs = [prepare(image, self.entry.preprocess, size) for image in images]
        values = [value for value, _ in pairs]
        batch = values[0] if len(values) == 1 else np.concatenate(values)
        return batch, [placement for _, placement in pairs]

    def run_on_regions(
        self, image: np.ndarray, regions: Sequence[Region], outputs: Sequence[str] = ()
    ) -> tuple[Outputs, list[Placement]]:
        """Run the network on parts of an image: in batches where it takes them, else one by one.

        Args:
            image: uint8 [height, width, 3].
            regions: at least one, in pixels of the image.
            outputs: names of outputs or nodes, by default `output_names`.

        Returns:
            Each output [regions, ...] by name, and where each region lies in the input.
        """
        seen: list[Outputs] = []
        placements: list[Placement] = []
        most = MOST_CROPS if self.entry.batch else 1
        for start in range(0, len(regions), most):
            some = regions[start : start + most]
            values, located = prepare_crops(image, self.entry.preprocess, self.input_size, some)
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
        estimate: Callable[[np.ndarray], Result],
        *,
        mirror: bool,
        size: tuple[int, int] | None = None,
    ) -> Result:
        """Take one image through the pipeline, or several.

        Args:
            source: an image, or a list, iterator or batch [n, h, w, 3] of them.
            estimate: from an image, uint8 [height, width, 3], to the result in its pixels. Of a
                list, `run_on_image` has looked at some images at once where the entry allows it.
            mirror: the images are mirror images: what is seen is their flip.
            size: that ``estimate`` passes to `run_on_image`, by default the model's.

        Returns:
            The result of one image; of a list the list of results, of an iterator an iterator
            over them, which goes on after an image that raised an error. The type is that of one,
            as the decorator of the verb says the others.
        """
        self.check_open()  # now, not at the first image
        side = size or self.input_size

        def run_batch(images: Sequence[np.ndarray]) -> list[Result]:
            if mirror:
                images = [flipped(image) for image in images]
            looked = self._run_on_images(images, side) if len(images) > 1 else ()
            keys = ((id(self), id(image), side) for image in images)
            seen = dict(zip(keys, looked, strict=False))

            def estimates() -> list[Result]:
                _seen.set(seen)
                return [estimate(image) for image in images]

            results = in_new_context(estimates)
            if not mirror:
                return results
            widths = [image.shape[1] for image in images]
            return list(map(flipped_result, results, widths))

        return for_each_batch(source, run_batch, self.entry.together)

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
        from core import GraphModel

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
