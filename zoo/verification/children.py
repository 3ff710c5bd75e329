"""Processes of backends, as their parent sees them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from threading import Timer
from time import monotonic
from typing import IO, Any, cast

import numpy as np

from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import ZooError
from weights_cache.common.messages import visible
from weights_cache.interruptions import pass_interruption
from zoo.pipeline.isolation.child import ERRORS
from zoo.pipeline.isolation.messages import Message, MessageError, receive, send
from zoo.pipeline.isolation.pipes import CAN_WAIT, LateError, Pipe
from zoo.pipeline.isolation.process import how_ended
from zoo.verification.child import UNAVAILABLE
from zoo.verification.comparison import Rule
from zoo.verification.variants import Variant

_CODE = "from zoo.verification.child import main\nmain()"

#: Largest number of bytes that are read from the end of a process's output.
_TAIL = 4096


class BackendError(Exception):
    """The process of a backend crashed, hung, or reported an error of the run."""


class UnavailableError(Exception):
    """The backend is not available here; the text is the reason."""


class CaseFacts:
    """A case as its child made it: see `zoo.verification.cases.Case`."""

    def __init__(self, number: int, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        self.name: str = facts["name"]
        self.rules = {name: Rule(*rule) for name, rule in facts["rules"].items()}
        self.skipped: dict[str, str] = facts["skipped"]
        self.inputs = _part(arrays, f"{number} input ")
        self.expected = _part(arrays, f"{number} expected ")


def _part(arrays: Mapping[str, np.ndarray], start: str) -> dict[str, np.ndarray]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}


class Child:
    """The process of a variant; one that failed is replaced at the next request.

    Args:
        variant: what it runs.
        seconds: time limit of a request.
        code: Python code of the process.
    """

    def __init__(self, variant: Variant, seconds: float, code: str = _CODE):
        self.variant, self._seconds, self._code = variant, seconds, code
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._model = ""
        self._is_late = False

    def start(self) -> str:
        """Start the backend unless it runs; return what it runs on.

        Raises:
            UnavailableError: the backend is not available here.
            BackendError: the process crashed or hung.
        """
        variant = self.variant
        self._open()
        document = {"backend": variant.backend, "tier": variant.tier, "path": variant.path}
        answer = self._ask({"do": "start", **document}, {})
        return str(answer.document["facts"])

    def load(self, model: str) -> tuple[list[str], list[str]]:
        """Load a model; return the names of its networks, and of models that it works with."""
        document = self._checked({"do": "load", "model": model}, {}).document
        self._model = model
        return document["networks"], document["others"]

    def cases(self, model: str, network: str, seed: int) -> list[CaseFacts]:
        """Make the cases of a network of a model."""
        self._make_ready(model)
        answer = self._checked({"do": "cases", "network": network, "seed": seed}, {})
        facts = answer.document["cases"]
        return [CaseFacts(number, each, answer.arrays) for number, each in enumerate(facts)]

    def run(
        self, model: str, network: str, case: CaseFacts, outputs: list[str], runs: int
    ) -> tuple[dict[str, np.ndarray], float]:
        """Return outputs of a case, and the milliseconds of a run."""
        self._make_ready(model)
        document = {"do": "run", "network": network, "outputs": outputs, "runs": runs}
        answer = self._checked(document, case.inputs)
        return answer.arrays, float(answer.document["ms"])

    def _make_ready(self, model: str) -> None:
        """Start the process and load the model, unless both is done."""
        if self._process is None or self._model != model:
            self.load(model)

    def _checked(self, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Message:
        if self._process is None:
            self.start()
        return self._ask(document, arrays)

    def _open(self) -> None:
        """Start the process."""
        self.close()
        self._is_late = False
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                python_command(self._code),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                bufsize=0,
                env={**python_environment(), "PYTHONWARNINGS": "ignore"},
                start_new_session=sys.platform != "win32",  # so that Ctrl-C does not reach it
            )
        except OSError as error:
            pass_interruption(error)
            raise ZooError(
                f"cannot start a process for {self.variant.label}: {error.strerror}; end others"
            ) from error
        self._requests = Pipe(cast(FileIO, self._process.stdin), for_writing=True)
        self._answers = Pipe(cast(FileIO, self._process.stdout), for_writing=False)

    def _ask(self, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Message:
        """Send a request and receive the answer."""
        self._requests.deadline = self._answers.deadline = monotonic() + self._seconds
        timer = None if CAN_WAIT else Timer(self._seconds, self._expire)
        if timer is not None:
            timer.start()
        try:
            send(self._requests, document, arrays)
            answer = receive(self._answers, float("inf"))
        except LateError:
            self._is_late = True
            raise self._end() from None
        except EOFError:
            raise self._end() from None
        except MessageError as error:
            self.close()
            raise BackendError(f"crashed: its answer is damaged ({error})") from None
        except BaseException:  # such as Ctrl-C
            self.close()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        return self._without_error(answer)

    def _without_error(self, answer: Message) -> Message:
        """Raise the error of an answer; the process may be in any state then."""
        kind = answer.document.get("error")
        if kind is None:
            return answer
        self.close()
        text = visible(str(answer.document.get("message")))
        if kind == UNAVAILABLE:
            raise UnavailableError(text)
        raise ERRORS[kind](text) if kind in ERRORS else BackendError(f"crashed: {text}")

    def _expire(self) -> None:
        self._is_late = True
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()

    def _end(self) -> BackendError:
        """Return the error of a process that ended or hangs."""
        process, said = self._process, self._said
        assert process is not None and said is not None
        if self._is_late:
            self.close()
            return BackendError(f"crashed: no answer in {self._seconds:g} s, so it was ended")
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        line = "" if process.returncode and process.returncode < 0 else _last_line(said)
        text = f"crashed: the process {how_ended(process.returncode)}"
        self.close()
        return BackendError(f"{text}: {line}" if line else text)

    def close(self) -> None:
        """End the process."""
        process, self._process, self._model = self._process, None, ""
        if process is not None:
            with suppress(OSError):
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
        if self._said is not None:
            self._said.close()
            self._said = None


def _last_line(stream: IO[bytes]) -> str:
    """Return the last line that a process printed."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    lines = stream.read().decode(errors="backslashreplace").strip().splitlines()
    return visible(lines[-1][:300], lines=False) if lines else ""
