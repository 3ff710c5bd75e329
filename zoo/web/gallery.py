"""The apps of the gallery: what there is, and loading them."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.web.app import App
from zoo.web.controls import Control

_HERE = Path(__file__).resolve().parent

#: Folders of apps: in an installed package, and beside a checkout of the sources.
_FOLDERS = (_HERE / "apps", _HERE.parents[1] / "gallery")


def gallery_folder() -> Path:
    """Return the folder whose folders are the apps.

    Raises:
        ZooError: the package was installed without them.
    """
    for folder in _FOLDERS:
        if (folder / "texts.json").is_file():
            return folder
    raise ZooError("the apps of the gallery are not installed: reinstall friendly-zoo")


def app_names() -> dict[str, str]:
    """Return the apps by name, with a line about each.

    >>> "pose_mirror" in app_names()
    True
    """
    found = {}
    for path in sorted(gallery_folder().glob("*/app.py")):
        document = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found[path.parent.name] = document.partition("\n")[0].rstrip(".")
    return found


def load_app(name: str) -> App:
    """Return an app of the gallery.

    Raises:
        ZooError: the gallery has no app of that name.
    """
    known = app_names()
    if name not in known:
        hint = did_you_mean(name, known)
        raise ZooError(f"the gallery has no app {name!r}{hint}; apps: {', '.join(known)}")
    spec = spec_from_file_location(f"zoo_gallery_{name}", gallery_folder() / name / "app.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    app: App = module.app
    return app


def gallery_app(file: str | os.PathLike[str], *controls: Control, mirror: bool = True) -> App:
    """Return an app whose texts stand in ``texts.json`` beside its folder, under its name.

    ``title`` and ``description`` are the page's; the text of a control's name is its label.

    Args:
        file: ``__file__`` of ``app.py``.
        controls: see `zoo.web.slider`, ..
        mirror: frames of cameras are mirror images.
    """
    folder = Path(file).resolve().parent
    texts = _texts(folder)
    labelled = [_labelled(control, texts) for control in controls]
    return App(
        texts["title"],
        *labelled,
        description=texts["description"],
        folder=folder,
        texts=texts,
        mirror=mirror,
    )


def _texts(folder: Path) -> Mapping[str, str]:
    found: dict[str, dict[str, str]] = json.loads(
        (folder.parent / "texts.json").read_text(encoding="utf-8")
    )
    return found[folder.name]


def _labelled(control: Control, texts: Mapping[str, str]) -> Control:
    label = texts.get(control.name, control.option.meaning)
    return control._replace(option=control.option._replace(meaning=label))
