"""The page of an app as HTML, and its texts."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from weights_cache.common.errors import ZooError

if TYPE_CHECKING:
    from zoo.web.app import App

ASSETS = Path(__file__).parent / "assets"

#: Files of an app's folder that pages may load, by their endings.
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_ID = re.compile(r'\bid="([^"]*)"')


def asset(name: str) -> Path | None:
    """Return a script or style of every page, if there is one of that name."""
    found = {path.name: path for pattern in ("*.js", "*.css") for path in ASSETS.glob(pattern)}
    return found.get(name)


@cache
def common_texts() -> dict[str, str]:
    """Return the texts of every page."""
    found: dict[str, str] = json.loads((ASSETS / "texts.json").read_text(encoding="utf-8"))
    return found


def page_of(app: App) -> str:
    """Return the page of an app.

    Raises:
        ZooError: ``page.html`` of the app names a text that it does not have, or an element as the
            page names one of its own.
    """
    frame = (ASSETS / "page.html").read_text(encoding="utf-8")
    content = _content(app)
    taken = {*_ID.findall(frame)} & {*_ID.findall(content)}
    if taken:
        raise ZooError(f"page.html: the page has an id={min(taken)!r} of its own: use another name")
    texts = {name: escape(text) for name, text in common_texts().items()}
    files = _own_files(app)
    values = {
        **texts,
        "title": escape(app.title),
        "description": escape(app.description),
        "content": content,
        "style": '<link rel="stylesheet" href="app/page.css">' if "page.css" in files else "",
        "script": '<script type="module" src="app/page.js"></script>' if "page.js" in files else "",
    }
    return Template(frame).substitute(values)


def settings_of(app: App, has_source: bool) -> dict[str, Any]:
    """Return the settings that the page's script needs before it connects."""
    return {
        "texts": common_texts() | app.texts,
        "mirror": app.mirror,
        "has_source": has_source,
        "controls": [control.described() for control in app.controls.values()],
    }


def _own_files(app: App) -> frozenset[str]:
    if app.folder is None:
        return frozenset()
    files = (path for path in app.folder.iterdir() if path.is_file())
    folder = app.folder.resolve()  # links may not lead out of it
    return frozenset(path.name for path in files if path.resolve().parent == folder)


def own_file(app: App, name: str) -> Path | None:
    """Return a file of an app's folder that its page may load, if there is such a one."""
    if app.folder is None or Path(name).suffix not in TYPES or name not in _own_files(app):
        return None
    return app.folder / name


def _content(app: App) -> str:
    if "page.html" not in _own_files(app):
        return ""
    assert app.folder is not None

    def fill(field: re.Match[str]) -> str:
        if field[1] not in app.texts:
            raise ZooError(f"page.html has {{{field[1]}}}, which the app's texts do not have")
        return escape(app.texts[field[1]])

    return _FIELD.sub(fill, (app.folder / "page.html").read_text(encoding="utf-8"))
