"""Teaching: from images with labels to a model of the user's own, in one call."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.model_names import BackendName
from zoo.pipeline.options import refusing_unknown, under_two_names
from zoo.pipeline.verb_signatures import ImageSource
from zoo.transfer.duplicates import Duplicates, find_duplicates
from zoo.transfer.examples import Examples
from zoo.transfer.features.extractor import DEFAULT_FEATURES, FeatureExtractor, feature_extractor
from zoo.transfer.features.store import opened_store
from zoo.transfer.folds import stratified_folds
from zoo.transfer.gathering import (
    Gathered,
    check_classes,
    gather,
    without_conflicts,
    without_known,
)
from zoo.transfer.image_sets import Example, ExampleSource, ImageSet, read_image_set, source_name
from zoo.transfer.learning import FOLDS, learn, stratified_by
from zoo.transfer.lessons import Lesson, Settings
from zoo.transfer.scores.reports import scores_of_lesson, scores_of_others
from zoo.transfer.targets import Kind, Target, label_names
from zoo.transfer.taught_model import TaughtModel


@refusing_unknown
def teach(
    source: ExampleSource,
    targets: Sequence[Target] | None = None,
    *,
    features: str | Sequence[str] = DEFAULT_FEATURES,
    kind: Kind | None = None,
    validation: float | ExampleSource | None = None,
    folds: int = FOLDS,
    penalty: float | None = None,
    seed: int = 0,
    backend: BackendName | None = None,
    cache: bool = True,
    model: str | Sequence[str] | None = None,
) -> TaughtModel:
    """Teach a model from images: classes of a folder, labels, or values.

    The features of a pretrained network are computed for each image, and a dense layer learns from
    them, which takes a moment. Scores are those of images that were held out.

    >>> import zoo
    >>> model = zoo.teach("animals")  # doctest: +SKIP
    >>> print(model.scores)  # doctest: +SKIP
    >>> model.predict("image.jpg")["label"]  # doctest: +SKIP
    'cats'
    >>> model.save("my_model")  # doctest: +SKIP

    Args:
        source: a folder with a folder of images for each class, or with ``train`` and ``val`` of
            such folders; a ``.csv`` file with the columns ``image`` and ``label``, ``labels`` or
            numbers; a dict from labels to images; or a list of images with ``targets``. Images are
            anything that `zoo.classify` takes.
        targets: of a list of images: a label for each, a list of labels, or numbers.
        features: what is learnt from: a model with an embedding (default
            ``"mobilenet.v2_100_quant"``, whatever lies in the cache; ``"posenet.tiny"`` comes with
            the package), or landmarks: ``"hand"``, ``"face"``, ``"pose"``, ``"body_parts"``, or
            several, such as ``"pose+hand"``.
        kind: "classification", "multi_label" or "regression"; by default seen from the targets.
        validation: share of the images, 0..1, that is kept for validation, or images for it, in
            the forms of ``source`` apart from lists. They are never learnt from.
        folds: parts of the examples, each of which is held out once for the scores, 2 or more.
        penalty: see `zoo.transfer.heads.Head`; by default the best of four by cross-validation.
        seed: integer, 0 or more; draws the parts and the images for validation.
        backend: where the networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        cache: keep features on disk by the content of image files, so that teaching again is
            quick; see `zoo.transfer.features.store`.
        model: another name of ``features``, as `zoo.fine_tune` has it.

    Returns:
        The model: ``predict``, ``classify``, ``add``, ``undo``, ``save``, ``export``, ``scores``.
        Images that cannot be read or lack the features are left out and listed in ``skipped``.

    Raises:
        ZooError: a class has no image, or there is one only; two classes have equal images; an
            argument is invalid.
        WeightsError: the weights of the features are missing or damaged.
    """
    features = under_two_names("features", features, DEFAULT_FEATURES, "model", model)
    settings = Settings(folds, penalty, seed).checked()
    images = read_image_set(source, targets, kind)
    share, others = _validation_of(images, validation)
    extractor = feature_extractor(features, backend=backend)
    with opened_store(extractor, use=cache) as store:
        gathered = gather(images.kind, images.examples, extractor, store)
        check_classes(images.kind, images.labels, gathered)
        kept, skipped = gather(images.kind, others, extractor, store)
    gathered.skipped.extend(skipped)
    if others and not len(kept):
        raise ZooError(f"no image for validation can be used: {skipped[0].reason}")
    if share:
        gathered, kept = _split(images.kind, gathered, share, settings.seed)
    name = source_name(source)
    held = kept if len(kept) else None
    lesson = lesson_of(images.kind, images.labels, gathered, held, extractor, settings, name)
    return TaughtModel(name or "unnamed", extractor, lesson, sources=images.sources)


def _validation_of(
    images: ImageSet, validation: float | ExampleSource | None
) -> tuple[float, list[Example]]:
    """Return the share of images for validation, and images that are for it already."""
    if validation is None:
        return 0.0, images.validation
    if images.validation:
        raise ZooError("the folder has images for validation already: leave out validation")
    if isinstance(validation, (int, float)) and not isinstance(validation, bool):
        if not 0 < validation < 1:
            raise ZooError(f"validation={validation!r} must lie between 0 and 1")
        return float(validation), []
    given = read_image_set(cast(ExampleSource, validation), least=1)
    unknown = set(given.labels) - set(images.labels)
    if given.kind != images.kind or unknown:
        raise ZooError(
            f"the images for validation are of {given.kind} with the labels "
            f"{', '.join(given.labels)}, those to learn from of {images.kind} with "
            f"{', '.join(images.labels)}"
        )
    return 0.0, given.examples


def _split(kind: Kind, gathered: Gathered, share: float, seed: int) -> tuple[Gathered, Examples]:
    """Return what to learn from, and a share of the images; near-duplicates are not parted."""
    examples = gathered.examples
    parts = max(2, round(1 / min(share, 1 - share)))
    by = stratified_by(kind, examples.targets)
    groups = find_duplicates(examples.fingerprints, examples.hashes).groups
    folds = stratified_folds(by, parts, seed, groups)
    count = int(folds.max(initial=-1)) + 1
    kept = (folds >= 0) & (folds < max(1, round(share * count)))
    left = gathered._replace(examples=examples.part(np.flatnonzero(~kept)))
    labels = label_names(kind, examples.targets, least=1)
    try:
        check_classes(kind, labels, left)
    except ZooError as error:
        raise ZooError(f"validation={share} leaves too few images: {error}") from error
    if not kept.any():
        raise ZooError(
            f"no image can be kept for validation={share}: a class has one image only, or images "
            "that are nearly equal; add others, or leave validation out"
        )
    return left, examples.part(np.flatnonzero(kept))


def lesson_of(
    kind: Kind,
    labels: Sequence[str],
    gathered: Gathered,
    kept: Examples | None,
    extractor: FeatureExtractor,
    settings: Settings,
    source: str,
) -> Lesson:
    """Return what is learnt from examples, with its scores.

    Args:
        kind: of the targets.
        labels: of the outputs.
        gathered: the examples to learn from.
        kept: examples for validation.
        extractor: of the features.
        settings: how the head learns.
        source: of the images.
    """
    gathered = without_conflicts(gathered, kind)
    examples = gathered.examples
    if len(examples) < 2:
        raise ZooError(f"there is one image only, {examples.names[0]}: give others as well")
    alike = _duplicates(examples, extractor)
    learnt = learn(
        kind,
        labels,
        examples,
        normalize=extractor.is_embedding,
        folds=settings.folds,
        groups=alike.groups,
        penalty=settings.penalty,
        seed=settings.seed,
    )
    others = (
        None
        if kept is None
        else scores_of_others(kind, labels, learnt.head, learnt.familiarity, examples, kept)
    )
    return Lesson(
        kind=kind,
        labels=tuple(labels),
        settings=settings,
        examples=examples,
        head=learnt.head,
        familiarity=learnt.familiarity,
        scores=scores_of_lesson(kind, labels, learnt, examples, alike),
        validation=others,
        skipped=tuple(gathered.skipped),
        source=source,
    )


def _duplicates(examples: Examples, extractor: FeatureExtractor) -> Duplicates:
    """Return near-duplicates; landmarks do not help, as those of different images are alike."""
    features = examples.features if extractor.is_embedding else None
    return find_duplicates(examples.fingerprints, examples.hashes, features)


def added(
    model: TaughtModel, source: ExampleSource, targets: Sequence[Target] | None = None
) -> tuple[Lesson, dict[str, ImageSource]]:
    """Return what a model learns with more examples, and their images by name.

    Args:
        model: the model, which stays as it is.
        source: see `teach`.
        targets: see `teach`.

    Raises:
        ZooError: the examples are invalid, or of another kind of targets.
    """
    before = model.lesson
    if before.history:
        raise ZooError(
            "the model was fine-tuned: its network would be scored with images that it knows; "
            "call zoo.fine_tune with all images"
        )
    images = _more_images(before, source, targets)
    with opened_store(model.extractor) as store:
        found = gather(images.kind, images.examples, model.extractor, store)
    check_classes(images.kind, images.labels, found)
    found = without_known(found, before.examples)
    joined = Gathered(before.examples.joined(found.examples), [*before.skipped, *found.skipped])
    labels = (*before.labels, *(label for label in images.labels if label not in before.labels))
    lesson = lesson_of(
        before.kind, labels, joined, None, model.extractor, before.settings, before.source
    )
    return lesson, images.sources


def _more_images(
    before: Lesson, source: ExampleSource, targets: Sequence[Target] | None
) -> ImageSet:
    """Return images to add, of which all may be of one class."""
    images = read_image_set(source, targets, before.kind, least=1)
    if images.kind != before.kind:
        raise ZooError(f"the model learns {before.kind}, the images are of {images.kind}")
    if before.kind == "regression" and len(images.labels) != len(before.labels):
        raise ZooError(f"the model learns {len(before.labels)} numbers, the images have others")
    return images._replace(examples=_renamed(images.examples, before.examples.names))


def _renamed(examples: Sequence[Example], known: Sequence[str]) -> list[Example]:
    """Return examples of which none has the name of a known one, such as "a.jpg (2)"."""
    used, renamed = set(known), []
    for example in examples:
        number, name = 1, example.name
        while name in used:
            number += 1
            name = f"{example.name} ({number})"
        renamed.append(example._replace(name=name))
    return renamed


def undone(model: TaughtModel) -> Lesson:
    """Return what a model knows without the examples that were added last.

    Raises:
        ZooError: nothing was added.
    """
    before = model.lesson
    examples = before.examples.undone()
    used = set(label_names(before.kind, examples.targets))
    labels = [n for n in before.labels if n in used or before.kind == "regression"]
    left = Gathered(examples, [*before.skipped])
    return lesson_of(
        before.kind, labels, left, None, model.extractor, before.settings, before.source
    )
