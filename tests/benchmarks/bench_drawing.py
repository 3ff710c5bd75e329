"""How long `zoo.paint` takes beside `zoo.draw`, which draws with Pillow.

Run: ``python -m tests.benchmarks.bench_drawing [runs=N] [NAME ...]``; names are rows of `ROWS`, by
default all. The images need the shared files (``ZOO_SHARED``). Each model is asked once; then both
painters take turns on the same result, so that what else the machine does meets both alike.

Prints for each row the medians in milliseconds, their ratio, and how far the two images differ, as
a mean over all pixels in levels of 255; then a line of JSON.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import zoo

SHARED = Path(os.environ.get("ZOO_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))


class Row(NamedTuple):
    """A result to paint."""

    image: str
    verb: str
    options: Mapping[str, Any] = {}
    limit: float | None = None  # milliseconds that a frame may take
    most: int | None = None  # of the items


ROWS = {
    "hand": Row("hand_pakutaso", "estimate_hands", limit=5),
    "two hands": Row("two_hands", "estimate_hands"),
    "face mesh": Row("portrait", "estimate_faces", {"iris": True}, limit=15),
    "three face meshes": Row("three_people", "estimate_faces", {"iris": True}),
    "17 boxes": Row("coco_000000005001", "detect", {"score_threshold": 0.3}, most=17),
    "pose of 17 points": Row("yoga_beach", "estimate_single_pose"),
    "pose of 33 points": Row("yoga_beach", "estimate_single_pose", {"model": "blazepose.lite"}),
    "5 poses": Row("coco_000000001000", "estimate_multiple_poses", most=5),
    "5 persons with masks": Row("coco_000000001000", "segment_persons", most=5),
    "person": Row("portrait", "segment_person"),
    "parts": Row("yoga_beach", "segment_person_parts"),
    "full frame of labels": Row("coral_cat_720p", "segment"),
    "labels": Row("coral_parrot", "classify"),
}


def timed(function: Callable[[], Any]) -> float:
    """Milliseconds of one call."""
    begun = perf_counter()
    function()
    return 1000 * (perf_counter() - begun)


def measure(row: Row, runs: int) -> dict[str, Any]:
    """The figures of a row."""
    image = zoo.read_image(SHARED / "images" / "photos" / f"{row.image}.jpg")
    result = getattr(zoo, row.verb)(image, **row.options)
    if row.most:
        result = result[: row.most]

    def paint() -> np.ndarray:
        return zoo.paint(image, result)

    def draw() -> Any:
        return zoo.draw(image, result)

    differs = np.abs(np.asarray(draw()).astype(int) - paint()).mean()
    times = np.array([(timed(paint), timed(draw)) for _ in range(runs)])
    painting, drawing = np.median(times, axis=0)
    return {
        "items": len(result) if isinstance(result, list) else 1,
        "size": f"{image.shape[1]} x {image.shape[0]}",
        "paint_ms": round(float(painting), 2),
        "draw_ms": round(float(drawing), 2),
        "ratio": round(float(drawing / painting), 1),
        "difference": round(float(differs), 2),
        "limit_ms": row.limit,
    }


def main(arguments: list[str]) -> None:
    """Print the figures of the rows named."""
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    runs = next((int(x.removeprefix("runs=")) for x in arguments if x.startswith("runs=")), 15)
    names = [name for name in arguments if name in ROWS] or list(ROWS)
    results = {name: measure(ROWS[name], runs) for name in names}
    print(f"{'':<22}{'items':>6}  {'frame':<10}{'paint':>9}{'draw':>9}  times  difference  limit")
    for name, row in results.items():
        limit = f"{row['limit_ms']:g} ms" if row["limit_ms"] else ""
        print(
            f"{name:<22}{row['items']:>6}  {row['size']:<10}{row['paint_ms']:>6.1f} ms"
            f"{row['draw_ms']:>6.1f} ms{row['ratio']:>7}{row['difference']:>12}  {limit}"
        )
    print(json.dumps({"runs": runs, "results": results}))


if __name__ == "__main__":
    main(sys.argv[1:])
