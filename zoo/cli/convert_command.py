"""``zoo convert``: model files to the web format of TensorFlow.js, or to ONNX."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from core import Graph
from core.converter import inspect_model
from core.converter.choosing import AUTO
from core.converter.conversion import Request, prepare_conversion, require_format
from core.converter.opened import find_kind
from core.converter.output_folders import check_target
from weights_cache.common.errors import ZooError
from weights_cache.common.sizes import size_text
from zoo.cli.convertible import find_source, input_size, said_pixels
from zoo.cli.onnx_output import write_onnx_file
from zoo.cli.option_names import as_options, naming_options
from zoo.cli.sample_inputs import read_samples
from zoo.cli.terminal import complain, show
from zoo.pipeline.image_inputs import GUESS, ImageInputs
from zoo.samples import sample_images

if TYPE_CHECKING:
    from core import Graph
    from core.converter.conversion import Request
    from zoo.catalog.entry import Entry
    from zoo.pipeline.image_inputs import ImageInputs

#: Options of the command by the arguments that errors name.
_OPTIONS = {
    "overwrite=True": "--overwrite",
    "outputs=": "--output",
    "core.converter.convert, as inputs=": "--shape ",
    "inputs=": "--shape ",
    "format=": "--format ",
    "signature=": "--signature",
    "quantise='auto'": "--quantise auto",
    "quantise=": "--quantise ",
    "samples=": "--samples",
    "tolerance=": "--tolerance ",
    "measure=True": "--measure",
}


def declare_convert(convert: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``zoo convert``."""
    convert.add_argument(
        "source",
        metavar="IN",
        help="a .tflite, .onnx, .h5, .keras or .pb file, a SavedModel, a Teachable Machine export, "
        "a model.json; or the name of a model, see 'zoo models'",
    )
    convert.add_argument(
        "target",
        metavar="OUT",
        nargs="?",
        help="the folder to write to, for the web format; or a file that ends in .onnx",
    )
    _add_quantisation(convert)
    convert.add_argument("--dry-run", action="store_true", help="write nothing, print a report")
    convert.add_argument(
        "--measure",
        action="store_true",
        help="of a dry run: run the model, and report how far quantised weights change its outputs",
    )
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
    convert.add_argument("--signature", metavar="NAME", help="signature of a SavedModel to convert")
    convert.add_argument(
        "--output",
        action="append",
        metavar="NAME",
        help="an output or node to keep, may be repeated; default: all outputs",
    )
    convert.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=LENGTHS",
        help="of an .onnx file: the shape of an input that leaves more open than the batch, such "
        "as image=?,224,224,3; may be repeated",
    )
    convert.add_argument("--overwrite", action="store_true", help="replace the model in OUT")
    convert.set_defaults(run=_run_convert)


def _add_quantisation(convert: argparse.ArgumentParser) -> None:
    convert.add_argument(
        "--quantise",
        action="append",
        default=[],
        metavar="KIND",
        help="float16, uint8 or uint16 for all weights; auto for the smallest of each weight that "
        "keeps the outputs within the tolerance; or 'PATTERN=KIND' for those whose name matches, "
        "where float32 leaves them as they are (the first that matches counts). What is quantised "
        "in IN stays quantised, except TFLite weights with a scale for each channel",
    )
    convert.add_argument(
        "--tolerance",
        type=float,
        metavar="SHARE",
        help="how far quantised weights may change an output on the sample images, as a share of "
        "the output's range; --quantise KIND warns beyond it, auto stays within it (default: 0.05)",
    )
    convert.add_argument(
        "--samples",
        nargs="+",
        metavar="IMAGE",
        help="images, or folders of them, to measure with (default: 18 made from 3 built-in ones)",
    )
    convert.add_argument(
        "--range",
        nargs=2,
        type=float,
        metavar=("LOW", "HIGH"),
        help="values of the darkest and the brightest pixel in the input (default: those of "
        "the model that IN names, or that the file says, else 0 1, and a line says so)",
    )


