"""Memory of the device: blocks of values, recycled by size, and moved to the host if needed.

A `Block` can be made in any thread at no cost; it gets its buffer or texture in the GL thread when
a command first needs it. When its last reference is dropped, its memory is recycled: that is safe,
as commands hold references to their blocks and the device executes in order.

A block may be freed in any thread, even during another command. So the storage does not refer to
blocks, but to their memory, which only the GL thread changes.

The host needs more care. On an H100 (driver 580.159) ``glBufferSubData`` into a buffer in use did
not wait for the commands, with any barriers and even after orphaning the buffer: training, which
uploads numbers all the time, diverged. So the host writes, reads or deletes only memory whose
commands are known to be finished.
"""

import gc
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.backends.shader.runtime.memory_blocks import Block, BlockMemory, Key, bytes_of, memory_key
from core.backends.shader.runtime.stored_forms import loaded_values, stored_dtype, stored_values
from core.backends.shader.runtime.textures import (
    from_texture,
    new_texture,
    release_frame,
    to_texels,
)
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: Share of the limit that may be kept unused for further blocks of its size.
SPARE_PART = 0.25

#: The limit if the driver does not report the memory of the device.
USUAL_BYTES = 1 << 31

#: Share of the device's memory that is used before values move to the host.
USED_PART = 0.8

GONE = (
    "the values are gone: they were made before the shader backend was stopped; "
    "keep what is needed with numpy() before core.stop_shader()"
)

#: Bytes of new memory for uploads before waiting for the device, which makes old memory idle.
MOST_UPLOADED = 1 << 26

#: Least bytes counted per upload, as buffers cost more than their bytes.
LEAST_UPLOADED = 1 << 16

UPDATE_BARRIER = 0x200  # orders writes of shaders and copies


class _Unused(NamedTuple):
    """A GPU resource for the next block of its size, and the last command that may use it."""

    resource: Any
    stamp: int


