"""Images on the screen while a program runs: `show`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from weights_cache.common.messages import is_notebook
from zoo.drawing.live_painting import paint
from zoo.images.pillow import import_pillow
from zoo.images.reading import read_image
from zoo.live.preview_window import Window
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment, is_moment

_windows: dict[str, Window] = {}  # by title

#: The image of each title and cell of a notebook, whose place the next one takes.
_displays: dict[tuple[str, int], Any] = {}


def show(image: ImageSource | Moment, title: str = "zoo", *, wait: bool = False) -> bool:
    """Show an image, in the place of the one before: in a window, or below a notebook's cell.

    >>> import zoo
    >>> for moment in zoo.watch(0, "pose"):  # doctest: +SKIP
    ...     if not zoo.show(moment):
    ...         break

    Args:
        image: an image in any form that `zoo.read_image` takes, such as what `zoo.paint` and
            `zoo.draw` return (of OpenCV's frames ``zoo.read_image(frame, order="bgr")``); or a
            moment of `zoo.watch`, which is painted.
        title: the window's; each title has a window, or an image of a notebook's cell, of its own.
        wait: return only when the user has closed the window or pressed a key, as for a single
            image at the end of a program. In a notebook it changes nothing.

    Returns:
        False if the user has closed the window, or pressed ``q`` or Escape, and after waiting;
        else True.

    Raises:
        ZooError: there is no display, or OpenCV was built without windows.
        ImageError: the image cannot be read.
    """
    pixels = paint(image) if is_moment(image) else read_image(image)
    if is_notebook():
        _show_in_notebook(pixels, title)
        return True
    window = _windows.get(title) or Window(title)
    _windows[title] = window
    goes_on = window.show(pixels)
    if goes_on and wait:
        window.wait()
        goes_on = False
    if not goes_on:
        _windows.pop(title).close()
    return goes_on


def _show_in_notebook(pixels: np.ndarray, title: str) -> None:
    from IPython import display, get_ipython

    file = io.BytesIO()
    import_pillow("showing").fromarray(pixels).save(file, "JPEG", quality=90)
    shown = display.Image(file.getvalue(), format="jpeg")
    cell = get_ipython().execution_count
    for earlier in [place for place in _displays if place[1] != cell]:
        del _displays[earlier]
    if (title, cell) in _displays:
        _displays[title, cell].update(shown)
    else:
        _displays[title, cell] = display.display(shown, display_id=True)
