"""The recorded commands of a plan as a table, which one native call sends to the driver.

A row of the table, eight 64-bit integers: the number of arguments, the address of OpenGL's
function, and up to five arguments. The driver takes about 2 microseconds for a step on a server
with an H200, and Python as much again for the calls.

The native function is 40 lines of LLVM IR, compiled by llvmlite once and kept on disk with the
kernels of the cpu backend. Without llvmlite Python makes the calls.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version
from core.backends.cpu.codegen.machine_code.kernel_code import cached_code, compile_code
from core.backends.shader.runtime.gl_functions import address
from core.errors import CoreError

#: Integers of a row.
_WIDTH = 8

#: Types of the arguments of OpenGL's functions in LLVM, by their number.
_SIGNATURES = {
    0: (),
    1: ("i32",),
    2: ("i32", "i32"),
    3: ("i32", "i32", "i32"),
    5: ("i32", "i32", "i32", "i64", "i64"),
}


class Command(NamedTuple):
    """A command of OpenGL.

    Attributes:
        function: name of the function, with arguments of one of the `_SIGNATURES`.
        arguments: the arguments.
    """

    function: str
    arguments: tuple[int, ...] = ()


class CommandTable:
    """Commands that one call sends.

    Args:
        commands: the commands in order.
    """

    def __init__(self, commands: Sequence[Command]):
        self._rows = np.zeros((len(commands), _WIDTH), np.int64)
        self._addresses: dict[str, int | None] = {}  # of this context's functions
        for position, command in enumerate(commands):
            self[position] = command
        start = self._rows.ctypes.data
        self._ends = start, start + self._rows.nbytes

    def __setitem__(self, position: int, command: Command) -> None:
        """Replace a command."""
        count = len(command.arguments)
        row = (count, self._address(command.function), *command.arguments)
        self._rows[position, : len(row)] = row

    def _address(self, name: str) -> int:
        if name not in self._addresses:
            self._addresses[name] = address(name)
        found = self._addresses[name]
        assert found is not None  # moderngl calls the function, too
        return found

    def send(self) -> None:
        """Send all commands, in the thread of the context."""
        _sender()(*self._ends)


@cache
def can_send() -> bool:
    """Return whether this computer can compile the native function, or has compiled it."""
    if compiler_version() is None:
        return False
    try:
        _sender()
    except (CoreError, OSError):  # a compiler that is damaged, a system without executable memory
        return False
    return True


@cache
def _sender() -> Callable[[int, int], None]:
    """Return the native function, which lives as long as the process."""
    text = _program()
    key = ("recorded commands", text)
    code = cached_code(key) or compile_code(key, lambda: [text])
    kind = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)  # too short to free the GIL
    function = kind(code.addresses["send"])
    function.code = code  # type: ignore[attr-defined]
    return function


def _program() -> str:
    """Return the native function in LLVM IR."""
    cases = " ".join(f"i64 {count}, label %take{count}" for count in _SIGNATURES)
    return f"""define void @send(ptr %first, ptr %end) {{
entry:
  br label %check
check:
  %row = phi ptr [ %first, %entry ], [ %next, %done ]
  %is_end = icmp eq ptr %row, %end
  br i1 %is_end, label %leave, label %begin
begin:
  %count = load i64, ptr %row
  %place = getelementptr i64, ptr %row, i64 1
  %function = load ptr, ptr %place
  switch i64 %count, label %done [ {cases} ]
{"".join(_case(count, kinds) for count, kinds in _SIGNATURES.items())}done:
  %next = getelementptr i64, ptr %row, i64 {_WIDTH}
  br label %check
leave:
  ret void
}}
"""


def _case(count: int, kinds: Sequence[str]) -> str:
    """Return the block that calls a function of so many arguments."""
    lines, given = [f"take{count}:"], []
    for i, kind in enumerate(kinds):
        name = f"%a{count}_{i}"
        lines.append(f"  {name}_at = getelementptr i64, ptr %row, i64 {2 + i}")
        lines.append(f"  {name} = load {kind}, ptr {name}_at")  # the low half of an i64 comes first
        given.append(f"{kind} {name}")
    return "\n".join([*lines, f"  call void %function({', '.join(given)})", "  br label %done", ""])
