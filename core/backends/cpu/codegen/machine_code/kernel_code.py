"""Machine code of kernels: compiled once, cached on disk, loaded without the compiler."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.backends.cpu.codegen.machine_code.code_memory import CodeMemory
from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version, host_cpu
from core.errors import CoreError
from core.process.code_cache import keep, key_of, load
from core.process.source_stamp import source_stamp

#: Part of the key, to be changed with the format of the cache.
FORMAT = "cpu kernels 2"

#: One module after the other: texts of LLVM IR, each with the kernels of a step.
Texts = Callable[[], Sequence[str]]

#: The package that generates code: after a change of its files code is compiled anew.
_GENERATOR = "core.backends.cpu.codegen"

_PAGE = 64  # bytes: where the code of a module begins


class MachineCode:
    """Functions in executable memory, which stays while the object lives.

    Args:
        data: what `_linked` returned.

    Attributes:
        addresses: of the functions, by name.
        memory: where the functions are; None if LLVM's loader has placed some of them.
        note: what callers of the functions need to know, as was given when they were compiled.
    """

    addresses: Mapping[str, int]
    memory: CodeMemory | None
    note: str

    def __init__(self, data: bytes):
        size = int.from_bytes(data[:8], "little")
        parts = json.loads(data[8 : 8 + size])
        self._engines: list[Any] = []
        self.memory = None
        addresses: dict[str, int] = {}
        start = 8 + size
        if parts["linked"]:
            self.memory = memory = CodeMemory(data[start:])
            for name, offset in parts["linked"].items():
                addresses[name] = memory.address + offset
        for names, length in parts["objects"]:
            from core.backends.cpu.codegen.machine_code.compiler import loaded_by_llvm

            engine, found = loaded_by_llvm(data[start : start + length], names)
            self._engines.append(engine)
            addresses.update(found)
            start += length
        self.addresses, self.note = addresses, parts["note"]


def cached_code(key: Sequence[str]) -> MachineCode | None:
    """Return the code of a key from the disk; None if it must be compiled.

    Args:
        key: what decides the code, beside this computer, the compiler and the generator.
    """
    data = None if compiler_version() is None else load(name_of(key))
    if data is None:
        return None
    try:
        return MachineCode(data)
    except (CoreError, ValueError, KeyError, TypeError):  # of a version that wrote other files
        return None


def compile_code(
    key: Sequence[str], texts: Texts, check: Callable[[], None] = lambda: None, note: str = ""
) -> MachineCode:
    """Compile modules, keep their code on disk for later processes, and load it.

    Args:
        key: as for `cached_code`.
        texts: makes the modules of LLVM IR; names of functions differ.
        check: called before each module; it raises if compiling is to end.
        note: kept with the code.

    Raises:
        CoreError: llvmlite is not installed, or cannot compile a module.
    """
    data = _linked(texts(), check, note)
    keep(name_of(key), data)
    return MachineCode(data)


def _linked(texts: Sequence[str], check: Callable[[], None], note: str) -> bytes:
    """Return the code of modules, and a head that says where each function is."""
    from core.backends.cpu.codegen.machine_code.compiler import (
        has_own_linker,
        llvm_binding,
        object_of,
    )
    from core.backends.cpu.codegen.machine_code.object_linker import link

    llvm_binding()  # raises if it is not there
    code = bytearray()
    functions: dict[str, int] = {}
    objects: list[tuple[list[str], int]] = []
    for text in texts:
        check()
        made = object_of(text)
        if has_own_linker():
            image = link(made)
            code += bytes(-len(code) % _PAGE)
            functions |= {name: len(code) + offset for name, offset in image.functions.items()}
            code += image.code
        else:
            objects.append((_defined(text), len(made)))
            code += made
    head = json.dumps({"linked": functions, "objects": objects, "note": note}).encode()
    return len(head).to_bytes(8, "little") + head + bytes(code)


def _defined(text: str) -> list[str]:
    """Return the names of functions that a module defines for others."""
    heads = [line for line in text.splitlines() if line.startswith("define ")]
    seen = [head for head in heads if not head.startswith("define internal ")]
    return [head.partition("@")[2].partition("(")[0] for head in seen]


def name_of(key: Sequence[str]) -> str:
    """Return the name of code in the cache: a hash of all that it depends on."""
    cpu, compiler = host_cpu(), compiler_version() or ""
    features = " ".join(sorted(cpu.features))
    system = f"{sys.platform} {FORMAT}"
    return key_of(system, compiler, cpu.name, features, source_stamp(_GENERATOR), *key)
