"""Slides that a swipe of your hand turns, and a thumb answers.

Run: ``zoo gallery gesture_slides``
"""

from zoo import Frame, Moment
from zoo.web import Client
from zoo.web.gallery import gallery_app

app = gallery_app(__file__)


@app.on_frame
def gestures(frame: Frame, client: Client) -> Moment:
    """Return gestures and movements of hands."""
    return client.watch(frame, "gestures", max_hands=1)
