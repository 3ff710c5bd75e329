"""``zoo pose``: poses in photos, printed and drawn."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from weights_cache.errors import ZooError
from zoo.terminal import complain

DRAWING_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif")


def add_pose(commands: Any) -> None:
    """Declare the command and its arguments."""
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
    """Do what can be done of every photo; what is done is printed, also after Ctrl-C."""
    photos = list(dict.fromkeys(given.photos))
    drawings = _drawing_paths(photos, given.draw)
    model = _load_model(given)
    results: dict[str, Any] = {}
    failed, stopped = 0, False
    try:
        for photo, drawing in _with_progress(list(zip(photos, drawings, strict=True))):
            failed += not _do_photo(model, photo, drawing, given, results)
    except KeyboardInterrupt:
        complain(f"stopped after {len(results)} of {len(photos)} photos")
        stopped = True
    if results and (given.json or given.csv):
        _print_document(results, given)
    if stopped:
        return 130
    if not failed:
        return 0
    return 1 if results else 2


def _load_model(given: argparse.Namespace) -> Any:
    from zoo.loading import load
    from zoo.pose import DEFAULT_MODEL

    model = load(given.model or DEFAULT_MODEL, backend=given.backend)
    if not hasattr(model, "estimate_single_pose"):
        raise ZooError(f"{model.name} is no pose model: see 'zoo models'")
    return model


def _with_progress(photos: list[Any]) -> Iterable[Any]:
    if len(photos) < 2 or not sys.stderr.isatty():
        return photos
    from tqdm import tqdm

    return tqdm(photos, unit="photo", leave=False)


def _do_photo(
    model: Any, photo: str, drawing: str | None, given: argparse.Namespace, results: dict[str, Any]
) -> bool:
    """Read, estimate, draw and print one photo; whether that went well."""
    try:
        results[photo] = _pose_of(model, photo, drawing, given)
    except ZooError as error:
        complain(error)
        return False
    if not (given.json or given.csv):
        print(_readable(photo, results[photo], len(given.photos) > 1), flush=True)
    return True


def _pose_of(model: Any, photo: str, drawing: str | None, given: argparse.Namespace) -> Any:
    from zoo.images import read_image

    pixels = read_image(photo)
    verb = model.estimate_multiple_poses if given.multiple else model.estimate_single_pose
    result = verb(pixels, mirror=given.mirror)
    if drawing:
        from zoo.drawing import draw

        _save(draw(pixels, result), drawing)
    return result


# --- drawings -------------------------------------------------------------------------------


def _drawing_paths(photos: list[str], target: str | None) -> list[str | None]:
    """The file to draw each photo to: the one given, or in a folder one named after the photo."""
    if target is None:
        return [None] * len(photos)
    if len(photos) == 1 and not os.path.isdir(target) and not target.endswith(("/", os.sep)):
        paths = [_drawing_file(target)]
    else:
        paths = _files_in(target, photos)
    for photo, path in zip(photos, paths, strict=True):
        if os.path.exists(photo) and os.path.exists(path) and os.path.samefile(photo, path):
            raise ZooError(f"the drawing would replace the photo {photo!r}: give another name")
    return [*paths]


def _drawing_file(path: str) -> str:
    if not path.lower().endswith(DRAWING_ENDINGS):
        raise ZooError(
            f"cannot draw to {path!r}: its name must end in one of {', '.join(DRAWING_ENDINGS)}"
        )
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ZooError(f"cannot draw to {path!r}: there is no folder {folder!r}, make it first")
    return path


def _files_in(folder: str, photos: list[str]) -> list[str]:
    """A file for each photo; photos of one name are numbered."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        reason = error.strerror
        raise ZooError(f"cannot draw into {folder!r}: {reason}; give another folder") from error
    paths, seen = [], Counter[str]()
    for photo in photos:
        stem = os.path.splitext(os.path.basename(photo.rstrip("/")))[0]
        seen[stem] += 1
        number = f"-{seen[stem]}" if seen[stem] > 1 else ""
        paths.append(os.path.join(folder, f"{stem}-pose{number}.png"))
    return paths


def _save(picture: Any, path: str) -> None:
    """Write a picture under another name first, so that no half of one is left behind."""
    target = os.path.realpath(path)  # a link stays a link
    ending = os.path.splitext(path)[1]
    unfinished = os.path.join(os.path.dirname(target), f".drawing-{os.getpid()}{ending}")
    try:
        picture.save(unfinished)
        os.replace(unfinished, target)
    except (OSError, ValueError) as error:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"cannot draw to {path!r}: {reason}; give another file") from error
    print(f"drawn: {path}", file=sys.stderr)


# --- printing -------------------------------------------------------------------------------


def _readable(photo: str, result: Any, named: bool) -> str:
    """A result as JSON with short numbers and a line for each joint."""
    people = result if isinstance(result, list) else [result]
    texts = [_readable_pose(pose) for pose in people]
    text = f"[{', '.join(texts)}]" if isinstance(result, list) else texts[0]
    return f"{photo}:\n{text}" if named else text


def _readable_pose(pose: Any) -> str:
    from zoo.results import to_json

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

    result = next(iter(results.values())) if len(given.photos) == 1 else results
    print(to_csv(result) if given.csv else to_json(result), end="" if given.csv else "\n")
