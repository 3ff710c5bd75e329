"""Videos and streams, read by OpenCV."""

from __future__ import annotations

from bisect import bisect_left
from time import monotonic

from weights_cache.shown_urls import shown_url
from zoo.images.header_limits import check_size
from zoo.images.opencv import cv2
from zoo.images.pixels import ImageError
from zoo.live.capture import Capture, quiet, to_rgb
from zoo.live.containers import checked_video
from zoo.live.display import Display
from zoo.live.lost_frames import Losses
from zoo.live.packet_times import times_until
from zoo.live.readers import DEFAULT_FPS, TIMEOUT, BrokenFrameError, Kind, Shot, SourceError

#: Failed frames in a row after which a video counts as broken off.
_MOST_BROKEN = 30

#: Memory that a frame takes while it is read, in bytes for each of its pixels, as measured.
_BYTES_OF_A_PIXEL = 12

#: Seconds before a time that a seek aims at first, and how often it tries from farther back.
_BEFORE, _TRIES = 1.0, 4


class VideoReader:
    """Reads a video file or a stream; frames are as players show them: upright, pixels square.

    All frames have the size of the first: if the size changes, OpenCV scales the others.
    """

    def __init__(
        self,
        location: str,
        kind: Kind = "video",
        capture: Capture | None = None,
        timeout: float = TIMEOUT,
    ):
        self.kind: Kind = kind
        self.name = repr(shown_url(location))
        self._location = location = checked_video(location) if capture is None else location
        self._timeout = timeout
        self._capture = self._opened() if capture is None else capture
        self._display = Display(location, self._capture)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps: float | None = fps if 0 < fps < 1000 else None
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.count: int | None = count if 0 < count < 10**9 and kind == "video" else None
        self._losses = Losses(location, self.count, self.fps)
        self._first: float | None = None
        self._last = -1.0
        self._ahead: float | None = None  # time of a frame that was taken, but not given yet
        self._read, self._ended = 0, False

    def _opened(self) -> Capture:
        limit = min(int(self._timeout * 1000), 2**31 - 1)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, limit, cv2.CAP_PROP_READ_TIMEOUT_MSEC, limit]
        with quiet(cv2):
            capture: Capture = cv2.VideoCapture(self._location, cv2.CAP_FFMPEG, limits)
        if capture.isOpened():
            self._check_size(capture)
            return capture
        capture.release()
        if self.kind == "stream" or "://" in self._location:
            raise SourceError(
                f"the stream {self.name} cannot be opened: check the address, the network and the "
                "password; OpenCV reads http, https, rtsp, rtmp and udp"
            )
        raise SourceError(
            f"{self.name} is no video that can be read: the file is damaged, has no images, or its "
            "codec is not known; convert it, for example with `ffmpeg -i VIDEO video.mp4`"
        )

    def _check_size(self, capture: Capture) -> None:
        """Raise an ImageError if frames are larger than images may be."""
        width, height = (
            int(capture.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        )
        try:
            check_size((width, height), f"a frame of {self.name}", each=_BYTES_OF_A_PIXEL)
        except ImageError:
            capture.release()
            raise

    def read(self) -> Shot | None:
        """Return the next frame.

        Raises:
            BrokenFrameError: it is damaged.
            SourceError: not one frame can be decoded; a stream gives no frame any more.
        """
        time = self.skip()
        if time is None:
            return None
        with quiet(cv2):
            there, pixels = self._capture.retrieve()
        if not there or pixels is None or not pixels.size:
            raise BrokenFrameError(f"frame {self._read - 1} of {self.name} cannot be decoded")
        return Shot(self._display.shown(to_rgb(pixels)), time)

    def skip(self) -> float | None:
        """Pass over the next frame."""
        time, self._ahead = self._ahead, None
        if time is None and self._take():
            time = self._time()
        return time

    def _take(self) -> bool:
        """Take the next frame, without converting it; return False at the end."""
        for failed in range(_MOST_BROKEN):
            began = monotonic()
            with quiet(cv2):
                there = self._capture.grab()
            if there:
                self._read += 1
                return True
            if self.kind == "stream" and monotonic() - began >= self._timeout:
                raise SourceError(
                    f"{self.name} gave no frame for {self._timeout:g} s: check the network, or "
                    "give a longer timeout="
                )
            if self.count is None or self._read + failed >= self.count:
                break
        if not self._read:
            raise SourceError(self._why_no_frames())
        self._ended = True
        return False

    def _why_no_frames(self) -> str:
        code = int(self._capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
        name = code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ")
        codec = f"its codec {name}" if name.isprintable() and name else "its codec"
        remote = ", or its server sends no parts of files" if "://" in self._location else ""
        return (
            f"{self.name} opens, but gives no frame: this OpenCV cannot decode {codec}, or it is "
            f"damaged{remote}; convert it: `ffmpeg -i {self.name} -c:v libx264 converted.mp4`"
        )

    def _time(self) -> float:
        """Return the time of the frame that was taken; files without times have a steady rate."""
        at = self._position()
        self._first = at if self._first is None else self._first
        time = at - self._first
        if time <= self._last:
            time = self._last + 1 / (self.fps or DEFAULT_FPS)
        self._last = time
        self._losses.saw(time)
        return time

    def _position(self) -> float:
        """Return the time in the file of the frame that was taken, in seconds."""
        return self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000

    def advance(self, time: float) -> int:
        """Pass over the frames of a file before a time, before the first is read.

        It seeks. As this is inexact in some files, the times of all packets before say which frame
        is the right one; where that is not found, frames are taken one by one.
        """
        if self.kind != "video" or time <= 0 or not self._take():
            return 0
        self._ahead = self._time()
        if self._ahead < time and not self._seek(time):
            while self._ahead is not None and self._ahead < time:
                self._ahead = self._time() if self._take() else None
        return self._read - (self._ahead is not None)

    def _seek(self, time: float) -> bool:
        """Take the first frame at or behind a time; if that fails, take the first of all."""
        times = times_until(self._location, time)
        if not times or times[0] != self._first:
            return False
        index = bisect_left([at - times[0] for at in times], time)
        if index == len(times) or not self._find(times[: index + 1]):
            self._begin_again()
            return False
        self._read = index + 1
        self._losses.passed(index - 1, times[index - 1] - times[0])
        self._ahead = self._time()
        return True

    def _begin_again(self) -> None:
        """Open the file anew, and take its first frame."""
        self._capture.release()
        self._capture, self._read = self._opened(), 0
        self._display = Display(self._location, self._capture)
        self._take()

    def _find(self, times: list[float]) -> bool:
        """Take the frame at the last of some times in the file; return whether that is sure.

        It is if the frames on the way to it come at the times before: where an edit hides frames,
        those of the packets are others.
        """
        for attempt in range(_TRIES):
            target = max(0.0, times[-1] - _BEFORE * 4**attempt)
            seen = self._take_until(times[-1], target)
            if seen and seen == times[-len(seen) :]:
                return True
            if not target:
                break
        return False

    def _take_until(self, end: float, target: float) -> list[float]:
        """Seek to a time in the file, take frames up to another, and return their times."""
        seen: list[float] = []
        with quiet(cv2):
            self._capture.set(cv2.CAP_PROP_POS_MSEC, target * 1000)
            while not (seen and seen[-1] >= end) and self._capture.grab():
                seen.append(self._position())
        return seen

    @property
    def broken(self) -> int:
        """Number of frames inside the video that could not be read, known at its end."""
        return self._losses.inside if self._ended else 0

    @property
    def lost(self) -> int:
        """Number of frames at the end of the file that it should have, but that cannot be read."""
        return self._losses.at_end

    def close(self) -> None:
        """Close the file or stream."""
        self._capture.release()
