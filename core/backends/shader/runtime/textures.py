"""Textures: layout of values in texels, and framebuffers to draw into them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.errors import CoreError

if TYPE_CHECKING:
    from core.backends.shader.runtime.gl_thread import GLThread

_FRAMEBUFFER, _FIRST_ATTACHMENT = 0x8D40, 0x8CE0

#: Width, rows, layers, whether of half floats, whether of integers.
TextureKey = tuple[int, int, int, bool, bool]


def texture_key(layout: MemoryLayout) -> TextureKey:
    """Return the key of exchangeable textures."""
    return layout.width, layout.rows, layout.layers, layout.half, layout.is_whole


def texture_bytes(key: TextureKey) -> int:
    """Return the bytes of a texture."""
    width, rows, layers, half, _ = key
    return width * rows * layers * (8 if half else 16)


def new_texture(gl_thread: "GLThread", key: TextureKey) -> Any:
    """Return a texture, or an array texture if there are layers; ``extra`` is for `frame_of`.

    Raises:
        CoreError: the texture exceeds the limit of the device.
    """
    width, rows, layers, half, whole = key
    most, context = gl_thread.device.max_texture, gl_thread.context
    if max(width, rows) > most:
        raise CoreError(
            f"a tensor takes a texture of {width} x {rows} texels; {gl_thread.device.name} has "
            f"textures up to {most} x {most}: work on smaller parts, or on another backend"
        )
    dtype = "i4" if whole else "f2" if half else "f4"
    made: Any
    if layers == 1:
        made = context.texture((width, rows), 4, dtype=dtype)
    else:
        made = context.texture_array((width, rows, layers), 4, dtype=dtype)
    made.filter = (context.NEAREST, context.NEAREST)
    made.extra = None
    return made


def frame_of(gl_thread: "GLThread", texture: Any) -> Any:
    """Return the framebuffer that draws into a texture, each target into one layer; made once.

    moderngl attaches an array as a whole, of which a fragment shader draws to the first layer;
    so the layers are attached one by one in its position.
    """
    if texture.extra is None:
        layers = getattr(texture, "layers", 1)
        frame = gl_thread.context.framebuffer([texture] * layers)
        if layers > 1:
            frame.mglo.use()
            for i in range(layers):
                gl_thread.gl.framebuffer_layer(
                    _FRAMEBUFFER, _FIRST_ATTACHMENT + i, texture.glo, 0, i
                )
        texture.extra = frame
    return texture.extra


def release_frame(gl_thread: "GLThread", texture: Any) -> None:
    """Release the framebuffer of a texture, if it has one.

    moderngl binds the last framebuffer again after making one: it must not be a released one.
    """
    frame = texture.extra
    if frame is not None:
        if gl_thread.context.mglo.fbo is frame.mglo:
            gl_thread.rest.use()
        frame.release()


def to_texels(stored: np.ndarray, layout: MemoryLayout) -> np.ndarray:
    """Return the whole contents of a texture for stored values, padded with zeros."""
    texels = np.zeros((layout.layers, layout.width * layout.rows * 4), stored.dtype)
    for layer, first in zip(texels, range(0, stored.size, layout.chunk * 4), strict=False):
        part = stored[first : first + layout.chunk * 4]
        layer[: part.size] = part
    return texels


def from_texture(texture: Any, layout: MemoryLayout, count: int, dtype: np.dtype) -> np.ndarray:
    """Return the stored values of a texture.

    Args:
        texture: texture of moderngl.
        layout: layout of its values.
        count: number of values, with two for each complex value.
        dtype: dtype of a value.
    """
    texels = np.empty((layout.layers, layout.width * layout.rows * 4), dtype)
    texture.read_into(texels)
    return texels[:, : layout.chunk * 4].reshape(-1)[:count]
