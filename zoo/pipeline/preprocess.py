"""From RGB pixels to the input of a network, and the way back for coordinates."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import core.backends.cpu.image_kernels as image_kernels
from zoo.catalog.entry import Preprocess
from zoo.images.pillow import import_pillow
from zoo.pipeline.sampling import sample
from zoo.shared.placement import Placement, Region

Size = tuple[int, int]  # height, width


def prepare(image: np.ndarray, how: Preprocess, size: Size) -> tuple[np.ndarray, Placement]:
    """Bring a whole image to the input of a network.

    Args:
        image: uint8 [height, width, 3], RGB.
        how: the entry's facts.
        size: height and width of the input.

    Returns:
        [1, height, width, 3] of the entry's dtype (of ``axes="nchw"`` [1, 3, height, width]), and
        where the image lies in it.
    """
    fit = _FITS[how.fit](image.shape[:2], size)
    if how.resize == "pillow":
        values = _resized_and_scaled(image, fit, size, how)
    elif how.resize == "opencv":
        values = _scaled(_resized_as_opencv(image, fit, size, how.level), how)
    else:
        values = _scaled(_resized_as_tfjs(image, fit, size), how)
    return _arranged(values[None], how), fit.placement


def placement_of(image: Size, how: Preprocess, size: Size) -> Placement:
    """Return the placement of an image of some height and width in an input, as of `prepare`."""
    return _FITS[how.fit](image, size).placement


def prepare_crops(
    image: np.ndarray, how: Preprocess, size: Size, regions: Sequence[Region]
) -> tuple[np.ndarray, list[Placement]]:
    """Bring regions of an image to the input of a network, as one batch.

    Args:
        image: uint8 [height, width, 3], RGB.
        how: the entry's facts.
        size: height and width of the input.
        regions: in pixels of the image; they may reach out of it.

    Returns:
        [regions, height, width, 3] of the entry's dtype, or of its ``axes``, and where each region
        lies in it.
    """
    placements = [region.placement(size) for region in regions]
    crops = np.empty((len(regions), *size, 3), _levels_of(how).dtype)
    for placement, crop in zip(placements, crops, strict=True):
        _write_crop(image, placement, how, crop)
    return _arranged(crops.astype(how.dtype, copy=False), how), placements


def _arranged(images: np.ndarray, how: Preprocess) -> np.ndarray:
    """Return images [n, height, width, 3], RGB, in the order of channels and axes of a network."""
    if how.channels == "bgr":
        images = images[..., ::-1]
    if how.axes == "nchw":
        images = images.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(images)


def _levels_of(how: Preprocess) -> "image_kernels.Scaled":
    """Return what becomes of levels; integers of other dtypes are cast afterwards."""
    if how.dtype != "float32":
        return image_kernels.Scaled("uint8")
    return image_kernels.Scaled("float32", how.divide, how.subtract)


def _scaled(pixels: np.ndarray, how: Preprocess) -> np.ndarray:
    if how.dtype != "float32":
        return pixels if pixels.dtype == how.dtype else np.rint(pixels).astype(how.dtype)
    values = pixels.astype(np.float32)
    values /= np.asarray(how.divide, np.float32)
    values -= np.asarray(how.subtract, np.float32)
    return values


# --- whole images ---------------------------------------------------------------------------


class _Fit(NamedTuple):
    """Part of an image, and its target in the input; boxes are left, top, right, bottom."""

    source: tuple[float, float, float, float]  # in the image, which it may reach out of
    target: tuple[int, int, int, int]  # in the input
    placement: Placement


def _letterbox(image: Size, size: Size) -> _Fit:
    """The largest placement that keeps the aspect ratio, centred."""
    scale = min(size[1] / image[1], size[0] / image[0])
    height, width = max(1, round(image[0] * scale)), max(1, round(image[1] * scale))
    left, top = (size[1] - width) // 2, (size[0] - height) // 2
    target = left, top, left + width, top + height
    whole = 0, 0, image[1], image[0]
    return _Fit(whole, target, Placement.of_scale(scale, scale, left, top))


def _stretch(image: Size, size: Size) -> _Fit:
    return _of_source((0, 0, image[1], image[0]), size)


def _crop(image: Size, size: Size) -> _Fit:
    """The square in the middle, of whole pixels."""
    side = min(image)
    left, top = (image[1] - side) // 2, (image[0] - side) // 2
    return _of_source((left, top, left + side, top + side), size)


def _pad(image: Size, size: Size) -> _Fit:
    side = max(image)
    return _of_source((0, 0, side, side), size)


def _of_source(source: tuple[float, float, float, float], size: Size) -> _Fit:
    left, top, right, bottom = source
    across, down = size[1] / (right - left), size[0] / (bottom - top)
    placement = Placement.of_scale(across, down, -left * across, -top * down)
    return _Fit(source, (0, 0, size[1], size[0]), placement)


_FITS = {"letterbox": _letterbox, "stretch": _stretch, "crop": _crop, "pad": _pad}


def _resized_and_scaled(image: np.ndarray, fit: _Fit, size: Size, how: Preprocess) -> np.ndarray:
    """Return what a network gets of an image, on a border, of the size that Pillow gives it."""
    levels = _levels_of(how)
    values = np.empty((*size, 3), levels.dtype)
    left, top, right, bottom = map(int, fit.source)
    inner = slice(fit.target[1], fit.target[3]), slice(fit.target[0], fit.target[2])
    part, sides = image[top:, left:], (bottom - top, right - left)
    reaches_out = part.shape[0] < sides[0] or part.shape[1] < sides[1]  # where it is black
    is_black = not (reaches_out and how.level)
    if not (is_black and image_kernels.resized(part, sides, values[inner], levels)):
        return _scaled(_resized(image, fit, size, how.level), how)
    border = _scaled(np.full(3, how.level, np.uint8), how)
    for around in _around(*inner):
        values[around] = border
    return values.astype(how.dtype, copy=False)


def _around(rows: slice, columns: slice) -> tuple[tuple[slice, slice], ...]:
    """Return the four parts of an array about some rows and columns of it."""
    every, before, after = slice(None), slice(columns.start), slice(columns.stop, None)
    above, below = slice(rows.start), slice(rows.stop, None)
    return (above, every), (below, every), (rows, before), (rows, after)


def _resized(image: np.ndarray, fit: _Fit, size: Size, level: int) -> np.ndarray:
    """Resize by Pillow, as for the reference outputs, on a border of a level."""
    Image = import_pillow("resizing images")  # noqa: N806
    left, top, right, bottom = fit.target
    part = Image.fromarray(_source(image, fit, level))
    small = part.resize((right - left, bottom - top), Image.Resampling.BILINEAR)
    if small.size == (size[1], size[0]):
        return np.asarray(small)
    canvas = np.full((*size, 3), level, np.uint8)
    canvas[top:bottom, left:right] = np.asarray(small)
    return canvas


def _resized_as_opencv(image: np.ndarray, fit: _Fit, size: Size, level: int) -> np.ndarray:
    """Resize as INTER_LINEAR of OpenCV, on a border: each pixel is mixed of the nearest four."""
    left, top, right, bottom = fit.target
    part = _source(image, fit, level)
    canvas = np.full((*size, 3), level, np.uint8)
    across, down = part.shape[1] / (right - left), part.shape[0] / (bottom - top)
    placement = Placement(across, 0.0, 0.0, 0.0, down, 0.0)
    mixed = sample(part, placement, (bottom - top, right - left), "replicate")[0]
    canvas[top:bottom, left:right] = np.rint(mixed)
    return canvas


def _resized_as_tfjs(image: np.ndarray, fit: _Fit, size: Size) -> np.ndarray:
    """Resize as resizeBilinear of TensorFlow.js, which reads at most four pixels for each new one.

    Only those become floats: of a large image all of them would not fit in memory.
    """
    part = _source(image, fit)
    rows, down = _neighbours(part.shape[0], fit.target[3] - fit.target[1])
    columns, across = _neighbours(part.shape[1], fit.target[2] - fit.target[0])
    upper, lower = (
        first + (second - first) * across[:, None]
        for first, second in (
            (part[row][:, column].astype(np.float32) for column in columns) for row in rows
        )
    )
    canvas = np.zeros((*size, 3), np.float32)
    inner = slice(fit.target[1], fit.target[3]), slice(fit.target[0], fit.target[2])
    canvas[inner] = upper + (lower - upper) * down[:, None, None]
    return canvas


def _neighbours(old: int, new: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Along an axis: the two pixels that each new one is mixed of, and the second one's share."""
    at = np.arange(new, dtype=np.float32) * np.float32(old / new)
    first = np.floor(at).astype(np.intp)
    return (first, np.minimum(first + 1, old - 1)), at - first.astype(np.float32)


