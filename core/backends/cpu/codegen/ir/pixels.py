"""Pixels of few channels, one at a time, as four lanes: those after the last channel are unused."""

from typing import Protocol

from core.backends.cpu.codegen.ir.image_layout import LANES
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name

#: LLVM types of values that are read at once.
PIXEL = f"<{LANES} x float>"
_BYTES = f"<{LANES} x i8>"
_WHOLES = f"<{LANES} x i32>"


class PixelKind(Protocol):
    """The pixels that a kernel writes: their channels, and ``"float32"`` or ``"uint8"``."""

    @property
    def channels(self) -> int:
        """Return the number of channels."""

    @property
    def dtype(self) -> str:
        """Return the type of a value."""


class Scaling:
    """By what the channels of float32 pixels are divided, and what is then subtracted.

    Args:
        k: the kernel's text.
        divide: pointer to four numbers.
        subtract: pointer to four numbers.
    """

    def __init__(self, k: KernelText, divide: Name, subtract: Name):
        self._k = k
        self._divide, self._subtract = (
            k.let(f"load {PIXEL}, ptr {pointer}, align 4") for pointer in (divide, subtract)
        )

    def apply(self, value: Name) -> Name:
        """Return a scaled pixel."""
        quotient = self._k.let(f"fdiv {PIXEL} {value}, {self._divide}")
        return self._k.let(f"fsub {PIXEL} {quotient}, {self._subtract}")


def load_pixel(k: KernelText, pointer: Name) -> Name:
    """Return a pixel of bytes as numbers. Four bytes are read."""
    raw = k.let(f"load {_BYTES}, ptr {pointer}, align 1")
    return k.let(f"uitofp {_BYTES} {raw} to {PIXEL}")


def load_levels(k: KernelText, pointer: Name) -> Name:
    """Return a pixel of bytes as integers of 32 bits. Four bytes are read."""
    raw = k.let(f"load {_BYTES}, ptr {pointer}, align 1")
    return k.let(f"zext {_BYTES} {raw} to {_WHOLES}")


def mixed(k: KernelText, first: Name, second: Name, share: Name) -> Name:
    """Return the first pixel, and a share of the step to the second; rounded as NumPy does it."""
    step = k.let(f"fsub {PIXEL} {second}, {first}")
    return k.let(f"fadd {PIXEL} {first}, {k.let(f'fmul {PIXEL} {step}, {share}')}")


def store_pixel(
    k: KernelText, scaling: Scaling, value: Name, position: tuple[Name, Index], kind: PixelKind
) -> None:
    """Write a pixel of a result.

    Args:
        k: the kernel's text.
        scaling: of float32 pixels.
        value: the pixel, 0..255.
        position: pointer to the result, and the number of the pixel in it.
        kind: what is written.
    """
    start = k.multiply(position[1], kind.channels)
    if kind.dtype == "float32":
        store_lanes(k, scaling.apply(value), k.at_float(position[0], start), kind.channels)
        return
    whole = k.call(PIXEL, f"llvm.rint.v{LANES}f32", f"{PIXEL} {value}")
    levels = k.let(f"fptosi {PIXEL} {whole} to {_WHOLES}")
    store_levels(k, levels, k.at(position[0], start), kind.channels)


def store_levels(k: KernelText, levels: Name, pointer: Name, channels: int) -> None:
    """Write a pixel of integers 0..255 as bytes."""
    value = k.let(f"trunc {_WHOLES} {levels} to {_BYTES}")
    store_lanes(k, value, pointer, channels, "i8", 1)


def store_lanes(
    k: KernelText, value: Name, pointer: Name, count: int, type: str = "float", size: int = FLOAT
) -> None:
    """Write the first values of a pixel; nothing after them is touched.

    Args:
        k: the kernel's text.
        value: four values.
        pointer: where they go; any address.
        count: how many are written.
        type: of a value.
        size: its bytes.
    """
    v = f"<{LANES} x {type}>"
    if count == LANES:
        k.write(f"store {v} {value}, ptr {pointer}, align {size}")
        return
    done = 0
    if count >= LANES // 2:
        pair = k.let(f"shufflevector {v} {value}, {v} poison, <2 x i32> <i32 0, i32 1>")
        k.write(f"store <2 x {type}> {pair}, ptr {pointer}, align {size}")
        done = LANES // 2
    for lane in range(done, count):
        one = k.let(f"extractelement {v} {value}, i64 {lane}")
        k.write(f"store {type} {one}, ptr {k.at(pointer, lane * size)}, align {size}")
