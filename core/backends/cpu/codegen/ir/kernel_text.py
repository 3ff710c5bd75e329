"""The text of a kernel in LLVM IR: values, loops, vectors.

A `KernelText` is written from the first line to the last. Numbers that are known when the kernel is
generated are Python integers, and arithmetic on them costs nothing at run time; other values are
names such as ``"%x7"``.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.ir.instruction_set import InstructionSet

#: An integer known now, or the name of one that is known when the kernel runs.
Index = int | str

#: The name of a value: a vector, a pointer, a flag.
Name = str

#: Bytes of a float32, and of each of a kernel's arguments.
FLOAT, POINTER = 4, 8

#: Attributes of kernels: LLVM must not call memcpy, as kernels are linked with no library.
_ATTRIBUTES = 'nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512"'


class Loop:
    """A loop that is being written.

    Attributes:
        index: the number of the round, from ``start`` in steps.
        values: values that one round leaves to the next: in the loop those that the round begins
            with; after the loop those of the last round.
        next: values for the next round; the body sets them.
    """

    def __init__(self, index: Name, values: list[Name]):
        self.index, self.values = index, values
        self.next: Sequence[Name] = values


class Carried(NamedTuple):
    """A loop-carried value: its type and initial value."""

    type: str
    first: str


class KernelText:
    """The function of a kernel: ``void name(ptr args, i64 task, ptr scratch)``.

    Args:
        name: of the function.
        isa: what the kernel is generated for.

    Attributes:
        isa: as given.
        vector: the type of a vector.
    """

    def __init__(self, name: str, isa: InstructionSet):
        self.name, self.isa = name, isa
        self.vector = f"<{isa.lanes} x float>"
        self._lines: list[str] = []
        self._count, self._block = 0, "start"
        self._declared: dict[str, None] = {}

    # --- values -----------------------------------------------------------------------------

    def fresh(self) -> Name:
        """Return a name that no other value has."""
        self._count += 1
        return f"%x{self._count}"

    def write(self, line: str) -> None:
        """Add an instruction without a result."""
        self._lines.append(f"  {line}")

    def let(self, text: str) -> Name:
        """Add an instruction; return the name of its result."""
        name = self.fresh()
        self._lines.append(f"  {name} = {text}")
        return name

    def note(self, text: str) -> None:
        """Add a comment, for people who read the listing."""
        self._lines.append(f"  ; {text}")

    def call(self, type: str, function: str, *arguments: str) -> Name:
        """Call an intrinsic function; its declaration is added.

        Args:
            type: of the result.
            function: such as ``"llvm.fma.v16f32"``.
            *arguments: types and values, such as ``"i64 %x1"``.
        """
        types = ", ".join(map(_type_of, arguments))
        self._declared[f"declare {type} @{function}({types})"] = None
        return self.let(f"call {type} @{function}({', '.join(arguments)})")

    # --- integers ---------------------------------------------------------------------------

    def add(self, a: Index, b: Index) -> Index:
        """Return a sum of two integers."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return b if a == 0 else a
        return self.let(f"add nsw i64 {a}, {b}")

    def subtract(self, a: Index, b: Index) -> Index:
        """Return a difference of two integers."""
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self.let(f"sub nsw i64 {a}, {b}")

    def multiply(self, a: Index, b: Index) -> Index:
        """Return a product of two integers."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1 or b == 1:
            return b if a == 1 else a
        return self.let(f"mul nsw i64 {a}, {b}")

    def divide(self, a: Index, b: int) -> Index:
        """Return a quotient of integers that are not negative, rounded down."""
        if isinstance(a, int):
            return a // b
        return a if b == 1 else self.let(f"udiv i64 {a}, {b}")

    def remainder(self, a: Index, b: int) -> Index:
        """Return the remainder of a division of integers that are not negative."""
        if isinstance(a, int):
            return a % b
        return 0 if b == 1 else self.let(f"urem i64 {a}, {b}")

    def smaller(self, a: Index, b: Index) -> Index:
        """Return the smaller integer."""
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.choose(self.is_less(a, b), "i64", a, b)

    def larger(self, a: Index, b: Index) -> Index:
        """Return the larger integer."""
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self.choose(self.is_less(a, b), "i64", b, a)

    def is_less(self, a: Index, b: Index) -> Name:
        """Return the flag of whether an integer is less than another."""
        return self.let(f"icmp slt i64 {a}, {b}")

    def choose(self, flag: Name, type: str, yes: Index, no: Index) -> Name:
        """Return one of two values, by a flag."""
        return self.let(f"select i1 {flag}, {type} {yes}, {type} {no}")

    # --- memory -----------------------------------------------------------------------------

    def argument(self, position: int) -> Name:
        """Return the pointer that is the kernel's argument of a position."""
        return self.let(f"load ptr, ptr {self.at('%args', POINTER * position)}, !invariant.load !0")

    def at(self, pointer: Name, offset: Index) -> Name:
        """Return a pointer moved by some bytes."""
        if offset == 0:
            return pointer
        is_after = self.isa.has_unsigned_offsets and isinstance(offset, int) and offset > 0
        flag = "nuw " if is_after else ""
        return self.let(f"getelementptr {flag}i8, ptr {pointer}, i64 {offset}")

    def at_float(self, pointer: Name, offset: Index) -> Name:
        """Return a pointer moved by some float32 values."""
        return self.at(pointer, self.multiply(offset, FLOAT))

    # --- vectors ----------------------------------------------------------------------------

    def splat(self, number: float) -> str:
        """Return a constant vector of one number."""
        return f"<{', '.join([f'float {hexadecimal(number)}'] * self.isa.lanes)}>"

    @property
    def zero(self) -> str:
        """Return the vector of zeros."""
        return "zeroinitializer"

    def load(self, pointer: Name, offset: int = 0, count: int | None = None) -> Name:
        """Return a vector from memory.

        Args:
            pointer: where it is; any address.
            offset: values between the pointer and the vector.
            count: how many values to read, the others are 0; None for a full vector.
        """
        address, v = self.at_float(pointer, offset), self.vector
        if count is None or count == self.isa.lanes:
            return self.let(f"load {v}, ptr {address}, align 4")
        mask = self.mask(count)
        function = f"llvm.masked.load.v{self.isa.lanes}f32.p0"
        return self.call(v, function, f"ptr {address}", "i32 4", mask, f"{v} zeroinitializer")

    def store(self, value: Name, pointer: Name, offset: int = 0, count: int | None = None) -> None:
        """Write a vector to memory, or its first ``count`` values."""
        address, v = self.at_float(pointer, offset), self.vector
        if count is None or count == self.isa.lanes:
            self.write(f"store {v} {value}, ptr {address}, align 4")
            return
        function, mask = f"llvm.masked.store.v{self.isa.lanes}f32.p0", self.mask(count)
        lanes = f"<{self.isa.lanes} x i1>"
        self._declared[f"declare void @{function}({v}, ptr, i32, {lanes})"] = None
        self.write(f"call void @{function}({v} {value}, ptr {address}, i32 4, {mask})")

    def load_flags(self, pointer: Name, count: int | None = None) -> Name:
        """Return a vector of flags from memory, where each is a byte."""
        lanes = self.isa.lanes
        bytes_of = f"<{lanes} x i8>"
        if count is None or count == lanes:
            found = self.let(f"load {bytes_of}, ptr {pointer}, align 1")
        else:
            function = f"llvm.masked.load.v{lanes}i8.p0"
            given = f"ptr {pointer}", "i32 1", self.mask(count), f"{bytes_of} zeroinitializer"
            found = self.call(bytes_of, function, *given)
        return self.let(f"icmp ne {bytes_of} {found}, zeroinitializer")

    def store_flags(self, flags: Name, pointer: Name, count: int | None = None) -> None:
        """Write a vector of flags to memory, or its first ``count``."""
        lanes = self.isa.lanes
        bytes_of, mask_type = f"<{lanes} x i8>", f"<{lanes} x i1>"
        value = self.let(f"zext {mask_type} {flags} to {bytes_of}")
        if count is None or count == lanes:
            self.write(f"store {bytes_of} {value}, ptr {pointer}, align 1")
            return
        function, mask = f"llvm.masked.store.v{lanes}i8.p0", self.mask(count)
        self._declared[f"declare void @{function}({bytes_of}, ptr, i32, {mask_type})"] = None
        self.write(f"call void @{function}({bytes_of} {value}, ptr {pointer}, i32 1, {mask})")

    def prefetch(self, pointer: Name) -> None:
        """Prefetch a cache line into the second-level cache."""
        self._declared["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"] = None
        self.write(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 2, i32 1)")

    def mask(self, count: int) -> str:
        """Return the typed constant that has the first ``count`` lanes set."""
        flags = ("i1 true" if lane < count else "i1 false" for lane in range(self.isa.lanes))
        return f"<{self.isa.lanes} x i1> <{', '.join(flags)}>"

    def repeat(self, pointer: Name, offset: int = 0) -> Name:
        """Return a vector of one float32 from memory."""
        return self.spread(self.let(f"load float, ptr {self.at_float(pointer, offset)}, align 4"))

    def spread(self, scalar: Name) -> Name:
        """Return a vector of one float32 value."""
        v = self.vector
        first = self.let(f"insertelement {v} poison, float {scalar}, i64 0")
        lanes = f"<{self.isa.lanes} x i32> zeroinitializer"
        return self.let(f"shufflevector {v} {first}, {v} poison, {lanes}")

    def fma(self, a: Name, b: Name, c: Name) -> Name:
        """Return ``a * b + c`` of vectors."""
        v = self.vector
        if self.isa.fma:
            function = f"{self.isa.fma}.v{self.isa.lanes}f32"
            return self.call(v, function, *(f"{v} {x}" for x in (a, b, c)))
        return self.of("fadd", self.of("fmul", a, b), c)

    def of(self, instruction: str, a: Name, b: Name) -> Name:
        """Return the result of an instruction of two vectors, such as ``"fadd"``."""
        return self.let(f"{instruction} {self.vector} {a}, {b}")

    def compare(self, how: str, a: Name, b: Name) -> Name:
        """Return a vector of flags, by a comparison such as ``"olt"``."""
        return self.let(f"fcmp {how} {self.vector} {a}, {b}")

    def select(self, flags: Name, yes: Name, no: Name) -> Name:
        """Return a vector of values of one of two vectors, by flags."""
        v = self.vector
        return self.let(f"select <{self.isa.lanes} x i1> {flags}, {v} {yes}, {v} {no}")

    def maximum(self, a: Name, b: Name) -> Name:
        """Return the larger values; NaN where ``b`` is. One instruction of x86."""
        return self.select(self.compare("ogt", a, b), a, b)

    def minimum(self, a: Name, b: Name) -> Name:
        """Return the smaller values; NaN where ``b`` is. One instruction of x86."""
        return self.select(self.compare("olt", a, b), a, b)

    # --- control ----------------------------------------------------------------------------

    @contextmanager
    def loop(
        self, start: Index, stop: Index, step: int = 1, carried: Iterable[Carried] = ()
    ) -> Iterator[Loop]:
        """Write a loop; the body is what is written in the ``with`` statement.

        Args:
            start: first index.
            stop: end of the indices.
            step: distance of two indices.
            carried: values that change from round to round.
        """
        started = [*carried]
        sure = isinstance(start, int) and isinstance(stop, int) and start < stop
        before, number = self._block, self._count + 1
        self._count += 1
        index, again = f"%i{number}", f"%n{number}"
        head, body, end = (f"{kind}{number}" for kind in ("head", "body", "end"))
        self.write(f"br label %{head}")
        self._begin(head)
        names = [self.fresh() for _ in started]
        first_line = len(self._lines)
        self._lines += [""] * (1 + len(started))  # the phis, when the last block is known
        if not sure:
            self.write(f"br i1 {self.is_less(index, stop)}, label %{body}, label %{end}")
            self._begin(body)
        loop = Loop(index, names)
        yield loop
        self.write(f"{again} = add nsw i64 {index}, {step}")
        last = self._block
        if sure:  # the test stands at the end, and the values are those of the last round
            self.write(f"br i1 {self.is_less(again, stop)}, label %{head}, label %{end}")
        else:
            self.write(f"br label %{head}")
        phis = [("i64", index, str(start), again)]
        phis += [(c.type, n, c.first, x) for c, n, x in zip(started, names, loop.next, strict=True)]
        for i, (type, name, first, later) in enumerate(phis):
            self._lines[first_line + i] = (
                f"  {name} = phi {type} [{first}, %{before}], [{later}, %{last}]"
            )
        self._begin(end)
        loop.values = list(loop.next) if sure else names

    @contextmanager
    def when(self, flag: Name) -> Iterator[None]:
        """Write a block that runs only if a flag is set."""
        self._count += 1
        yes, end = f"then{self._count}", f"done{self._count}"
        self.write(f"br i1 {flag}, label %{yes}, label %{end}")
        self._begin(yes)
        yield
        self.write(f"br label %{end}")
        self._begin(end)

    def _begin(self, block: str) -> None:
        self._lines.append(f"{block}:")
        self._block = block

    # --- the whole --------------------------------------------------------------------------

    @property
    def declarations(self) -> Iterable[str]:
        """Return the declarations of the intrinsic functions that the kernel calls."""
        return self._declared

    def text(self) -> str:
        """Return the function."""
        head = f"define void @{self.name}(ptr noalias readonly %args, i64 %task, ptr %scratch)"
        return "\n".join((f"{head} {_ATTRIBUTES} {{", "start:", *self._lines, "  ret void", "}"))


def _type_of(argument: str) -> str:
    """Return the type of a typed value, such as ``"<16 x float>"`` or ``"i64"``."""
    return argument.partition(">" if argument[0] == "<" else " ")[0] + ">" * (argument[0] == "<")


def hexadecimal(number: float) -> str:
    """Return a float32 number in the form that LLVM reads exactly.

    >>> hexadecimal(1.0)
    '0x3FF0000000000000'
    """
    bits = np.array(np.float32(number), np.float64).view(np.uint64)
    return f"0x{int(bits):016X}"
