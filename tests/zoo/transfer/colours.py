"""Images of noise in the colours of classes, which any network tells apart."""

import numpy as np

import zoo

COLOURS = {"blue": (40, 60, 220), "green": (30, 200, 60), "red": (220, 40, 30)}

#: Features that come with the package.
FEATURES = "posenet.tiny"


def coloured(colour, rng, size=48):
    """An image of noise and of one colour."""
    noise = rng.integers(0, 120, (size, size, 3))
    return (0.6 * np.array(colour) + noise).clip(0, 255).astype(np.uint8)


def write_images(folder, images):
    """Write images as numbered PNG files in a new folder."""
    from PIL import Image

    folder.mkdir(parents=True)
    for number, image in enumerate(images):
        Image.fromarray(image).save(folder / f"{number}.png")


def write_classes(folder, count, rng, colours=COLOURS):
    """Write images in a folder for each class, and return the folder."""
    for label, colour in colours.items():
        write_images(folder / label, [coloured(colour, rng) for _ in range(count)])
    return folder


def images_of(rng, **counts):
    """Images of colours, by colour."""
    return {c: [coloured(COLOURS[c], rng) for _ in range(n)] for c, n in counts.items()}


def teach(source, targets=None, **options):
    """Teach with the features that come with the package."""
    return zoo.teach(source, targets, **{"features": FEATURES, **options})


def assert_alike(one, other):
    """Two models learnt the same, with equal scores."""
    np.testing.assert_array_equal(one.lesson.head.kernel, other.lesson.head.kernel)
    np.testing.assert_array_equal(one.lesson.head.bias, other.lesson.head.bias)
    assert one.scores == other.scores and one.validation == other.validation
