"""Memory of the device: blocks of values, recycled by size, moved to the host where it is short.

A `Block` is made anywhere and costs nothing; it gets its buffer or texture in the GL thread when a
command first needs it. When the last reference goes, whatever it has goes back to be used again:
that is safe, as commands keep their blocks and the device works in order.

A block may go in any thread, even in the middle of another command. So the storage never looks at
blocks of its own accord, but at what they hold, which only the GL thread changes.

The host is another matter. On an H100 (driver 580.159) ``glBufferSubData`` into a buffer that
commands still used did not wait for them, whatever barriers there were, nor after the buffer was
orphaned: trainings, which upload numbers all the time, went wild. So what the host writes, reads or
deletes is memory of which all commands are known to be done.
"""

import gc
from collections import OrderedDict, deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.backends.shader.runtime.memory_blocks import Block, Held, Key, bytes_of, memory_key
from core.backends.shader.runtime.textures import (
    from_texture,
    new_texture,
    release_frame,
    to_texels,
)
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

#: How much may lie around unused for the next block of its size, as a part of the limit.
SPARE_PART = 0.25

#: The limit where the driver does not tell how much memory there is.
USUAL_BYTES = 1 << 31

#: The part of the device's memory that we use before values move to the host.
USED_PART = 0.8

GONE = (
    "the values are gone: they were made before the shader backend was stopped; "
    "keep what is needed with numpy() before core.stop_shader()"
)

#: Bytes of new memory for uploads, before the device is waited for, so that old memory is idle.
MOST_UPLOADED = 1 << 26

#: As many an upload counts at least: buffers cost more than their bytes.
LEAST_UPLOADED = 1 << 16

UPDATE_BARRIER = 0x200  # what shaders wrote is there for copies, and the other way round


class _Unused(NamedTuple):
    """A thing for the next block that it fits, and the last command that may use it."""

    thing: Any
    stamp: int


