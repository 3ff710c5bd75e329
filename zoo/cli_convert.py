"""``zoo convert``: model files to the web format of TensorFlow.js."""

import argparse
from pathlib import Path
from typing import Any

from weights_cache.errors import ZooError
from weights_cache.sizes import size_text
from zoo.terminal import complain

#: How the arguments that errors name are written here.
_OPTIONS = {
    "overwrite=True": "--overwrite",
    "outputs=": "--output",
    "format=": "--format ",
}


def add_convert(commands: Any) -> None:
    """Declare the command and its arguments."""
    convert = commands.add_parser(
        "convert", help="convert a model file to a model.json that TensorFlow.js loads"
    )
    convert.add_argument(
        "source",
        metavar="IN",
        help="a .tflite, .h5, .keras or .pb file, a SavedModel, a Teachable Machine export, or a "
        "model.json",
    )
    convert.add_argument("target", metavar="OUT", nargs="?", help="the folder to write to")
    convert.add_argument(
        "--quantise",
        action="append",
        default=[],
        metavar="KIND",
        help="float16, uint8 or uint16 for all weights; or 'PATTERN=KIND' for those whose name "
        "matches, where float32 leaves them as they are (the first that matches counts). What is "
        "quantised in IN stays so, but for TFLite weights with a scale for each channel",
    )
    convert.add_argument("--dry-run", action="store_true", help="write nothing, print a report")
    convert.add_argument("--json", action="store_true", help="the report as JSON")
    convert.add_argument(
        "--optimise",
        action=argparse.BooleanOptionalAction,
        help="drop training nodes, fold constants and batch norm, fuse (default: unless IN is a "
        "model.json)",
    )
    convert.add_argument(
        "--format",
        default="auto",
        metavar="FORMAT",
        help="of the topology: graph, layers, or auto (default): layers if a model.json has them",
    )
    convert.add_argument("--signature", metavar="NAME", help="which signature of a SavedModel")
    convert.add_argument(
        "--output",
        action="append",
        metavar="NAME",
        help="an output or node to keep, may be repeated; default: all outputs",
    )
    convert.add_argument("--overwrite", action="store_true", help="replace the model in OUT")
    convert.set_defaults(run=_run_convert)


def _run_convert(given: argparse.Namespace) -> int:
    try:
        return _convert(given)
    except ZooError as error:
        raise ZooError(_as_options(str(error))) from error


def _as_options(message: str) -> str:
    """Arguments of functions as the options that stand for them.

    >>> _as_options("give another folder, or overwrite=True; leave format='layers' away")
    "give another folder, or --overwrite; leave --format 'layers' away"
    """
    for argument, option in _OPTIONS.items():
        message = message.replace(argument, option)
    return message


def _convert(given: argparse.Namespace) -> int:
    from core.converter.conversion import require_format
    from core.converter.formats import find_kind

    kind = find_kind(given.source)
    require_format(given.format)
    how = {
        "format": given.format,
        "quantise": _quantise(given.quantise),
        "optimise": given.optimise,
        "signature": given.signature,
        "outputs": given.output,
    }
    if given.dry_run:
        return _print_report(given, kind, how)
    if given.json:
        raise ZooError("--json is for the report: give --dry-run, too")
    if given.target is None:
        raise ZooError("give the folder to write to as OUT, or --dry-run")
    from core.converter import convert

    path = convert(given.source, given.target, overwrite=given.overwrite, **how)
    print(f"{path}: {size_text(_written_bytes(path))}")
    return 0


def _written_bytes(path: Path) -> int:
    """Of the document and its shards; shards of an older model may lie beside them."""
    import json

    groups = json.loads(path.read_bytes())["weightsManifest"]
    shards = [path.parent / name for group in groups for name in group["paths"]]
    return sum(file.stat().st_size for file in (path, *shards))


def _quantise(texts: list[str]) -> dict[str, str] | None:
    """Kinds by pattern of name; one without a pattern is for what no pattern matches."""
    kinds: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: "=" not in text):
        pattern, equals, kind = text.rpartition("=")
        if equals and not pattern:
            raise ZooError(f"--quantise {text!r} lacks the pattern of names before =")
        if (pattern or "*") in kinds:
            raise ZooError(f"--quantise names {pattern or '*'!r} twice")
        kinds[pattern or "*"] = kind
    return kinds or None


def _print_report(given: argparse.Namespace, kind: str, how: dict[str, Any]) -> int:
    """Status 1 if the model could be read, but not be written."""
    import json

    from core.converter import inspect_model
    from core.converter.targets import check_target

    if given.target is not None:
        check_target(given.target, Path(given.source), kind, overwrite=given.overwrite)
    report = inspect_model(given.source, **how)
    print(json.dumps(report.to_dict()) if given.json else report.to_text())
    if report.unsupported:
        complain(f"TensorFlow.js has not these node types: {', '.join(report.unsupported)}")
        return 1
    return 0
