"""Apps of the gallery in headless Chromium, with a clip in the place of the camera.

Needs Debian's package ``chromium`` (or ``ZOO_CHROMIUM``, the path of another Chromium) and
Playwright, whose own browsers are not needed.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.gallery.clips import Played
from tests.helpers import require, skip_or_fail
from tests.zoo.web.servers import PATIENCE, Running, running
from zoo.web import App
from zoo.web.clip_source import ClipSource

#: Keeps the greatest age of an answer that is shown, in milliseconds when the display shows it.
WATCH_AGES = """() => {
  globalThis.oldest = 0;
  const look = (now) => {
    const [shown] = zoo.drawn;
    if (shown) globalThis.oldest = Math.max(oldest, now - shown.taken);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


@dataclass
class Shown:
    """A page in a browser.

    Attributes:
        page: Playwright's page.
        server: that serves it.
        outside: addresses of other servers that the page asked for.
        problems: what the console says of errors.
        secure: whether it is reached by https.
    """

    page: Any
    server: Running
    outside: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    secure: bool = False

    @property
    def data(self) -> dict[str, str]:
        """Figures that the page keeps about itself: answered, fps, median, .."""
        found: dict[str, str] = self.page.evaluate("({...document.body.dataset})")
        return found

    def text(self, selector: str) -> str:
        """The text of an element."""
        found: str = self.page.inner_text(selector)
        return found.strip()

    def wait(self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
        """The first true value of a condition."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{what}, not within {seconds} s: {self.data}, {self.problems}")

    def wait_for_frames(self, count: int = 3) -> None:
        """Wait until so many frames are answered."""
        self.wait(lambda: int(self.data.get("answered", 0)) >= count, f"{count} answers")

    def check_clean(self) -> None:
        """Nothing failed, and nothing was asked of other servers."""
        assert self.outside == [] and self.problems == []

    def pixels(self) -> np.ndarray:
        """What stands on the canvas, uint8 [height, width, 3], RGB."""
        url = self.page.evaluate("document.getElementById('picture').toDataURL('image/png')")
        data = io.BytesIO(base64.b64decode(url.partition(",")[2]))
        return np.asarray(Image.open(data).convert("RGB"))


def chromium() -> str:
    """The path of Chromium, or a skip of the test."""
    path = os.environ.get("ZOO_CHROMIUM") or shutil.which("chromium")
    if path is None:
        skip_or_fail("no Chromium (Debian's package chromium, or ZOO_CHROMIUM)")
    return str(path)


@contextmanager
def shown(
    app: App, *, clip: Path | None = None, source: Any = None, page: str = "/", **more: Any
) -> Iterator[Shown]:
    """An app in a browser.

    Args:
        app: of the gallery or of a test.
        clip: a video that the server plays in the place of the camera.
        source: or something else with the functions of `ClipSource`.
        page: its path and query.
        more: of `opened`.
    """
    source = ClipSource(clip) if clip is not None else source
    with running(app, clip=source) as server:
        if isinstance(source, Played):
            source.figures = server.server.figures
        with opened(server, page, **more) as found:
            yield found


@contextmanager
def opened(
    server: Running,
    path: str = "/",
    *,
    camera: Path | None = None,
    allowed: bool = True,
    size: tuple[int, int] = (1280, 800),
    secure: bool = False,
    resolved: str = "",
) -> Iterator[Shown]:
    """A page of a server in a browser.

    Args:
        server: that is running.
        path: of the page, with a query.
        camera: motion JPEG of `write_camera`; without it Chromium's own moving test image.
        allowed: whether the page may use the camera.
        size: of the window, in pixels.
        secure: by https, whoever signed the certificate.
        resolved: a name that is this computer's, for the browser.
    """
    arguments = ["--use-fake-device-for-media-stream", "--no-sandbox"]
    if allowed:
        arguments.append("--use-fake-ui-for-media-stream")
    if camera is not None:
        arguments.append(f"--use-file-for-fake-video-capture={camera}")
    if resolved:
        arguments.append(f"--host-resolver-rules=MAP {resolved} 127.0.0.1")
    with nullcontext(_kept) if _kept else shared_browser() as kept:
        browser = _browser(kept, *arguments)
        try:
            viewport = {"width": size[0], "height": size[1]}
            page = browser.new_page(viewport=viewport, ignore_https_errors=secure)
            page.set_default_timeout(1000 * PATIENCE)
            found = Shown(page, server, secure=secure)
            page.on("request", lambda asked: _note(found, asked.url))
            page.on("console", lambda line: _note_problem(found, line.type, line.text))
            page.on("pageerror", lambda error: found.problems.append(str(error)))
            page.goto(f"http{'s' * secure}://{server.host}{path}")
            yield found
        finally:
            for context in browser.contexts:  # pages share nothing, and one test may open several
                context.close()


@contextmanager
def empty_page() -> Iterator[Any]:
    """Playwright's page with nothing on it."""
    with nullcontext(_kept) if _kept else shared_browser() as kept:
        browser = _browser(kept, "--no-sandbox")
        try:
            yield browser.new_page()
        finally:
            for context in browser.contexts:
                context.close()


@dataclass
class _Kept:
    """What stays for the next page: Playwright, and the browser that it started last."""

    ends: ExitStack
    launch: Callable[..., Any] | None = None
    arguments: tuple[str, ...] = ()
    browser: Any = None


_kept: _Kept | None = None


@contextmanager
def shared_browser() -> Iterator[_Kept]:
    """Within it, Chromium stays for the next page, unless that needs other arguments.

    To start it takes longer than most tests. From the first page on, this thread can run no event
    loop of its own.
    """
    global _kept
    with ExitStack() as ends:
        _kept = _Kept(ends)
        try:
            yield _kept
        finally:
            if _kept.browser is not None:
                _kept.browser.close()
            _kept = None


def _browser(kept: _Kept, *arguments: str) -> Any:
    """Chromium, started with arguments."""
    if kept.launch is None:
        playwright = require("playwright.sync_api")
        kept.launch = kept.ends.enter_context(playwright.sync_playwright()).chromium.launch
    is_open = kept.browser is not None and kept.browser.is_connected()
    if not is_open or kept.arguments != arguments:
        if is_open:
            kept.browser.close()
        kept.browser = kept.launch(executable_path=chromium(), args=arguments)
        kept.arguments = arguments
    return kept.browser


def _note(found: Shown, url: str) -> None:
    ending = f"{'s' * found.secure}://{found.server.host}/"
    if not url.startswith((f"http{ending}", f"ws{ending}", "blob:", "data:")):
        found.outside.append(url)


def _note_problem(found: Shown, kind: str, text: str) -> None:
    if kind == "error":
        found.problems.append(text)