class Storage:
    """Gives blocks their memory. All of it runs in the GL thread.

    Attributes:
        limit: bytes on the device before values move to the host.
        used_bytes: those that are taken now, whether in use or kept for the next block.
        moved_out: blocks that were moved to the host so far.

    Args:
        gl_thread: of the context.
        limit: see above; by default most of what the device has.
    """

    def __init__(self, gl_thread: "GLThread", limit: int | None = None):
        self._gl_thread = gl_thread
        memory = gl_thread.device.memory_bytes
        self.limit = limit or (int(memory * USED_PART) if memory else USUAL_BYTES)
        self.used_bytes = 0
        self.moved_out = 0
        self._moved_bytes = self.limit  # since garbage was collected; at first it is
        self._returned: deque[Held] = deque()
        self._spare: OrderedDict[Key, deque[_Unused]] = OrderedDict()
        self._spare_bytes = 0
        self._live: OrderedDict[Held, None] = OrderedDict()  # what was used longest ago first
        self._pinned: set[Held] = set()
        self._command = 1
        self._done = 0  # the device is done with all commands up to this one
        self._uploaded = 0  # bytes of new memory since it was waited for

    # --- for commands -----------------------------------------------------------------------

    def begin(self) -> None:
        """A command begins: what it uses from now on stays on the device until the next."""
        self._command += 1

    def wait(self) -> None:
        """Wait for the device, which is then done with all commands before the one of now."""
        self._gl_thread.finish()
        self._done, self._uploaded = self._command - 1, 0

    def _wait_until_idle(self, stamp: int) -> None:
        """Wait if a command that is not known to be done may use what has this stamp."""
        if stamp > self._done:
            self.wait()

    def of(self, block: Block) -> Any:
        """The buffer or texture of a block; its values are there, if it had any.

        Raises:
            CoreError: there is no memory for it, or its values are gone.
            Exception: what the command raised that was to make the values.
        """
        if block.error is not None:
            raise block.error.with_traceback(None)  # it would grow with every reader
        held = block.held or self._held(block)
        if held.thing is None or held.returned is not self._returned:
            self._place(held)
        held.stamp = self._command
        if not held.is_pinned:
            self._live.move_to_end(held)
        return held.thing

    def _held(self, block: Block) -> Held:
        """A new block's memory; often what came back first fits, and is taken as it is."""
        returned = self._returned
        if returned and block._given is None:
            first = returned[0]
            fits = first.key == memory_key(block.layout, block.size) and first.thing is not None
            if fits and not first.is_pinned:
                block.held = returned.popleft()  # others only append
                first.layout, first.size = block.layout, block.size
                return first
        return block.hold(returned)

    def pinned(self, block: Block) -> Any:
        """The same for good: plans keep what they bind, it is never moved to the host."""
        thing, held = self.of(block), block.held
        assert held is not None
        held.is_pinned = True
        self._live.pop(held, None)
        self._pinned.add(held)
        return thing

    def read(self, block: Block) -> np.ndarray:
        """The values as a flat array, which must not be written to; the device was waited for."""
        if block.error is None and block.host is not None:
            return block.host
        self.of(block)
        assert block.held is not None
        return self._values(block.held)

    def release(self) -> None:
        """Let go of all memory; blocks that are still referenced lose what is there."""
        self._take_back()
        for held in (*self._live, *self._pinned):
            self._delete(held.thing)
            held.thing, held.returned = None, deque()
        self._live.clear()
        self._pinned.clear()
        self._drop_spare(0)
        self.used_bytes = 0

    @property
    def things(self) -> int:
        """How many buffers and textures blocks have now."""
        self._take_back()
        return len(self._live) + len(self._pinned)

    # --- making room ------------------------------------------------------------------------

    def _place(self, held: Held) -> None:
        """Memory for what has none: at its first use, or after it was moved out."""
        if held.thing is not None or (held.stamp and held.host is None):
            raise CoreError(GONE)  # it is, or was, in another context
        self._take_back()
        held.thing = self._spare_thing(held.key, is_idle=held.host is not None)
        if held.thing is None:
            held.thing = self._made(held.key)
        held.returned = self._returned
        self._live[held] = None
        if held.host is not None:
            self.fill(held.thing, held.layout, held.host)
            held.host = None

    def _spare_thing(self, key: Key, is_idle: bool) -> Any:
        """Memory that nobody has; None if there is none.

        Args:
            key: what it must be like.
            is_idle: whether the device must be done with it. Rather than to wait for the device
                each time, new memory is made for a while.
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
        return (spare.popleft() if is_idle else spare.pop()).thing

    def _take_back(self) -> None:
        """What blocks left behind may be used again."""
        while self._returned:
            held = self._returned.popleft()
            self._live.pop(held, None)
            self._pinned.discard(held)
            if held.thing is not None:
                # Plans use what is pinned without a word.
                stamp = self._command if held.is_pinned else held.stamp
                self._spare.setdefault(held.key, deque()).append(_Unused(held.thing, stamp))
                self._spare.move_to_end(held.key)
                self._spare_bytes += bytes_of(held.key)
        self._drop_spare(self.limit * SPARE_PART)

    def _drop_spare(self, most: float) -> None:
        while self._spare_bytes > most:
            key, things = next(iter(self._spare.items()))
            if things:
                unused = things.popleft()
                self._wait_until_idle(unused.stamp)
                self._delete(unused.thing)
                self._spare_bytes -= bytes_of(key)
                self.used_bytes -= bytes_of(key)
            else:
                del self._spare[key]

    def _made(self, key: Key) -> Any:
        """A new buffer or texture; where memory is short, after others were moved out."""
        size = bytes_of(key)
        if self.used_bytes + size > self.limit:
            self._make_room(size)
        for make_room in (self._drop_all_spare, self._move_all_out, None):
            thing = self._try_to_make(key)
            if thing is not None:
                self.used_bytes += size
                return thing
            if make_room is not None:
                make_room()
        raise DeviceMemoryError(
            f"the device has no memory for {size:,} bytes beside the {self.used_bytes:,} in use: "
            "let go of tensors, use smaller batches, or another backend"
        )

    def _try_to_make(self, key: Key) -> Any:
        """A new one, or None where there is no memory for it."""
        import moderngl

        check = self._gl_thread.check_errors
        self._gl_thread.keep_errors()  # so that what is told next is of this one
        try:
            thing = self._new_thing(key)
        except (moderngl.Error, MemoryError):
            with suppress(DeviceMemoryError):
                check("a new buffer or texture")
            return None
        try:
            check(f"a buffer or texture of {bytes_of(key):,} bytes")
        except CoreError as error:
            thing.release()
            if isinstance(error, DeviceMemoryError):
                return None
            raise
        return thing

    def _new_thing(self, key: Key) -> Any:
        if len(key) == 1:
            return self._gl_thread.context.buffer(reserve=key[0])
        return new_texture(self._gl_thread, key)

    def _make_room(self, size: int) -> None:
        """Down to the limit: first what is unused, then garbage, then what was used longest ago.

        To look for garbage takes long: it is done again when as much as the limit was moved.
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
        """To the host, if there is any that the command of now does not use."""
        held = next(iter(self._live), None)
        if held is None or held.stamp == self._command:
            return False
        self._wait_until_idle(held.stamp)
        held.host = self._values(held)
        self._delete(held.thing)
        held.thing = None
        del self._live[held]
        self.used_bytes -= bytes_of(held.key)
        self._moved_bytes += bytes_of(held.key)
        self.moved_out += 1
        return True

    # --- values in and out ------------------------------------------------------------------

    def fill(self, thing: Any, layout: MemoryLayout, values: np.ndarray, offset: int = 0) -> None:
        """Put a tensor's values into a buffer or texture.

        Args:
            thing: the buffer or texture, which the device does not use now.
            layout: how values are stored.
            values: of any shape, in NumPy's dtype for that of the layout.
            offset: where they begin in a buffer, in bytes; a texture is filled from its beginning.
        """
        stored = stored_values(values, layout)
        if layout.kind == "texture":
            thing.write(to_texels(stored, layout))
        elif stored.size:
            self._gl_thread.context.memory_barrier(UPDATE_BARRIER)
            thing.write(stored, offset)

    def _values(self, held: Held) -> np.ndarray:
        layout = held.layout
        kind = stored_dtype(layout)
        count = held.size * layout.words
        if layout.kind == "texture":
            raw = from_texture(held.thing, layout, count, kind)
        else:
            raw = np.empty(count, kind)
            if count:
                self._gl_thread.context.memory_barrier(UPDATE_BARRIER)
                held.thing.read_into(raw, raw.nbytes)
        return loaded_values(raw, layout)

    def _delete(self, thing: Any) -> None:
        release_frame(self._gl_thread, thing)
        thing.release()


