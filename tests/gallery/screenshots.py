"""Draws the gallery's pictures: each app on its scene, in Chromium.

    python -m tests.gallery.screenshots [APP ...] [--phone] [--out FOLDER]

Without ``--out`` each picture replaces ``gallery/APP/screenshot.jpg``.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from tests.gallery.browser import shown
from tests.helpers import ROOT
from zoo.web.gallery import app_names, load_app

#: Pixels of the window.
DESK, PHONE = (1280, 800), (390, 844)


def draw(name: str, path: Path, size: tuple[int, int] = DESK) -> None:
    """Write what the page of an app shows on its scene."""
    scene = import_module(f"tests.gallery.scenes.{name}")
    with shown(load_app(name), source=scene.source(), size=size) as page:
        page.wait_for_frames()
        scene.ready(page)
        page.page.screenshot(path=path, type="jpeg", quality=85, full_page=size == PHONE)


def main() -> None:
    """Draw the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("apps", nargs="*", metavar="APP", default=[*app_names()])
    parser.add_argument("--phone", action="store_true", help="of a phone's size")
    parser.add_argument("--out", type=Path, help="folder for the pictures")
    given = parser.parse_args()
    for name in given.apps:
        folder = given.out or ROOT / "gallery" / name
        path = folder / (f"{name}.jpg" if given.out else "screenshot.jpg")
        draw(name, path, PHONE if given.phone else DESK)
        print(path)


if __name__ == "__main__":
    main()
