"""Counts your squats and jumping jacks.

Run: ``zoo gallery rep_counter``
"""

from zoo import Frame, Moment
from zoo.web import Client, button, select
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__, select("exercise", ["squat", "jumping_jack", "jump"]), button("reset", key="r")
)


@app.on_frame
def pose(frame: Frame, client: Client) -> Moment:
    """Return the person in a frame, and what was done."""
    return client.watch(frame, "estimate_single_pose", model="movenet.lightning")
