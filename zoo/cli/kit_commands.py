"""``zoo weights kit`` and ``zoo weights install``: weights for computers without internet."""

import argparse
from typing import Any

from weights_cache import cache_folder, install_kit
from weights_cache.common.sizes import count_text, size_text
from zoo.cli.kit_contents import write_models
from zoo.cli.terminal import complain, show
from zoo.cli.weight_selection import everything, runnable


def add_kit(actions: Any) -> None:
    """Declare ``zoo weights kit``."""
    kit = actions.add_parser("kit", help="write models into one file, for other computers")
    kit.add_argument("out", metavar="OUT", help="the zip file to write, or the folder for it")
    kit.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="as for 'zoo weights fetch': models, tasks, globs; none means the default models of "
        "all tasks",
    )
    kit.add_argument("--all", action="store_true", help="all available models")
    kit.add_argument(
        "--wheel", action="store_true", help="write a wheel, which 'pip install' takes"
    )
    kit.set_defaults(run=_write_kit)


def add_install(actions: Any) -> None:
    """Declare ``zoo weights install``."""
    install = actions.add_parser("install", help="copy the models of a kit into the cache")
    install.add_argument("kit", metavar="KIT", help="a zip file, a wheel, or an unpacked folder")
    install.set_defaults(run=_install_kit)


def _write_kit(given: argparse.Namespace) -> int:
    wanted = runnable(given.names, every=given.all)
    path = write_models(given.out, wanted, wheel=given.wheel)
    size = size_text(path.stat().st_size)
    show(f"{path}: {count_text(sum(not w.record.bundled for w in wanted), 'model')}, {size}")
    command = f"pip install {path.name}" if given.wheel else f"zoo weights install {path.name}"
    complain(f"on the other computer: {command}")
    return 0


def _install_kit(given: argparse.Namespace) -> int:
    installed, ignored = install_kit(given.kit)
    for name in ignored:
        complain(f"{name} is not known to this version of friendly-zoo and was left out")
    folder = cache_folder()
    for wanted in everything():
        paths = installed.get(wanted.record.name, ())
        if paths and all(file.path in paths for file in wanted.record.files if file.urls):
            show(f"{wanted.name}: {folder / wanted.record.name}")
    return 0
