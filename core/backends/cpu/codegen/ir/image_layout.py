"""Sizes that kernels of images share with those who call them."""

#: Values of a pixel that are read at once.
LANES = 4

#: Height and width of a tile in pixels: of an image of 800 pixels some 10 cells.
TILE = (32, 64)

#: Bits after the point of the weights of pixels that are mixed as integers.
PRECISION = 22


def pixels_of_vector(lanes: int, channels: int) -> int:
    """Return how many whole pixels of bytes lines are read by at once."""
    return lanes // channels
