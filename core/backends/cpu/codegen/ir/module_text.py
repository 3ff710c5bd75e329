"""The module of LLVM IR that the kernels of a plan form."""

from collections.abc import Mapping
from typing import Protocol

from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.kernel_text import KernelText


class Written(Protocol):
    """A frozen data class whose fields decide the text of a function."""

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""


def kernel_name(number: int) -> str:
    """Return the name of a kernel's function in its module."""
    return f"kernel{number}"


def module_text(kernels: Mapping[str, Written], isa: InstructionSet) -> str:
    """Return a module with the functions of kernels, by name, and with what they need."""
    parts, declared = [], {}
    for name, kernel in kernels.items():
        k = KernelText(name, isa)
        kernel.write(k)
        parts.append(f"; {kernel!r}\n{k.text()}")
        declared.update(dict.fromkeys(k.declarations))
    return "\n\n".join((*declared, *parts, "!0 = !{}", ""))
