# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Gestures before a camera
#
# The source is the first camera of this computer; a video serves as well: set the environment
# variable `ZOO_SOURCE` to its path, or write it here. The models of hands, 4 MB, are fetched at
# the first use.

# %%
import os

import zoo

source = os.environ.get("ZOO_SOURCE", "0")

# %% [markdown]
# ## What a camera sees
#
# `zoo.watch` gives a dict for each frame: the frame, the result, the number of each hand, and
# events. Hands are followed from frame to frame, which is three times as fast as looking for them
# anew, and their joints do not tremble. Here are the first two seconds:

# %%
from PIL import Image

for moment in zoo.watch(source, "gestures", stop=2.0):
    for event in moment["events"]:
        print(f"{event['time']:5.2f} s", event["type"], event["label"], "of hand", event["id"])

print(f"{moment['milliseconds']:.0f} ms, {moment['fps']:.0f} frames per second")
Image.fromarray(zoo.paint(moment)).reduce(2)

# %% [markdown]
# ## Reacting
#
# `zoo.when` calls functions: when a gesture starts, when it was held for a while, when a movement
# such as a swipe happened. `run` goes on until the source ends; with a camera, until `app.stop()`.

# %%
counts = {}


def count(event):
    """Count how often each event was seen."""
    counts[event["label"]] = counts.get(event["label"], 0) + 1


app = zoo.when(source, "gestures", stop=8.0)
app.on("*", count, type="started")
app.on("pointing_up", lambda event: print("pointing since", round(event["seconds"], 1)), held=1.0)
app.run()
counts

# %% [markdown]
# ## Continuous values
#
# How far thumb and index finger are from each other is a number between 0 (apart) and 1 (pinched):
# a slider without a mouse.

# %%
bars = []
for moment in zoo.watch(source, "hands", stride=5, stop=4.0):
    for values in moment["values"]:
        bars.append("#" * round(20 * values["pinch"]))
print("\n".join(bars))

# %% [markdown]
# ## A sign of your own
#
# Show it to a recognizer a few times. It is recognized beside the built-in gestures, and can be
# saved to a file.

# %%
recognizer = zoo.GestureRecognizer()
for moment in zoo.watch(source, "hands", start=0.5, stop=1.5, stride=8):
    if moment["result"]:
        recognizer.add_example(moment["result"][0], "my sign")

found = set()
for moment in zoo.watch(source, "gestures", model=recognizer, stop=3.0):
    found |= {gesture["label"] for gesture in moment["result"]}
found

# %% [markdown]
# ## An app that can be tested
#
# A recording has the frames without loss, and all results. It is a source like a camera: an app
# that reads it does the same each time, without a camera.

# %%
import tempfile

folder = tempfile.mkdtemp()
recording = os.path.join(folder, "session.zoo")
first = [m["events"] for m in zoo.watch(source, "gestures", record=recording, stop=1.5)]
again = [m["events"] for m in zoo.watch(recording, "gestures")]
assert first == again
len(first), recording.rpartition("/")[2]
