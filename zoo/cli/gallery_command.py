"""``zoo gallery``: live apps in the browser; ``zoo serve``: the functions of `zoo` as REST."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, cast, get_origin

import core
from weights_cache.common.errors import ZooError
from zoo.cli.compiling_lines import announcing_compilation
from zoo.cli.signals import leaving_at_once
from zoo.cli.terminal import show
from zoo.pipeline.options import check_backend
from zoo.web.gallery import app_names, load_app
from zoo.web.server_options import Argument, ServerOptions, declared


def declare_gallery(command: Any) -> None:
    """Declare the arguments of ``zoo gallery``."""
    command.set_defaults(run=_run_gallery)
    command.add_argument("name", nargs="?", metavar="NAME", help="of an app; without it, all")
    command.add_argument(
        "--source",
        metavar="CLIP",
        default=argparse.SUPPRESS,
        help="a video, a folder of images or a recording in the place of the browser's camera",
    )
    command.add_argument(
        "--open",
        action="store_true",
        default=argparse.SUPPRESS,
        help="open the page in the browser of this computer",
    )
    _add_server_options(command)


def declare_serve(command: Any) -> None:
    """Declare the arguments of ``zoo serve``."""
    command.set_defaults(run=_run_serve)
    command.add_argument("--backend", metavar="NAME", help="where models run (default: cpu)")
    _add_server_options(command)


def _add_server_options(command: Any) -> None:
    """Declare where a server listens, and who may use it; what is not given, is not there."""
    for name, (kind, argument) in declared().items():
        command.add_argument(
            argument.flag,
            dest=name,
            default=argparse.SUPPRESS,
            help=argument.meaning,
            **_form(kind, argument),
        )


def _form(kind: object, argument: Argument) -> dict[str, Any]:
    form: dict[str, Any] = {"metavar": argument.metavar}
    if isinstance(argument.metavar, tuple):
        return form | {"nargs": len(argument.metavar)}
    if get_origin(kind) is Sequence:
        return form | {"action": "append"}
    return form | {"type": int if kind is int else str}


def _server_options(given: argparse.Namespace) -> ServerOptions:
    values = {name: value for name, value in vars(given).items() if name in declared()}
    return cast(ServerOptions, values)


def _run_gallery(given: argparse.Namespace) -> int:
    if given.name is None:
        _list_apps(given)
    else:
        _serve_app(given)
    return 0


def _list_apps(given: argparse.Namespace) -> None:
    flags = {"source": "--source ..", "open": "--open"}
    flags |= {name: f"{argument.flag} .." for name, (_, argument) in declared().items()}
    options = " ".join(flag for name, flag in flags.items() if hasattr(given, name))
    if options:
        raise ZooError(
            f"{options} needs an app: zoo gallery NAME {options}; apps: {', '.join(app_names())}"
        )
    for name, line in app_names().items():
        show(f"{name:<16} {line}")


def _serve_app(given: argparse.Namespace) -> None:
    from zoo.web.app_server import serving_of  # needs the extra `web`, a list of the apps does not

    source, opens = getattr(given, "source", None), hasattr(given, "open")
    app = load_app(given.name)
    serving = serving_of(app, source, _server_options(given), open_browser=opens)
    with leaving_at_once(), announcing_compilation():
        serving.run()


def _run_serve(given: argparse.Namespace) -> int:
    from zoo.web.rest_server import serving_of_rest

    _check_backend(given.backend)
    serving = serving_of_rest(given.backend, _server_options(given))
    with leaving_at_once(), announcing_compilation():
        serving.run()
    return 0


def _check_backend(name: str | None) -> None:
    """Start a backend, so that one that cannot start is an error now, not at each request."""
    check_backend(name)
    if name is not None:
        with core.backend(name):
            pass