def _source(image: np.ndarray, fit: _Fit, level: int = 0) -> np.ndarray:
    """Return the part to resize, alone: pixels beside the part do not show at its edges.

    It has a border of a level on the right and below, as far as it reaches out of the image.
    """
    left, top, right, bottom = map(int, fit.source)
    part = image[top:bottom, left:right]
    more = bottom - top - part.shape[0], right - left - part.shape[1]
    if not any(more):
        return np.ascontiguousarray(part)
    return np.pad(part, ((0, more[0]), (0, more[1]), (0, 0)), constant_values=level)


# --- crops ----------------------------------------------------------------------------------


def _write_crop(image: np.ndarray, placement: Placement, how: Preprocess, out: np.ndarray) -> None:
    """Write a region [height, width, 3]: each pixel is mixed from the four of the image about it.

    Of a large region blocks of pixels are averaged first, or else most would not be seen at all.
    Only the part of the image that is read is averaged; it keeps a block around, so that what lies
    outside of it is the same as outside of the image.
    """
    size, block = out.shape[:2], int(placement.scale)
    if block >= 2:
        left, top, right, bottom = _reach(placement, size, image.shape[:2], block)
        image = _averaged(image[top:bottom, left:right], block)
        a, b, c, d, e, f = placement
        placement = Placement(*(n / block for n in (a, b, c - left, d, e, f - top)))
    if not image_kernels.sampled(image, placement, out, how.border, _levels_of(how)):
        out[:] = _scaled(sample(image, placement, size, how.border), how)[0]


def _averaged(image: np.ndarray, block: int) -> np.ndarray:
    means = image_kernels.averaged(image, block)
    if means is not None:
        return means
    Image = import_pillow("resizing images")  # noqa: N806
    return np.asarray(Image.fromarray(np.ascontiguousarray(image)).reduce(block))


def _reach(placement: Placement, size: Size, image: Size, margin: int) -> tuple[int, int, int, int]:
    """The part of an image that a crop reads, at least one pixel: left, top, right, bottom."""
    corners = np.array([[0.0, 0.0], [size[1], 0], [size[1], size[0]], [0, size[0]]])
    points = placement.points_to_image(corners)
    limits = np.array([image[1], image[0]])
    low = np.clip(np.floor(points.min(axis=0)) - margin, 0, limits - 1).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)) + margin, low + 1, limits).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
