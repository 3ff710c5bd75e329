"""Cuts, turns and warps, one pixel at a time."""

import numpy as np

from tests.core.ops.records.case import Case, floats, ints


def _pixel(image, row, column, fill):
    inside = 0 <= row < image.shape[0] and 0 <= column < image.shape[1]
    return image[int(row), int(column)] if inside else np.full(image.shape[2], fill)


def _bilinear(image, y, x, fill=0.0):
    top, left = np.floor(y), np.floor(x)
    total = np.zeros(image.shape[2])
    for row, share in ((top, top + 1 - y), (top + 1, y - top)):
        for column, part in ((left, left + 1 - x), (left + 1, x - left)):
            if share * part:
                total += share * part * _pixel(image, row, column, fill)
    return total


def _nearest(image, y, x, fill=0.0):
    return _pixel(image, np.floor(y + 0.5), np.floor(x + 0.5), fill)


SAMPLERS = {"bilinear": _bilinear, "nearest": _nearest}


def _crops(image, boxes, box_ind, crop_size, method="bilinear", extrapolation_value=0.0):
    height, width, channels = image.shape[1:]
    result = np.full((len(boxes), *crop_size, channels), extrapolation_value, np.float64)

    def position(low, high, i, new, old):
        share = i / (new - 1) if new > 1 else 0.5
        return (low + (high - low) * share) * (old - 1)

    for b, p, q in np.ndindex(result.shape[:3]):
        y1, x1, y2, x2 = boxes[b]
        y = position(y1, y2, p, crop_size[0], height)
        x = position(x1, x2, q, crop_size[1], width)
        if 0 <= y <= height - 1 and 0 <= x <= width - 1:
            result[b, p, q] = SAMPLERS[method](np.asarray(image[box_ind[b]], float), y, x)
    return result


def _rotated(image, radians, fill_value=0.0, center=0.5):
    height, width, channels = image.shape[1:]
    share_x, share_y = center if isinstance(center, tuple) else (center, center)
    at_x, at_y = share_x * width, share_y * height
    fill = (*fill_value, 255)[:channels] if isinstance(fill_value, tuple) else fill_value
    result = np.empty(image.shape)
    for n, p, q in np.ndindex(image.shape[:3]):
        x = (q - at_x) * np.cos(radians) - (p - at_y) * np.sin(radians) + at_x
        y = (q - at_x) * np.sin(radians) + (p - at_y) * np.cos(radians) + at_y
        result[n, p, q] = _nearest(image[n], y, x, fill)
    return result


def _warped(image, transforms, interpolation="nearest", fill_value=0.0, output_shape=None):
    size = output_shape or image.shape[1:3]
    result = np.empty((len(image), *size, image.shape[3]))
    for n, p, q in np.ndindex(result.shape[:3]):
        a0, a1, a2, b0, b1, b2, c0, c1 = transforms[n % len(transforms)]
        k = c0 * q + c1 * p + 1
        x, y = (a0 * q + a1 * p + a2) / k, (b0 * q + b1 * p + b2) / k
        result[n, p, q] = SAMPLERS[interpolation](np.asarray(image[n], float), y, x, fill_value)
    return result


def _repeated(image, transforms, fill_mode, **how):
    """The other fill modes: the image laid out beside itself beforehand (for small offsets)."""
    mode = {"reflect": "symmetric", "nearest": "edge"}[fill_mode]
    around = np.pad(image, ((0, 0), (4, 4), (4, 4), (0, 0)), mode)
    size = image.shape[1:3]
    moved = np.array(transforms)
    moved[:, 2] += 4
    moved[:, 5] += 4
    return _warped(around, moved, output_shape=size, **how)


def _boxes(count):
    return lambda rng: np.asarray(rng.uniform(-0.2, 1.2, (count, 4)), np.float32)


def _projective(count, bend=0.05):
    def draw(rng):
        rows = rng.uniform(-0.3, 0.3, (count, 8))
        rows[:, [0, 4]] += 1
        rows[:, 6:] *= bend / 0.3
        return np.asarray(rows, np.float32)

    return draw


def _cases() -> list[Case]:
    image = floats(2, 4, 5, 3)
    cases = []
    for method in SAMPLERS:
        for size in [(3, 4), (1, 2), (5, 1)]:
            how = {"crop_size": size, "method": method, "extrapolation_value": 7.0}
            inputs = image, _boxes(4), ints(4, low=0, high=2)
            cases.append(Case("crop_and_resize", inputs, _crops, how, f"{method} {size}"))
        for how in [{}, {"fill_value": 2.0, "output_shape": (3, 7)}]:
            how = {"interpolation": method, **how}
            for count in (1, 2):
                inputs = image, _projective(count)
                cases.append(Case("transform", inputs, _warped, how, f"{count} {how}"))
        for mode in ("reflect", "nearest"):
            how = {"interpolation": method, "fill_mode": mode}
            cases.append(Case("transform", (image, _projective(2, 0)), _repeated, how, str(how)))
    for how in [
        {"radians": 0.6},
        {"radians": -2.0, "fill_value": (1.0, 2.0, 3.0), "center": (0.3, 0.7)},
        {"radians": 4.0, "fill_value": 9.5, "center": 0.1},
    ]:
        cases.append(Case("rotate_with_offset", (image,), _rotated, how, str(how)))
    four = floats(1, 3, 3, 4)
    opaque = {"radians": 1.0, "fill_value": (4.0, 5.0, 6.0)}
    whole = ints(1, 3, 3, 2), _boxes(2), ints(2, low=0, high=1)
    return [
        *cases,
        Case("rotate_with_offset", (four,), _rotated, opaque, "opacity"),
        Case("rotate_with_offset", (floats(0, 2, 2, 1),), _rotated, {"radians": 1.0}, "empty"),
        Case("crop_and_resize", whole, _crops, {"crop_size": (2, 2)}, "int32"),
        Case(
            "crop_and_resize",
            (image, floats(0, 4), ints(0)),
            _crops,
            {"crop_size": (2, 2)},
            "no boxes",
        ),
        Case("transform", (floats(0, 2, 2, 1), floats(1, 8)), _warped, {}, "empty"),
        Case(
            "crop_and_resize",
            (floats(1, 2, 2, 0), _boxes(1), ints(1, low=0, high=1)),
            _crops,
            {"crop_size": (2, 3)},
            "no channels",
        ),
    ]


CASES = _cases()
