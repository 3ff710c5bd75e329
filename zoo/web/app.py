"""A page for a function of frames."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from weights_cache.common.errors import ZooError
from zoo.live.frame import Frame
from zoo.web.client import Client
from zoo.web.controls import Control, by_name
from zoo.web.functions import AnyFunction, call_with, check_function, name_of
from zoo.web.messages import refuse_reserved
from zoo.web.running_server import RunningServer, make_way
from zoo.web.server_options import HOST, PORT, AccessOptions, DeploymentOptions, shows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from zoo.web.security import Application
    from zoo.web.server_options import ServerOptions
    from zoo.web.serving import Serving

Function = TypeVar("Function", bound=Callable[..., object])

#: Arguments that functions of an app may have, beside the names of its controls.
_GIVEN = ("frame", "client", "message")

_NAME_OF_DOWNLOAD = re.compile(r"[\w.-]{1,100}", re.ASCII)


class Download(NamedTuple):
    """A file that a page offers for saving.

    >>> Download(b"1, 2", "counts.csv", "text/csv").name
    'counts.csv'
    """

    data: bytes
    name: str  # of the file
    type: str = "application/octet-stream"


DownloadFunction = TypeVar("DownloadFunction", bound=Callable[..., Download])


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
        folder: of the parts of the page that are the app's: ``page.html`` (what stands beside the
            frames), ``page.js``, ``page.css`` and images, all of which are optional.
        texts: of the page, by name: ``{name}`` in ``page.html``, and ``zoo.texts`` in scripts.
        mirror: frames of a camera are mirror images, as people expect of themselves.

    Raises:
        ZooError: a control is invalid, two have one name, or the folder is not a folder.
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
        self.frame_function: AnyFunction | None = None
        self.message_functions: dict[str, AnyFunction] = {}
        self.image_functions: dict[str, AnyFunction] = {}
        self.download_functions: dict[str, AnyFunction] = {}
        self.begin_functions: list[AnyFunction] = []
        for name in _GIVEN:
            if name in self.controls:
                raise ZooError(
                    f"a control cannot have the name {name!r}, which is an argument of functions: "
                    "use another one"
                )
        if self.folder is not None and not self.folder.is_dir():
            raise ZooError(f"folder={str(folder)!r} is not a folder: create it or leave it out")

    def on_frame(self, function: Function) -> Function:
        """Call a function with each frame, as a decorator.

        Its arguments are found by their names: ``frame``, a `zoo.Frame`; ``client``, the page (see
        `Client`); and the names of controls.

        Raises:
            ZooError: it is not a function of a frame, an argument has another name, or the app has
                such a function.
        """
        self._check(function, "@app.on_frame", without=("message",), needed=("frame",))
        if self.frame_function is not None:
            raise ZooError(
                f"{name_of(function)}: the app has a function for frames, "
                f"{name_of(self.frame_function)}; call both in one"
            )
        self.frame_function = function
        return function

    def on(self, type: str) -> Callable[[Function], Function]:
        """Call a function at each message of a type, or when the button of that name is pressed.

        Its arguments are found by their names: ``message``, a dict; ``client``; controls. What it
        returns, if not None, is sent to the page as a message of that type.

        Raises:
            ZooError: the type is taken, or the function has an argument of another name.
        """
        usage = f'@app.on("{_checked_name(type, "on")}")'

        def add(function: Function) -> Function:
            self._check(function, usage, without=("frame",))
            self._add(self.message_functions, type, function)
            return function

        return add

    def on_image(self, type: str) -> Callable[[Function], Function]:
        """Call a function with each image that the page's script sends with this type.

        Like `on`, with ``frame``, the image, as well; these are not dropped, as frames are.

        Raises:
            ZooError: the type is taken, or the function has an argument of another name.
        """
        usage = f'@app.on_image("{_checked_name(type, "on_image")}")'

        def add(function: Function) -> Function:
            self._check(function, usage)
            self._add(self.image_functions, type, function)
            return function

        return add

    def on_begin(self, function: Function) -> Function:
        """Call a function with each page that is opened, before its first frame.

        Raises:
            ZooError: it is not a function, or has an argument of another name.
        """
        self._check(function, "@app.on_begin", without=("frame", "message"))
        self.begin_functions.append(function)
        return function

    def download(self, name: str) -> Callable[[DownloadFunction], DownloadFunction]:
        """Offer what a function returns, a `Download`, at the page's address ``download/NAME``.

        Raises:
            ZooError: the name has other characters than letters, digits, '.', '_' and '-', or is
                taken.
        """
        if not isinstance(name, str) or not _NAME_OF_DOWNLOAD.fullmatch(name):
            raise ZooError(
                f"{name!r:.80} cannot be part of an address: use letters, digits and '._-', "
                'such as @app.download("model.zip")'
            )

        def add(function: DownloadFunction) -> DownloadFunction:
            self._check(function, f'@app.download("{name}")', without=("frame", "message"))
            self._add(self.download_functions, name, function)
            return function

        return add

    def _check(
        self,
        function: object,
        usage: str,
        without: Sequence[str] = (),
        needed: Sequence[str] = (),
    ) -> None:
        values = [name for name, control in self.controls.items() if control.kind != "button"]
        known = [name for name in (*_GIVEN, *values) if name not in without]
        check_function(function, usage, known, needed)

    def _add(self, functions: dict[str, AnyFunction], name: str, function: AnyFunction) -> None:
        if name in functions:
            raise ZooError(
                f"{name_of(function)}: the app has a function for {name!r}, "
                f"{name_of(functions[name])}; call both in one"
            )
        functions[name] = function

    def call(
        self,
        function: AnyFunction,
        client: Client,
        frame: Frame | None = None,
        message: Mapping[str, object] | None = None,
    ) -> object:
        """Call one of the functions with the arguments that it has."""
        given = {"frame": frame, "client": client, "message": message, **client.values}
        return call_with(function, given)

    @shows(DeploymentOptions)
    def run(
        self,
        host: str = HOST,
        port: int = PORT,
        *,
        source: str | os.PathLike[str] | None = None,
        open_browser: bool = False,
        **options: Unpack[DeploymentOptions],
    ) -> RunningServer | None:
        """Serve the page until interrupted, by Ctrl+C; in a notebook, from a thread.

        Args:
            host: address to listen at; other computers reach addresses other than 127.0.0.1, and
                need the token, which stands in the address that is printed.
            port: 1..65535, or 0 for any that is free.
            source: a video or anything that `zoo.frames` takes, instead of a camera.
            open_browser: open the page in the user's browser.
            token: which addresses must have; by default a random one where others reach the page:
                at another host, by an allowed one or a proxy; else "".
            certificate: files of a TLS certificate and of its key, in PEM.
            allow_hosts: further names by which browsers reach the page, such as that of a proxy;
                ``*.example.com`` stands for all names below it.
            allow_origins: other pages that may use this one, such as ``http://localhost:3000``.
            root_path: at which a proxy offers the page, such as ``/zoo``, passed on or stripped.
            proxies: addresses and networks, such as ``172.16.0.0/12``, of proxies whose headers
                X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host are believed.

        Returns:
            None when it was interrupted. Where an event loop runs already, as in a notebook, at
            once: a `RunningServer`, with ``address`` and ``stop()``, which a notebook shows as a
            link.

        Raises:
            ZooError: the app has no function, the extra ``web`` is not installed, the address is in
                use, an option is unknown or invalid, or a file is missing.
        """
        given: ServerOptions = {"host": host, "port": port, **options}
        in_notebook = _runs_in_event_loop()
        if in_notebook:
            make_way(self.title, port)
        serving = self._serving(source, given, open_browser=open_browser)
        if in_notebook:
            return serving.start()
        with suppress(KeyboardInterrupt):
            serving.run()
        return None

    @shows(DeploymentOptions)
    async def run_async(
        self,
        host: str = HOST,
        port: int = PORT,
        *,
        source: str | os.PathLike[str] | None = None,
        **options: Unpack[DeploymentOptions],
    ) -> None:
        """Serve the page in the running event loop until the task is cancelled.

        Args:
            host: see `run`.
            port: see `run`.
            source: see `run`.
            options: see `run`.

        Raises:
            ZooError: as `run` raises.

        >>> app = App("Size")
        >>> @app.on_frame
        ... def size(frame):
        ...     return [frame.width, frame.height]
        >>> async def serve_for_a_moment():
        ...     with suppress(asyncio.TimeoutError):
        ...         await asyncio.wait_for(app.run_async(port=0), 0.1)
        >>> import asyncio
        >>> asyncio.run(serve_for_a_moment())
        """
        given: ServerOptions = {"host": host, "port": port, **options}
        await self._serving(source, given).run_async()

    @shows(AccessOptions)
    def asgi(
        self,
        *,
        source: str | os.PathLike[str] | None = None,
        **options: Unpack[AccessOptions],
    ) -> Application:
        """Return the page as an ASGI application, such as for ``FastAPI().mount("/hands", ..)``.

        Its links are relative: it works under any path that ends with a slash. It answers by the
        names of this computer and by ``allow_hosts``, and refuses pages of other origins, as `run`
        does; where it listens, TLS and proxies are up to the server that runs it.

        Args:
            source: see `run`.
            token: which addresses must have; none by default.
            allow_hosts: see `run`.
            allow_origins: see `run`.

        Raises:
            ZooError: the app has no function, the extra ``web`` is not installed, or an option is
                unknown or invalid.

        >>> app = App("Size")
        >>> @app.on_frame
        ... def size(frame):
        ...     return [frame.width, frame.height]
        >>> from fastapi import FastAPI
        >>> site = FastAPI()
        >>> site.mount("/size", app.asgi(allow_hosts=["vision.example.com"]))
        """
        made = resolve_name("zoo.web.app_server:asgi_of")
        application: Application = made(self, source, options)
        return application

    def _serving(
        self,
        source: str | os.PathLike[str] | None,
        options: ServerOptions,
        *,
        open_browser: bool = False,
    ) -> Serving:
        make = resolve_name("zoo.web.app_server:serving_of")
        serving: Serving = make(self, source, options, open_browser=open_browser)
        return serving

    def __repr__(self) -> str:
        return f"<app {self.title!r}>"


def _runs_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _checked_name(type: object, usage: str) -> str:
    if not isinstance(type, str) or not type:
        shown = name_of(type) if callable(type) else repr(type)[:80]
        raise ZooError(f'{shown} is not the type of a message: write @app.{usage}("NAME")')
    refuse_reserved(type)
    return type
