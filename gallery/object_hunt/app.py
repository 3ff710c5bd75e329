"""Find what the page names, before the time is up.

Run: ``zoo gallery object_hunt``
"""

import random
from typing import Any

from zoo import Frame, Moment
from zoo.web import Client, button, slider
from zoo.web.gallery import gallery_app

#: Objects of the detector that are found in most homes.
OBJECTS = (
    *("person", "cup", "bottle", "chair", "laptop", "cell phone", "book", "keyboard", "mouse"),
    *("scissors", "clock", "potted plant", "spoon", "fork", "bowl", "banana", "apple", "remote"),
    *("backpack", "umbrella", "tv", "teddy bear", "toothbrush", "vase"),
)
app = gallery_app(__file__, slider("score", 0.2, 0.9, 0.5, step=0.05), button("next", key="n"))


@app.on_begin
def begin(client: Client) -> None:
    """Name the first object."""
    client.send("wanted", label=_next(client))


@app.on_frame
def look(frame: Frame, client: Client, score: float) -> Moment:
    """Return what is seen; name the next object where the wanted one is."""
    moment = client.watch(frame, "detect", score_threshold=score)
    wanted = client.state["wanted"]
    seen = any(found["label"] == wanted for found in moment["result"])
    client.state["frames"] = client.state.get("frames", 0) + 1 if seen else 0
    if client.state["frames"] >= 3:  # a label that flickers is no find
        client.send("found", label=wanted)
        client.send("wanted", label=_next(client))
    return moment


@app.on("next")
def skip(client: Client) -> dict[str, Any]:
    """Name another object."""
    return {"label": _next(client)}


def _next(client: Client) -> str:
    last = client.state.get("wanted")
    client.state["wanted"] = random.choice([name for name in OBJECTS if name != last])
    client.state["frames"] = 0
    return str(client.state["wanted"])
