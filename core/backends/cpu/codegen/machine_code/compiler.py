"""LLVM IR to object files, by llvmlite.

Kernels are written as they should run: vectors, unrolled tiles, pointers that move on. So LLVM's
passes that rewrite programs have nothing to add, and only its code generator runs, which takes a
third of the time.
"""

import platform
import sys
from functools import cache
from typing import Any

from core.errors import CoreError
from core.process.locks import new_lock

#: Optimization level of LLVM's code generator, from 0 to 3.
_LEVEL = 2

#: Held while llvmlite works, which is not thread-safe.
compiling = new_lock()


def llvm_binding() -> Any:
    """Return llvmlite's functions.

    Raises:
        CoreError: it cannot be imported.
    """
    try:
        import llvmlite.binding
    except ImportError as error:
        raise CoreError(
            "generated kernels need llvmlite, which cannot be imported: install it with "
            f"pip install llvmlite ({error})"
        ) from error
    return llvmlite.binding


@cache
def _machine() -> Any:
    """Return the target machine that compiles."""
    return _new_machine()


def _new_machine() -> Any:
    """Return llvmlite's target machine for this computer, with all its instructions."""
    llvm = llvm_binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    has = llvm.get_host_cpu_features()
    features = ",".join(f"{'+' if on else '-'}{name}" for name, on in has.items())
    triple = llvm.get_process_triple() if has_own_linker() else llvm.get_default_triple()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=f"{features},-prefer-256-bit" if "prefer-256-bit" in has else features,
        opt=_LEVEL,
        reloc="pic",
        codemodel="small" if has_own_linker() else "jitdefault",
        jit=not has_own_linker(),
    )


def has_own_linker() -> bool:
    """Return whether code is linked and loaded without llvmlite here: on Linux with x86-64."""
    return sys.platform.startswith("linux") and platform.machine() == "x86_64"


def object_of(text: str) -> bytes:
    """Return the object file of a module of LLVM IR.

    Raises:
        CoreError: the text is no valid module.
    """
    with compiling:
        return bytes(_machine().emit_object(_parsed(text)))


def assembly_of(text: str) -> str:
    """Return this computer's assembly of a module of LLVM IR, to read."""
    with compiling:
        return str(_machine().emit_assembly(_parsed(text)))


def _parsed(text: str) -> Any:
    llvm, machine = llvm_binding(), _machine()
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise CoreError(f"the generated LLVM IR is not valid: {error}") from error
    module.triple = machine.triple
    return module


def loaded_by_llvm(data: bytes, names: list[str]) -> tuple[Any, dict[str, int]]:
    """Load an object file by LLVM's own loader, where kernels are not linked by `object_linker`.

    Returns:
        What keeps the code in memory, and the addresses of functions.
    """
    llvm = llvm_binding()
    with compiling:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())  # its owner
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
        return engine, {name: engine.get_function_address(name) for name in names}
