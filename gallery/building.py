"""Copies the apps of the gallery into the package, by a line of pyproject.toml."""

from pathlib import Path
from shutil import copy2

from setuptools.command.build_py import build_py

GALLERY = Path(__file__).resolve().parent


def gallery_files() -> list[Path]:
    """Return the texts of the gallery, and the files of its folders that have an ``app.py``."""
    files = [GALLERY / "texts.json"]
    for app in sorted(GALLERY.glob("*/app.py")):
        inside = sorted(app.parent.iterdir())
        files += [path for path in inside if path.is_file() and not path.name.startswith(".")]
    return files


class BuildWithGallery(build_py):
    """Builds the package with the apps in ``zoo/web/apps``."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if self.editable_mode:  # the apps are found where they are
            return
        target = Path(self.build_lib) / "zoo" / "web" / "apps"
        for file in gallery_files():
            copied = target / file.relative_to(GALLERY)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copy2(file, copied)

    def get_source_files(self) -> list[str]:
        """Return what archives of the sources hold."""
        found: list[str] = super().get_source_files()
        files = [Path(__file__).resolve(), *gallery_files()]
        return found + [file.relative_to(GALLERY.parent).as_posix() for file in files]
