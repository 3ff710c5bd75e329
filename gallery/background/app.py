"""Blurs or replaces what is behind you.

Run: ``zoo gallery background``
"""

from typing import Any

from zoo import Frame
from zoo.web import Client, select, slider
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__,
    select("behind", ["blur", "beach", "night", "plain", "original"]),
    slider("strength", 4, 40, 16, step=1),
)


@app.on_frame
def person(frame: Frame, client: Client) -> dict[str, Any]:
    """Return the mask of the people in a frame, and how much of the frame they take up."""
    moment = client.watch(frame, "segment_person")
    return {**moment, "share": float(moment["result"]["mask"].mean())}
