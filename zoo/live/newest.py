"""The newest frame of a source that does not wait, such as a camera."""

from __future__ import annotations

from math import inf
from threading import Condition, Thread, current_thread
from time import monotonic, sleep

from zoo.live.capture import cameras_text
from zoo.live.readers import BrokenFrameError, Kind, Reader, Shot, SourceError

_TURN = 0.2  # seconds after which a waiting caller looks whether it was interrupted
_JOIN = 2.0  # seconds for which closing waits for the thread


class NewestFrame:
    """Reads a source in a thread that keeps only the newest frame, and counts the others.

    With ``paced`` the frames of a file come at their times, as if the file were a camera; those
    before the time ``start`` are passed over at once.
    """

    def __init__(self, reader: Reader, *, timeout: float, paced: bool, start: float | None = None):
        self._start = start or 0.0
        self._reader, self._timeout, self._paced = reader, timeout, paced
        self.kind: Kind = reader.kind
        self.name, self.fps, self.count = reader.name, reader.fps, reader.count
        self.dropped = self._broken = 0
        self._new = Condition()
        self._shot: Shot | None = None
        self._number = -1  # of the newest frame in its source
        self._error: BaseException | None = None
        self._ended = self._closed = False
        self._busy = 0.0  # when the thread last passed over a frame, or waited for its time
        self._thread = Thread(target=self._run, name=f"frames of {reader.name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._read_all()
        except BaseException as error:  # noqa: BLE001 - the caller of `read` gets it
            self._error = error
        finally:
            self._reader.close()
            with self._new:
                self._ended = True
                self._new.notify_all()

    def _read_all(self) -> None:
        began: float | None = None
        self._busy = inf
        number = self._reader.advance(self._start) - 1 if self._paced else -1
        self._busy = monotonic()
        while not self._closed:
            number += 1
            try:
                shot = self._reader.read()
            except BrokenFrameError:
                self._broken += 1
                continue
            if shot is None:
                return
            if self._paced and shot.time < self._start:
                self._busy = monotonic()
                continue
            began = monotonic() - shot.time if began is None else began
            if self._paced:
                self._wait_until(began + shot.time)
            with self._new:
                self.dropped += self._shot is not None
                own = number if shot.number is None else shot.number
                self._shot = shot._replace(number=own)
                self._new.notify_all()

    def _wait_until(self, moment: float) -> None:
        while not self._closed and (left := moment - monotonic()) > 0:
            self._busy = monotonic()
            sleep(min(left, _TURN, self._timeout / 2))

    def read(self) -> Shot | None:
        """Wait for a frame that was not returned yet; None at the end."""
        until = monotonic() + self._timeout
        with self._new:
            while self._shot is None:
                if self._ended:
                    if self._error is not None:
                        raise self._error
                    return None
                if monotonic() > max(until, self._busy + self._timeout):
                    raise SourceError(self._stalled())
                self._new.wait(_TURN)
            shot, self._shot = self._shot, None
            return shot

    def _stalled(self) -> str:
        what = f"{self.name} gave no frame for {self._timeout:g} s: check its cable or network, or "
        if self.kind != "camera":
            return what + "give a longer timeout="
        return f"{what}give a longer timeout=; {cameras_text()}"

    def skip(self) -> float | None:
        """Pass over the newest frame."""
        shot = self.read()
        return None if shot is None else shot.time

    def advance(self, time: float) -> int:
        """Pass over nothing: the thread does it."""
        return 0

    @property
    def broken(self) -> int:
        """Number of frames that could not be decoded."""
        return self._broken + int(getattr(self._reader, "broken", 0))

    @property
    def lost(self) -> int:
        """Number of frames that are missing at the end of a file."""
        return int(getattr(self._reader, "lost", 0))

    def close(self) -> None:
        """End the thread, and release the source."""
        self._closed = True
        if self._thread is not current_thread():  # the garbage collector may run in any thread
            self._thread.join(_JOIN)
