"""The sound of a video, which is copied into another that was made of its frames."""

from __future__ import annotations

import os
import re
from pathlib import Path

from zoo.live import ffmpeg
from zoo.live.boxes import has_boxes, tracks
from zoo.live.containers import is_container
from zoo.live.encoders import format_of

#: Sound tracks in the head of an AVI and of a Matroska file: a stream header, and a codec's name.
_HEADS = re.compile(rb"strh.{4}auds|\x86[\x83-\xc0]A_[A-Z]", re.DOTALL)
_HEAD = 2**20  # bytes


def has_sound(path: str) -> bool:
    """Return whether a video file has a sound track, as far as that is seen without ffmpeg."""
    if has_boxes(path):
        return any(track.handler == b"soun" for track in tracks(path))
    try:
        with open(path, "rb") as file:
            return _HEADS.search(file.read(_HEAD)) is not None
    except OSError:
        return False


def add_sound(video: Path, source: str, start: float, seconds: float) -> str:
    """Copy the sound of a source into a video, and return why it is missing; empty if it is not.

    Args:
        video: the file, which is replaced.
        source: path of the video that has the sound.
        start: time in the source at which the video begins, in seconds.
        seconds: length of the video.
    """
    if not ffmpeg.program():
        return "there is no ffmpeg on the path to copy it" if has_sound(source) else ""
    if not is_container(source):
        return f"{source} is of no known container of videos"
    codecs = ffmpeg.sound_codecs(source)
    if not codecs:
        return ""
    its = format_of(video)
    codec = "copy" if set(codecs) <= set(its.sounds) else its.sounds[-1]
    joined = video.with_name(f"{video.stem}.sound{video.suffix}")
    part = ("-ss", f"{start:.6f}", "-t", f"{seconds:.6f}", "-vn", "-i", ffmpeg.as_file(source))
    streams = ("-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", codec)
    target = (*its.muxing, ffmpeg.as_file(joined))
    try:
        ffmpeg.convert("-i", ffmpeg.as_file(video), *part, *streams, *target)
        os.replace(joined, video)
    except OSError as error:
        joined.unlink(missing_ok=True)
        return str(error.strerror)
    return ""
