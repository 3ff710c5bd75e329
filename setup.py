"""Copies the apps of the gallery into the package; all else stands in pyproject.toml."""

from pathlib import Path
from shutil import copy2

from setuptools import setup
from setuptools.command.build_py import build_py

GALLERY = Path(__file__).parent / "gallery"


class BuildWithGallery(build_py):
    """Builds the package with the folders of ``gallery`` that have an ``app.py``."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if self.editable_mode:  # the apps are found where they are
            return
        target = Path(self.build_lib) / "zoo" / "web" / "apps"
        files = [GALLERY / "texts.json"]
        for app in GALLERY.glob("*/app.py"):
            files += [path for path in app.parent.iterdir() if path.is_file()]
        for file in files:
            copied = target / file.relative_to(GALLERY)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copy2(file, copied)


setup(cmdclass={"build_py": BuildWithGallery})
