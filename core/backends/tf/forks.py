"""TensorFlow in the child of a fork, which has none of its threads."""

import os

from core.backends.tf.starting import TensorFlowError

FORKED = (
    "TensorFlow ran in this process before its fork, and its threads are missing in the child: "
    "start processes with multiprocessing.get_context('spawn'), or fork before the first use of "
    "the tf backend"
)

_is_in_use = _is_child = False  # whether TensorFlow was used in this process, or before its fork


def note_use() -> None:
    """Note that this process uses TensorFlow from now on."""
    global _is_in_use
    _is_in_use = True


def refuse_in_child() -> None:
    """Raise in a child forked from a process with TensorFlow, where large ops would hang.

    Raises:
        TensorFlowError: this process is such a child; the message has the next step.
    """
    if _is_child:
        raise TensorFlowError(FORKED)


def _note_fork() -> None:
    global _is_child
    _is_child = _is_in_use


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
