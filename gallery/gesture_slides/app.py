"""Slides that a swipe of your hand turns, and a thumb likes.

Run: ``zoo gallery gesture_slides``
"""

from typing import Any

from zoo import Frame
from zoo.web import Client, switch
from zoo.web.gallery import gallery_app

app = gallery_app(__file__, switch("other_way"))


@app.on_frame
def gestures(frame: Frame, client: Client) -> dict[str, Any]:
    """Return gestures and movements of hands, and whether left is the right of the person."""
    moment = client.watch(frame, "gestures", max_hands=2)
    return {**moment, "mirrored": frame.mirrored}
