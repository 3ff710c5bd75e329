"""Pages in the browser for functions of frames: `App`, and REST for the verbs.

>>> from zoo.web import App, slider
>>> app = App("Hands", slider("score_threshold", 0, 1, 0.5))
>>> @app.on_frame
... def hands(frame, client, score_threshold):
...     return client.watch(frame, "hands", score_threshold=score_threshold)
>>> app.run()  # doctest: +SKIP
"""

from zoo.web.app import App, Download
from zoo.web.client import Client
from zoo.web.controls import button, select, slider, switch
from zoo.web.running_server import RunningServer

__all__ = ["App", "Client", "Download", "RunningServer", "button", "select", "slider", "switch"]
