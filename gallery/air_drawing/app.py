"""Pinch your fingers, and draw in the air.

Run: ``zoo gallery air_drawing``
"""

from zoo import Frame, Moment
from zoo.web import Client, button, select, slider
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__,
    select("colour", ["blue", "orange", "green", "pink", "white"]),
    slider("width", 2, 24, 8, step=1),
    button("clear", key="c"),
    button("save", key="s"),
)


@app.on_frame
def hands(frame: Frame, client: Client) -> Moment:
    """Return the hands in a frame, and how far each pinches."""
    return client.watch(frame, "hands", max_hands=1)


@app.on("clear")
def clear() -> bool:
    """Let the page clear its drawing."""
    return True


@app.on("save")
def save() -> bool:
    """Let the page save its drawing."""
    return True
