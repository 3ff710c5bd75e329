"""One step of a program: its generated kernels, and the NumPy tier as the definition of right."""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.backends.cpu.codegen.grouping import find_groups, generate_group, readers_of
from core.backends.cpu.codegen.ir.instruction_set import (
    INSTRUCTION_SETS,
    InstructionSet,
    host_instruction_set,
)
from core.backends.cpu.codegen.ir.module_text import kernel_name, module_text
from core.backends.cpu.codegen.packed_weights import PackedWeights
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    Temporary,
    find_generator,
)
from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.engine.program import HERE, Program, Step
from core.engine.registry import OPS
from core.engine.specs import Spec

Epilogue = Sequence[tuple[str, Sequence[Any], Mapping[str, Any]]]


def make_step(
    op: str,
    values: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray],
    inputs: Sequence[str],
    result: tuple[int, ...],
    attributes: Mapping[str, Any] | None = None,
    epilogue: Epilogue = (),
) -> Program:
    """Return a program of one step whose result is ``"y"``; epilogue inputs are names or `HERE`."""
    fused = tuple(
        Step(OPS[name], tuple(reads), dict(how), (), (f"y/{i}",))
        for i, (name, reads, how) in enumerate(epilogue)
    )
    step = Step(OPS[op], tuple(inputs), dict(attributes or {}), fused, ("y",))
    arrays = {**values, **constants}
    specs = {name: Spec(a.shape, str(a.dtype)) for name, a in arrays.items()}
    specs["y"] = Spec(result, "float32")
    return Program((step,), dict(constants), specs, tuple(values), ("y",))


def infer_step(
    op: str,
    values: Mapping[str, np.ndarray],
    inputs: Sequence[str],
    attributes: Mapping[str, Any],
) -> Program:
    """Return a program of one step without an epilogue; the op's declaration gives its results."""
    rule = OPS[op]
    specs = {name: Spec(a.shape, str(a.dtype)) for name, a in values.items()}
    given = [specs[name] for name in inputs]
    found = rule.rule(*([given] if rule.list_inputs else given), **attributes)
    results = (found,) if isinstance(found, Spec) else tuple(found)
    outputs = tuple(f"y{i}" if i else "y" for i in range(len(results)))
    specs.update(zip(outputs, results, strict=True))
    step = Step(rule, tuple(inputs), dict(attributes), (), outputs)
    return Program((step,), {}, specs, tuple(values), outputs)


def usable_sets() -> Sequence[InstructionSet]:
    """Return the instruction sets that this computer has, the widest first; of floats."""
    names = [isa.name for isa in INSTRUCTION_SETS]
    return INSTRUCTION_SETS[names.index(host_instruction_set().name) :]


def generated_of(program: Program, isa: InstructionSet) -> Generated | None:
    """Return the generated kernels of the only step, which may be those of a group of one."""
    (step,) = program.steps
    for group in find_groups(program):
        return generate_group(group, program, readers_of(program))
    generator = find_generator(step.op)
    return None if generator is None else generator(GeneratedCall(step, program, isa))


def by_numpy(program: Program, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the result of the NumPy tier."""
    return CpuExecutable(program).run([values[r] for r in program.inputs])[0]


def by_kernels(
    program: Program, values: Mapping[str, np.ndarray], isa: InstructionSet
) -> np.ndarray:
    """Return the first result of the generated kernels; tasks run in reverse order."""
    return all_by_kernels(program, values, isa)[0]


def all_by_kernels(
    program: Program, values: Mapping[str, np.ndarray], isa: InstructionSet
) -> list[np.ndarray]:
    """Return all results of the generated kernels; tasks run in reverse order."""
    generated = generated_of(program, isa)
    assert generated is not None, f"no kernel for {program.steps[0]}"
    results = {r: _filled(program.specs[r]) for r in program.steps[0].outputs}
    arrays = {**values, **program.constants, **results}
    between = [_filled(Spec((size,), "float32")) for size in generated.temporaries]
    named = {kernel_name(i): kernel for i, (kernel, _) in enumerate(generated.kernels)}
    code = compile_text(module_text(named, isa))
    for number, (kernel, arguments) in enumerate(generated.kernels):
        taken = [_array(argument, arrays, between) for argument in arguments]
        pointers = np.array([a.ctypes.data for a in taken], np.int64)
        scratch = np.full(kernel.scratch_bytes + 64, 255, np.uint8)
        begin = scratch.ctypes.data + -scratch.ctypes.data % 64
        function = code.function(kernel_name(number))
        for task in reversed(range(kernel.tasks)):
            function(pointers.ctypes.data, task, begin)
    return [*results.values()]


def _array(
    argument: Argument, arrays: Mapping[str, np.ndarray], between: Sequence[np.ndarray]
) -> np.ndarray:
    if isinstance(argument, PackedWeights):
        return argument.array
    if isinstance(argument, Temporary):
        return between[argument.number]
    return np.ascontiguousarray(arrays[argument] if isinstance(argument, str) else argument)


def _filled(spec: Spec) -> np.ndarray:
    """Return an array whose values a kernel must replace."""
    others = {"float32": np.nan, "uint8": 77}
    return np.full(spec.shape, others.get(spec.dtype, -12345), spec.dtype)


class CompiledText:
    """Compiled functions, while it lives."""

    def __init__(self, engine: Any):
        self._engine = engine

    def function(self, name: str) -> Any:
        """Return a kernel's function."""
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        return prototype(self._engine.get_function_address(name))


def compile_text(text: str) -> CompiledText:
    """Compile a module for this computer."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.Target.from_triple(llvm.get_process_triple())
    machine = triple.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    module = llvm.parse_assembly(text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    llvm.create_pass_builder(machine, options).getModulePassManager().run(
        module, llvm.create_pass_builder(machine, options)
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return CompiledText(engine)


__all__ = [
    "HERE",
    "all_by_kernels",
    "by_kernels",
    "by_numpy",
    "compile_text",
    "generated_of",
    "infer_step",
    "make_step",
    "usable_sets",
]
