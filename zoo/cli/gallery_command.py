"""``zoo gallery``: live apps in the browser; ``zoo serve``: the functions of `zoo` as REST."""

from __future__ import annotations

import argparse
from typing import Any

import core
from weights_cache.common.errors import ZooError
from zoo.cli.terminal import show
from zoo.pipeline.options import check_backend
from zoo.web.gallery import app_names, load_app

#: Options of a server, as they are where none is given.
_DEFAULTS = {
    "source": None,
    "open": False,
    "host": "127.0.0.1",
    "port": 8000,
    "token": None,
    "certificate": None,
}


def declare_gallery(command: Any) -> None:
    """Declare the arguments of ``zoo gallery``."""
    command.set_defaults(run=_run_gallery)
    command.add_argument("name", nargs="?", metavar="NAME", help="of an app; without it, all")
    command.add_argument(
        "--source",
        metavar="CLIP",
        help="a video, a folder of images or a recording in the place of the browser's camera",
    )
    command.add_argument(
        "--open", action="store_true", help="open the page in the browser of this computer"
    )
    add_address(command)


def declare_serve(command: Any) -> None:
    """Declare the arguments of ``zoo serve``."""
    command.set_defaults(run=_run_serve)
    command.add_argument("--backend", metavar="NAME", help="where models run (default: cpu)")
    add_address(command)


def add_address(command: Any) -> None:
    """Declare where a server listens."""
    command.add_argument(
        "--host",
        default=_DEFAULTS["host"],
        help="address to listen at (default: 127.0.0.1, which other computers do not reach)",
    )
    command.add_argument(
        "--port",
        type=int,
        default=_DEFAULTS["port"],
        help="port, or 0 for any that is free (default: 8000)",
    )
    command.add_argument(
        "--token", help="text that requests must have (default: a random one with --host)"
    )
    command.add_argument(
        "--certificate",
        nargs=2,
        metavar=("CERT", "KEY"),
        help="files of a TLS certificate and its key, in PEM; cameras need https elsewhere",
    )


def _address(given: argparse.Namespace) -> dict[str, Any]:
    certificate = None if given.certificate is None else tuple(given.certificate)
    names = ("host", "port", "token")
    return {"certificate": certificate} | {name: getattr(given, name) for name in names}


def _run_gallery(given: argparse.Namespace) -> int:
    if given.name is None:
        _list_apps(given)
    else:
        _serve_app(given)
    return 0


def _list_apps(given: argparse.Namespace) -> None:
    unused = [name for name, default in _DEFAULTS.items() if getattr(given, name) != default]
    if unused:
        options = " ".join(f"--{name} .." for name in unused).replace("--open ..", "--open")
        raise ZooError(
            f"{options} needs an app: zoo gallery NAME {options}; apps: {', '.join(app_names())}"
        )
    for name, line in app_names().items():
        show(f"{name:<16} {line}")


def _serve_app(given: argparse.Namespace) -> None:
    from zoo.web.serving import serve_app  # needs the extra `web`, a list of the apps does not

    app = load_app(given.name)
    serve_app(app, source=given.source, open_browser=given.open, **_address(given))


def _run_serve(given: argparse.Namespace) -> int:
    from zoo.web.rest_server import serve_rest

    _check_backend(given.backend)
    serve_rest(backend=given.backend, **_address(given))
    return 0


def _check_backend(name: str | None) -> None:
    """Start a backend, so that one that cannot start is an error now, not at each request."""
    check_backend(name)
    if name is not None:
        with core.backend(name):
            pass