class DeviceMemory:
    """The allocator of blocks' memory, used in the GL thread only.

    Attributes:
        limit: bytes on the device before values move to the host.
        used_bytes: allocated bytes, in use or kept for further blocks.
        moved_out: number of blocks moved to the host so far.

    Args:
        gl_thread: thread of the context.
        limit: see above; by default most of the device's memory.
    """

    def __init__(self, gl_thread: "GLThread", limit: int | None = None):
        self._gl_thread = gl_thread
        memory = gl_thread.device.memory_bytes
        self.limit = limit or (int(memory * USED_PART) if memory else USUAL_BYTES)
        self.used_bytes = self.moved_out = 0
        self._moved_bytes = self.limit  # since garbage was collected; at first it is
        self._returned: deque[BlockMemory] = deque()
        self._spare: OrderedDict[Key, deque[_Unused]] = OrderedDict()
        self._spare_bytes = 0
        self._live: OrderedDict[BlockMemory, None] = OrderedDict()  # least recently used first
        self._pinned: set[BlockMemory] = set()
        self._command = 1
        self._done = 0  # the last command that the device is known to have finished
        self._uploaded = 0  # bytes of new memory since the last wait

    # --- for commands -----------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a command: memory that it uses stays on the device until the next command."""
        self._command += 1

    def wait(self) -> None:
        """Wait until the device has finished all commands before the current one."""
        self._gl_thread.finish()
        self._done, self._uploaded = self._command - 1, 0

    def _wait_until_idle(self, stamp: int) -> None:
        """Wait if an unfinished command may use memory with this stamp."""
        if stamp > self._done:
            self.wait()

    def of(self, block: Block) -> Any:
        """Return the buffer or texture of a block, with its values if it has any.

        Raises:
            CoreError: memory is short, or the values are lost.
            Exception: error of the command that should have computed the values.
        """
        if block.error is not None:
            raise block.error.with_traceback(None)  # the traceback would grow with every reader
        memory = block.memory or self._new_memory(block)
        if memory.resource is None or memory.returned is not self._returned:
            self._allocate(memory)
        memory.stamp = self._command
        if not memory.is_pinned:
            self._live.move_to_end(memory)
        return memory.resource

    def bind(self, blocks: Sequence[Block], numbers: Sequence[int]) -> None:
        """Bind the buffers of some blocks, the first to binding 0: `of` without its calls."""
        returned, command, touch = self._returned, self._command, self._live.move_to_end
        for binding, number in enumerate(numbers):
            block = blocks[number]
            memory = block.memory
            if memory is None and returned and block.source is None and block.error is None:
                memory = self._recycled_memory(block)
            if (
                memory is None
                or memory.resource is None
                or block.error is not None
                or memory.returned is not returned
            ):
                resource = self.of(block)
            else:
                resource, memory.stamp = memory.resource, command
                if not memory.is_pinned:
                    touch(memory)
            resource.mglo.bind_to_storage_buffer(binding, 0, -1)

    def _new_memory(self, block: Block) -> BlockMemory:
        """Return the memory of a block that had none, with its values if a run has them."""
        source = block.source
        if source is None:
            return self._recycled_memory(block)
        if source.buffers.session.memory is not self:
            raise CoreError(GONE)
        memory = self._recycled_memory(block)
        if memory.resource is None:
            self._allocate(memory)
        source.buffers.copy_to(memory.resource, source.number)
        block.source = None
        return memory

    def _recycled_memory(self, block: Block) -> BlockMemory:
        """Return a new block's memory; returned memory of its size is reused at once."""
        returned = self._returned
        if returned and block._given is None:
            first = returned[0]
            fits = first.key == memory_key(block.layout, block.size) and first.resource is not None
            if fits and not first.is_pinned:
                block.memory = returned.popleft()  # other threads only append
                first.layout, first.size = block.layout, block.size
                return first
        return block.attach(returned)

    def pinned(self, block: Block) -> Any:
        """Return the memory of a block, which stays on the device from now on, for plans."""
        resource, memory = self.of(block), block.memory
        assert memory is not None
        memory.is_pinned = True
        self._live.pop(memory, None)
        self._pinned.add(memory)
        return resource

    def read(self, block: Block) -> np.ndarray:
        """Return the values as a flat, read-only array; the caller has waited for the device."""
        if block.error is None and block.host is not None:
            return block.host
        self.of(block)
        assert block.memory is not None
        return self._values(block.memory)

    def release(self) -> None:
        """Release all memory; blocks that are still referenced lose their values."""
        self._take_back()
        for memory in (*self._live, *self._pinned):
            self._delete(memory.resource)
            memory.resource, memory.returned = None, deque()
        self._live.clear()
        self._pinned.clear()
        self._drop_spare(0)
        self.used_bytes = 0

    @property
    def resources(self) -> int:
        """Return the number of buffers and textures of all blocks."""
        self._take_back()
        return len(self._live) + len(self._pinned)

    # --- making room ------------------------------------------------------------------------

    def _allocate(self, memory: BlockMemory) -> None:
        """Allocate memory at the first use of a block, or after it was moved to the host."""
        if memory.resource is not None or (memory.stamp and memory.host is None):
            raise CoreError(GONE)  # the memory is or was in another context
        self._take_back()
        memory.resource = self._spare_resource(memory.key, is_idle=memory.host is not None)
        if memory.resource is None:
            memory.resource = self._made(memory.key)
        memory.returned = self._returned
        self._live[memory] = None
        if memory.host is not None:
            self.fill(memory.resource, memory.layout, memory.host)
            memory.host = None

    def _spare_resource(self, key: Key, is_idle: bool) -> Any:
        """Return unused memory, or None.

        Args:
            key: kind of memory.
            is_idle: whether all commands on the memory must be finished. New memory is allocated
                for a while before waiting for the device.
        """
        spare = self._spare.get(key)
        if not spare:
            return None
        if is_idle and spare[0].stamp > self._done:
            self._uploaded += max(bytes_of(key), LEAST_UPLOADED)
            if self._uploaded <= MOST_UPLOADED:
                return None
            self.wait()
        self._spare_bytes -= bytes_of(key)
        return (spare.popleft() if is_idle else spare.pop()).resource

    def _take_back(self) -> None:
        """Make the memory of freed blocks available."""
        while self._returned:
            memory = self._returned.popleft()
            self._live.pop(memory, None)
            self._pinned.discard(memory)
            if memory.resource is not None:
                # Plans use pinned memory without reporting it.
                stamp = self._command if memory.is_pinned else memory.stamp
                self._spare.setdefault(memory.key, deque()).append(_Unused(memory.resource, stamp))
                self._spare.move_to_end(memory.key)
                self._spare_bytes += bytes_of(memory.key)
        self._drop_spare(self.limit * SPARE_PART)

    def _drop_spare(self, most: float) -> None:
        while self._spare_bytes > most:
            key, resources = next(iter(self._spare.items()))
            if resources:
                unused = resources.popleft()
                self._wait_until_idle(unused.stamp)
                self._delete(unused.resource)
                self._spare_bytes -= bytes_of(key)
                self.used_bytes -= bytes_of(key)
            else:
                del self._spare[key]

    def _made(self, key: Key) -> Any:
        """Return a new buffer or texture; if memory is short, other blocks are moved out first."""
        size = bytes_of(key)
        if self.used_bytes + size > self.limit:
            self._make_room(size)
        for make_room in (self._drop_all_spare, self._move_all_out, None):
            resource = self._try_to_make(key)
            if resource is not None:
                self.used_bytes += size
                return resource
            if make_room is not None:
                make_room()
        raise DeviceMemoryError(
            f"the device has no memory for {size:,} bytes beside the {self.used_bytes:,} in use: "
            "let go of tensors, use smaller batches, or another backend"
        )

    def _try_to_make(self, key: Key) -> Any:
        """Return a new buffer or texture, or None if memory is short."""
        import moderngl

        check = self._gl_thread.check_errors
        self._gl_thread.keep_errors()  # so that later errors are of this allocation
        try:
            resource = self._new_resource(key)
        except (moderngl.Error, MemoryError):
            with suppress(DeviceMemoryError):
                check("a new buffer or texture")
            return None
        try:
            check(f"a buffer or texture of {bytes_of(key):,} bytes")
        except CoreError as error:
            resource.release()
            if isinstance(error, DeviceMemoryError):
                return None
            raise
        return resource

    def _new_resource(self, key: Key) -> Any:
        if len(key) == 1:
            return self._gl_thread.context.buffer(reserve=key[0])
        return new_texture(self._gl_thread, key)

    def _make_room(self, size: int) -> None:
        """Free memory down to the limit: unused, then garbage, then least recently used.

        Garbage collection is slow: it runs again after as many bytes as the limit were moved.
        """
        self._drop_all_spare()
        if self.used_bytes + size > self.limit and self._moved_bytes >= self.limit:
            gc.collect()
            self._moved_bytes = 0
            self._take_back()
            self._drop_all_spare()
        while self.used_bytes + size > self.limit and self._move_oldest_out():
            pass

    def _drop_all_spare(self) -> None:
        self._drop_spare(0)

    def _move_all_out(self) -> None:
        while self._move_oldest_out():
            pass

    def _move_oldest_out(self) -> bool:
        """Move the oldest block to the host, if there is one that the command does not use."""
        memory = next(iter(self._live), None)
        if memory is None or memory.stamp == self._command:
            return False
        self._wait_until_idle(memory.stamp)
        memory.host = self._values(memory)
        self._delete(memory.resource)
        memory.resource = None
        del self._live[memory]
        self.used_bytes -= bytes_of(memory.key)
        self._moved_bytes += bytes_of(memory.key)
        self.moved_out += 1
        return True

    # --- values in and out ------------------------------------------------------------------

    def fill(
        self, resource: Any, layout: MemoryLayout, values: np.ndarray, offset: int = 0
    ) -> None:
        """Write a tensor's values into a buffer or texture.

        Args:
            resource: the buffer or texture, which the device does not use now.
            layout: layout of the values.
            values: array of any shape, in NumPy's dtype of the layout.
            offset: start in a buffer, in bytes; a texture is filled from its beginning.
        """
        stored = stored_values(values, layout)
        if layout.kind == "texture":
            resource.write(to_texels(stored, layout))
        elif stored.size:
            self._gl_thread.context.memory_barrier(UPDATE_BARRIER)
            resource.write(stored, offset)

    def _values(self, memory: BlockMemory) -> np.ndarray:
        layout = memory.layout
        kind = stored_dtype(layout)
        count = memory.size * layout.words
        if layout.kind == "texture":
            raw = from_texture(memory.resource, layout, count, kind)
        else:
            raw = np.empty(count, kind)
            if count:
                self._gl_thread.context.memory_barrier(UPDATE_BARRIER)
                memory.resource.read_into(raw, raw.nbytes)
        return loaded_values(raw, layout)

    def _delete(self, resource: Any) -> None:
        release_frame(self._gl_thread, resource)
        resource.release()


def values_left(block: Block) -> np.ndarray:
    """Return the values of a block without a running context.

    Raises:
        CoreError: the values were lost with the context.
    """
    if block.error is not None:
        raise block.error.with_traceback(None)
    found = block.host
    if found is None:
        raise CoreError(GONE)
    return found
