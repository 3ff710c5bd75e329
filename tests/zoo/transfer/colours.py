"""Images of noise in the colours of classes, which any network tells apart."""

import numpy as np

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
