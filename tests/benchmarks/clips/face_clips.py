"""Clips of faces whose mesh is moved, for `tests.benchmarks.bench_events`."""

import math
from functools import cache

import numpy as np

import zoo
from tests.benchmarks.clips.clip_sources import FPS, Clip, Frames, Truth, bump, read, smooth
from zoo.shared.skeletons import MESH_468_PATHS


def turned(points: np.ndarray, yaw: float, pitch: float) -> np.ndarray:
    """Points [n, 3] of a mesh after a turn of the head by some degrees."""
    centre = points.mean(axis=0)
    a, b = math.radians(yaw), math.radians(pitch)
    about_y = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
    about_x = np.array([[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]])
    return (points - centre) @ (about_x @ about_y).T + centre


def changed(mesh: np.ndarray, closed: float, mouth: float, yaw: float, pitch: float) -> np.ndarray:
    """Points [468, 3] with lids closed (0..1), the jaw open (0..1) and the head turned."""
    points = mesh.copy()
    for side in ("left", "right"):
        lower, upper = (list(path) for path in MESH_468_PATHS[f"{side}_eye"])
        points[upper] += closed * (mesh[lower] - mesh[upper])
    nose, chin, lip = mesh[2], mesh[152], mesh[14]
    down = (chin - nose) / np.linalg.norm(chin - nose)
    below = ((mesh - lip) @ down) / ((chin - lip) @ down)
    half = abs(mesh[291, 0] - mesh[61, 0]) / 2
    aside = np.abs(mesh[:, 0] - lip[0]) / (half * (1 + 1.2 * np.clip(below, 0, 1)))
    weight = np.where(below > -0.02, np.clip(1 - aside**2, 0, 1), 0)
    points += mouth * 0.4 * np.linalg.norm(mesh[263] - mesh[33]) * weight[:, None] * down
    return turned(points, yaw, pitch)


def warped(image: np.ndarray, before: np.ndarray, after: np.ndarray, mouth: float) -> np.ndarray:
    """The image with each triangle of the mesh where its points have gone."""
    import cv2

    height, width = image.shape[:2]
    frame = [(x, y) for x in (0, width / 2, width - 1) for y in (0, height / 2, height - 1)]
    edge = np.array([p for p in frame if p != (width / 2, height / 2)])
    start, end = np.vstack([before[:, :2], edge]), np.vstack([after[:, :2], edge])
    out = image.copy()
    for triangle in triangles(tuple(map(tuple, start.tolist())), width, height):
        a, b = start[list(triangle)].astype(np.float32), end[list(triangle)].astype(np.float32)
        x0, y0 = np.maximum(np.floor(b.min(axis=0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(b.max(axis=0)).astype(int) + 1, (width, height))
        if x1 <= x0 or y1 <= y0:
            continue
        matrix = cv2.getAffineTransform(a, b - np.float32([x0, y0]))
        piece = cv2.warpAffine(image, matrix, (int(x1 - x0), int(y1 - y0)), borderMode=2)
        mask = np.zeros(piece.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(b - [x0, y0]).astype(np.int32), 1)
        np.copyto(out[y0:y1, x0:x1], piece, where=mask[:, :, None].astype(bool))
    if mouth > 0:
        ring = [*MESH_468_PATHS["lips"][2], *reversed(MESH_468_PATHS["lips"][3])]
        cv2.fillPoly(out, [np.round(after[ring, :2]).astype(np.int32)], (60, 20, 25))
    return out


@cache
def triangles(points: tuple[tuple[float, float], ...], width: int, height: int) -> list[list[int]]:
    """Delaunay's triangles of points, as indices."""
    import cv2

    divided = cv2.Subdiv2D((0, 0, width, height))
    index = {}
    for number, (x, y) in enumerate(points):
        point = (min(max(x, 0), width - 1), min(max(y, 0), height - 1))
        index[divided.insert(point)] = number
    found = []
    for row in divided.getTriangleList():
        corners = [divided.findNearest(tuple(map(float, row[k : k + 2])))[0] for k in (0, 2, 4)]
        if all(corner in index for corner in corners):
            found.append([index[corner] for corner in corners])
    return found


def face_clip(name: str, seed: int) -> Clip:
    """Blinks, an open mouth, a nod, a shake and a look aside."""
    rng = np.random.default_rng(seed)
    blinks = [(1.0 + 0.9 * k + rng.uniform(0, 0.3), rng.uniform(0.2, 0.32)) for k in range(3)]
    degrees = rng.uniform(10, 14)

    def state(time: float) -> dict[str, float]:
        swings = {
            axis: degrees * math.sin(2 * math.pi * 1.5 * (time - start))
            for axis, start in (("pitch", 6.5), ("yaw", 9.5))
            if 0 < time - start < 4 / 3
        }
        opened = smooth((time - 4.2) / 0.25) - smooth((time - 5.2) / 0.25)
        aside = 18 * (smooth((time - 12.5) / 0.5) - smooth((time - 14) / 0.5))
        closed = max(bump(time, start, lasts) for start, lasts in blinks)
        return {"closed": closed, "mouth": opened, "yaw": aside, "pitch": 0.0, **swings}

    def frames() -> Frames:
        import cv2

        image = read(name)
        face = zoo.estimate_faces(image, max_faces=1)[0]
        box = face["box"]
        scale = 200 / box["height"]
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        mesh = scale * np.array(
            [[p["position"][axis] for axis in "xyz"] for p in face["keypoints"]]
        )
        left, top = np.maximum(mesh[:, :2].min(axis=0) - 120, 0).astype(int)
        image = np.ascontiguousarray(image[top : top + 440, left : left + 440])
        mesh = mesh - [left, top, 0]
        for number in range(15 * FPS):
            now = state(number / FPS)
            moved = any(abs(value) > 1e-3 for value in now.values())
            after = changed(mesh, **now)
            yield warped(image, mesh, after, now["mouth"]) if moved else image, number / FPS

    events = [Truth("blink", start + lasts) for start, lasts in blinks]
    events += [Truth("mouth_open", 4.4, "started"), Truth("mouth_open", 5.35, "ended")]
    events += [Truth("nod", 7.6), Truth("head_shake", 10.6)]
    return Clip(f"face of {name}", "faces", frames, tuple(events))
