"""Fine-tuning in one call: from images with labels to a model whose network learnt as well."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.model_names import BackendName
from zoo.images.pixels import ImageError
from zoo.pipeline.model_cache import load
from zoo.pipeline.options import refusing_unknown, under_two_names
from zoo.transfer.distances import Familiarity
from zoo.transfer.duplicates import find_duplicates
from zoo.transfer.examples import Examples, storable
from zoo.transfer.features.extractor import embedding_extractor
from zoo.transfer.features.store import hashed
from zoo.transfer.gathering import Gathered, check_classes, gather, without_conflicts
from zoo.transfer.image_hashes import image_hash
from zoo.transfer.image_sets import Example, ExampleSource, ImageSet, read_image_set, source_name
from zoo.transfer.lessons import Lesson, Settings, Skipped
from zoo.transfer.scores.reports import scores_of_others, scores_of_stopping
from zoo.transfer.targets import Kind, Target
from zoo.transfer.taught_model import TaughtModel
from zoo.transfer.tuning.fine_tuning import FineTuned, fine_tuned_network
from zoo.transfer.tuning.settings import TuningSettings, checked_settings, held_out_images

#: Fastest of the models that fine-tuning improved on ants and bees.
DEFAULT_MODEL = "mobilenet.v1_025"

VALIDATION = 0.2

_SETTINGS = TuningSettings()


class _Readable(NamedTuple):
    """Images that can be read, in the order of the examples without features."""

    images: list[Example]
    gathered: Gathered


@refusing_unknown
def fine_tune(
    source: ExampleSource,
    targets: Sequence[Target] | None = None,
    *,
    model: str = DEFAULT_MODEL,
    kind: Kind | None = None,
    validation: float | None = VALIDATION,
    epochs: int = _SETTINGS.epochs,
    learning_rate: float = _SETTINGS.learning_rate,
    layers: int = _SETTINGS.layers,
    views: int = _SETTINGS.views,
    mirror: bool = _SETTINGS.mirror,
    patience: int = _SETTINGS.patience,
    seed: int = 0,
    backend: BackendName | None = None,
    features: str | None = None,
) -> TaughtModel:
    """Train the last layers of a pretrained network and a head on images of your own.

    `zoo.teach` is quicker and enough for most classes: compare the scores of both.

    >>> import zoo
    >>> model = zoo.fine_tune("animals", epochs=5)  # doctest: +SKIP
    >>> model.history["loss"]  # doctest: +SKIP
    [0.41, 0.28, 0.21, 0.18, 0.17]

    Args:
        source: as for `zoo.teach`. Images of a folder for validation, as of ``train`` and ``val``,
            are neither learnt from nor used to stop: their scores are in ``validation``.
        targets: as for `zoo.teach`.
        model: a model with an embedding; by default ``"mobilenet.v1_025"``.
        kind: as for `zoo.teach`.
        validation: share of the images, above 0 and at most 0.5, that decides when to stop: the
            weights with the smallest loss on them are kept. ``scores`` are of them. None: all
            images train, through all epochs, and there are no scores but those of ``val``.
        epochs: how often each image is seen at most, 1 or more.
        learning_rate: of the gradient steps, above 0; reached after a tenth of the steps, it falls
            to 0 along half a cosine.
        layers: how many of the last convolutions train at least, 1 or more.
        views: augmented views of each image: parts of it, of other brightness and contrast; 0 for
            the images as they are.
        mirror: half of the views are mirrored; False where left and right are classes.
        patience: epochs without a smaller loss after which training stops, 1 or more.
        seed: integer, 0 or more; draws views, batches and the images for validation.
        backend: where it trains, by default ``CORE_BACKEND`` or else ``"cpu"``.
        features: another name of ``model``, as `zoo.teach` has it.

    Returns:
        The model, which can do all that those of `zoo.teach` can, but learn more examples. Its
        ``history`` has the losses of each epoch. A saved model holds the network.

    Raises:
        ZooError: as of `zoo.teach`; or the model cannot be fine-tuned, or the loss is not finite.
        WeightsError: the weights are missing or damaged.
    """
    model = under_two_names("model", model, DEFAULT_MODEL, "features", features)
    settings = _SETTINGS._replace(
        epochs=epochs,
        learning_rate=learning_rate,
        layers=layers,
        views=views,
        mirror=mirror,
        patience=patience,
        seed=seed,
    )
    checked_settings(settings)
    images = read_image_set(source, targets, kind)
    base = load(model, backend=backend)
    readable = _readable(images)
    check_classes(images.kind, images.labels, readable.gathered)
    found = fine_tuned_network(
        base,
        [example.image for example in readable.images],
        [example.target for example in readable.images],
        kind=images.kind,
        labels=images.labels,
        validation=_held_out(images.kind, readable, validation, seed),
        settings=settings,
    )
    name = source_name(source)
    return _taught(name, model, images, readable, found, seed)


def _readable(images: ImageSet) -> _Readable:
    """Return the images that can be read, each with one label."""
    found: list[Example] = []
    hashes, fingerprints = [], []
    skipped: list[Skipped] = []
    for example in images.examples:
        try:
            sha256, decode = hashed(example.image)
            fingerprints.append(image_hash(decode()))
        except ImageError as error:
            skipped.append(Skipped(example.name, str(error), True))
            continue
        found.append(example)
        hashes.append(sha256)
    if not found:
        raise ZooError(f"none of {len(images.examples)} images can be read: {skipped[0].reason}")
    examples = Examples(
        np.empty((len(found), 0), np.float32),
        storable(images.kind, [example.target for example in found]),
        tuple(example.name for example in found),
        tuple(hashes),
        np.stack(fingerprints),
        (len(found),),
    )
    gathered = without_conflicts(Gathered(examples, skipped), images.kind)
    kept = {*gathered.examples.names}
    return _Readable([example for example in found if example.name in kept], gathered)


def _held_out(
    kind: Kind, readable: _Readable, validation: float | None, seed: int
) -> np.ndarray | None:
    """Return the indices of the images that decide when to stop; near-duplicates are not parted."""
    examples = readable.gathered.examples
    groups = find_duplicates(examples.fingerprints, examples.hashes).groups
    found = held_out_images(validation, kind, examples.targets, seed, groups)
    return found if len(found) else None


def _taught(
    name: str, model: str, images: ImageSet, readable: _Readable, fine_tuned: FineTuned, seed: int
) -> TaughtModel:
    """Return the model of a network that was fine-tuned."""
    extractor = embedding_extractor(model, fine_tuned.network, fine_tuned.node)
    examples = gather(images.kind, readable.images, extractor).examples
    if len(examples) < len(readable.images):
        raise ZooError("images changed while the network learnt from them: start again")
    kept = np.setdiff1d(np.arange(len(examples)), fine_tuned.held_out)
    known = examples.part(kept)
    classes = known.targets if images.kind == "classification" else None
    familiarity = Familiarity.fit(known.features, targets=classes, normalize=True)  # type: ignore[arg-type]
    others, skipped = None, list(readable.gathered.skipped)
    if images.validation:
        validation, left_out = gather(images.kind, images.validation, extractor)
        skipped += left_out
        if not len(validation):
            raise ZooError(f"no image for validation can be used: {left_out[0].reason}")
        others = scores_of_others(
            images.kind, images.labels, fine_tuned.head, familiarity, known, validation
        )
    lesson = Lesson(
        kind=images.kind,
        labels=images.labels,
        settings=Settings(seed=seed),
        examples=examples,
        head=fine_tuned.head,
        familiarity=familiarity,
        scores=scores_of_stopping(
            images.kind, images.labels, fine_tuned.head, examples.part(fine_tuned.held_out)
        ),
        validation=others,
        skipped=tuple(skipped),
        source=name,
        history=fine_tuned.history,
    )
    return TaughtModel(name or "unnamed", extractor, lesson, sources=images.sources)