def values_left(block: Block) -> np.ndarray:
    """The values of a block where no context runs; a new one would not have them.

    Raises:
        CoreError: they were in the one that was stopped.
    """
    if block.error is not None:
        raise block.error.with_traceback(None)
    found = block.host
    if found is None:
        raise CoreError(GONE)
    return found


def stored_dtype(layout: MemoryLayout) -> np.dtype:
    """NumPy's dtype of what is stored."""
    if layout.is_whole:
        return np.dtype(np.int32)
    return np.dtype(np.float16 if layout.half else np.float32)


def stored_values(values: np.ndarray, layout: MemoryLayout) -> np.ndarray:
    """A tensor's values as they are stored: a flat array; complex ones as pairs."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if layout.dtype == "complex64":
        return flat.view(np.float32)
    if not layout.half:
        return flat.astype(stored_dtype(layout), copy=False)
    with np.errstate(over="ignore"):  # what halves do not reach becomes infinite
        return flat.astype(stored_dtype(layout), copy=False)


def loaded_values(stored: np.ndarray, layout: MemoryLayout) -> np.ndarray:
    """A tensor's values of what is stored."""
    if layout.dtype == "complex64":
        return stored.view(np.complex64)
    if layout.dtype == "bool":
        return stored != 0
    return stored.astype(np.float32, copy=False) if layout.half else stored
