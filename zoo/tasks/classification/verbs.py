"""Classification: what an image shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from zoo.catalog.model_names import BackendName, ClassifyModelName, InferModelName
from zoo.pipeline.binding import bind_model
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Hand, Label
from zoo.tasks.classification import MODELS

if TYPE_CHECKING:
    from core import Tensor


@public_verb
def classify(
    image: ImageSource,
    *,
    top_k: int = 3,
    model: ClassifyModelName | OwnModel = MODELS["classify"].default,
    backend: BackendName | None = None,
    mirror: bool = False,
) -> list[Label]:
    """Classify an image: return the most probable labels.

    >>> import zoo
    >>> labels = zoo.classify("cat.jpg", top_k=5)  # doctest: +SKIP
    >>> labels[0]["label"]  # doctest: +SKIP
    'tabby'

    Only the square in the middle of the image is used.

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        top_k: largest number of labels, 1 or more; labels of score 0 are left out.
        model: name of a classification model (`zoo.models`), ``"fast"``, ``"best"``, a model that
            `zoo.load` returned, or the path of an image classifier with labels, such as Teachable
            Machine's.
        backend: where the network runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        mirror: the image is a mirror image (selfie view).

    Returns:
        ``[{"label": "tabby", "score": 0.42, "index": 282}, ..]``: best first, scores in 0..1, whose
        sum over all classes is 1. The index is that in ``zoo.load(model).labels``, which begin with
        "background" for models with TensorFlow's 1001 classes. A list of images gives a list of
        such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    bound = bind_model(
        "classify",
        top_k=top_k,
        model=model,
        backend=backend,
        mirror=mirror,
    )
    return bound.model.classify(image, **bound.options)


@public_verb
def infer(
    image: ImageSource | Hand | Sequence[Hand],
    *,
    embedding: bool = False,
    model: InferModelName | OwnModel = MODELS["infer"].default,
    backend: BackendName | None = None,
    mirror: bool | None = None,
    output_stride: Literal[8, 16] | None = None,
    input_size: int | tuple[int, int] | None = None,
) -> Tensor:
    """Return the output of a network for an image, or its features, for example to train on them.

    >>> import zoo
    >>> image = "gallery/one_line_pose/astronaut.jpg"
    >>> zoo.infer(image, embedding=True, model="posenet.tiny").shape
    (1, 17, 17, 384)

    Args:
        image: see `classify`; or hands for ``"gesture.keypoints"``.
        embedding: return the features before the last layers instead of the main output: for the
            default model 1280 numbers instead of the scores of 1001 classes.
        model: name of any model of the zoo, ``"fast"``, ``"best"``, or a model that `zoo.load`
            returned.
        backend: where the network runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        mirror: of ``"gesture.keypoints"``: the hands are from a mirror image.
        output_stride: of PoseNet; see `zoo.load`.
        input_size: of PoseNet and ``"faceapi.tiny_detector"``; see `zoo.load`.

    Returns:
        A tensor, float32 [1, ...]: [1, classes] or [1, features] for classifiers;
        ``numpy.asarray(tensor)`` is its array. A list of images gives a list of tensors:
        ``numpy.concatenate(zoo.infer(images, embedding=True))`` is one array [images, ...].

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown, or the model has no embedding.
    """
    bound = bind_model(
        "infer",
        embedding=embedding,
        model=model,
        backend=backend,
        mirror=mirror,
        output_stride=output_stride,
        input_size=input_size,
    )
    return bound.model.infer(image, **bound.options)
