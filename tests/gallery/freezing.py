"""A page that stands still, so that what it shows can be compared with what it heard."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.gallery.browser import Shown

_FREEZE = """() => {
  delete globalThis.frozen;
  zoo.isPaused = false;
  let waits = true;
  zoo.onDraw((context, { result, size }) => {
    if (waits) globalThis.frozen = { result, size };
    if (waits) zoo.isPaused = true;
    waits = false;
  });
}"""


def freeze(page: Shown, what: str = "a picture that is drawn") -> tuple[Any, np.ndarray]:
    """Stop a page at the next picture that its app draws; return the result and the pixels."""
    page.page.evaluate(_FREEZE)
    page.wait(lambda: page.page.evaluate("Boolean(globalThis.frozen)"), what)
    return page.page.evaluate("globalThis.frozen.result"), page.pixels()


def go_on(page: Shown) -> None:
    """Let a page move again."""
    page.page.evaluate("() => { zoo.isPaused = false; }")
