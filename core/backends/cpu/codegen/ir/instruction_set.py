"""Instruction sets that kernels are generated for: width and number of vector registers."""

from functools import cache
from typing import NamedTuple

from core.backends.cpu.codegen.machine_code.cpu_features import host_cpu


class InstructionSet(NamedTuple):
    """The facts about a CPU that kernels depend on.

    Attributes:
        name: ``"avx512"``, ``"avx2"`` or ``"portable"``.
        lanes: float32 values of a vector.
        registers: vectors that fit into registers.
        fma: LLVM's function for a product and a sum in one instruction, without the type; "":
            the instruction is missing.
        has_avx: whether vectors of integers have the instructions of x86-64 with 256 bits.
        sums_bytes: whether one instruction adds the products of four bytes (VNNI).
        unrolled: rounds of a tile's loop that are written one after the other, at most.
        has_unsigned_offsets: whether loads add constants to addresses only if no sum wraps.
    """

    name: str
    lanes: int
    registers: int
    fma: str = ""
    has_avx: bool = False
    sums_bytes: bool = False
    unrolled: int = 2
    has_unsigned_offsets: bool = False


#: Registers of 512 bits.
AVX512 = InstructionSet("avx512", 16, 32, "llvm.fma", has_avx=True)

#: Registers of 512 bits, and sums of products of bytes.
AVX512_VNNI = AVX512._replace(sums_bytes=True)

#: Registers of 256 bits.
AVX2 = InstructionSet("avx2", 8, 16, "llvm.fma", has_avx=True)

#: Registers of 256 bits, and sums of products of bytes (AVX-VNNI).
AVX2_VNNI = AVX2._replace(sums_bytes=True)

#: Registers of 128 bits, as SSE and NEON have them; the latter has 32.
PORTABLE = InstructionSet("portable", 4, 16)

INSTRUCTION_SETS = (AVX512, AVX2, PORTABLE)


@cache
def host_instruction_set() -> InstructionSet:
    """Return the widest instruction set that this computer has."""
    features = host_cpu().features
    if {"avx512f", "avx512vl", "avx512dq", "avx512bw"} <= features:
        return AVX512_VNNI if "avx512_vnni" in features else AVX512
    if {"avx2", "fma"} <= features:
        return AVX2_VNNI if "avx_vnni" in features else AVX2
    return PORTABLE
