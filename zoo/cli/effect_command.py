"""``zoo effect``: faces or backgrounds blurred, and people cut out, in images and videos."""

from __future__ import annotations

import argparse
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import zoo
from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from zoo.cli.compiling_lines import announcing_compilation
from zoo.cli.drawing_output import drawing_paths, save_drawing
from zoo.cli.image_commands import add_model_flags
from zoo.cli.image_sources import find_images, is_several, read_source
from zoo.cli.next_run import next_run
from zoo.cli.terminal import complain, say_written, warnings_as_lines
from zoo.live.encoders import FORMATS
from zoo.live.frame_source import frames
from zoo.live.video_file import VideoFile

if TYPE_CHECKING:
    from zoo.live.frame_source import Frame

#: Effects, which are functions of `zoo`, and what each does.
_EFFECTS = {
    "blur_faces": "make faces unrecognizable",
    "blur_background": "blur everything but people",
    "cut_out": "make everything but people transparent",
}

_TRANSPARENT = (".png", ".webp", ".tif", ".tiff")  # endings of formats that can be


def declare_effect(command: Any) -> None:
    """Declare the arguments of ``zoo effect``."""
    command.more_help = _effects_text
    command.set_defaults(run=_run, work="zoo.cli.effect_command:apply")
    command.add_argument(
        "effect", metavar="EFFECT", type=_effect_name, choices=list(_EFFECTS), help="see below"
    )
    command.add_argument(
        "images",
        nargs="+",
        metavar="SOURCE",
        help="a file, a folder, a URL, a pattern in quotes, or - for standard input; of videos one",
    )
    command.add_argument(
        "--out",
        metavar="OUT",
        required=True,
        help="image to write, of videos a video; for several images give a folder",
    )
    command.add_argument(
        "--recursive", action="store_true", help="also read the images in subfolders"
    )
    add_model_flags(
        command,
        model="a model of 'zoo models', fast or best, or a file such as yolo.onnx",
        option="an option of the function, such as strength=2 or shape=box; may be repeated",
    )


def _effect_name(text: str) -> str:
    """Return the function of an effect, whose name may have dashes.

    >>> _effect_name("blur-faces")
    'blur_faces'
    """
    return text.replace("-", "_")


def _effects_text() -> str:
    width = max(map(len, _EFFECTS))
    return "\n".join(["effects:", *(f"  {n:<{width}}  {does}" for n, does in _EFFECTS.items())])


def _run(given: argparse.Namespace) -> int:
    """Apply the effect; where it found nothing to change, the status is 1."""
    warned: list[type[Warning]] = []
    with warnings_as_lines(warned.append):
        status = (_do_video if _is_video(given.out) else _do_images)(_effect(given), given)
    return status or int(UserWarning in warned)


def _effect(given: argparse.Namespace) -> Callable[[Any], Any]:
    options = {"model": given.model, "backend": given.backend} | dict(given.option)
    options = {name: value for name, value in options.items() if value is not None}
    return partial(getattr(zoo, given.effect), **options)


def apply(given: argparse.Namespace, pixels: np.ndarray) -> None:
    """Do with the pixels of an image what the command does, but for the file."""
    _effect(given)(pixels)


def _is_video(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in FORMATS


def _do_images(effect: Callable[[Any], Any], given: argparse.Namespace) -> int:
    """Write an image for each image."""
    several = is_several(given.images)
    images, failed = find_images(given.images, recursive=given.recursive)
    if not images:
        return 2
    paths = drawing_paths(images, given.out, given.effect, several=several)
    _check_transparency(given.effect, paths)
    done = 0
    with next_run(given, len(images)) as later:
        for image, path in zip(images, paths, strict=True):
            try:
                pixels, frames = read_source(image)
                save_drawing(effect(pixels), str(path))
            except ZooError as error:
                complain(error)
                continue
            later.note(pixels)
            done += 1
            if frames > 1:
                complain(f"{image} has {frames} frames: the first was taken; for all give a video")
    later.compile()
    if done == len(images) and not failed:
        return 0
    return 1 if done else 2


def _check_transparency(effect: str, paths: Iterable[str | None]) -> None:
    wrong = next((p for p in paths if p and not p.lower().endswith(_TRANSPARENT)), None)
    if effect == "cut_out" and wrong:
        endings = ", ".join(_TRANSPARENT)
        raise ZooError(f"{wrong!r} cannot be transparent: its name must end in one of {endings}")


@announcing_compilation()
def _do_video(effect: Callable[[Any], Any], given: argparse.Namespace) -> int:
    """Write a video; Ctrl-C ends it in order."""
    if len(given.images) > 1:
        raise ZooError(f"{len(given.images)} sources were given: a video is made of one")
    if given.effect == "cut_out":
        raise ZooError(f"{given.out!r} cannot be transparent: write images, or blur_background")
    existing = all(map(os.path.exists, (given.out, given.images[0])))
    if existing and os.path.samefile(given.out, given.images[0]):
        raise ZooError(f"the result would replace {given.out!r}: give another name")
    status, path = 0, given.images[0]
    with frames(path) as source, VideoFile(given.out, sound=path) as video:
        times: deque[float] = deque()
        try:
            for image in effect(_timed(with_bar(source, "frame", total=source.count), times)):
                video.set_rate(source.fps)
                video.add(np.asarray(image), times.popleft())
        except KeyboardInterrupt:
            complain("stopped; the video ends here")
            status = 130
    if video.is_written:
        say_written(given.out)
        return status
    complain(f"{source.name} gave no frame, {given.out} is not written")
    return status or 2


def _timed(source: Iterable[Frame], times: deque[float]) -> Iterator[Frame]:
    """Yield frames, and note their times."""
    for frame in source:
        times.append(frame.time)
        yield frame
