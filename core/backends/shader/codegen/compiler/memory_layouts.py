"""Layouts of values in buffers and textures, and the GLSL that reads and writes them.

The order is always NumPy's row-major one. A buffer holds one value after the other; a texture four
in each texel, in rows of a power of two, so that the index of a texel needs no division. A shader
that draws to several targets fills the layers of a texture array: each layer has a chunk of the
texels, the first layer the first chunk, and so on.
"""

from typing import NamedTuple

from core.backends.shader.codegen.size_arithmetic import ceil_div, whole
from core.engine.specs import Spec

#: Logarithm to base 2 of the largest number of texels in a row of a texture.
WIDEST_ROW = 12

#: Inverse of the largest share of unused texels; rows are shortened to stay below it.
_LEAST_FILLED = 16

#: GLSL types of values, by dtype.
GLSL_TYPES = {"float32": "float", "int32": "int", "bool": "bool", "complex64": "vec2"}

#: GLSL types of four values, by dtype.
VECTORS = {"float32": "vec4", "int32": "ivec4", "bool": "bvec4"}

#: GLSL types of values in a buffer, by dtype.
STORED_TYPES = {"float32": "float", "int32": "int", "bool": "int", "complex64": "vec2"}


class MemoryLayout(NamedTuple):
    """The storage of a value.

    Attributes:
        dtype: dtype of the values.
        kind: ``"buffer"`` or ``"texture"``.
        half: whether floats are stored in 16 bits.
        shift: log2 of the texels in a row of a texture.
        rows: number of rows.
        layers: number of layers.
        chunk: used texels of a layer; the last layer may have fewer.
    """

    dtype: str
    kind: str = "buffer"
    half: bool = False
    shift: int = 0
    rows: int = 0
    layers: int = 1
    chunk: int = 0

    @property
    def width(self) -> int:
        """Return the number of texels in a row."""
        return 1 << self.shift

    @property
    def is_whole(self) -> bool:
        """Return whether integers are stored, which represent bools as well."""
        return self.dtype in ("int32", "bool")

    @property
    def words(self) -> int:
        """Return the number of stored numbers for a value."""
        return 2 if self.dtype == "complex64" else 1


def layout_of(
    spec: Spec, in_textures: bool, half: bool, layers: int = 1, chunk: int = 0
) -> MemoryLayout:
    """Return the layout of values of a shape and dtype.

    Args:
        spec: shape and dtype, not of strings.
        in_textures: whether values are stored in textures.
        half: whether floats are stored in 16 bits.
        layers: layers of a texture.
        chunk: texels of a layer, if there are several.
    """
    half = half and spec.dtype == "float32"
    if not in_textures:
        return MemoryLayout(spec.dtype, half=half)
    if layers == 1:
        chunk = max(1, ceil_div(spec.size * MemoryLayout(spec.dtype).words, 4))
    shift = row_shift(chunk)
    return MemoryLayout(
        spec.dtype, "texture", half, shift, ceil_div(chunk, 1 << shift), layers, chunk
    )


def row_shift(texels: int) -> int:
    """Return log2 of the length of a row: the largest that wastes little at the end.

    >>> row_shift(3), row_shift(6272), row_shift(1 << 20)
    (2, 9, 12)
    """
    most = min(WIDEST_ROW, (texels - 1).bit_length())
    for shift in range(most, 4, -1):
        wasted = (-texels) % (1 << shift)
        if wasted * _LEAST_FILLED <= texels:
            return shift
    return most


def stored_bytes(size: int, layout: MemoryLayout) -> int:
    """Return the bytes of a number of values: whole vectors of four."""
    if layout.kind == "texture":
        return layout.width * layout.rows * layout.layers * (8 if layout.half else 16)
    each = 2 if layout.half else 4 * layout.words
    return max(16, whole(size * each, 16))


# --- reading ------------------------------------------------------------------------------------


def reader(name: str, layout: MemoryLayout, binding: int, fours: bool = False) -> str:
    """Return declarations of an input and ``NAME_at(i)``, or ``NAME_fours(i)`` for four values.

    Args:
        name: name of the input.
        layout: layout of the input.
        binding: number of the buffer or texture unit.
        fours: whether to read four values at once (not of complex numbers).
    """
    write = _texture_reader if layout.kind == "texture" else _buffer_reader
    return write(name, layout, binding, fours)


