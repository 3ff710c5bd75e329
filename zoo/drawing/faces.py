"""Faces: boxes, contours, irises, and the facts about a face."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weights_cache.common.errors import ZooError
from zoo.drawing.boxes import caption_box, read_box, score_text
from zoo.drawing.colours import PALETTE, Sides, sides_of
from zoo.drawing.keypoints import Point, area_of, paint_points, read_points
from zoo.drawing.label_layout import XY, Area
from zoo.drawing.surface import Stroke, Surface, rimmed
from zoo.shared.skeletons import MESH_468_PATHS

_LIPS = PALETTE[3]
_IRIS = PALETTE[4]
_LARGEST_CAPTION = 2.0  # of several lines, in areas of the face
_CLOSED = ("eye", "lips")  # contours of the 68 points that end where they began


def paint_faces(canvas: Surface, faces: Sequence[Mapping[str, Any]], min_score: float) -> None:
    """Paint faces, the first, which is the best, on top; captions above all faces."""
    areas = [_area(face, canvas.size) for face in faces]
    for index, (face, area) in reversed(list(enumerate(zip(faces, areas, strict=True)))):
        if area:
            _paint_face(canvas, face, area, sides_of(index, len(faces), face), min_score)
    canvas.room.kept.extend(area for area in areas if area)
    for index, (face, area) in enumerate(zip(faces, areas, strict=True)):
        lines = _fitting(canvas, _facts(face), area) if area else []
        if area and lines:
            colour = sides_of(index, len(faces), face).middle
            caption_box(canvas, lines, area, colour, shorten=True)


def _area(face: Mapping[str, Any], size: tuple[int, int]) -> Area | None:
    if face.get("box") is not None:
        return read_box(face, size)
    points = read_points(face["keypoints"], size, 0)
    return area_of(points.values()) if points else None


def _paint_face(
    canvas: Surface, face: Mapping[str, Any], area: Area, sides: Sides, min_score: float
) -> None:
    points = read_points(face.get("keypoints", []), canvas.size, min_score)
    radius = min(max(0.7, 0.004 * area.width), canvas.thin)
    paths_of = _PATHS.get(face.get("landmarks", ""))
    paths = list(paths_of(points)) if paths_of else []
    if not paths:
        canvas.box(area, sides.middle, canvas.thin)
        size = min(canvas.thin, max(0.7, 0.015 * area.width))
        return paint_points(canvas, points, sides.of, size)
    canvas.discs([point.position for point in points.values()], sides.middle, 0.7 * radius, 0.7)
    strokes: list[Stroke] = []
    for name, path in paths:
        strokes += rimmed(path, _LIPS if "lips" in name else sides.of(name), radius)
    for iris in face.get("iris", {}).values():
        strokes += _iris_strokes(read_points(iris, canvas.size, min_score), radius)
    canvas.strokes(strokes)
    return None


def _mesh_paths(points: Mapping[str, Point]) -> Iterator[tuple[str, list[XY]]]:
    for name, paths in MESH_468_PATHS.items():
        for path in paths:
            parts = [f"mesh_{index}" for index in path]
            if all(part in points for part in parts):
                yield name, [points[part].position for part in parts]


def _numbered_paths(points: Mapping[str, Point]) -> Iterator[tuple[str, list[XY]]]:
    """Yield the contours of points that are named by contour and number, such as ``jaw_0``."""
    contours: dict[str, list[XY]] = {}
    for point in points.values():
        contours.setdefault(point.part.rpartition("_")[0], []).append(point.position)
    for name, positions in contours.items():
        closed = name.endswith(_CLOSED)
        yield name, [*positions, positions[0]] if closed else positions


_PATHS = {"mesh468": _mesh_paths, "points68": _numbered_paths}


def _iris_strokes(iris: Mapping[str, Point], radius: float) -> list[Stroke]:
    """Return the circle around the first point, at the mean distance of the others."""
    if len(iris) < 2:
        return []
    (x, y), *around = (point.position for point in iris.values())
    size = sum(math.dist((x, y), position) for position in around) / len(around)
    angles = [2 * math.pi * i / 32 for i in range(33)]
    circle = [(x + size * math.cos(a), y + size * math.sin(a)) for a in angles]
    return [*rimmed(circle, _IRIS, radius), *rimmed([(x, y)], _IRIS, 1.2 * radius)]


def _facts(face: Mapping[str, Any]) -> list[str]:
    """Return the score of a face, with the expression, gender and age where known, as lines."""
    lines = [score_text(face)]
    try:
        if face.get("expressions"):
            lines.append(_labelled(face["expressions"][0]))
        if face.get("gender"):
            lines.append(_labelled(face["gender"]))
        if face.get("age") is not None:
            lines.append(f"age {float(face['age']):.0f}")
    except (KeyError, TypeError, ValueError) as error:
        raise ZooError(
            "a face cannot be drawn: 'expressions' must be a list of labels, 'gender' a label, "
            f"'age' a number ({error!r})"
        ) from error
    return [line for line in lines if line]


def _labelled(label: Mapping[str, Any]) -> str:
    return f"{label['label']} {score_text(label)}".rstrip()


def _fitting(canvas: Surface, lines: Sequence[str], area: Area) -> Sequence[str]:
    """Return the first lines that suit the size of a face, which more lines would hide."""
    for count in range(len(lines), 1, -1):
        width, height = canvas.caption_size(lines[:count], canvas.text_size)
        if width * height <= _LARGEST_CAPTION * area.width * area.height:
            return lines[:count]
    fits = lines and canvas.caption_size(lines[:1], canvas.text_size)[0] <= 1.2 * area.width
    return lines[:1] if fits else []
