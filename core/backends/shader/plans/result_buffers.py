"""The outputs of a plan's run: parts of one buffer, which one copy reads back.

The block of such an output has only a source, and gets memory of its own if an op needs it on the
device, or if it is still alive when the buffer is needed for a later run. Most outputs are read and
dropped before that: then a run neither allocates nor binds anything for them.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.size_arithmetic import whole
from core.backends.shader.plans.plan_memory import ALIGNMENT, Part, raw_values
from core.backends.shader.runtime import readback
from core.backends.shader.runtime.gl_functions import BARRIER_TO_ALL
from core.backends.shader.runtime.mapped_memory import READ, MappedMemory
from core.backends.shader.runtime.memory_blocks import Block, RunOutputs, Source
from core.backends.shader.runtime.session import Session
from core.backends.shader.runtime.stored_forms import loaded_values, stored_dtype


class ResultBuffers:
    """The memory of the outputs of one run at a time; in the GL thread only.

    Attributes:
        session: session with the memory.
        parts: the memory of each output.

    Args:
        session: session, with mapped memory.
        blocks: blocks like those of the outputs, in their order.
    """

    def __init__(self, session: Session, blocks: Sequence[Block]):
        self.session = session
        self._blocks = blocks
        alignment = max(ALIGNMENT, session.device.buffer_alignment)
        self._order = sorted(range(len(blocks)), key=lambda i: blocks[i].bytes)  # small ones first
        sizes = [whole(blocks[i].bytes, alignment) for i in self._order]
        *starts, total = accumulate(sizes, initial=0)
        self._held = Block(MemoryLayout("float32"), max(total, 16) // 4)
        resource = session.memory.pinned(self._held)
        placed = dict(zip(self._order, starts, strict=True))
        self.parts = [Part(resource, placed[i], b.bytes) for i, b in enumerate(blocks)]
        self._copied = [i for i in self._order if self._has_room(i)]
        self._run: RunOutputs | None = None
        self._sent: set[int] = set()
        self._known = 0  # how many outputs are usually read
        self._expected: tuple[frozenset[int], list[tuple[int, int]]] = frozenset(), []

    def _has_room(self, index: int) -> bool:
        part = self.parts[index]
        return part.bytes <= readback.MOST_BYTES and part.offset + part.bytes <= readback.ROOM

    def begin(self, run: RunOutputs) -> None:
        """Reserve the memory for a run; live outputs of the previous run move out of it."""
        self.keep()
        self._run = run
        self._sent.clear()
        for index, block in run.alive():
            block.source = Source(self, index)

    def keep(self) -> None:
        """Give the blocks that are alive memory of their own."""
        run, self._run = self._run, None
        for _, block in () if run is None else run.alive():
            if block.source is not None and block.error is None:
                try:
                    self.session.memory.of(block)
                except Exception as error:
                    block.error = error

    def copy_to(self, resource: Any, index: int) -> None:
        """Copy an output to a buffer."""
        part, gl = self.parts[index], self.session.gl_thread.gl
        gl.memory_barrier(BARRIER_TO_ALL)
        gl.copy_named_buffer(part.resource.glo, resource.glo, part.offset, 0, part.bytes)
        gl.memory_barrier(BARRIER_TO_ALL)

    # --- to the host ------------------------------------------------------------------------

    def send_expected(self) -> None:
        """Start copying the outputs that were read after earlier runs."""
        assert self._run is not None
        count = len(self._run.usually_read)
        if count != self._known:  # it only grows
            wanted = frozenset(self._run.usually_read).intersection(self._copied)
            self._known, self._expected = count, (wanted, self._ranges(wanted))
        wanted, ranges = self._expected
        self._copy(ranges)
        self._sent.update(wanted)

    def send(self, index: int) -> None:
        """Start copying an output, unless its copy has started."""
        if index not in self._sent and index in self._copied:
            self._copy(self._ranges([index]))
            self._sent.add(index)

    def arrived(self, index: int) -> np.ndarray:
        """Return an output after a wait; others that came along keep their values for reads."""
        assert self._run is not None
        for other, block in self._run.alive():
            if other != index and other in self._sent and block.copy is None:
                block.copy = self._values(other)
        return self._values(index)

    def _values(self, index: int) -> np.ndarray:
        if index in self._sent:
            return loaded_values(self._mapped_values[index].copy(), self._blocks[index].layout)
        layout, part = self._blocks[index].layout, self.parts[index]
        count = self._blocks[index].size * layout.words
        return loaded_values(raw_values(part, layout, count, stored_dtype(layout)), layout)

    def _ranges(self, indices: Iterable[int]) -> list[tuple[int, int]]:
        """Return the starts and bytes of the memory of some outputs; neighbours are joined."""
        found: list[tuple[int, int]] = []
        wanted, is_next = set(indices), False
        for index in self._copied:
            part = self.parts[index]
            if index in wanted:
                start = found.pop()[0] if is_next else part.offset
                found.append((start, part.offset + part.bytes - start))
            is_next = index in wanted
        return found

    def _copy(self, ranges: Iterable[tuple[int, int]]) -> None:
        gl, source = self.session.gl_thread.gl, self.parts[0].resource.glo
        for start, size in ranges:
            gl.copy_named_buffer(source, self._mapped.glo, start, start, size)
        gl.memory_barrier(BARRIER_TO_ALL)

    @cached_property
    def _mapped(self) -> MappedMemory:
        last = self.parts[self._copied[-1]]
        return MappedMemory(self.session.gl_thread, last.offset + last.bytes, READ)

    @cached_property
    def _mapped_values(self) -> dict[int, np.ndarray]:
        """Return the mapped values of the outputs that are copied, in stored form."""
        found = {}
        for index in self._copied:
            block, start = self._blocks[index], self.parts[index].offset
            kind = stored_dtype(block.layout)
            size = block.size * block.layout.words * kind.itemsize
            found[index] = self._mapped.array[start : start + size].view(kind)
        return found
