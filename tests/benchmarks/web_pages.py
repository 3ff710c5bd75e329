"""Frames per second and round trips of apps in Chromium, beside a page without a model.

    python -m tests.benchmarks.web_pages [--seconds 20] [--rounds 3] [--clip CLIP]

Each round opens every page in turn, with a clip in the place of the camera. Needs Debian's package
``chromium`` and Playwright (extra ``browser``). Hands are from the reference files
(``ZOO_SHARED``), without which `gesture_slides` sees none.

The time of a round trip is, in the median: what the page takes for the JPEG of a frame; what the
server takes to decode it, to run the function and to write JSON; and the rest, in which the frame
travels and waits for the frame before it. ``found`` is the share of answers with a person or hand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import zoo
from tests.gallery.browser import Shown, shown
from tests.gallery.clips import panned, write_camera
from tests.helpers import ROOT, shared_folder
from zoo.web import App
from zoo.web.gallery import load_app

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"

#: Notes what each frame takes: in all, in the page for its JPEG, in the server; and what was found.
_NOTE = """() => {
  globalThis.measured = { trip: [], capture: [], server: [], found: [] };
  const capture = zoo.source.capture.bind(zoo.source);
  zoo.source.capture = async (...given) => {
    const begun = performance.now();
    const image = await capture(...given);
    measured.capture.push(performance.now() - begun);
    return image;
  };
  const take = zoo.figures.take.bind(zoo.figures);
  zoo.figures.take = (now, trip) => { measured.trip.push(trip); take(now, trip); };
  zoo.on("result", ({ milliseconds, hands, result }) => {
    measured.server.push(milliseconds);
    measured.found.push((hands ?? result).length > 0 ? 1 : 0);
  });
}"""

#: Column -> its key, and how it is written.
_COLUMNS = {
    "frames per second": ("fps", ".1f"),
    "round trip, ms: median": ("median", ".0f"),
    "95th percentile": ("percentile95", ".0f"),
    "JPEG in the page": ("capture", ".1f"),
    "server": ("server", ".1f"),
    "found": ("found", ".0%"),
}


def empty_app() -> App:
    """A page whose function does nothing."""
    app = App("Empty")
    app.on_frame(lambda frame: [])
    return app


def apps() -> dict[str, App]:
    """The pages that are measured."""
    return {
        "empty": empty_app(),
        "pose_mirror": load_app("pose_mirror"),
        "gesture_slides": load_app("gesture_slides"),
    }


def cameras(folder: Path, clip: Path | None) -> dict[str, Path]:
    """What the camera of each page shows: a clip, or someone whom its model finds."""
    person = _images(clip, ASTRONAUT)
    hand = (shared_folder() or folder) / "images" / "photos" / "hand_pakutaso.jpg"
    hands = _images(clip, hand if hand.is_file() else ASTRONAUT)
    kinds = {"empty": person, "pose_mirror": person, "gesture_slides": hands}
    return {name: write_camera(folder / f"{name}.mjpeg", images) for name, images in kinds.items()}


def _images(clip: Path | None, image: Path) -> Sequence[np.ndarray]:
    if clip is not None:
        return [frame.image for frame in zoo.frames(clip)]
    return panned(zoo.read_image(image))


def measure(app: App, camera: Path, seconds: float) -> dict[str, float]:
    """Frames per second and milliseconds of one page, after its first answers."""
    with shown(app, camera=camera) as page:
        page.wait_for_frames(10)
        page.page.evaluate(_NOTE)
        before = int(page.data["answered"])
        page.page.wait_for_timeout(1000 * seconds)
        return _figures(page, before, seconds)


def _figures(page: Shown, before: int, seconds: float) -> dict[str, float]:
    noted = page.page.evaluate("measured")
    trips = np.percentile(noted["trip"], [50, 95]).tolist()
    shares = {name: median(noted[name]) for name in ("capture", "server")}
    found = sum(noted["found"]) / len(noted["found"])
    fps = (int(page.data["answered"]) - before) / seconds
    return {"fps": fps, "median": trips[0], "percentile95": trips[1], **shares, "found": found}


def table(runs: dict[str, list[dict[str, float]]]) -> list[str]:
    """The medians of all rounds, in Markdown."""
    lines = [f"| {' | '.join(['page', *_COLUMNS])} |", "| --- " * (1 + len(_COLUMNS)) + "|"]
    for name, found in runs.items():
        cells = [format(median(run[key] for run in found), form) for key, form in _COLUMNS.values()]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clip", type=Path, help="a video; default: cameras over images")
    given: Any = parser.parse_args()
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in apps()}
    with tempfile.TemporaryDirectory() as folder:
        shows = cameras(Path(folder), given.clip)
        for _ in range(given.rounds):
            for name, app in apps().items():
                runs[name].append(measure(app, shows[name], given.seconds))
    print(*table(runs), json.dumps(runs), sep="\n")


if __name__ == "__main__":
    main()
