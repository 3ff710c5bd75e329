"""The parent's side of the child process that reads and runs a model."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from math import inf
from threading import TIMEOUT_MAX, Timer
from time import monotonic
from typing import Any, NoReturn, cast
from weakref import finalize

import numpy as np

from core import LimitError, Limits
from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import DEBUG_VARIABLE, ZooError
from weights_cache.common.messages import visible
from weights_cache.interruptions import pass_interruption
from zoo.pipeline.file_options import NO_OPTIONS, FileOptions
from zoo.pipeline.isolation.arrays import STRINGS
from zoo.pipeline.isolation.child import ERRORS, FOREIGN, NO_MEMORY, OUT_OF_MEMORY
from zoo.pipeline.isolation.messages import Message, MessageError, receive, send
from zoo.pipeline.isolation.pipes import CAN_WAIT, LateError, Pipe

#: Time limit for the imports of the child, also on a busy machine.
START_SECONDS = 60.0

#: Additional time beyond a limit, in which the child ends the run itself with a better error.
MORE_SECONDS = 2.0

_CODE = "from zoo.pipeline.isolation.child import main\nmain()"

#: Allowed dtypes of arrays from the child: those of the engine.
_DTYPES = {np.dtype(t).str for t in (np.float32, np.int32, np.bool_, np.complex64)} | {STRINGS}


class ModelProcess:
    """A process that has read one model, and runs it on request.

    Args:
        path: path of the file or folder with the model.
        limits: limits, all of which are set.
        name: name of the model, for errors.
        options: of how the file is read.

    Raises:
        ZooError: the model cannot be read, or reading exceeds a limit.
    """

    def __init__(self, path: str, limits: Limits, name: str, options: FileOptions = NO_OPTIONS):
        self._name = name
        self._expired = self._closed = False
        folder = tempfile.mkdtemp(prefix="zoo-")
        try:
            self._process = _start(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._finish = finalize(self, _finish, self._process, folder, os.getpid())
        self._requests = Pipe(cast(FileIO, self._process.stdin), for_writing=True)
        self._answers = Pipe(cast(FileIO, self._process.stdout), for_writing=False)
        try:
            document = {"path": path, "folder": folder, "options": options._asdict()}
            #: The child's description of the model.
            self.facts = self._read({**document, "limits": dict(vars(limits))})
        except BaseException:
            self.close()
            raise

    def _read(self, document: Mapping[str, Any]) -> dict[str, Any]:
        self._ask("starting its process", document, {}, START_SECONDS, 0, "")
        seconds = document["limits"]["file_seconds"]
        with self._ended_after("reading the model", seconds, "file_seconds"):
            answer = receive(self._answers, 0)
        return self._checked(answer, "reading the model").document

    @property
    def runs(self) -> bool:
        """Whether the process is running."""
        return self._finish.alive and self._process.poll() is None

    def run(
        self,
        arrays: Mapping[str, np.ndarray],
        limits: Limits,
        *,
        named: bool,
        outputs: list[str] | None,
        raw: bool,
    ) -> dict[str, np.ndarray]:
        """Return the outputs of the model by name.

        Args:
            arrays: the inputs by name.
            limits: limits of this run, all of which are set.
            named: whether the caller gave the names.
            outputs: requested outputs or nodes; None means all outputs.
            raw: as for ``predict``.

        Raises:
            ZooError: the run failed, or the process ended.
        """
        document = {"limits": dict(vars(limits)), "named": named, "outputs": outputs, "raw": raw}
        seconds = inf if limits.seconds is None else limits.seconds
        most = inf if limits.run_bytes is None else limits.run_bytes
        return self._ask("a run", document, arrays, seconds, most, "seconds").arrays

    def kill(self) -> None:
        """End the process at once; a call that waits for its answer raises an error."""
        self._closed = True
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process and remove its files; no call may be waiting for an answer."""
        self._finish()

    def distrusted(self, reason: object) -> ZooError:
        """End a process that sent an invalid message, and return the error to raise."""
        self.close()
        return ZooError(
            f"{self._name}: the process of the model sent a damaged message ({reason}) and was "
            "ended: do not trust this model"
        )

    def leave_to_parent(self) -> None:
        """Drop a child process of the process that this process was forked from."""
        self._finish.detach()
        self._process.returncode = 0  # so that Popen does not wait for another process's child
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _ask(
        self,
        what: str,
        document: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        seconds: float,
        most: float,
        limit: str,
    ) -> Message:
        """Send a message and receive the answer, or kill the process after some seconds."""
        with self._ended_after(what, seconds, limit):
            send(self._requests, document, arrays)
            answer = receive(self._answers, most, _DTYPES)
        return self._checked(answer, what)

    def _checked(self, answer: Message, what: str) -> Message:
        if "error" in answer.document:
            self._raise(answer.document, what)
        return answer

    @contextmanager
    def _ended_after(self, what: str, seconds: float, limit: str) -> Iterator[None]:
        """End the process if the block takes too long or fails."""
        timer = None
        self._requests.deadline = self._answers.deadline = monotonic() + seconds + MORE_SECONDS
        if not CAN_WAIT:
            timer = Timer(min(seconds + MORE_SECONDS, TIMEOUT_MAX), self._expire)
            timer.daemon = True
            timer.start()
        try:
            yield
        except LateError:
            self._expire()
            raise self._end_of(what, seconds, limit) from None
        except EOFError:
            raise self._end_of(what, seconds, limit) from None
        except MessageError as error:
            raise self.distrusted(error) from None
        except BaseException:  # such as Ctrl-C: the next answer would be the one to this request
            self.close()
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _expire(self) -> None:
        self._expired = True
        with suppress(OSError):
            self._process.kill()

    def _end_of(self, what: str, seconds: float, limit: str) -> ZooError:
        """Return the error for a process that ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self.close()
        status = self._process.returncode
        if self._closed:
            return ZooError(f"the model {self._name} was closed during {what}")
        if self._expired or status == -getattr(signal, "SIGXCPU", 0):
            text = f"{self._name}: {what} takes too long, and its process was ended"
            return LimitError(text, limit, seconds)
        if status == OUT_OF_MEMORY:
            return self._memory_error(what)
        return ZooError(
            f"{self._name}: the process of the model {how_ended(status)} during {what}; the next "
            f"call starts another one ({DEBUG_VARIABLE}=1 shows what it prints)"
        )

    def _memory_error(self, what: str) -> ZooError:
        self.close()
        return LimitError(
            f"{self._name}: {what} needs more memory than its process may take, which the limits "
            "run_bytes and file_bytes decide: if you trust the model, load it with higher ones"
        )

    def _raise(self, document: Mapping[str, Any], what: str) -> NoReturn:
        """Raise the error of the child."""
        kind, text = document.get("error"), visible(str(document.get("message"))[:4000])
        if kind == NO_MEMORY:
            raise self._memory_error(what)
        if kind == "LimitError":
            raise _limit_error(text, document.get("limit"), document.get("most"))
        if kind == FOREIGN or not isinstance(kind, str) or kind not in ERRORS:
            raise ZooError(f"{self._name}: {what} failed: {text}")
        raise ERRORS[kind](text)


def _start(folder: str) -> subprocess.Popen[bytes]:
    """Start the child, whose temporary files are in a folder that its parent removes."""
    folders = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
    settings = {"PYTHONWARNINGS": "ignore", "ZOO_CODE_CACHE": "0", "ZOO_OFFLINE": "1"}
    try:
        return subprocess.Popen(
            python_command(_CODE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get(DEBUG_VARIABLE) else subprocess.DEVNULL,
            bufsize=0,
            env={**python_environment(), **folders, **settings},
            start_new_session=sys.platform != "win32",  # so that Ctrl-C does not reach it
        )
    except OSError as error:
        pass_interruption(error)
        raise ZooError(
            f"cannot start a process for the model: {error.strerror}; end others, or load the "
            "model without isolate=True if you trust it"
        ) from error


def _finish(process: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    """End the child, and remove its files."""
    if os.getpid() != owner:
        return
    with suppress(OSError):
        process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    shutil.rmtree(folder, ignore_errors=True)


def how_ended(status: int | None) -> str:
    """Return a text on how a process ended."""
    if status is None or status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    crashes = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL")
    return f"crashed ({name})" if name in crashes else f"was killed ({name})"


def _limit_error(text: str, name: Any, most: Any) -> LimitError:
    is_known = isinstance(name, str) and name in vars(Limits())
    return (
        LimitError(text, name, most)
        if is_known and type(most) in (int, float)
        else LimitError(text)
    )
