"""``zoo gallery``: live apps in the browser; ``zoo serve``: the functions of `zoo` as REST."""

from __future__ import annotations

import argparse
from typing import Any

from zoo.cli.terminal import show


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
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, which other computers do not reach)",
    )
    command.add_argument(
        "--port", type=int, default=8000, help="port, or 0 for any that is free (default: 8000)"
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
    from zoo.web.gallery import app_names, load_app

    if given.name is None:
        for name, line in app_names().items():
            show(f"{name:<16} {line}")
        return 0
    app = load_app(given.name)
    from zoo.web.serving import serve_app

    serve_app(app, source=given.source, open_browser=given.open, **_address(given))
    return 0


def _run_serve(given: argparse.Namespace) -> int:
    from zoo.web.rest_server import serve_rest

    serve_rest(backend=given.backend, **_address(given))
    return 0
