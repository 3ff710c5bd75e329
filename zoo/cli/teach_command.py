"""``zoo teach``: a user's own model, from a folder of images for each class."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zoo
from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import count_text
from zoo.cli.compiling_lines import announcing_compilation
from zoo.cli.drawing_output import drawing_paths, save_drawing
from zoo.cli.terminal import complain, say_written, show
from zoo.transfer.exports.exporting import check_target
from zoo.transfer.features.extractor import DEFAULT_FEATURES
from zoo.transfer.learning import FOLDS
from zoo.transfer.taught_files import refuse_others
from zoo.transfer.taught_model import TaughtModel

if TYPE_CHECKING:
    from zoo.transfer.lessons import Skipped
    from zoo.transfer.taught_model import TaughtModel

_NAMED = 20  # images that are listed one by one


def declare_teach(command: Any) -> None:
    """Declare the arguments of ``zoo teach``."""
    command.more_help = _example_text
    command.set_defaults(run=_run)
    command.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="a folder with a folder of images for each class, or with train and val of such "
        "folders; or a .csv file with a column image and one of label, labels or numbers",
    )
    command.add_argument(
        "--out", metavar="MODEL", required=True, help="folder of the model that is written"
    )
    command.add_argument(
        "--features",
        metavar="NAME",
        help="model whose embedding is used, or hand, face, pose, body_parts, or several with + "
        f"between them (default: {DEFAULT_FEATURES})",
    )
    command.add_argument(
        "--validation",
        metavar="SHARE|FOLDER",
        help="share of the images that is kept for validation, such as 0.2, or their folder",
    )
    command.add_argument(
        "--folds",
        type=int,
        metavar="N",
        help=f"parts, each of which is held out once for the scores (default: {FOLDS})",
    )
    command.add_argument("--seed", type=int, metavar="N", help="draws parts and validation images")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--add", action="store_true", help="teach MODEL these images as well")
    what.add_argument("--undo", action="store_true", help="take the last --add back")
    what.add_argument(
        "--fine-tune",
        action="store_true",
        help="train the last layers of the network, too, which takes longer",
    )
    command.add_argument(
        "--export",
        action="append",
        default=[],
        metavar="PATH",
        help="also write a folder or .zip for TensorFlow.js and Teachable Machine, or a .keras, "
        ".h5 or .onnx file; may be repeated",
    )
    command.add_argument(
        "--sheet", metavar="OUT.png", help="draw the most doubtful and most damaging images"
    )
    command.add_argument(
        "--confusion", metavar="OUT.png", help="draw the confusion matrix, by Matplotlib"
    )
    command.add_argument("--backend", metavar="B", help="backend to run on; see 'zoo doctor'")
    command.add_argument(
        "--no-cache", action="store_true", help="compute all features, and keep none on disk"
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the scores as JSON")


def _example_text() -> str:
    return (
        "example, with the images animals/cats/*.jpg and animals/dogs/*.jpg:\n"
        "  zoo teach animals --out my_model\n"
        "  zoo classify image.jpg --model my_model"
    )


@announcing_compilation()
def _run(given: argparse.Namespace) -> int:
    _check(given)
    refuse_others(given.out)
    sheet, confusion = (_drawing(given, name) for name in ("sheet", "confusion"))
    for path in given.export:
        check_target(Path(path))
    model, known = _taught(given)
    skipped = model.skipped[known:]
    _report_skipped(skipped)
    _show_scores(model, as_json=given.json)
    say_written(model.save(given.out))
    for path in given.export:
        exported = model.export(path)
        format = f", {exported.format}" if exported.format else ""
        say_written(exported.path, more=f"{format}, which takes {exported.takes}")
    if sheet:
        save_drawing(model.sheet(), sheet)
    if confusion:
        save_drawing(model.confusion_plot().image, confusion)
    return int(any(one.is_fault for one in skipped))


def _drawing(given: argparse.Namespace, name: str) -> str | None:
    """Return the file to draw to, or None; raise before any work if there is no such folder."""
    return drawing_paths([name], getattr(given, name), "teach")[0]


def _check(given: argparse.Namespace) -> None:
    """Refuse arguments that do not go together, and a drawing that nothing can draw."""
    if given.confusion:
        from core.plots.library import check_matplotlib

        check_matplotlib()
    if given.undo != (given.folder is None):
        raise ZooError(
            "--undo takes no FOLDER" if given.undo else "give the FOLDER to learn from, or --undo"
        )
    if not (given.add or given.undo):
        return
    flag = "--add" if given.add else "--undo"
    for name in ("features", "validation", "folds", "seed"):
        if getattr(given, name) is not None:
            raise ZooError(f"--{name} does not go with {flag}: the model keeps what it began with")
    if given.no_cache:
        raise ZooError(f"--no-cache does not go with {flag}: set ZOO_FEATURE_CACHE=0 instead")
    if given.undo and given.sheet:
        raise ZooError("--sheet does not go with --undo: a model holds no images")
    if not os.path.isdir(given.out):
        raise ZooError(f"{flag} changes a model, but {given.out!r} is no folder of one")


def _taught(given: argparse.Namespace) -> tuple["TaughtModel", int]:
    """Return the model, and how many images were left out of it before."""
    if given.add or given.undo:
        model = zoo.load(given.out, backend=given.backend)
        if not isinstance(model, TaughtModel):
            raise ZooError(f"{given.out!r} is no model that `zoo teach` wrote")
        known = len(model.skipped)
        return (model.undo() if given.undo else model.add(given.folder)), known
    options = {name: getattr(given, name) for name in ("features", "folds", "seed", "backend")}
    options = {name: value for name, value in options.items() if value is not None}
    validation = _share_or_folder(given.validation)
    if given.fine_tune:
        return zoo.fine_tune(given.folder, **_for_tuning(options, validation)), 0
    cache = not given.no_cache
    return zoo.teach(given.folder, validation=validation, cache=cache, **options), 0


def _for_tuning(options: dict[str, Any], validation: float | str | None) -> dict[str, Any]:
    """Return the options of `zoo.fine_tune`, which calls the features its model."""
    if "folds" in options:
        raise ZooError("--folds does not go with --fine-tune: its score is that of --validation")
    if isinstance(validation, str):
        raise ZooError(
            f"--validation {validation} does not go with --fine-tune, which takes a share, or a "
            "FOLDER with train and val"
        )
    share = {} if validation is None else {"validation": validation}
    return share | {"model" if n == "features" else n: value for n, value in options.items()}


def _share_or_folder(text: str | None) -> float | str | None:
    """Return a share of images as a number, or else the text.

    >>> _share_or_folder("0.2"), _share_or_folder("others")
    (0.2, 'others')
    """
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _report_skipped(skipped: "Sequence[Skipped]") -> None:
    for name, reason, _ in skipped[:_NAMED]:
        complain(f"left out {name}: {reason}")
    if len(skipped) > _NAMED:
        complain(f"and {count_text(len(skipped) - _NAMED, 'image')} more, which the model lists")


def _show_scores(model: "TaughtModel", *, as_json: bool) -> None:
    if as_json:
        validation = model.validation
        found = {
            "model": repr(model)[1:-1],
            "labels": model.labels,
            "scores": model.scores.as_dict(),
            "validation": None if validation is None else validation.as_dict(),
            "skipped": [skipped._asdict() for skipped in model.skipped],
        }
        print(json.dumps(found, ensure_ascii=False))
        return
    show(f"{repr(model)[1:-1]}\n\nheld out, part by part:\n{model.scores}")
    if model.validation is not None:
        show(f"\nvalidation images:\n{model.validation}")
