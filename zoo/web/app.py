"""A page for a function of frames."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple, TypeVar

from weights_cache.errors import ZooError
from weights_cache.similar_names import did_you_mean
from zoo.live.frame import Frame
from zoo.web.client import Client
from zoo.web.controls import Control, by_name

Function = TypeVar("Function", bound=Callable[..., Any])

#: Arguments that functions of an app may have, beside the names of its controls.
_GIVEN = ("frame", "client", "message")

#: Types of messages that the server itself uses.
RESERVED = ("frame", "set", "hello", "result", "dropped", "error", "closed")


class Download(NamedTuple):
    """A file that a page offers for saving."""

    data: bytes
    name: str  # of the file
    type: str = "application/octet-stream"


class App:
    """A page with a camera, whose frames a function gets, and what the function returns drawn.

    Frames come from the browser's camera (or a recorded clip) as mirror images, one at a time for
    each page. What the function returns is drawn on the page: a result of any function of `zoo`, or
    the dict of ``client.watch``. Functions of all pages run in one thread, in turn.

    >>> import zoo
    >>> from zoo.web import App, slider
    >>> app = App("Poses", slider("threshold", 0, 1, 0.3))
    >>> @app.on_frame
    ... def poses(frame, threshold):
    ...     return zoo.estimate_multiple_poses(frame, score_threshold=threshold)
    >>> app.run()  # doctest: +SKIP

    Args:
        title: of the page.
        controls: see `slider`, `select`, `switch` and `button`.
        description: a sentence below the title.
        folder: of a page of the app's own: ``page.html`` (what stands beside the picture),
            ``page.js``, ``page.css`` and pictures, all of which are optional.
        texts: of the page, by name: ``{name}`` in ``page.html``, and ``zoo.texts`` in scripts.
        mirror: frames of a camera are mirror images, as people expect of themselves.

    Raises:
        ZooError: a control is none, or two have one name.
    """

    def __init__(
        self,
        title: str,
        *controls: Control,
        description: str = "",
        folder: str | os.PathLike[str] | None = None,
        texts: Mapping[str, str] | None = None,
        mirror: bool = True,
    ):
        self.title, self.description, self.mirror = title, description, mirror
        self.controls = by_name(controls)
        self.folder = None if folder is None else Path(folder)
        self.texts = dict(texts or {})
        self.frame_function: Callable[..., Any] | None = None
        self.message_functions: dict[str, Callable[..., Any]] = {}
        self.image_functions: dict[str, Callable[..., Any]] = {}
        self.download_functions: dict[str, Callable[..., Download]] = {}
        self.begin_functions: list[Callable[..., Any]] = []
        if self.folder is not None and not self.folder.is_dir():
            raise ZooError(f"folder={str(folder)!r} is no folder")

    def on_frame(self, function: Function) -> Function:
        """Call a function with each frame, as a decorator.

        Its arguments are found by their names: ``frame``, a `zoo.Frame`; ``client``, the page (see
        `Client`); and the names of controls.

        Raises:
            ZooError: an argument has another name.
        """
        self._check(function, without=("message",))
        self.frame_function = function
        return function

    def on(self, type: str) -> Callable[[Function], Function]:
        """Call a function at each message of a type, or when the button of that name is pressed.

        Its arguments are found by their names: ``message``, a dict; ``client``; controls. What it
        returns, if not None, is sent to the page as a message of that type.
        """

        def add(function: Function) -> Function:
            self._check(function, without=("frame",))
            self.message_functions[_free(type)] = function
            return function

        return add

    def on_image(self, type: str) -> Callable[[Function], Function]:
        """Call a function with each image that the page's script sends with this type.

        As `on`, with ``frame``, the image, as well; these are not dropped, as frames are.
        """

        def add(function: Function) -> Function:
            self._check(function)
            self.image_functions[_free(type)] = function
            return function

        return add

    def on_begin(self, function: Function) -> Function:
        """Call a function with each page that is opened, before its first frame."""
        self._check(function, without=("frame", "message"))
        self.begin_functions.append(function)
        return function

    def download(self, name: str) -> Callable[[Function], Function]:
        """Offer what a function returns, a `Download`, at the page's address ``download/NAME``."""

        def add(function: Function) -> Function:
            self._check(function, without=("frame", "message"))
            self.download_functions[name] = function
            return function

        return add

    def _check(self, function: Callable[..., Any], without: tuple[str, ...] = ()) -> None:
        known = [name for name in (*_GIVEN, *self.controls) if name not in without]
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in known and parameter.default is parameter.empty:
                raise ZooError(
                    f"{function.__name__}: the argument {name!r} is none that an app gives"
                    f"{did_you_mean(name, known)}; it gives: {', '.join(known)}"
                )

    def call(
        self,
        function: Callable[..., Any],
        client: Client,
        frame: Frame | None = None,
        message: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call one of the functions with the arguments that it has."""
        given = {"frame": frame, "client": client, "message": message, **client.values}
        names = inspect.signature(function).parameters
        return function(**{name: given[name] for name in names if name in given})

    def run(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        source: str | os.PathLike[str] | None = None,
        token: str | None = None,
        certificate: tuple[str, str] | None = None,
        open_browser: bool = False,
    ) -> None:
        """Serve the page until interrupted.

        Args:
            host: address to listen at; other computers reach addresses other than 127.0.0.1, and
                need the token, which stands in the address that is printed.
            port: 1..65535, or 0 for any that is free.
            source: a video or anything that `zoo.frames` takes, in the place of a camera.
            token: by default a random one where ``host`` is not this computer alone, else none.
            certificate: files of a TLS certificate and of its key, in PEM.
            open_browser: open the page in the user's browser.

        Raises:
            ZooError: the extra ``web`` is not installed, the address is in use, a file is missing.
        """
        resolve_name("zoo.web.serving:serve_app")(
            self,
            host=host,
            port=port,
            source=source,
            token=token,
            certificate=certificate,
            open_browser=open_browser,
        )

    def __repr__(self) -> str:
        return f"<app {self.title!r}>"


def _free(type: str) -> str:
    if type in RESERVED:
        raise ZooError(f"messages of type {type!r} are the server's own: use another name")
    return type
