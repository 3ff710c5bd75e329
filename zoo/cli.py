"""The ``zoo`` command. Results go to stdout, everything else to stderr.

Exit status: 0 done, 1 some of several photos failed (the others are done), 2 nothing was done.
"""

import argparse
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from weights_cache.errors import ZooError


class _Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message} (see '{self.prog} --help')")
        raise SystemExit(2)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = _make_parser().parse_args(arguments)
    try:
        return given.run(given)
    except ZooError as error:
        _complain(error)
        return 2
    except BrokenPipeError:  # the reader of our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _complain(message: object) -> None:
    print("zoo:", " ".join(str(message).split()), file=sys.stderr)


def _make_parser() -> _Parser:
    import zoo

    parser = _Parser(prog="zoo", description=zoo.__doc__.splitlines()[0])
    parser.add_argument("--version", action="version", version=f"friendly-zoo {zoo.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    _add_pose(commands)
    _add_models(commands)
    _add_weights(commands)
    doctor = commands.add_parser("doctor", help="check this machine: versions, backends, cache")
    doctor.set_defaults(run=_run_doctor)
    return parser


# --- zoo pose -------------------------------------------------------------------------------


def _add_pose(commands: Any) -> None:
    pose = commands.add_parser("pose", help="find the joints of people in photos")
    pose.add_argument("photos", nargs="+", metavar="PHOTO", help="a file or URL")
    pose.add_argument("--multiple", action="store_true", help="several people in a photo")
    pose.add_argument("--model", metavar="NAME", help="see 'zoo models'; default posenet.tiny")
    pose.add_argument(
        "--draw", metavar="OUT.png", help="draw the result; a folder for several photos"
    )
    form = pose.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="exact JSON, all on one line")
    form.add_argument("--csv", action="store_true", help="CSV, a line for each joint")
    pose.add_argument("--mirror", action="store_true", help="the photos are mirror images")
    pose.add_argument("--backend", metavar="B", help="where to run; see 'zoo doctor'")
    pose.set_defaults(run=_run_pose)


def _run_pose(given: argparse.Namespace) -> int:
    from zoo.loading import load
    from zoo.pose import DEFAULT_MODEL

    model = load(given.model or DEFAULT_MODEL, backend=given.backend)
    if not hasattr(model, "estimate_single_pose"):
        raise ZooError(f"{model.name} is no pose model: see 'zoo models'")
    results, failed = {}, 0
    drawings = _drawing_paths(given.photos, given.draw)
    for photo, drawing in _with_progress(list(zip(given.photos, drawings, strict=True))):
        try:
            results[photo] = _pose_of(model, photo, drawing, given)
        except ZooError as error:
            _complain(error)
            failed += 1
            continue
        if not (given.json or given.csv):
            print(_readable(photo, results[photo], len(given.photos) > 1), flush=True)
    if given.json or given.csv:
        _print_document(results, given)
    if not failed:
        return 0
    return 1 if results else 2


def _with_progress(photos: list[Any]) -> Iterable[Any]:
    if len(photos) < 2 or not sys.stderr.isatty():
        return photos
    from tqdm import tqdm

    return tqdm(photos, unit="photo", leave=False)


def _pose_of(model: Any, photo: str, drawing: str | None, given: argparse.Namespace) -> Any:
    from zoo.images import read_image

    pixels = read_image(photo)
    verb = model.estimate_multiple_poses if given.multiple else model.estimate_single_pose
    result = verb(pixels, mirror=given.mirror)
    if drawing:
        from zoo.drawing import draw

        _save(draw(pixels, result), drawing)
    return result


def _drawing_paths(photos: list[str], target: str | None) -> list[str | None]:
    """The file to draw each photo to: the one given, or in a folder one named after the photo."""
    if target is None or (len(photos) == 1 and not os.path.isdir(target)):
        return [target] * len(photos)
    try:
        os.makedirs(target, exist_ok=True)
    except OSError as error:
        raise ZooError(f"cannot draw into {target!r}: {error}; give another folder") from error
    paths, seen = [], Counter[str]()
    for photo in photos:
        stem = os.path.splitext(os.path.basename(photo.rstrip("/")))[0]
        seen[stem] += 1
        number = f"-{seen[stem]}" if seen[stem] > 1 else ""
        paths.append(os.path.join(target, f"{stem}-pose{number}.png"))
    return [*paths]


def _save(picture: Any, path: str) -> None:
    """Write a picture under another name first, so that no half of one is left behind."""
    stem, ending = os.path.splitext(path)
    unfinished = f"{stem}.{os.getpid()}{ending}"
    try:
        picture.save(unfinished)
        os.replace(unfinished, path)
    except (OSError, ValueError) as error:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise ZooError(
            f"cannot draw to {path!r}: {error}; give a file in an existing folder, such as pose.png"
        ) from error
    print(f"drawn: {path}", file=sys.stderr)


