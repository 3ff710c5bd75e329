"""Pages about a published model: of a folder, or with all in one file."""

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from weights_cache import find_record
from zoo.catalog.entry import Entry
from zoo.publishing.recipes.recipe import Recipe

_PLACE = re.compile(r"\{\{(\w+)\}\}")

#: Rights of a page beside those to load: nothing leaves it.
_CLOSED = "base-uri 'none'; form-action 'none'; object-src 'none'"

#: Pictures of users, and those that the script makes of them.
_MEDIA = "img-src 'self' blob: data:; media-src 'self' blob:"


class PageParts(NamedTuple):
    """The parts of a page: its model, the element that runs it, and the script."""

    entry: Entry
    recipe: Recipe
    script: bytes


def folder_page(parts: PageParts) -> bytes:
    """Return ``index.html`` of a folder, which loads its script and style."""
    policy = f"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; {_MEDIA}; {_CLOSED}"
    script = '<script type="module" src="zoo.js"></script>'
    style = '<link rel="stylesheet" href="page.css">'
    return _page(parts, policy, style, script)


def single_page(
    parts: PageParts, modules: Mapping[str, bytes], shards: Mapping[str, bytes]
) -> bytes:
    """Return a page with style, script, modules and weights in it."""
    style, script = page_style().decode(), parts.script.decode()
    allowed = f"script-src {_digest(script)} 'wasm-unsafe-eval'; style-src {_digest(style)}"
    policy = f"default-src 'none'; {allowed}; img-src blob: data:; media-src blob:; {_CLOSED}"
    contents = {
        "zoo-simd": modules["model.wasm"],
        "zoo-relaxed": modules["relaxed.wasm"],
        **{f"zoo-weights-{n}": shard for n, shard in enumerate(shards.values(), 1)},
    }
    blocks = [
        f'<script type="application/octet-stream" id="{name}">'
        f"{base64.b64encode(content).decode()}</script>"
        for name, content in contents.items()
    ]
    module = f'<script type="module">{script}</script>'
    return _page(parts, policy, f"<style>{style}</style>", "\n".join((*blocks, module)))


def page_style() -> bytes:
    """Return the style of pages."""
    return _frame("page.css").encode()


def _page(parts: PageParts, policy: str, style: str, script: str) -> bytes:
    entry, tag = parts.entry, parts.recipe.element
    values = {
        "title": html.escape(entry.name),
        "about": html.escape(entry.title),
        "licence": html.escape(find_record(entry.weights).licence),
        "policy": policy,
        "style": style,
        "script": script,
        "element": f"<{tag}></{tag}>",
    }
    return _PLACE.sub(lambda place: values[place[1]], _frame("page.html")).encode()


def _digest(text: str) -> str:
    """Return the source expression of a script or style in a page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _frame(name: str) -> str:
    return (files("zoo.publishing") / "frame" / name).read_text("utf-8")
