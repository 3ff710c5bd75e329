"""Every app of the gallery has what the gallery shows."""

from tests.helpers import ROOT
from zoo.web.gallery import app_names


def test_each_app_is_small_and_complete():
    folders = {name: ROOT / "gallery" / name for name in app_names()}
    assert len(folders) == 8
    for folder in folders.values():
        assert len((folder / "app.py").read_text().splitlines()) <= 80, folder
        for name in ("README.md", "screenshot.jpg"):
            assert (folder / name).is_file(), f"{folder.name} has no {name}"
