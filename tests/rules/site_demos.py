"""Published models on the pages of tasks: the second hook of mkdocs.yml.

A page has a demo where the weights of its model are on this computer, or bundled.
"""

from pathlib import Path
from typing import Any, NamedTuple

import zoo
from zoo.catalog.entries import find_entry
from zoo.catalog.weight_files import missing_files, of_entry


class Demo(NamedTuple):
    """A model on a page, and how its weights are stored, so that a browser loads less than 2 MB."""

    model: str
    quantise: str | None = None


#: By page. Hands are not among them: their two networks have 2.2 MB.
DEMOS = {
    "zoo/docs/pose.md": Demo("posenet.tiny", "uint8"),
    "zoo/docs/classification.md": Demo("mobilenet.v1_025", "float16"),
    "zoo/docs/faces.md": Demo("blazeface.short"),
}

FOLDER = "demos"


def on_page_content(html: str, page: Any, config: Any, **_: Any) -> str:
    """Write the model of a page's demo into the site, and add its tag at the end of the page."""
    demo = DEMOS.get(page.file.src_uri)
    if demo is None or missing_files(of_entry(find_entry(demo.model))):
        return html
    return f"{html}\n{section(demo, Path(config.site_dir), '../' * page.url.count('/'))}"


def section(demo: Demo, site: Path, root: str) -> str:
    """Publish the model of a demo; return its HTML, where ``root`` leads to the site's root."""
    folder = site / FOLDER / demo.model
    folder.parent.mkdir(parents=True, exist_ok=True)
    published = zoo.publish(demo.model, folder, quantise=demo.quantise, overwrite=True)
    return (
        f"<h2>Try {demo.model} here</h2>\n"
        "<p>It runs in this page: no picture leaves it.</p>\n"
        f'<script type="module" src="{root}{FOLDER}/{demo.model}/zoo.js"></script>\n'
        f"<{published.element}></{published.element}>"
    )
