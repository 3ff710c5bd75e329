"""LLVM IR to WebAssembly's object files, by llvmlite, which has this target on every computer."""

from functools import cache
from typing import Any

from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.machine_code.compiler import compiling, llvm_binding
from core.errors import CoreError

#: Vectors of 128 bits. Engines keep 16 in registers on x86-64, but their compilers copy between
#: these: tiles of 4 pixels by 2 vectors, which leave some free, take 0.6 to 0.9 of the time that
#: larger ones do. LLVM mixes rounds that follow one another, which needs more registers still.
WASM = InstructionSet("wasm", 4, 12, unrolled=1, has_unsigned_offsets=True)

#: Relaxed SIMD has a fused multiply-add; tiles are those of `WASM`, so that weights lie alike.
RELAXED_WASM = WASM._replace(name="relaxed_wasm", fma="llvm.wasm.relaxed.madd")

_TRIPLE = "wasm32-unknown-unknown"

#: Extensions that every browser of 2023 and later has; relaxed SIMD is used by its functions alone.
_FEATURES = "+simd128,+nontrapping-fptoint,+sign-ext,+bulk-memory"
_RELAXED = "+relaxed-simd"

#: Optimization level of LLVM's code generator, from 0 to 3.
_LEVEL = 2


@cache
def _machine(features: str) -> Any:
    """Return llvmlite's target machine for WebAssembly with some extensions."""
    llvm = llvm_binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=features, opt=_LEVEL, reloc="static"
    )


def object_of(text: str, isa: InstructionSet = WASM) -> bytes:
    """Return the object file of a module of LLVM IR.

    Args:
        text: the module.
        isa: the instruction set that it is for.

    Raises:
        CoreError: the text is no valid module, or llvmlite is not installed.
    """
    llvm = llvm_binding()
    with compiling:
        machine = _machine(f"{_FEATURES},{_RELAXED}" if isa.fma else _FEATURES)
        try:
            module = llvm.parse_assembly(f'target triple = "{_TRIPLE}"\n{text}')
            module.verify()
        except RuntimeError as error:
            raise CoreError(f"the generated LLVM IR is not valid: {error}") from error
        return bytes(machine.emit_object(module))
