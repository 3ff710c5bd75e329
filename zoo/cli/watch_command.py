"""``zoo watch``: a task on a camera or video, frame by frame."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any

from core.process.line_files import LineFile
from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say
from weights_cache.common.progress_bars import with_bar
from weights_cache.interruptions import pass_interruption
from zoo.cli.compiling_lines import announcing_compilation
from zoo.cli.image_commands import add_model_flags
from zoo.cli.terminal import complain, say_written, show, warnings_as_lines
from zoo.drawing.live_painting import SpeedText, paint
from zoo.export.json_text import to_json
from zoo.live.preview_window import Window
from zoo.live.recording import about_recording, is_recording
from zoo.live.video_file import VideoFile
from zoo.live.watching import watch
from zoo.tasks.task_verbs import image_tasks

if TYPE_CHECKING:
    from zoo.live.watching import Watch
    from zoo.results.moments import Event, Moment


def declare_watch(command: Any) -> None:
    """Declare the arguments of ``zoo watch``."""
    command.more_help = tasks_text
    command.set_defaults(run=_run)
    command.add_argument(
        "source",
        metavar="SOURCE",
        help="a camera (0, camera:1, a name), a video, an animated GIF, a folder of images, a "
        "stream's URL, or a recording",
    )
    command.add_argument(
        "--task", metavar="TASK", help="see below; default: pose, or that of the recording"
    )
    add_model_flags(
        command,
        model="a model of 'zoo models', fast or best, or a file such as yolo.onnx",
        option="an option of the task's function, such as max_hands=1; may be repeated",
    )
    _add_outputs(command)
    _add_frames(command)


def _add_outputs(command: Any) -> None:
    command.add_argument("--show", action="store_true", help="show a window; q closes it")
    command.add_argument("--draw", metavar="OUT.mp4", help="write a video with the results drawn")
    command.add_argument(
        "--events",
        action="store_true",
        help="print gestures and movements as they happen, a line each (default if no other "
        "output is given)",
    )
    command.add_argument(
        "--jsonl", metavar="OUT", help="write a JSON line for each frame; - for standard output"
    )
    command.add_argument(
        "--record",
        metavar="SESSION.zoo",
        help="record frames and results to a folder, which is a source for later runs",
    )
    command.add_argument(
        "--smooth",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="steady keypoints, boxes, masks and labels (default: yes)",
    )


def _add_frames(command: Any) -> None:
    command.add_argument(
        "--mirror",
        action=argparse.BooleanOptionalAction,
        help="mirror images, as a selfie camera shows (default: of cameras)",
    )
    command.add_argument("--start", type=float, metavar="S", help="begin at so many seconds")
    command.add_argument("--stop", type=float, metavar="S", help="end at so many seconds")
    command.add_argument("--stride", type=int, metavar="N", help="take each N-th frame")
    command.add_argument("--size", type=_size, metavar="N", help="largest side in pixels, or WxH")
    command.add_argument(
        "--realtime",
        action="store_true",
        help="take the frames of a file at their times, and drop those that come too fast",
    )


def _size(text: str) -> int | tuple[int, int]:
    """Return a number of pixels, or width and height.

    >>> _size("640"), _size("640x480")
    (640, (640, 480))
    """
    width, x, height = text.lower().partition("x")
    try:
        return (int(width), int(height)) if x else int(width)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be a number, or WxH such as 640x480"
        ) from None


def tasks_text() -> str:
    """Return the tasks and functions, for the help of commands."""
    tasks = image_tasks()
    names = [name for name, verb in tasks.items() if name != verb]
    verbs = [name for name, verb in tasks.items() if name == verb]
    return f"tasks:\n  {', '.join(names)}\n  or a function: {', '.join(verbs)}"


@announcing_compilation()
def _run(given: argparse.Namespace) -> int:
    task = given.task or _recorded_task(given.source) or "pose"
    options = {name: getattr(given, name) for name in ("mirror", "start", "stop", "stride", "size")}
    options |= {"model": given.model, "backend": given.backend, "record": given.record}
    options |= dict(given.option)
    options = {name: value for name, value in options.items() if value is not None}
    options |= {"smooth": given.smooth, "realtime": given.realtime}
    with warnings_as_lines(), ExitStack() as stack:
        outputs = _outputs(given, task, stack)
        shown = stack.enter_context(watch(given.source, task, **options))
        return _watch(shown, outputs)


def _recorded_task(source: str) -> str | None:
    return about_recording(source).get("task") if is_recording(source) else None


def _outputs(given: argparse.Namespace, task: str, stack: ExitStack) -> list[Any]:
    """Return the functions that each moment is passed to; False of one ends the command."""
    outputs: list[Any] = []
    if given.draw or given.show:
        outputs.append(_Drawings(given, task, stack))
    if given.jsonl:
        if given.jsonl == "-":
            outputs.append(_print_line)
        else:
            file = stack.enter_context(closing(_line_file(given.jsonl)))
            outputs.append(partial(_write_line, file))
    if given.events or not (outputs or given.record):
        outputs.append(_print_events)
    return outputs


def _line_file(path: str) -> LineFile:
    try:
        return LineFile(path)
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"cannot write to {path!r}: {error.strerror}; give another file") from error


class _Drawings:
    """Paints moments, and shows them in a window or writes them to a video."""

    def __init__(self, given: argparse.Namespace, task: str, stack: ExitStack):
        self._window = stack.enter_context(Window(f"zoo: {task}")) if given.show else None
        self._video: VideoFile | None = None
        if given.draw:
            stack.callback(self._say_drawn)  # after the file is closed, whatever ended the source
            self._video = stack.enter_context(VideoFile(given.draw, sound=given.source))

    def __call__(self, moment: Moment, shown: Watch) -> bool:
        """Paint a moment; return False if the user closed the window."""
        if self._video is not None:
            self._video.set_rate(shown.frames.fps)
            self._video.add(paint(moment), moment["time"])
        if self._window is not None:
            return self._window.show(paint(moment, overlays=[SpeedText(moment)]))
        return True

    def _say_drawn(self) -> None:
        if self._video is not None and self._video.is_written:
            say_written(self._video.path, "drawn")


def _print_line(moment: Moment, shown: Watch) -> bool:
    """Print a moment as a line of JSON."""
    print(to_json(moment), flush=True)
    return True


def _write_line(file: LineFile, moment: Moment, shown: Watch) -> bool:
    """Append a moment to a file, as a line of JSON."""
    file.write(f"{to_json(moment)}\n")
    return True


def _print_events(moment: Moment, shown: Watch) -> bool:
    for event in moment["events"]:
        show(event_text(event), flush=True)
    return True


def event_text(event: Event) -> str:
    """Return a line about an event.

    >>> event_text({"type": "held", "label": "rock", "id": 1, "time": 2.0, "seconds": 0.5})
    '   2.00 s  #1  rock held for 0.5 s'
    """
    lasts = f" for {event['seconds']:.1f} s" if event["seconds"] else ""
    what = "" if event["type"] == "happened" else f" {event['type']}{lasts}"
    count = f" {event['count']}" if "count" in event else ""
    side = f" {event['handedness']}" if "handedness" in event else ""
    return f"{event['time']:7.2f} s  #{event['id']}{side}  {event['label']}{count}{what}"


def _watch(shown: Watch, outputs: list[Any]) -> int:
    """Pass each moment to the outputs; Ctrl-C ends it in order, as closing the window does."""
    frames, milliseconds, last = 0, 0.0, None
    status = 0
    try:
        count = shown.frames.count
        for moment in shown if count is None else with_bar(shown, "frame", total=count):
            frames, milliseconds, last = frames + 1, milliseconds + moment["milliseconds"], moment
            goes_on = [output(moment, shown) for output in outputs]  # all of them
            if not all(goes_on):
                break
    except KeyboardInterrupt:
        status = 130
    if _print_events in outputs:
        for event in shown.last_events:
            show(event_text(event), flush=True)
    if last is None:
        complain(f"{shown.frames.name} gave no frame")
        return status or 2
    lost = [f"{shown.frames.dropped} dropped"] if shown.frames.dropped else []
    lost += [f"{shown.frames.broken} broken"] if shown.frames.broken else []
    say(
        f"{frames} frames, {milliseconds / frames:.1f} ms each, {last['fps']:.1f} frames per "
        f"second{''.join(f', {text}' for text in lost)}"
    )
    return status or int(shown.frames.lost > 1)
