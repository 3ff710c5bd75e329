"""Find what the page names, before the time is up.

Run: ``zoo gallery object_hunt``
"""

import random

from zoo import Frame, Moment
from zoo.web import Client, button, slider
from zoo.web.gallery import gallery_app

#: Objects of the detector that are found in most homes.
OBJECTS = (
    *("cup", "bottle", "chair", "laptop", "cell phone", "book", "keyboard", "mouse"),
    *("scissors", "clock", "potted plant", "spoon", "fork", "bowl", "banana", "apple", "remote"),
    *("backpack", "umbrella", "tv", "teddy bear", "toothbrush", "vase"),
)
#: Frames one after another that show an object, and their seconds: a label that flickers is wrong.
FRAMES, SECONDS = 3, 0.4
#: Whatever looked like an object in the last seconds, at this score, is not named next.
LEAST_SCORE, IN_SIGHT = 0.3, 5.0

app = gallery_app(
    __file__,
    slider("score", 0.3, 0.9, 0.5, step=0.05),
    slider("seconds", 15, 180, 90, step=15),
    button("next", key="n"),
    button("restart", key="r"),
)


@app.on_frame
def look(frame: Frame, client: Client, score: float) -> Moment:
    """Return what is seen; name the next object where the wanted one is."""
    moment = client.watch(frame, "detect", score_threshold=LEAST_SCORE)
    state, found = client.state, moment["result"]
    state["time"] = frame.time
    state["seen"] = state.get("seen", {}) | {thing["label"]: frame.time for thing in found}
    if "wanted" not in state:
        client.send("wanted", label=_next(client))
    wanted = state["wanted"]
    is_seen = any(thing["label"] == wanted and thing["score"] >= score for thing in found)
    times = state["times"] = [*state["times"], frame.time] if is_seen else []
    if len(times) >= FRAMES and times[-1] - times[0] >= SECONDS:
        client.send("found", label=wanted)
        client.send("wanted", label=_next(client))
    return moment


@app.on("next")
@app.on("restart")
def name_another(client: Client) -> dict[str, str]:
    """Name another object."""
    return {"label": _next(client)}


def _next(client: Client) -> str:
    """Choose an object that is out of sight, so that it must be looked for."""
    state = client.state
    others = [name for name in OBJECTS if name != state.get("wanted")]
    seen = {name for name, time in state.get("seen", {}).items() if state["time"] - time < IN_SIGHT}
    hidden = [name for name in others if name not in seen]
    state["wanted"] = random.choice(hidden or others or OBJECTS)
    state["times"] = []
    return str(state["wanted"])
