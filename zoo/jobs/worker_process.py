"""The code of a run's processes on this computer.

The first process loads the model and forks on request: its children share the memory of the model.
Where forking is not safe, each process loads a model of its own.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from weights_cache.common.errors import WeightsError, ZooError
from zoo.jobs.channels import Channel
from zoo.jobs.work import Work


class Started(NamedTuple):
    """The model is loaded."""

    can_fork: bool


class Failed(NamedTuple):
    """A process cannot go on, nor could any other."""

    message: str
    of_weights: bool


def main() -> None:
    """Run a process; its argument is the number of its socket, or - where that comes by stdin."""
    channel = Channel(_inherited(sys.argv[1]))
    errand, may_fork = channel.receive()
    try:
        work = Work(errand)
        work.warm_up()
    except ZooError as error:
        channel.send(Failed(str(error), isinstance(error, WeightsError)))
        return
    can_fork = may_fork and _has_one_thread()
    try:
        channel.send(Started(can_fork))
    except OSError:  # the run has ended
        return
    if can_fork:
        _fork_on_request(work, channel)
    else:
        serve(work, channel)


def _inherited(argument: str) -> socket.socket:
    if argument != "-":
        return socket.socket(fileno=int(argument))
    size = int(sys.stdin.buffer.readline())
    # There is this function on Windows alone.
    return socket.fromshare(sys.stdin.buffer.read(size))  # type: ignore[attr-defined]


def _has_one_thread() -> bool:
    """Whether this process has one thread, as Linux says: others would be missing in a child."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1
    return False


def _fork_on_request(work: Work, channel: Channel) -> None:
    """Fork for each socket that the run sends, until the run ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children leave no zombies
    gc.freeze()  # collections in children pass over the model, whose memory stays shared
    while True:
        data, numbers, *_ = socket.recv_fds(channel.socket, 1, 1)
        if not data:
            return
        if os.fork() == 0:
            _child(work, Channel(socket.socket(fileno=numbers[0])))
        os.close(numbers[0])


def _child(work: Work, channel: Channel) -> NoReturn:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        serve(work, channel)
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)


def serve(work: Work, channel: Channel) -> None:
    """Process the chunks that the run sends, until the run ends, be it by SIGKILL."""
    work.is_wanted = channel.is_open
    while True:
        try:
            order = channel.receive()
        except EOFError:
            return
        answer: dict[str, Any] | Failed
        try:
            answer = work.run(order)
        except ZooError as error:
            answer = Failed(str(error), isinstance(error, WeightsError))
        with suppress(OSError):  # the run has ended: its next message does not come
            channel.send(answer)
