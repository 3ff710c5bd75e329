"""Classification: what a picture shows."""

from typing import Any

from zoo.classification import MODELS
from zoo.loading import call_verb


def classify(
    image: Any,
    *,
    top_k: int = 3,
    model: str = MODELS["classify"].default,
    backend: str | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell what a picture shows.

    The square in the middle of the picture counts.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        top_k: how many classes to tell, 1 or more.
        model: name of a classification model.
        backend: where it runs.
        mirror: the picture is a mirror image (selfie view).
        options: the models have no others.

    Returns:
        ``[{"label": "tabby", "score": .., "index": ..}, ..]``: best first, scores in 0..1 that
        are 1 together over all classes. The index is that among ``zoo.load(model).labels``, where
        models with TensorFlow's 1001 classes have "background" first. For several pictures an
        iterator over such lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    >>> import zoo
    >>> zoo.classify("cat.jpg", top=5)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'top' of mobilenet.v1_025: did you mean ...
    """
    given = {"top_k": top_k, "mirror": mirror, **options}
    return call_verb("classify", image, model=model, backend=backend, options=given)


def infer(
    image: Any,
    *,
    embedding: bool = False,
    model: str = MODELS["infer"].default,
    backend: str | None = None,
    **options: Any,
) -> Any:
    """Turn a picture into numbers, for uses of your own, such as to train on them.

    Args:
        image: see `classify`; one picture, or hands for ``"gesture.keypoints"``.
        embedding: the features that the last layers of the network start from, instead of its
            main output: of the default model 256 numbers instead of the scores of 1000 classes.
        model: name of any model of the zoo.
        backend: where it runs.
        options: of the model; see `zoo.load`.

    Returns:
        A tensor, float32 [1, ...]: of classifiers [1, classes] or [1, features]. An array of it
        is ``numpy.asarray(tensor)``.

    Raises:
        ZooError: the picture cannot be read, a model or option is unknown, or the model has no
            embedding.

    >>> import zoo
    >>> picture = "gallery/one_line_pose/astronaut.jpg"
    >>> zoo.infer(picture, embedding=True, model="posenet.tiny").shape
    (1, 17, 17, 384)
    """
    given = {"embedding": embedding, **options}
    return call_verb("infer", image, model=model, backend=backend, options=given)
