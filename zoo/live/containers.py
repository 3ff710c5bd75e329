"""Files of videos that hold their frames themselves, known by their first bytes.

FFmpeg goes by the content of a file and not by its name: a text that begins as a playlist (HLS,
ffconcat, DASH, SDP) would show the files and addresses that it names, also as ``film.mp4``. So only
files of known containers are opened. FFmpeg skips ID3 tags before it looks; no container begins
with one.
"""

from __future__ import annotations

import os
import re

from weights_cache.interruptions import pass_interruption
from weights_cache.regular_files import open_regular
from zoo.images.urls import scheme_of
from zoo.live.readers import SourceError

_CONTAINERS = re.compile(
    rb"(?!ID3)(.{4}(ftyp|styp|moov|mdat|wide|free|skip|pnot|uuid|moof|sidx)"  # MP4, QuickTime, 3GP
    rb"|\x1a\x45\xdf\xa3"  # Matroska, WebM
    rb"|RIFF.{4}AV|FLV\x01|\x30\x26\xb2\x75|OggS|\.RMF|nut/multimedia|DKIF|YUV4MPEG2 "
    rb"|\x00{1,3}\x01"  # streams of MPEG, also H.264 and H.265 without a container
    rb"|\x47.{187}\x47|.{4}\x47.{191}\x47"  # MPEG-TS, also of Blu-ray and AVCHD
    rb"|\x06\x0e\x2b\x34|\x1f\x07\x00|\xff\xd8\xff)",  # MXF, DV, Motion JPEG
    re.DOTALL,
)
_HEAD = 256  # bytes, more than one packet of MPEG-TS


def is_container(path: str) -> bool:
    """Return whether a file begins as a container of video.

    Raises:
        OSError: it cannot be read, or is a pipe or device.
    """
    with open_regular(path) as file:
        return _CONTAINERS.match(file.read(_HEAD)) is not None


def checked_video(location: str) -> str:
    """Return what FFmpeg may open: a URL as it is, a file by its absolute path.

    A relative path may begin as one of FFmpeg's protocols, such as ``concat:a.mp4``.

    Raises:
        SourceError: the file cannot be read, or is of no known container.
    """
    if scheme_of(location) is not None:
        return location
    try:
        known = is_container(location)
    except OSError as error:
        pass_interruption(error)
        raise SourceError(
            f"{location!r:.300} cannot be read: {error.strerror}; check the name and the "
            "permissions"
        ) from error
    if not known:
        raise SourceError(
            f"{location!r:.300} is no video that can be read: it does not begin as a file that "
            "holds frames (MP4, QuickTime, Matroska, WebM, AVI, ASF, FLV, MPEG, Ogg, MXF), but as "
            "a damaged file, or a text such as a playlist, whose files and addresses are not "
            "followed: copy it again, or give the video itself or the URL of a stream"
        )
    return os.path.abspath(location)
