"""A mirror that draws your skeleton.

Run: ``zoo gallery pose_mirror``, or with a clip: ``zoo gallery pose_mirror --source clip.mp4``
"""

from zoo import Frame, Moment
from zoo.web import Client, select, slider
from zoo.web.gallery import gallery_app

app = gallery_app(
    __file__,
    select("model", ["posenet.tiny", "movenet.lightning", "posenet.mobilenet_v1_075"]),
    slider("threshold", 0.05, 1, 0.3, step=0.05),
)


@app.on_frame
def poses(frame: Frame, client: Client, model: str) -> Moment:
    """Return the people in a frame, steadied over time."""
    return client.watch(frame, "estimate_multiple_poses", model=model)
