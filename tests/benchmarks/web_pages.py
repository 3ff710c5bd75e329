"""Frames per second and round trips of apps in Chromium, beside a page without a model.

    python -m tests.benchmarks.web_pages [--seconds 20] [--rounds 3] [--clip CLIP]

Each round opens every page in turn, with a clip in the place of the camera. Needs Debian's package
``chromium`` and Playwright (extra ``browser``).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median

import zoo
from tests.gallery.browser import panned, shown, write_camera
from tests.helpers import ROOT
from zoo.web import App
from zoo.web.gallery import load_app

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


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


def measure(app: App, camera: Path, seconds: float) -> dict[str, float]:
    """Frames per second and round trips in milliseconds of one page, after its first answers."""
    with shown(app, camera=camera) as page:
        page.wait_for_frames(30)
        before = int(page.data["answered"])
        page.page.wait_for_timeout(1000 * seconds)
        data = page.data
        fps = (int(data["answered"]) - before) / seconds
        return {"fps": fps, "median": float(data["median"]), "p95": float(data["percentile95"])}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clip", type=Path, help="a video; default: a camera over a portrait")
    given = parser.parse_args()
    frames = (
        [f.image for f in zoo.frames(given.clip)]
        if given.clip
        else panned(zoo.read_image(ASTRONAUT))
    )
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in apps()}
    with tempfile.TemporaryDirectory() as folder:
        camera = write_camera(Path(folder) / "camera.mjpeg", frames)
        for _ in range(given.rounds):
            for name, app in apps().items():
                runs[name].append(measure(app, camera, given.seconds))
    print("| page | frames per second | round trip, ms: median | 95th percentile |")
    print("| --- | --- | --- | --- |")
    for name, found in runs.items():
        fps, middle, late = (median(run[key] for run in found) for key in ("fps", "median", "p95"))
        print(f"| `{name}` | {fps:.1f} | {middle:.0f} | {late:.0f} |")
    print(json.dumps(runs))


if __name__ == "__main__":
    main()
