"""Kernels that are called by themselves, on any instruction set that this computer has."""

from functools import cache

import numpy as np

from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.called_kernels import Call, CalledKernel
from core.backends.cpu.codegen.ir.instruction_set import InstructionSet
from core.backends.cpu.codegen.ir.module_text import kernel_name, module_text
from core.backends.cpu.codegen.ir.parameters import packed_parameters
from tests.core.backends.cpu_codegen.one_step import CompiledText, compile_text


@cache
def _compiled(kernel: CalledKernel, isa: InstructionSet) -> CompiledText:
    return compile_text(module_text({kernel_name(0): kernel.described()}, isa))


def run_calls_on(isa: InstructionSet, monkeypatch) -> list[str]:
    """Let image kernels run on an instruction set; tasks run in reverse order.

    Returns:
        The names of the kernels that have run, of which there are none yet.
    """
    seen = []

    def run(*calls: Call) -> None:
        for kernel, tasks, values in calls:
            described = kernel.described()
            seen.append(type(described).__name__)
            words = packed_parameters(described.parameters, values)
            scratch = np.full(described.scratch_bytes + 64, 255, np.uint8)
            begin = scratch.ctypes.data + -scratch.ctypes.data % 64
            function = _compiled(kernel, isa).function(kernel_name(0))
            for task in reversed(range(tasks)):
                function(words.ctypes.data, task, begin)

    monkeypatch.setattr(called_kernels, "can_run", lambda *kernels: True)
    monkeypatch.setattr(called_kernels, "instruction_set", lambda: isa)
    monkeypatch.setattr(called_kernels, "split", lambda rows, work: (-(-rows // 3), 3))
    monkeypatch.setattr(called_kernels, "run", run)
    return seen