def _readable(photo: str, result: Any, named: bool) -> str:
    """A result as JSON with short numbers and a line for each joint."""
    from zoo.results import to_json

    people = result if isinstance(result, list) else [result]
    texts = [_readable_pose(pose, to_json) for pose in people]
    text = f"[{', '.join(texts)}]" if isinstance(result, list) else texts[0]
    return f"{photo}:\n{text}" if named else text


def _readable_pose(pose: Any, to_json: Any) -> str:
    lines = [
        to_json(
            {
                "part": point["part"],
                "position": {k: round(v, 1) for k, v in point["position"].items()},
                "score": round(point["score"], 2),
            }
        )
        for point in pose["keypoints"]
    ]
    joints = ",\n  ".join(lines)
    return f'{{"score": {round(pose["score"], 2)}, "keypoints": [\n  {joints}\n]}}'


def _print_document(results: dict[str, Any], given: argparse.Namespace) -> None:
    """All results at once: of one photo its own, of several a dict by photo."""
    from zoo.results import to_csv, to_json

    single = len(given.photos) == 1
    if not results and single:
        return
    result = next(iter(results.values())) if single else results
    print(to_csv(result) if given.csv else to_json(result), end="" if given.csv else "\n")


# --- zoo models, zoo weights ----------------------------------------------------------------


def _add_models(commands: Any) -> None:
    models = commands.add_parser("models", help="list the pretrained models")
    models.add_argument("pattern", nargs="?", default="*", metavar="GLOB", help="such as 'pose*'")
    models.set_defaults(run=_run_models)


def _run_models(given: argparse.Namespace) -> int:
    from weights_cache import find_record, status
    from zoo.catalog import find_entry, models

    names = models(given.pattern)
    if not names:
        raise ZooError(f"no model matches {given.pattern!r}: 'zoo models' lists them all")
    rows = [("NAME", "TASK", "SIZE", "WEIGHTS", "LICENCE")]
    for name in names:
        entry = find_entry(name)
        record = find_record(entry.weights)
        rows.append((name, entry.task, _size(record.bytes), status(record.name), record.licence))
    _print_table(rows)
    return 0


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Columns of equal width, but for the last one; on a terminal lines do not wrap."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[-1]]).rstrip()[:room])


def _add_weights(commands: Any) -> None:
    weights = commands.add_parser("weights", help="fetch, list, verify, find or remove weights")
    actions = weights.add_subparsers(metavar="ACTION", required=True, parser_class=_Parser)
    for run, name, doc in (
        (_fetch_weights, "fetch", "download into the cache"),
        (_list_weights, "list", "list the registered files and where they are"),
        (_verify_weights, "verify", "hash every file again"),
        (_print_weights_path, "path", "print the folder of a model, or of the cache"),
        (_clear_weights, "clear", "remove from the cache"),
    ):
        action = actions.add_parser(name, help=doc)
        action.add_argument(
            "names",
            nargs="+" if name == "fetch" else "*",
            metavar="NAME",
            help="a model of 'zoo models' or 'zoo weights list'; none means all",
        )
        action.set_defaults(run=run)


def _records(given: argparse.Namespace) -> Iterator[Any]:
    """The records that are named, by the name of an entry or their own."""
    from weights_cache import find_record, list_records
    from zoo.catalog import all_entries

    if not given.names:
        yield from list_records()
    for name in given.names:
        entry = all_entries().get(name)
        yield find_record(entry.weights if entry else name)


def _fetch_weights(given: argparse.Namespace) -> int:
    from weights_cache import fetch

    for record in list(_records(given)):
        folder = next(iter(fetch(record.name).values())).parent
        print(f"{record.name}: {folder}")
    return 0


def _list_weights(given: argparse.Namespace) -> int:
    from weights_cache import status

    rows = [("NAME", "SIZE", "WHERE", "LICENCE")]
    for record in _records(given):
        rows.append((record.name, _size(record.bytes), status(record.name), record.licence))
    _print_table(rows)
    return 0


def _verify_weights(given: argparse.Namespace) -> int:
    """Without names only what is there is hashed; a model that is named must be there."""
    from weights_cache import verify

    damaged = 0
    for record in _records(given):
        reports = verify(record.name)
        if not given.names and not any(report.place for report in reports):
            continue
        problems = [report for report in reports if report.problem]
        damaged += bool(problems)
        print(f"{record.name}: {'damaged' if problems else 'good'}")
        for report in problems:
            _complain(f"{record.name}/{report.path}: {report.problem}")
    return 2 if damaged else 0


def _print_weights_path(given: argparse.Namespace) -> int:
    from weights_cache import cache_folder, locate

    if not given.names:
        print(cache_folder())
    for record in _records(given) if given.names else ():
        print(next(iter(locate(record.name, offline=True).values())).parent)
    return 0


def _clear_weights(given: argparse.Namespace) -> int:
    from weights_cache import clear

    freed = sum(clear(record.name) for record in list(_records(given)))
    print(f"{_size(freed)} freed")
    return 0


# --- zoo doctor -----------------------------------------------------------------------------


def _run_doctor(given: argparse.Namespace) -> int:
    from zoo.doctor import examine

    for name, finding in examine():
        print(f"{name:<12} {finding}", flush=True)
    return 0
