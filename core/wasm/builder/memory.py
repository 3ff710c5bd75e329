"""Regions of the linear memory: who has which bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from core.wasm.errors import WasmError
from core.wasm.module import Data, Instruction, instruction
from core.wasm.validation.modules import MOST_PAGES

PAGE = 65536


class Region(NamedTuple):
    """Bytes of the memory."""

    offset: int
    size: int

    @property
    def end(self) -> int:
        """Offset of the first byte behind it."""
        return self.offset + self.size


class MemoryManager:
    """Hands out aligned regions of one memory, one behind the other.

    Args:
        start: offset of the first byte that may be used.

    >>> memory = MemoryManager()
    >>> memory.allocate(3).offset, memory.allocate(64).offset, memory.pages
    (0, 16, 1)
    """

    def __init__(self, start: int = 0):
        self.used = start
        self.peak = start
        self.data: list[Data] = []

    @property
    def pages(self) -> int:
        """Pages of 64 KiB that hold all regions."""
        return -(-self.peak // PAGE)

    def allocate(self, size: int, alignment: int = 16) -> Region:
        """Return a region that nobody else has.

        Args:
            size: number of bytes.
            alignment: a power of two that divides the offset.

        Raises:
            WasmError: the size or alignment is invalid, or the memory exceeds 4 GiB.
        """
        if size < 0 or alignment < 1 or alignment & (alignment - 1):
            raise WasmError(
                f"a region of {size} bytes aligned to {alignment}: expected a size from 0 and a "
                "power of two"
            )
        offset = -(-self.used // alignment) * alignment
        if offset + size > MOST_PAGES * PAGE:
            raise WasmError(f"{offset + size} bytes exceed the largest memory, 4 GiB")
        self.used = offset + size
        self.peak = max(self.peak, self.used)
        return Region(offset, size)

    def constant(self, content: bytes | np.ndarray, alignment: int = 16) -> Region:
        """Return a region that has some bytes, or the elements of an array, at the start.

        >>> MemoryManager().constant(np.ones(3, np.float32))
        Region(offset=0, size=12)
        """
        if isinstance(content, np.ndarray):
            little = content.astype(content.dtype.newbyteorder("<"), copy=False)
            content = little.tobytes()
        region = self.allocate(len(content), alignment)
        self.data.append(Data(bytes(content), (_offset(region.offset),)))
        return region

    @contextmanager
    def temporary(self, size: int, alignment: int = 16) -> Iterator[Region]:
        """A region whose bytes go to others when the block ends.

        Raises:
            WasmError: a constant was allocated inside, whose bytes would be overwritten.
        """
        before, constants = self.used, len(self.data)
        yield self.allocate(size, alignment)
        if len(self.data) != constants:
            raise WasmError("a constant was allocated within a temporary region: move it before")
        self.used = before


def _offset(value: int) -> Instruction:
    return instruction("i32.const", value)