def _run_convert(given: argparse.Namespace) -> int:
    with naming_options(_OPTIONS):
        return _convert(given)


def _convert(given: argparse.Namespace) -> int:
    source, entry = find_source(given.source)
    if given.target is not None and Path(given.target).suffix.lower() == ".onnx":
        made = write_onnx_file(given, source, entry)
        show(f"{made.path}: {size_text(made.bytes)}, {made.format}")
        return 0
    if given.shape:
        raise ZooError("--shape is for .onnx files: leave it out for the web format")
    kind = "graph" if isinstance(source, Graph) else find_kind(source)
    require_format(given.format)
    if not given.dry_run and (given.json or given.measure):
        option = "--json" if given.json else "--measure"
        raise ZooError(f"{option} is for the report: give --dry-run, too")
    if not given.dry_run and given.target is None:
        raise ZooError("give the folder or the .onnx file to write as OUT, or --dry-run")
    request = _request(given, source, entry)
    if given.dry_run:
        return _print_report(given, source, kind, request)
    conversion = prepare_conversion(source, given.target, request, overwrite=given.overwrite)
    if conversion.warning:
        complain(as_options(conversion.warning, _OPTIONS))
    elif any(text.endswith(AUTO) for text in given.quantise) or GUESS in conversion.summary:
        complain(conversion.summary)
    path = conversion.write()
    show(f"{path}: {size_text(_written_bytes(path))}")
    return 0


def _request(
    given: argparse.Namespace, source: "str | Path | Graph", entry: "Entry | None"
) -> "Request":
    """Return the conversion requested; images are read only if something is measured with them."""
    request = Request(
        quantise=_quantise(given.quantise),
        format=given.format,
        optimise=given.optimise,
        signature=given.signature,
        outputs=given.output,
    )
    if given.tolerance is not None:
        request = request._replace(tolerance=given.tolerance)
    measures = given.measure if given.dry_run else request.quantise
    if not measures:
        if given.samples or given.range or given.tolerance is not None:
            other = "--measure" if given.dry_run else "--quantise or --dry-run --measure"
            raise ZooError(f"--samples, --range and --tolerance are for {other}: give it, too")
        return request
    return request._replace(samples=_samples(given, source, entry))


def _samples(
    given: argparse.Namespace, source: "str | Path | Graph", entry: "Entry | None"
) -> "ImageInputs":
    """The images to measure with, as the model takes them."""
    inputs = ImageInputs(sample_images())
    if given.samples:
        inputs = ImageInputs(read_samples(given.samples), what="images", required=True)
    if given.range:
        return inputs._replace(range=_range(*given.range))
    if entry is not None:
        return inputs._replace(preprocess=entry.preprocess, size=input_size(entry))
    return inputs._replace(pixels=said_pixels(source, given.signature))


def _range(low: float, high: float) -> tuple[float, float]:
    if not low < high:
        raise ZooError(f"--range {low:g} {high:g} must be a lower and a higher number")
    return low, high


def _written_bytes(path: Path) -> int:
    """Return the size of the document and its shards, without an older model's shards."""
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


def _print_report(
    given: argparse.Namespace, source: "str | Path | Graph", kind: str, request: "Request"
) -> int:
    """Status 1 if the model could be read, but not be written."""
    if given.target is not None:
        path = None if isinstance(source, Graph) else Path(source)
        check_target(given.target, path, kind, overwrite=given.overwrite)
    report = inspect_model(source, **request._asdict(), measure=given.measure)
    notes = [as_options(note, _OPTIONS) for note in report.notes]
    report = report._replace(source=given.source, notes=notes)
    show(json.dumps(report.to_dict()) if given.json else report.to_text())
    if report.unsupported:
        complain(f"TensorFlow.js has not these node types: {', '.join(report.unsupported)}")
        return 1
    return 0
