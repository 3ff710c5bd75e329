"""What the page draws anew, and until when an answer is shown."""

import asyncio

import numpy as np

from tests.gallery.browser import WATCH_AGES, shown
from tests.gallery.clips import jpeg
from zoo.web import App
from zoo.web.messages import message_of


class Slow:
    """A source of grey frames, a few a second, until it is ended."""

    is_ended = False

    def __init__(self):
        self._frame = jpeg(np.full((240, 320, 3), 128, np.uint8))
        self._time = 0.0

    async def watch(self):
        await asyncio.sleep(0.2)
        while self.is_ended:
            await asyncio.sleep(60)
        self._time += 0.2
        return message_of({"time": self._time}, self._frame)

    def close(self):
        """Nothing is open."""


def boxes_app():
    app = App("Box")

    @app.on_frame
    def box(frame):
        return [
            {"label": "box", "score": 1.0, "box": {"x": 80, "y": 60, "width": 160, "height": 120}}
        ]

    return app


def test_the_picture_is_drawn_anew_for_new_frames_and_answers_only():
    with shown(boxes_app(), source=Slow()) as page:
        page.wait_for_frames()
        page.page.evaluate(
            """() => {
              globalThis.counts = { draws: 0, first: zoo.source.count };
              const draw = zoo.source.draw.bind(zoo.source);
              zoo.source.draw = (...given) => { counts.draws += 1; draw(...given); };
              counts.answered = Number(document.body.dataset.answered);
            }"""
        )
        page.wait_for_frames(20)
        draws, news = page.page.evaluate(
            "[counts.draws, zoo.source.count - counts.first"
            " + Number(document.body.dataset.answered) - counts.answered]"
        )
        assert 5 <= draws <= 2 * news  # an answer that gets too old is a change, too
        page.check_clean()


def test_an_answer_goes_when_it_is_too_old_and_no_frame_comes():
    source = Slow()
    with shown(boxes_app(), source=source) as page:
        page.wait_for_frames(1)
        page.page.evaluate(WATCH_AGES)
        page.wait(lambda: page.page.evaluate("oldest") > 0, "the box to be drawn")
        source.is_ended = True
        page.wait(lambda: np.ptp(page.pixels()) < 8, "the frame without the box")
        assert page.page.evaluate("oldest") <= 500
