"""Pinch your fingers, and draw in the air.

Run: ``zoo gallery air_drawing``
"""

from zoo import Frame, Moment
from zoo.web import Client, button, slider
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__,
    slider("width", 2, 24, 8, step=1),
    button("undo", key="z"),
    button("clear", key="c"),
    button("save", key="s"),
)


@app.on_frame
def hands(frame: Frame, client: Client) -> Moment:
    """Return the hands in a frame, how far each pinches, and where a pinch begins and ends."""
    return client.watch(frame, "hands", max_hands=2)
