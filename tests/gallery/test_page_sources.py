"""Faults of cameras and clips, as the page of every app says them."""

import asyncio

import numpy as np

from tests.gallery.browser import opened, shown
from tests.gallery.clips import jpeg
from tests.helpers import require_opencv
from tests.zoo.web.servers import running
from zoo.web import App
from zoo.web.messages import message_of

require_opencv()


def grey_app():
    app = App("Grey")
    app.on_frame(lambda frame: [{"label": "grey", "score": 1.0}])
    return app


class Sent:
    """A source that sends encoded frames in turn, again and again; none: it says nothing."""

    def __init__(self, *frames):
        self._frames, self._count = frames, 0

    async def watch(self):
        await asyncio.sleep(0.1 if self._frames else 60)
        self._count += 1
        frame = self._frames[self._count % len(self._frames)]
        return message_of({"time": 0.1 * self._count}, frame)

    def close(self):
        """Nothing is open."""


#: A camera that opens, and gives no frame; and what became of it.
DEAD_CAMERA = """
globalThis.tracks = [];
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wishes) => {
  const stream = await open(wishes);
  tracks.push(...stream.getTracks());
  return stream;
};
HTMLMediaElement.prototype.play = async () => { throw new DOMException("raw", "AbortError"); };
"""


def test_a_camera_that_cannot_be_played_is_said_and_turned_off():
    with running(grey_app()) as server, opened(server) as found:
        found.page.add_init_script(DEAD_CAMERA)
        found.page.reload()
        found.wait(lambda: "The camera cannot be read" in found.text("#notice"), "words")
        states = found.page.evaluate("tracks.map(({ readyState }) => readyState)")
        assert set(states) == {"ended"}
        found.check_clean()


def test_frames_of_a_clip_that_cannot_be_read_are_said_and_passed_over():
    good = jpeg(np.full((48, 64, 3), 128, np.uint8))
    with shown(grey_app(), source=Sent(b"no image", good)) as found:
        found.wait(lambda: "A frame of the clip cannot be read" in found.text("#notice"), "words")
        found.wait_for_frames()
        found.check_clean()


def test_no_image_is_sent_before_the_first_frame():
    with shown(grey_app(), source=Sent()) as found:
        found.wait(lambda: found.data.get("connection") == "open", "a connection")
        said = found.page.evaluate("zoo.sendImage('image').catch(({ message }) => message)")
        assert said == "The camera gives no frame."
