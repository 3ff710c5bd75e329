"""Errors of TensorFlow as the engine's."""

import re
from typing import Protocol

from core.engine.nan_check import NotFiniteError, users_line
from core.errors import CoreError


class OpError(Protocol):
    """``tf.errors.OpError``, of which TensorFlow ships no types."""

    message: str | None


#: Text that TensorFlow adds to the message of a kernel: the device and the op.
_FRAME = re.compile(
    r"\{\{function_node [^}]*\}\} | \[Op:\w*\](?: name: .*)?$"
    r"|^\d+ root error\(s\) found\.\s+\(0\) [A-Z_]+:\s+"
)

#: The message of ``Assert`` with one text.
_ASSERTION = re.compile(r"^assertion failed: \[(.*)\]$", re.DOTALL)

#: The message of ``CheckNumericsV2``: the name of the values, and what is among them.
_NOT_FINITE = re.compile(r"(?P<name>.*) : Tensor had (?P<found>.*) values", re.DOTALL)


def converted(error: OpError) -> CoreError:
    """Return the engine's error for one of TensorFlow.

    Args:
        error: what an op or a function of TensorFlow raised.

    Returns:
        `NotFiniteError` with the user's line if the kernel of ``check_numerics`` raised it, else a
        `CoreError`.
    """
    message = kernels_message(error.message or type(error).__name__)
    match = _NOT_FINITE.fullmatch(message)
    if match is None:
        return CoreError(message)
    found = re.findall("-?inf|nan", match["found"].lower())
    what = f"is {found[0]}" if len(found) == 1 else f"has {' and '.join(found)}"
    return NotFiniteError(f"{match['name']} {what}", "check_numerics", users_line())


def kernels_message(text: str) -> str:
    r"""Return the message of the kernel, without where in TensorFlow it ran.

    Args:
        text: message of an error of an op, or of a function that runs a graph.

    >>> kernels_message("{{function_node __wrapped__Add}} too long [Op:Add] name: ")
    'too long'
    >>> kernels_message(
    ...     "Graph execution error:\n\nDetected at node Add defined at (most recent call last):\n"
    ...     '  File "a.py", line 1, in f\n\ntoo long\n\t [[{{node Add}}]] [Op:__inference_f_9]'
    ... )
    'too long'
    >>> kernels_message("assertion failed: [too long]")
    'too long'
    """
    is_of_graph = "\n\t [[" in text
    if is_of_graph:
        text = text.partition("\n\t [[")[0].rpartition("\n\n")[2]
    message = _FRAME.sub("", text).strip()
    return _ASSERTION.sub(r"\1", message)
