"""Paint and masks that stay on your face, and answer a smile and a blink.

Run: ``zoo gallery face_paint``
"""

from zoo import Frame, Moment
from zoo.web import Client, select
from zoo.web.gallery import gallery_app

app = gallery_app(__file__, select("paint", ["cat", "glasses", "crown", "mesh"]))


@app.on_frame
def faces(frame: Frame, client: Client) -> Moment:
    """Return faces with their mesh and irises, and their smiles and blinks."""
    return client.watch(frame, "estimate_faces", iris=True, max_faces=2)
