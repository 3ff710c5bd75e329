"""Vectors of integers in kernels: sums of products of bytes, fixed-point numbers, results as bytes.

All text is plain LLVM IR but for two kinds of instructions of x86: products of bytes whose sums are
added (VNNI), and products of pairs of int16, where vectors have 128 bits or more of x86's. LLVM
knows the pattern of a product of halves of int64 and takes one instruction for it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name

#: Bits of the 128-bit parts of a vector, within which values are interleaved.
_PART_BITS = 128

#: Bytes of values whose products one instruction sums up in each lane.
GROUP_BYTES = 4


class Rounding(NamedTuple):
    """The way from sums to bytes.

    Attributes:
        zero_point: the byte of 0.
        low: the smallest byte.
        high: the largest byte.
        moves_left: whether a sum is first multiplied by a power of two.
        moves_right: whether all products are divided by a power of two above 1.
        is_direct: whether one shift does all of it: what is below 0 becomes the smallest byte, so
            that it does not matter to which side its halves are rounded.
    """

    zero_point: int
    low: int
    high: int
    moves_left: bool = False
    moves_right: bool = False
    is_direct: bool = False

    @classmethod
    def of(cls, shift: np.ndarray, zero_point: int, low: int, high: int) -> "Rounding":
        """Return the rounding for powers of two by which products are multiplied."""
        left, right = bool((shift > 0).any()), bool((shift < 0).all())
        is_direct = right and low == zero_point and bool((shift >= -_MOST_DIRECT).all())
        return cls(zero_point, low, high, left, right, is_direct)

    def rows(self, bias: np.ndarray, multiplier: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """Return what kernels read for sums in lanes [..., lanes], int32 [rows, ..., lanes].

        The first row has what sums begin with, the second the multipliers.
        """
        if not self.is_direct:
            return np.stack((bias, multiplier, np.maximum(shift, 0), np.maximum(-shift, 0)))
        right = np.maximum(-shift, 1).astype(np.int64)
        # Before 31 bits and then `right` more are dropped: both halves, and the zero point.
        added = (1 << 30) + (((1 << right >> 1) + (self.zero_point << right)) << 31)
        parts = [added[..., i::2].copy().view(np.int32) for i in (0, 1)]
        return np.stack((bias, multiplier, (right - 1).astype(np.int32), *parts))

    @property
    def row_count(self) -> int:
        """Return the number of rows."""
        return 5 if self.is_direct else 4


#: The most bits of a shift beside which a zero point still fits into 32 bits.
_MOST_DIRECT = 20


class IntegerVectors:
    """Vectors of some int32 values while a kernel is being written.

    Args:
        k: the kernel's text.
        count: values of a vector.

    Attributes:
        type: of a vector.
    """

    def __init__(self, k: KernelText, count: int):
        self._k, self.count = k, count
        self.type = f"<{count} x i32>"
        self._halves = f"<{count // 2} x i64>"

    def of(self, instruction: str, a: Name, b: Name) -> Name:
        """Return the result of an instruction of two vectors, such as ``"add"``."""
        return self._k.let(f"{instruction} {self.type} {a}, {b}")

    def splat(self, number: int) -> str:
        """Return a constant vector of one number."""
        return splat("i32", self.count, number)

    def repeat(self, pointer: Name) -> Name:
        """Return a vector of one int32, or four bytes, from memory."""
        value = self._k.let(f"load i32, ptr {pointer}, align 1")
        return self.spread(value)

    def spread(self, value: Name) -> Name:
        """Return a vector of one value."""
        first = self._k.let(f"insertelement {self.type} poison, i32 {value}, i64 0")
        lanes = f"<{self.count} x i32> zeroinitializer"
        return self._k.let(f"shufflevector {self.type} {first}, {self.type} poison, {lanes}")

    def load(self, pointer: Name, offset: int = 0) -> Name:
        """Return a vector from memory, some vectors after a pointer."""
        address = self._k.at(pointer, offset * self.count * 4)
        return self._k.let(f"load {self.type}, ptr {address}, align 4")

    def from_bytes(self, pointer: Name, some: int | None = None) -> Name:
        """Return bytes from memory; of fewer than the lanes the others are 0."""
        value = load_bytes(self._k, pointer, some or self.count, self.count)
        return self._k.let(f"zext <{self.count} x i8> {value} to {self.type}")

    def limited(self, value: Name, low: int, high: int) -> Name:
        """Return values between limits."""
        for how, limit in (("smax", low), ("smin", high)):
            function = f"llvm.{how}.v{self.count}i32"
            limits = f"{self.type} {self.splat(limit)}"
            value = self._k.call(self.type, function, f"{self.type} {value}", limits)
        return value

    # --- products ---------------------------------------------------------------------------

    def add_products(self, sums: Name, x: Name, weights: Name, size: int) -> Name:
        """Return sums with the products of the members of each lane.

        Args:
            sums: the sums so far.
            x: four unsigned bytes in each lane, or two int16.
            weights: four signed bytes in each lane, or two int16.
            size: bytes of a member: 1 or 2.
        """
        k, bits = self._k, 32 * self.count
        if size == 1:
            function = f"llvm.x86.avx512.vpdpbusd.{bits}"
            return k.call(self.type, function, *(f"{self.type} {a}" for a in (sums, x, weights)))
        if k.isa.has_avx:
            function = _PAIRS[bits]
            pairs = f"<{2 * self.count} x i16>"
            given = [k.let(f"bitcast {self.type} {a} to {pairs}") for a in (x, weights)]
            made = k.call(self.type, function, *(f"{pairs} {a}" for a in given))
            return self.of("add", sums, made)
        # Added to each other first: LLVM knows that as one instruction of x86.
        products = [
            self.of("mul", *(self._halves_of(value, first) for value in (x, weights)))
            for first in (0, 1)
        ]
        return self.of("add", sums, self.of("add", *products))

    def _halves_of(self, value: Name, first: int) -> Name:
        """Return the lower or the upper int16 of each lane, in a form that NEON multiplies."""
        k, pairs = self._k, f"<{2 * self.count} x i16>"
        both = k.let(f"bitcast {self.type} {value} to {pairs}")
        order = ", ".join(f"i32 {i}" for i in range(first, 2 * self.count, 2))
        lanes = f"<{self.count} x i32> <{order}>"
        half = k.let(f"shufflevector {pairs} {both}, {pairs} poison, {lanes}")
        return k.let(f"sext <{self.count} x i16> {half} to {self.type}")

    # --- fixed-point numbers ----------------------------------------------------------------

    def _products(self, value: Name, multiplier: Name) -> list[Name]:
        """Return the products of even lanes, and of odd ones, as int64."""
        k, wide, half = self._k, self._halves, splat("i64", self.count // 2, 32)
        products = []
        for is_odd in (False, True):
            both = []
            for each in (value, multiplier):
                bits = k.let(f"bitcast {self.type} {each} to {wide}")
                bits = bits if is_odd else k.let(f"shl {wide} {bits}, {half}")
                both.append(k.let(f"ashr {wide} {bits}, {half}"))
            products.append(k.let(f"mul {wide} {both[0]}, {both[1]}"))
        return products

    def _of_halves(self, even: Name, odd: Name) -> Name:
        """Return the lower halves of some int64 in even lanes, the upper ones of others in odd."""
        k = self._k
        first, second = (k.let(f"bitcast {self._halves} {p} to {self.type}") for p in (even, odd))
        flags = ", ".join(f"i1 {str(lane % 2 == 0).lower()}" for lane in range(self.count))
        return k.let(
            f"select <{self.count} x i1> <{flags}>, {self.type} {first}, {self.type} {second}"
        )

    def doubled_high(self, value: Name, multiplier: Name) -> Name:
        """Return products divided by 2**31, rounded to the nearest, halves up."""
        k, wide, count = self._k, self._halves, self.count // 2
        even, odd = (
            k.let(f"add {wide} {product}, {splat('i64', count, 1 << 30)}")
            for product in self._products(value, multiplier)
        )
        even = k.let(f"lshr {wide} {even}, {splat('i64', count, 31)}")
        return self._of_halves(even, k.let(f"shl {wide} {odd}, {splat('i64', count, 1)}"))

    def shifted(self, value: Name, right: Name, all_right: bool = True) -> Name:
        """Return values divided by powers of two, rounded to the nearest, halves away from 0.

        Args:
            value: the values.
            right: the powers, 0 or more.
            all_right: whether none is 0.
        """
        half = self.of("lshr", self.of("shl", self.splat(1), right), self.splat(1))
        below = self.of("ashr", value, self.splat(31))
        if not all_right:
            is_moved = self.of("ashr", self.of("sub", self.splat(0), right), self.splat(31))
            below = self.of("and", below, is_moved)
        return self.of("ashr", self.of("add", self.of("add", value, half), below), right)

    def rounded(
        self, sums: Name, numbers: Sequence[Name], how: Rounding, saturates: bool = False
    ) -> Name:
        """Return the bytes of sums, still as int32.

        Args:
            sums: the sums.
            numbers: the rows of `Rounding.rows` after the first.
            how: what follows.
            saturates: whether what is below 0 or above 255 becomes that later.
        """
        if how.is_direct:
            value = self._directly(sums, numbers)
        else:
            multiplier, left, right = numbers
            sums = self.of("shl", sums, left) if how.moves_left else sums
            value = self.shifted(self.doubled_high(sums, multiplier), right, how.moves_right)
            value = self.of("add", value, self.splat(how.zero_point))
        if saturates and (how.low, how.high) == (0, 255):
            return value
        return self.limited(value, how.low, how.high)

    def _directly(self, sums: Name, numbers: Sequence[Name]) -> Name:
        """Return products after one sum and one shift."""
        k, (multiplier, right, *added) = self._k, numbers
        products = []
        for product, number in zip(self._products(sums, multiplier), added, strict=True):
            wide = k.let(f"bitcast {self.type} {number} to {self._halves}")
            products.append(k.let(f"add {self._halves} {product}, {wide}"))
        even = k.let(f"lshr {self._halves} {products[0]}, {splat('i64', self.count // 2, 32)}")
        return self.of("ashr", self._of_halves(even, products[1]), right)

    def store_bytes(self, value: Name, pointer: Name, some: int | None = None) -> None:
        """Write values of 0 to 255 as bytes, or the first of them."""
        k, lanes = self._k, self.count
        value = k.let(f"trunc {self.type} {value} to <{lanes} x i8>")
        store_bytes(k, value, lanes, pointer, some)


#: Intrinsic functions by the bits of a vector.
_PAIRS = {
    512: "llvm.x86.avx512.pmaddw.d.512",
    256: "llvm.x86.avx2.pmadd.wd",
    128: "llvm.x86.sse2.pmadd.wd",
}


def splat(element: str, count: int, number: int) -> str:
    """Return a constant vector of one number."""
    return f"<{', '.join([f'{element} {number}'] * count)}>"


def load_bytes(k: KernelText, pointer: Name, some: int, lanes: int) -> Name:
    """Return some bytes from memory, with zeros up to a number of lanes."""
    value = k.let(f"load <{some} x i8>, ptr {pointer}, align 1")
    return value if some == lanes else _resized(k, value, some, lanes)


def store_bytes(
    k: KernelText, value: Name, lanes: int, pointer: Name, some: int | None = None
) -> None:
    """Write a vector of bytes, or the first of them."""
    if some is not None and some < lanes:
        chosen = ", ".join(f"i32 {i}" for i in range(some))
        pair = f"<{lanes} x i8> {value}, <{lanes} x i8> poison"
        value, lanes = k.let(f"shufflevector {pair}, <{some} x i32> <{chosen}>"), some
    k.write(f"store <{lanes} x i8> {value}, ptr {pointer}, align 1")


def _resized(k: KernelText, value: Name, given: int, wanted: int) -> Name:
    """Return a vector of bytes with zeros after it."""
    chosen = ", ".join(f"i32 {min(i, given)}" for i in range(wanted))
    pair = f"<{given} x i8> {value}, <{given} x i8> zeroinitializer"
    return k.let(f"shufflevector {pair}, <{wanted} x i32> <{chosen}>")


def member_bytes(isa: InstructionSet) -> int:
    """Return the bytes of a member of a product: 1 where bytes are summed, else 2."""
    return 1 if isa.sums_bytes else 2


# --- interleaved columns ------------------------------------------------------------------------


def interleaved(k: KernelText, columns: Sequence[Name], lanes: int, size: int) -> list[Name]:
    """Return vectors of int32 lanes in which the columns stand side by side, as groups.

    Each column has a value for each of ``lanes * len(columns)`` channels, in members of ``size``
    bytes; there are as many columns as members of a group. Within parts of 128 bits, so that each
    step is one instruction; `channel_order` says which lane has which channel.
    """
    vectors = [*columns]
    bits = 8 * size
    total = lanes * 32
    while bits < 32:
        count = total // bits
        kind = f"<{count} x i{bits}>"
        made: list[Name] = []
        pairs = [(vectors[i], vectors[i + 1]) for i in range(0, len(vectors), 2)]
        for first, second in pairs:
            both = f"{kind} {first}, {kind} {second}"
            for upper in (False, True):
                order = ", ".join(f"i32 {i}" for i in _unpacking(count, bits, upper))
                value = k.let(f"shufflevector {both}, <{count} x i32> <{order}>")
                wide = f"<{count // 2} x i{2 * bits}>"
                made.append(k.let(f"bitcast {kind} {value} to {wide}"))
        bits *= 2
        # Equal halves of the pairs stand side by side: they are the next pairs.
        vectors = made if bits == 32 else [*made[::2], *made[1::2]]
    return vectors


def _unpacking(count: int, bits: int, upper: bool) -> list[int]:
    """Return the order in which halves of the 128-bit parts of two vectors are interleaved."""
    per = _PART_BITS // bits
    begin = per // 2 if upper else 0
    return [
        part * per + begin + i + second * count
        for part in range(count // per)
        for i in range(per // 2)
        for second in (0, 1)
    ]


def channel_order(lanes: int, groups: int) -> list[list[int]]:
    """Return for each vector of `interleaved` the channel of each lane.

    >>> channel_order(4, 2)
    [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    part = _PART_BITS // 32
    return [
        [(lane // part) * part * groups + part * j + lane % part for lane in range(lanes)]
        for j in range(groups)
    ]


def saturates(isa: InstructionSet, vectors: int) -> bool:
    """Return whether `joined_bytes` takes values below 0 and above 255 for these."""
    return isa.has_avx and vectors == GROUP_BYTES


def joined_bytes(k: KernelText, vectors: Sequence[Name], lanes: int) -> Name:
    """Return values of 0 to 255 in the lanes of `interleaved` as bytes, in order of channels."""
    if k.isa.has_avx:
        return _packed(k, vectors, lanes)
    kind = f"<{lanes} x i8>"
    parts = [k.let(f"trunc <{lanes} x i32> {value} to {kind}") for value in vectors]
    whole, count = parts[0], lanes
    for start, value in enumerate(parts[1:], 1):
        value = _resized(k, value, lanes, count) if count > lanes else value
        order = ", ".join(f"i32 {i}" for i in range(count + lanes))
        pair = f"<{count} x i8> {whole}, <{count} x i8> {value}"
        whole = k.let(f"shufflevector {pair}, <{count + lanes} x i32> <{order}>")
        count = lanes * (start + 1)
    places = np.argsort(np.ravel(channel_order(lanes, len(vectors))))
    order = ", ".join(f"i32 {place}" for place in places)
    return k.let(
        f"shufflevector <{count} x i8> {whole}, <{count} x i8> poison, <{count} x i32> <{order}>"
    )


#: Intrinsic functions that narrow two vectors with saturation, by the bits of a vector.
_PACKS = {
    512: ("llvm.x86.avx512.packssdw.512", "llvm.x86.avx512.packuswb.512"),
    256: ("llvm.x86.avx2.packssdw", "llvm.x86.avx2.packuswb"),
    128: ("llvm.x86.sse2.packssdw.128", "llvm.x86.sse2.packuswb.128"),
}


def _packed(k: KernelText, vectors: Sequence[Name], lanes: int) -> Name:
    """Return vectors as bytes: each instruction undoes one that interleaved."""
    halves, bytes_of = _PACKS[32 * lanes]
    ints, shorts = f"<{lanes} x i32>", f"<{2 * lanes} x i16>"
    pairs = [
        k.call(shorts, halves, f"{ints} {vectors[i]}", f"{ints} {vectors[i + 1]}")
        for i in range(0, len(vectors), 2)
    ]
    if len(pairs) == 1:
        return k.let(f"trunc {shorts} {pairs[0]} to <{2 * lanes} x i8>")
    return k.call(f"<{4 * lanes} x i8>", bytes_of, *(f"{shorts} {p}" for p in pairs))


# --- memory -------------------------------------------------------------------------------------


def over_chunks(count: int, chunk: int) -> list[tuple[int, int]]:
    """Return offsets and sizes of pieces that cover values after full chunks.

    >>> over_chunks(13, 8)
    [(8, 4), (12, 1)]
    """
    pieces, offset, size = [], count // chunk * chunk, chunk
    while offset < count:
        while size > count - offset:
            size //= 2
        pieces.append((offset, size))
        offset += size
    return pieces


def copy_bytes(k: KernelText, source: Name, target: Name, count: int, size: int, zero: int) -> None:
    """Write a copy of adjacent bytes, as they are or as int16 without the byte of 0.

    Args:
        k: the kernel's text.
        source: pointer to the bytes.
        target: pointer to where they go.
        count: how many there are.
        size: bytes of a value in the target: 1 or 2.
        zero: the byte of 0.
    """
    chunk = 4 * k.isa.lanes // size

    def copy(offset: Index, some: int) -> None:
        value = k.let(f"load <{some} x i8>, ptr {k.at(source, offset)}, align 1")
        kind = f"<{some} x i8>"
        if size == 2:
            kind = f"<{some} x i16>"
            value = k.let(f"zext <{some} x i8> {value} to {kind}")
            value = k.let(f"sub {kind} {value}, {splat('i16', some, zero)}")
        k.write(f"store {kind} {value}, ptr {k.at(target, k.multiply(offset, size))}, align 1")

    if count >= chunk:
        with k.loop(0, count // chunk * chunk, chunk) as loop:
            copy(loop.index, chunk)
    for offset, some in over_chunks(count, chunk):
        copy(offset, some)


def fill_bytes(k: KernelText, target: Name, count: int, number: int) -> None:
    """Write one byte to adjacent places."""
    chunk = 4 * k.isa.lanes

    def fill(offset: Index, some: int) -> None:
        value = splat("i8", some, number)
        k.write(f"store <{some} x i8> {value}, ptr {k.at(target, offset)}, align 1")

    if count >= chunk:
        with k.loop(0, count // chunk * chunk, chunk) as loop:
            fill(loop.index, chunk)
    for offset, some in over_chunks(count, chunk):
        fill(offset, some)