def _buffer_reader(name: str, layout: MemoryLayout, binding: int, fours: bool) -> str:
    stored = STORED_TYPES[layout.dtype]
    if fours:
        stored = {"float": "vec4", "int": "ivec4"}[stored]
    if layout.half:
        stored = "uvec2" if fours else "uint"
    lines = [
        f"layout(std430, binding = {binding}) readonly restrict buffer {name}_block "
        f"{{ {stored} {name}_data[]; }};"
    ]
    if layout.half and fours:
        lines.append(
            f"vec4 {name}_fours(int i) {{ uvec2 p = {name}_data[i]; "
            f"return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y)); }}"
        )
    elif layout.half:
        lines.append(
            f"float {name}_at(int i) "
            f"{{ return unpackHalf2x16({name}_data[i >> 1] >> ((i & 1) << 4)).x; }}"
        )
    elif fours:
        vector = VECTORS[layout.dtype]
        lines.append(f"{vector} {name}_fours(int i) {{ return {vector}({name}_data[i]); }}")
    else:
        glsl = GLSL_TYPES[layout.dtype]
        value = f"{name}_data[i]" + (" != 0" if layout.dtype == "bool" else "")
        lines.append(f"{glsl} {name}_at(int i) {{ return {value}; }}")
    return "\n".join(lines)


def _texture_reader(name: str, layout: MemoryLayout, binding: int, fours: bool) -> str:
    vector = "ivec4" if layout.is_whole else "vec4"
    array, split, layer = "", "", ""
    if layout.layers > 1:
        array, layer = "Array", ", k"
        split = f"int k = int(uint(t) / {layout.chunk}u); t -= k * {layout.chunk}; "
    fetch = (
        f"{vector} {name}_texel(int t) {{ {split}return texelFetch(data_{binding}, "
        f"ivec{3 if layer else 2}(t & {layout.width - 1}, t >> {layout.shift}{layer}), 0); }}"
    )
    lines = [f"uniform {'i' if layout.is_whole else ''}sampler2D{array} data_{binding};", fetch]
    if fours:
        kind = "bvec4" if layout.dtype == "bool" else vector
        lines.append(f"{kind} {name}_fours(int i) {{ return {kind}({name}_texel(i)); }}")
    elif layout.dtype == "complex64":
        lines.append(
            f"vec2 {name}_at(int i) {{ vec4 v = {name}_texel(i >> 1); "
            f"return (i & 1) == 0 ? v.xy : v.zw; }}"
        )
    else:
        glsl = GLSL_TYPES[layout.dtype]
        value = "v[i & 3]" + (" != 0" if layout.dtype == "bool" else "")
        lines.append(
            f"{glsl} {name}_at(int i) {{ {vector} v = {name}_texel(i >> 2); return {value}; }}"
        )
    return "\n".join(lines)


# --- writing ------------------------------------------------------------------------------------


def values_at_once(layout: MemoryLayout, fours: bool) -> int:
    """Return the number of values of an invocation: those stored in one word or texel."""
    if layout.kind == "texture":
        return 4 // layout.words
    if fours:
        return 4
    return 2 if layout.half else 1


def writer(layout: MemoryLayout, binding: int, fours: bool = False) -> str:
    """Return declarations of the result and of ``store(i, ...)`` for the values of an invocation.

    Args:
        layout: layout of the result.
        binding: number of the buffer.
        fours: whether to write four values at once.
    """
    if layout.kind == "texture":
        return "\n".join(
            f"layout(location = {i}) out {'i' if layout.is_whole else ''}vec4 {target};"
            for i, target in enumerate(target_names(layout))
        )
    stored = STORED_TYPES[layout.dtype]
    if fours:
        stored = {"float": "vec4", "int": "ivec4"}[stored]
    if layout.half:
        stored = "uvec2" if fours else "uint"
    return (
        f"layout(std430, binding = {binding}) writeonly restrict buffer out_block "
        f"{{ {stored} out_data[]; }};"
    )


def target_names(layout: MemoryLayout) -> list[str]:
    """Return the outputs of a fragment shader, one for each layer of its result."""
    return ["out_texel", *(f"out_texel{i}" for i in range(1, layout.layers))]


def stored_form(values: list[str], layout: MemoryLayout) -> str:
    """Return GLSL of the stored form of the values of an invocation."""
    if layout.dtype == "bool":
        values = [f"int({value})" for value in values]
    vector = f"{'i' if layout.is_whole else ''}vec4({', '.join(values)})"
    if layout.kind == "texture":
        return vector
    if layout.half:
        pairs = [
            f"packHalf2x16(vec2({a}, {b}))" for a, b in zip(values[::2], values[1::2], strict=True)
        ]
        return pairs[0] if len(pairs) == 1 else f"uvec2({', '.join(pairs)})"
    if len(values) == 1:
        return values[0]
    return vector
