"""LLVM IR to WebAssembly's object files, by llvmlite, which has this target on every computer."""

from functools import cache
from typing import Any

from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.machine_code.compiler import compiling
from core.errors import CoreError

#: Vectors of 128 bits. Engines keep them in 16 registers on x86-64; there is no fused multiply-add.
#: LLVM mixes rounds that follow one another, whose values then no longer fit into registers.
WASM = InstructionSet("wasm", 4, 16, has_fma=False, unrolled=1, has_unsigned_offsets=True)

_TRIPLE = "wasm32-unknown-unknown"

#: Extensions that every browser of 2023 and later has.
_FEATURES = "+simd128,+nontrapping-fptoint,+sign-ext,+bulk-memory"

#: Optimization level of LLVM's code generator, from 0 to 3.
_LEVEL = 2


@cache
def _machine() -> Any:
    """Return llvmlite's target machine for WebAssembly."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=_FEATURES, opt=_LEVEL, reloc="static"
    )


def object_of(text: str) -> bytes:
    """Return the object file of a module of LLVM IR.

    Raises:
        CoreError: the text is no valid module.
    """
    import llvmlite.binding as llvm

    with compiling:
        machine = _machine()
        try:
            module = llvm.parse_assembly(f'target triple = "{_TRIPLE}"\n{text}')
            module.verify()
        except RuntimeError as error:
            raise CoreError(f"the generated LLVM IR is not valid: {error}") from error
        return bytes(machine.emit_object(module))
