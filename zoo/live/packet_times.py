"""Times of the frames of a video, read from its packets without decoding them."""

from __future__ import annotations

from zoo.images.opencv import cv2
from zoo.live.capture import Capture, quiet

#: Packets in a row at or behind a time, from which on none is before it: codecs reorder 16 at most.
_REORDERED = 32


def times_until(location: str, end: float) -> list[float]:
    """Return the times of frames in their order, of all up to a time and of one at or behind it.

    The list is empty where packets have no times of their own, such as some in MPEG's streams.

    Args:
        location: path or URL of the video.
        end: in seconds since the first frame.
    """
    with quiet(cv2):
        packets: Capture = cv2.VideoCapture(location, cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, -1])
        try:
            times = _read(packets, end) if packets.isOpened() else []
        finally:
            packets.release()
    return sorted(times) if len(set(times)) == len(times) else []


def _read(packets: Capture, end: float) -> list[float]:
    times: list[float] = []
    behind = 0
    while behind < _REORDERED and packets.grab():
        times.append(packets.get(cv2.CAP_PROP_POS_MSEC) / 1000)
        behind = behind + 1 if times[-1] - times[0] >= end else 0
    return times
