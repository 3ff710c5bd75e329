"""Blurs or replaces what is behind you.

Run: ``zoo gallery background``
"""

from zoo import Frame, Moment
from zoo.web import Client, select, slider
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__,
    select("behind", ["blur", "beach", "night", "plain", "original"]),
    slider("strength", 2, 30, 12, step=1),
)


@app.on_frame
def person(frame: Frame, client: Client) -> Moment:
    """Return the mask of the people in a frame."""
    return client.watch(frame, "segment_person")
