"""Storage of tile operands: in shared memory, and while they are multiplied.

Values that are stored in 16 bits stay so in shared memory, which halves its traffic: a thread reads
four numbers by 8 bytes. They are converted only when they are multiplied: a conversion directly
after a load would wait for the load, which should be under way during the previous products.

Products of 16 bits take half the time of others on NVIDIA's GPUs. Each thread adds up those of one
strip in 16 bits, at most 32 of them, and these sums in 32 bits. There have to be several of these:
where functions ask for the bits of a single one, NVIDIA's compiler (driver 580.159) gives them
those of 16 bits, although it was converted.
"""

from typing import NamedTuple

#: GLSL extension of programs with 16-bit products.
EXTENSION = "GL_NV_gpu_shader5"

#: The GLSL that a text needs, by the name that it uses.
FUNCTIONS = {
    "pack_fours": (
        "uvec2 pack_fours(vec4 v) { return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw)); }"
    ),
    "floats_of": (
        "vec4 floats_of(uvec2 p) { return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y)); }"
    ),
    "halves_of": (
        "f16vec4 halves_of(uvec2 p) { return f16vec4(unpackFloat2x16(p.x), unpackFloat2x16(p.y)); }"
    ),
}


class Held(NamedTuple):
    """GLSL of the operands of a tile, four at a time.

    Attributes:
        four: type in shared memory and registers.
        zero: zeros of this type.
        factor: type of factors of products.
    """

    four: str
    zero: str
    factor: str

    @property
    def is_packed(self) -> bool:
        """Return whether shared memory has 16 bits for a number."""
        return self.four != "vec4"

    @property
    def is_multiplied(self) -> bool:
        """Return whether products are computed in 16 bits."""
        return self.factor != "vec4"

    def summed(self, count: int | str) -> "Held":
        """Return the storage for a number of strips, which may be GLSL."""
        return self.multiplied_as_floats if str(count) == "1" else self

    @property
    def multiplied_as_floats(self) -> "Held":
        """Return the storage with products in 32 bits."""
        return self._replace(factor="vec4")

    def read(self, name: str) -> str:
        """Return the name of the function that reads a vector of an input."""
        return f"{name}_raw" if self.is_packed else f"{name}_4"

    def kept(self, floats: str) -> str:
        """Return a vec4 converted to its storage in shared memory."""
        return f"pack_fours({floats})" if self.is_packed else floats

    def factors(self, four: str) -> str:
        """Return the factors in a vector of shared memory."""
        if not self.is_packed:
            return four
        return f"halves_of({four})" if self.is_multiplied else f"floats_of({four})"

    def put_sum(self, at: str, value: str) -> str:
        """Return the statement that puts a vec4 of sums into shared memory."""
        return f"put_sum({at}, {value});" if self.is_packed else f"tile[{at}] = {value};"

    def sum(self, at: str) -> str:
        """Return a vec4 of sums in shared memory."""
        return f"sum_at({at})" if self.is_packed else f"tile[{at}]"

    def declaration(self, fours: int, sums: int) -> str:
        """Declare shared memory for a number of vectors, or later of vec4s of sums."""
        if not self.is_packed:
            return f"shared vec4 tile[{max(fours, sums)}];\n"
        text = f"shared uvec2 tile[{max(fours, 2 * sums)}];\n"
        return text + _SUMS if sums else text


_SUMS = (
    "void put_sum(int i, vec4 v) { uvec4 b = floatBitsToUint(v); "
    "tile[2 * i] = b.xy; tile[2 * i + 1] = b.zw; }\n"
    "vec4 sum_at(int i) { return uintBitsToFloat(uvec4(tile[2 * i], tile[2 * i + 1])); }\n"
)

#: 32 bits.
FLOATS = Held("vec4", "vec4(0.0)", "vec4")
#: 16 bits in memory, products of 32 bits.
PACKED = Held("uvec2", "uvec2(0u)", "vec4")
#: 16 bits, also for products.
HALVES = Held("uvec2", "uvec2(0u)", "f16vec4")
